/**
 * Bytes that were deleted and must not stay: the file is rewritten and its log emptied. Until that is done a mark stands
 * in the file's header, set by the transaction that deletes, so that whoever opens the file after a kill does the rest.
 */
import {randomInt} from 'node:crypto'
import type {Connection} from './sqlite.js'

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
