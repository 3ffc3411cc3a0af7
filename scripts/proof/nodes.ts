/** The versions of Node that bookctl promises to run on, brought by npm. */
import {execFileSync} from 'node:child_process'
import {chmodSync, mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'

/** The oldest that we name, and the newest of each line that is kept. */
export const NODES = ['20.18.1', '20', '22', '24', '26'] as const

/** Installs Node of `version` below `directory`; returns the path of its binary. */
export function bringNode(version: string, directory: string): string {
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  const prefix = join(directory, `node ${version}`)
  npm(['install', '--prefix', prefix, '--no-save', `${name}@${version}`])
  return join(prefix, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
}

/** Runs npm, quietly, in the root of the project; returns what it printed. */
export function npm(argv: readonly string[]): string {
  const quiet = ['--silent', '--no-audit', '--no-fund', '--ignore-scripts']
  const cwd = new URL('../..', import.meta.url)
  return execFileSync('npm', [...argv, ...quiet], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

/** A temporary directory that every user may read; it goes when this process ends, also where it is stopped. */
export function makeOpenDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'bookctl-proof-'))
  process.once('exit', () => rmSync(directory, {recursive: true, force: true}))
  chmodSync(directory, 0o755)
  return directory
}
