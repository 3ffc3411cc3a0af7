/** What the tests run is built of the sources as they are; where that fails, no test runs. */
import {execFile} from 'node:child_process'
import {appendFileSync, cpSync, existsSync, mkdirSync, symlinkSync, utimesSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import process from 'node:process'
import {fileURLToPath} from 'node:url'
import {expect, test} from 'vitest'
import {ownDirectory} from './own.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const NEEDED = [
  'package.json',
  'package-lock.json',
  'vitest.config.ts',
  'scripts',
  'src',
  'test/support/build.ts',
  'test/support/wait.ts',
]

/** A checkout with an older dist/ and one test, which writes the file `ran`. */
function checkout() {
  const copy = ownDirectory()
  for (const name of NEEDED) cpSync(join(root, name), join(copy, name), {recursive: true})
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  mkdirSync(join(copy, 'dist'))
  writeFileSync(join(copy, 'dist/commands.json'), '[]')
  utimesSync(join(copy, 'dist/commands.json'), 1, 1)
  const body = `import {writeFileSync} from 'node:fs'\nimport {test} from 'vitest'\ntest('runs', () => writeFileSync('ran', ''))\n`
  writeFileSync(join(copy, 'test/one.test.ts'), body)
  return copy
}

/** Runs the tests in `directory`, without what this run has set for its own. */
function runTests(directory: string): Promise<{exit: number; output: string}> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST')))
  const argv = [join(root, 'node_modules/vitest/vitest.mjs'), 'run']
  return new Promise(resolve =>
    execFile(process.execPath, argv, {cwd: directory, env}, (error, stdout, stderr) =>
      resolve({exit: Number(error?.code ?? 0), output: stdout + stderr}),
    ),
  )
}

test('a source that cannot be built ends the run before any test, though an older dist/ is there', async () => {
  const copy = checkout()
  appendFileSync(join(copy, 'src/cli/shell/main.ts'), '\nthis is no program {\n')
  const failed = await runTests(copy)
  expect(failed, failed.output).toMatchObject({exit: 1, output: expect.stringContaining('main.ts')})
  expect(existsSync(join(copy, 'ran'))).toBe(false)
})

test('sources that can be built replace an older dist/, and then the tests run', async () => {
  const copy = checkout()
  const done = await runTests(copy)
  expect(done, done.output).toMatchObject({exit: 0})
  expect(existsSync(join(copy, 'ran')) && existsSync(join(copy, 'dist/cli/shell/main.js'))).toBe(true)
})
