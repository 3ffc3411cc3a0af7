/**
 * Gives processes names by which others can find out whether they still run, and uses these names for temporary files.
 * The next process that writes to a directory removes the temporary files of killed processes, because they may contain
 * secrets.
 */
import {lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync} from 'node:fs'
import {hostname, tmpdir} from 'node:os'
import {join} from 'node:path'
import process from 'node:process'
import {StorageError, storageErrorOf} from './errors.js'

/**
 * Whether a process still runs. `elsewhere` means that it belongs to another host or PID namespace, so this cannot be
 * checked.
 */
export type OwnerFate = 'running' | 'gone' | 'elsewhere'

/**
 * Returns a name for this process, which stays unique even if its pid is used again: pid, start time, UUID and place,
 * joined by colons. Each part consists of `[A-Za-z0-9._-]`.
 */
export function createOwner(): string {
  return [process.pid, startOf(process.pid) ?? '', crypto.randomUUID(), place()].join(':')
}

/**
 * Reports whether the process named `owner` still runs. `self` is the name of this process. A different name with the
 * same pid belongs to a process that no longer runs.
 */
export function fateOf(owner: string, self: string): OwnerFate {
  if (owner === self) return 'running'
  const [pid = '', started = '', , where] = owner.split(':')
  // Names from earlier versions have no place.
  if (where !== undefined && where !== place()) return 'elsewhere'
  if (Number(pid) === process.pid || !isRunning(Number(pid))) return 'gone'
  return started === '' || startOf(Number(pid)) === started ? 'running' : 'gone'
}

/** Returns the PID namespace, if the system has them, and the host name, as one text. */
function place(): string {
  let namespace = ''
  try {
    namespace = readlinkSync('/proc/self/ns/pid').replace(/\D/g, '')
  } catch {}
  return `${namespace}-${hostname()
    .replace(/[^A-Za-z0-9.]/g, '_')
    .slice(0, 64)}`
}

/** Reports whether a process with this id runs, whoever its user is. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Returns the start time of `pid` in ticks since boot, or undefined without /proc. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // Field 2, the name in brackets, may contain spaces. The start time is field 22.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}

/** The age at which a file of another host or container counts as abandoned. */
const ABANDONED_AFTER_MILLISECONDS = 24 * 60 * 60 * 1000
const NAME = /^\.bookctl-(\d+)-(\d*)-([0-9a-f-]{36})(?:-([\w.-]+))?\.tmp$/

/** Returns a path for a new temporary file in `directory`. */
export function temporaryPath(directory: string): string {
  return join(directory, `.bookctl-${createOwner().replaceAll(':', '-')}.tmp`)
}

/**
 * Removes the temporary files in `directory` that belong to this user and whose process no longer runs. Errors are
 * ignored. Files of this process stay, because another thread may be writing them. Files of other users stay too: in a
 * shared directory, their owner could replace one by a link during the removal.
 */
export function sweepTemporaryFiles(directory: string): void {
  const own = process.geteuid?.()
  const ownNames = `.bookctl-${process.pid}-${startOf(process.pid) ?? ''}-`
  let names: string[] = []
  try {
    names = readdirSync(directory)
  } catch {
    // Here and below, the write that follows will report what is wrong with the directory.
  }
  for (const name of names) {
    if (name.startsWith(ownNames)) continue
    const [match, ...words] = NAME.exec(name) ?? []
    const fate = match && fateOf(words.filter(word => word !== undefined).join(':'), '')
    if (fate === undefined || fate === 'running') continue
    const path = join(directory, name)
    try {
      const {uid, mtimeMs} = lstatSync(path)
      const isOld = Date.now() - mtimeMs > ABANDONED_AFTER_MILLISECONDS
      const isOwn = own === undefined || uid === own
      if (isOwn && (fate === 'gone' || isOld)) rmSync(path, {recursive: true, force: true})
    } catch {}
  }
}

/** True after the first sweep. From then on, this process may have directories of its own there. */
let isSwept = false

/**
 * Creates a private temporary directory (0700) and returns its path. The first call also removes directories of killed
 * processes. Throws a StorageError if it cannot be created.
 */
export function makeTemporaryDirectory(): string {
  try {
    if (!isSwept) sweepTemporaryFiles(tmpdir())
    isSwept = true
    const directory = temporaryPath(tmpdir())
    mkdirSync(directory, {mode: 0o700})
    return directory
  } catch (error) {
    const {fault, cause} = storageErrorOf(error, tmpdir())
    const hint = 'set TMPDIR to a writable directory with free space'
    throw new StorageError(fault, `cannot create a temporary directory in ${tmpdir()}`, hint, {cause})
  }
}
