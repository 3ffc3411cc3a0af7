/** Builds dist/ once before the tests when src/ is newer; scenario tests run the built binary. */
import {execFileSync} from 'node:child_process'
import {existsSync, mkdirSync, readdirSync, statSync} from 'node:fs'
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
    if (!isFresh()) build()
  })
}

/** A source that does not compile keeps no test from running that has no need of dist/, if an older one is there. */
function build(): void {
  try {
    execFileSync(process.execPath, [join(root, 'scripts/build.js')], {cwd: root, stdio: 'inherit'})
  } catch (error) {
    if (!existsSync(join(root, 'dist/commands.json'))) throw error
    console.error('The build failed: what runs the built binary runs an older one.')
  }
}

/** Whether dist/ is of the sources as they are. */
export function isFresh(): boolean {
  const manifest = statSync(join(root, 'dist/commands.json'), {throwIfNoEntry: false})
  if (!manifest) return false
  const names = [
    'package.json',
    'scripts/build.js',
    'scripts/layers.js',
    'scripts/licenses.js',
    'scripts/manifest.js',
  ]
  const sources = [...filesIn(join(root, 'src')), ...names.map(name => join(root, name))]
  return sources.every(path => statSync(path).mtimeMs < manifest.mtimeMs)
}

function filesIn(directory: string): string[] {
  return readdirSync(directory, {recursive: true, withFileTypes: true})
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
}
