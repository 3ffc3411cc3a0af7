/** Builds dist/ once before the tests when src/ is newer; scenario tests run the built binary. */
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
    // A build that fails ends the run: an older dist/ would be tested in its place.
    if (!isFresh())
      execFileSync(process.execPath, [join(root, 'scripts/build.js')], {cwd: root, stdio: 'inherit'})
  })
}

/** Whether dist/ is of the sources as they are. */
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

/** `directory` and everything in it: a directory is newer when something was taken out of it. */
function pathsIn(directory: string): string[] {
  const names = readdirSync(directory, {recursive: true, encoding: 'utf8'})
  return [directory, ...names.map(name => join(directory, name))]
}
