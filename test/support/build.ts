/** Builds dist/ once before the tests if src/ is newer. The scenario tests run the built program. */
import {execFileSync} from 'node:child_process'
import {mkdirSync, readdirSync, statSync} from 'node:fs'
import {join} from 'node:path'
import process from 'node:process'
import {fileURLToPath} from 'node:url'
import {withLock} from '../../src/storage/lock.js'

const root = fileURLToPath(new URL('../..', import.meta.url))

export async function setup(): Promise<void> {
  const directory = join(root, 'node_modules/.cache/bookctl-tests')
  mkdirSync(directory, {recursive: true})
  const lock = {directory, kind: 'build', key: 'dist', waitMilliseconds: 300_000}
  await withLock(lock, async () => {
    // A failed build ends the run, because the tests would otherwise use an older dist/.
    if (!isFresh())
      execFileSync(process.execPath, [join(root, 'scripts/build.js')], {cwd: root, stdio: 'inherit'})
  })
}

/** Reports whether dist/ was built from the current sources. */
export function isFresh(): boolean {
  const manifest = statSync(join(root, 'dist/commands.json'), {throwIfNoEntry: false})
  if (!manifest) return false
  const names = [
    'package.json',
    'package-lock.json',
    'scripts/build.js',
    'scripts/layers.js',
    'scripts/licenses.js',
    'scripts/manifest.js',
  ]
  const sources = [...pathsIn(join(root, 'src')), ...names.map(name => join(root, name))]
  return sources.every(path => statSync(path).mtimeMs < manifest.mtimeMs)
}

/**
 * Lists `directory` and everything in it. Directories are included, because removing a file only changes the time of its
 * directory.
 */
function pathsIn(directory: string): string[] {
  const names = readdirSync(directory, {recursive: true, encoding: 'utf8'})
  return [directory, ...names.map(name => join(directory, name))]
}
