/**
 * The one importer of libsql, loaded with the first database that is opened, because a native library costs 15 ms to load;
 * and what SQLite does not do itself: waiting for other processes, and erasing what was deleted.
 */
import {randomInt} from 'node:crypto'
import {createRequire} from 'node:module'
import type LibSql from 'libsql'
import {StorageError, storageErrorOf} from './errors.js'

export type Connection = LibSql.Database
export type Statement = LibSql.Statement

interface Options {
  readonly readonly?: boolean
  /** Milliseconds to wait for another's transaction. */
  readonly timeout: number
}

type Constructor = new (path: string, options: Options) => Connection

let Database: Constructor | undefined

/** A connection to the database at `path`, or of that URI. Throws what SQLite says. */
export function openSqlite(path: string, options: Options): Connection {
  // Not `import()`: what is read of a store is read at once, in one turn.
  Database ??= createRequire(import.meta.url)('libsql') as Constructor
  return new Database(path, options)
}

/** Ours: how long another process's transaction is waited for. */
export const PATIENCE_MILLISECONDS = 30_000
/** Ours. */
const TRY_AGAIN_MILLISECONDS = 10

/** Tries until `isDone`, also while SQLite calls `path` busy. Throws StorageError: `busy` when time is up. */
export function untilFree(patienceMilliseconds: number, path: string, isDone: () => boolean): void {
  for (const end = performance.now() + patienceMilliseconds; ; ) {
    let busy = new StorageError('busy', `${path} is in use by another process`, 'run the command again')
    try {
      if (isDone()) return
    } catch (error) {
      busy = storageErrorOf(error, path)
      if (busy.fault !== 'busy') throw busy
    }
    if (performance.now() >= end) throw busy
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, TRY_AGAIN_MILLISECONDS)
  }
}

/** A mark is a number from here on, a different one each time; SQLite keeps it as the id of the application. */
const FIRST_MARK = 0x57_00_00_00
const MARKS = 0x01_00_00_00

/** Inside the transaction that deletes. Returns the mark. */
export function setMark(connection: Connection): number {
  const mark = FIRST_MARK + randomInt(MARKS)
  connection.exec(`PRAGMA application_id = ${mark}`)
  return mark
}

/** The mark of an erasing that was not finished, or undefined. */
export function markOf(connection: Connection): number | undefined {
  const {application_id: mark} = connection.prepare('PRAGMA application_id').get() as {application_id: number}
  return mark >= FIRST_MARK && mark < FIRST_MARK + MARKS ? mark : undefined
}

/** Rewrites the file; `empty` empties the log, or throws. Throws what SQLite says. */
export function rewrite(connection: Connection, mark: number, empty: () => void): void {
  connection.exec('VACUUM')
  empty()
  clearMark(connection, mark)
}

/** Whether nothing is left in the log. */
export function emptyLog(connection: Connection): boolean {
  const row = connection.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as {busy: number}
  return row.busy === 0
}

/** Another process may have begun to erase since: its mark is its own to clear. */
function clearMark(connection: Connection, mark: number): void {
  connection.exec('BEGIN IMMEDIATE')
  try {
    if (markOf(connection) === mark) connection.exec('PRAGMA application_id = 0')
  } finally {
    connection.exec('COMMIT')
  }
}

/** Does what is still to be rewritten, without an error. Nobody waits for it: while others are busy, a later one does it. */
export function finishErasing(connection: Connection, busyMilliseconds: number): void {
  const mark = markOf(connection)
  if (mark === undefined) return
  connection.exec('PRAGMA busy_timeout = 0')
  try {
    rewrite(connection, mark, () => {
      if (!emptyLog(connection)) throw new Error('others keep it open')
    })
  } catch {
    // Busy, or the disk is full: the mark stays.
  } finally {
    connection.exec(`PRAGMA busy_timeout = ${busyMilliseconds}`)
  }
}
