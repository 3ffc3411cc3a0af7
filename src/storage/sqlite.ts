/**
 * The one importer of libsql, loaded with the first database that is opened, because that takes 10 ms on Node 20, most of
 * them to find out which C library is here; and what SQLite does not do itself: waiting for other processes, and erasing
 * deleted data.
 */
import {randomInt} from 'node:crypto'
import {createRequire} from 'node:module'
import type LibSql from 'libsql'
import {StorageError, storageErrorOf} from './errors.js'

export type Connection = LibSql.Database
export type Statement = LibSql.Statement

let Database: (new (path: string, options: {timeout: number}) => Connection) | undefined

/** `path` may be a URI; `timeout`: milliseconds to wait for another process's transaction. Throws SQLite's error. */
export function openSqlite(path: string, options: {timeout: number}): Connection {
  // Not `import()`, because stores are synchronous.
  Database ??= createRequire(import.meta.url)('libsql') as NonNullable<typeof Database>
  return new Database(path, options)
}

/**
 * The rows of a SELECT without BLOBs, each as bytes of a JSON array, with the names of its columns: libsql ends the process at
 * a text that is not UTF-8, as there may be in a damaged file.
 */
export function rowsAsBytes(connection: Connection, sql: string): {names: string[]; statement: Statement} {
  const names = connection
    .prepare(sql)
    .columns()
    .map(({name}) => name)
  const columns = names.map(name => `"${name}"`)
  const statement = connection.prepare(`SELECT CAST(json_array(${columns}) AS BLOB) AS row FROM (${sql})`)
  return {names, statement}
}

/** How long to wait for another process's transaction. */
export const PATIENCE_MILLISECONDS = 30_000
const TRY_AGAIN_MILLISECONDS = 10

/** Calls `isDone` until it returns true, also while SQLite reports `path` as busy. Throws StorageError `busy` after the wait. */
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
    pause()
  }
}

/** Before the next look at what another process is doing. Stores are synchronous. */
export function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, TRY_AGAIN_MILLISECONDS)
}

/**
 * The mark of an unfinished erasing, a random number in the `application_id` of the file's header. The transaction that
 * deletes sets it, so that after a kill the next process that opens the file finishes it.
 */
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

/** Rewrites the file with what it still holds, so that no deleted byte stays. Throws SQLite's errors. */
export function rewrite(connection: Connection, mark: number): void {
  connection.exec('VACUUM')
  connection.exec('BEGIN IMMEDIATE')
  try {
    // If another process has started to erase since, its mark stays.
    if (markOf(connection) === mark) connection.exec('PRAGMA application_id = 0')
  } finally {
    connection.exec('COMMIT')
  }
}

/** Finishes an erasing, without waiting and without an error: if the file is busy, a later process does it. */
export function finishErasing(connection: Connection, busyMilliseconds: number): void {
  const mark = markOf(connection)
  if (mark === undefined) return
  connection.exec('PRAGMA busy_timeout = 0')
  try {
    rewrite(connection, mark)
  } catch {
    // Busy, or the disk is full: the mark stays.
  } finally {
    connection.exec(`PRAGMA busy_timeout = ${busyMilliseconds}`)
  }
}

/**
 * Copies the log into the file, and removes it if no other process has the file open. Closing alone leaves the log, since
 * prepared statements hold the connection.
 */
export function endLog(connection: Connection): void {
  try {
    connection.exec('PRAGMA busy_timeout = 0')
    connection.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    connection.exec('PRAGMA journal_mode = DELETE')
  } catch {
    // In use by others, opened for reading only, or the disk is full: nothing is lost, and the next process tries again.
  }
}
