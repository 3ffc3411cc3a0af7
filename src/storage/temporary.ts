/**
 * A name for the running process, by which another can tell whether it still runs; and temporary files and directories
 * named after it, so that the next process that writes there removes what a killed one left: it may hold a secret.
 */
import {lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync} from 'node:fs'
import {hostname, tmpdir} from 'node:os'
import {join} from 'node:path'
import process from 'node:process'
import {StorageError, storageErrorOf} from './errors.js'

// `crypto` is the global one: to import the module costs a start two milliseconds.

/** `elsewhere`: on another host, or in another PID namespace, so that it cannot be told from here. */
export type OwnerFate = 'running' | 'gone' | 'elsewhere'

/** Different for every process, also when a pid comes again: four words with colons between them, of `[A-Za-z0-9._-]`. */
export function createOwner(): string {
  return [process.pid, startOf(process.pid) ?? '', crypto.randomUUID(), place()].join(':')
}

/** What became of the process that made `owner`. `self` is this process's own; another of its pid is gone. */
export function fateOf(owner: string, self: string): OwnerFate {
  if (owner === self) return 'running'
  const [pid = '', started = '', , where] = owner.split(':')
  // Those made before there was a word for the place have none.
  if (where !== undefined && where !== place()) return 'elsewhere'
  if (Number(pid) === process.pid || !isRunning(Number(pid))) return 'gone'
  return started === '' || startOf(Number(pid)) === started ? 'running' : 'gone'
}

let known: string | undefined

/** The PID namespace, where the system has such, and the host. */
function place(): string {
  known ??= `${namespace()}-${hostname()
    .replace(/[^A-Za-z0-9.]/g, '_')
    .slice(0, 64)}`
  return known
}

function namespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid').replace(/\D/g, '')
  } catch {
    return ''
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Ticks from boot to the start of `pid`, where the system tells. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name in brackets may hold blanks; the start is field 22.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}

const NAME = /^\.bookctl-(\d+)-(\d*)-([0-9a-f-]{36})(?:-([\w.-]+))?\.tmp$/

/** Ours: when a file of which nobody here can tell whether it is still written, in another container say, is left. */
const LEFT_AFTER_MILLISECONDS = 24 * 60 * 60 * 1000

/** The path of a new one in `directory`. */
export function temporaryPath(directory: string): string {
  return join(directory, `.bookctl-${createOwner().replaceAll(':', '-')}.tmp`)
}

/**
 * Removes those of this user in `directory` whose maker no longer runs. What is another's stays: in a directory that all
 * may write to, its owner could put a link in the place of what is being removed. So does what cannot be looked at or
 * removed, without a word.
 */
export function sweepTemporaryFiles(directory: string): void {
  for (const name of namesIn(directory)) {
    try {
      const path = join(directory, name)
      if (isLeft(name, path) && isOwn(path)) rmSync(path, {recursive: true, force: true})
    } catch {
      // What is to be written beside it will say what is in its way.
    }
  }
}

function isOwn(path: string): boolean {
  const own = process.geteuid?.()
  return own === undefined || lstatSync(path).uid === own
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

function isLeft(name: string, path: string): boolean {
  const [match, ...words] = NAME.exec(name) ?? []
  if (match === undefined) return false
  const fate = fateOf(words.filter(word => word !== undefined).join(':'), '')
  return fate === 'gone' || (fate === 'elsewhere' && isOld(path))
}

function isOld(path: string): boolean {
  return Date.now() - lstatSync(path).mtimeMs > LEFT_AFTER_MILLISECONDS
}

/** Once a process: what it made itself since then is in use. */
let isSwept = false

/** Makes it, 0700, and returns its path; those of killed processes are removed. Throws StorageError when it cannot. */
export function makeTemporaryDirectory(): string {
  try {
    if (!isSwept) sweepTemporaryFiles(tmpdir())
    isSwept = true
    const directory = temporaryPath(tmpdir())
    mkdirSync(directory, {mode: 0o700})
    return directory
  } catch (error) {
    const {fault, cause} = storageErrorOf(error, tmpdir())
    const hint = 'set TMPDIR to a directory that can be written and has room'
    throw new StorageError(fault, `cannot make a directory for temporary files in ${tmpdir()}`, hint, {cause})
  }
}
