/** The tests run a build of the current sources. If the build fails, no test runs. */
import {spawnSync} from 'node:child_process'
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

test('a source that cannot be built ends the run before any test, though an older dist/ is there', async () => {
  const copy = ownDirectory()
  for (const name of NEEDED) cpSync(join(root, name), join(copy, name), {recursive: true})
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  mkdirSync(join(copy, 'dist'))
  writeFileSync(join(copy, 'dist/commands.json'), '[]')
  utimesSync(join(copy, 'dist/commands.json'), 1, 1)
  writeFileSync(
    join(copy, 'test/one.test.ts'),
    "import {writeFileSync} from 'node:fs'\nwriteFileSync('ran', '')\n",
  )
  appendFileSync(join(copy, 'src/cli/shell/main.ts'), '\nthis is no program {\n')
  // Variables that this run of vitest has set are left out.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST')))
  const failed = spawnSync(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run'], {
    cwd: copy,
    env,
    encoding: 'utf8',
  })
  const output = failed.stdout + failed.stderr
  expect({status: failed.status, output}).toEqual({status: 1, output: expect.stringContaining('main.ts')})
  expect(existsSync(join(copy, 'ran'))).toBe(false)
})
