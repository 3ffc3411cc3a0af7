/** The note by which other commands find the running local sandbox, and the file it keeps its state in. */
import {rmSync} from 'node:fs'
import {join, resolve} from 'node:path'
import {usage} from '../../../contract/failure.js'
import {SANDBOX_NAME} from '../../../state/file-names.js'
import {StorageError} from '../../../storage/errors.js'
import {
  ensurePrivateDirectory,
  isWritableDirectory,
  requireOwnFile,
  writeWholeFile,
} from '../../../storage/files.js'
import {noteOf, type RunningSandbox, readNote} from './running.js'

/** `--db`, or `sandbox.db` in the configuration directory. */
export function sandboxDatabase(typed: string | undefined, configDirectory: string): string {
  if (typed === ':memory:') return typed
  return typed ? resolve(typed) : join(configDirectory, SANDBOX_NAME)
}

/** Opening takes a moment, or a quarter of a second where another sandbox has the file. */
const OPENING_MILLISECONDS = 20_000

/** Opens the state while no other process of this home is opening it: several could block each other. */
export async function oneAtATime<T>(configDirectory: string, database: string, open: () => T): Promise<T> {
  if (database === ':memory:' || !isWritableDirectory(configDirectory)) return open()
  const {withLock} = await import('../../../storage/lock.js')
  const lock = {directory: configDirectory, kind: 'sandbox', key: database}
  const done = await withLock({...lock, waitMilliseconds: OPENING_MILLISECONDS}, async () => open())
  return done.gaveUp ? open() : done.value
}

/** Whether the note was written; a sandbox in a read-only home runs without one. */
export function writeNote(configDirectory: string, note: RunningSandbox): boolean {
  requireOwnFile(noteOf(configDirectory))
  try {
    ensurePrivateDirectory(configDirectory)
    writeWholeFile(noteOf(configDirectory), Buffer.from(`${JSON.stringify(note)}\n`), {existing: 'replace'})
    return true
  } catch (error) {
    if (error instanceof StorageError) return false
    throw error
  }
}

/** Removes the note, unless another sandbox wrote its own since. */
export function removeNote(configDirectory: string, pid: number): void {
  if (readNote(configDirectory)?.pid === pid) rmSync(noteOf(configDirectory), {force: true})
}

/** Rethrows the error of a server that cannot listen on `port`; a port in use or forbidden is a usage Failure. */
export function cannotListen(error: unknown, port: number): never {
  const {code} = error as NodeJS.ErrnoException
  if (code !== 'EADDRINUSE' && code !== 'EACCES') throw error
  const problem = code === 'EACCES' ? 'is not allowed' : 'is in use'
  throw usage('port_unavailable', `--port: port ${port} ${problem}`, 'leave out --port to use a free one')
}
