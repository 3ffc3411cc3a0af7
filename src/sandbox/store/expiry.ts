/** Removes what has expired by the service's clock, a step at a time, and gives its space back to the disk. */
import {OFFER_VALIDITY_SECONDS} from '../../contract/limits.js'
import {KEY_RETENTION_SECONDS} from '../../contract/operation-details.js'
import type {Database} from '../../storage/database.js'

/** Tables of what expires: a column of Unix seconds, with an index, and how long after them a row is needed. */
const EXPIRING = [
  ['searches', 'searched_at', OFFER_VALIDITY_SECONDS],
  ['tokens', 'expires_at', 0],
  ['idempotency_keys', 'created_at', KEY_RETENTION_SECONDS],
] as const

/** Rows of a table removed at once, in a few milliseconds. */
const STEP = 500
/** Waiting a little collects rows for one commit. */
const WAIT_SECONDS = 60

/** Removes a step, if one is due at `now`. Returns when the next is: in Unix seconds, `now` for at once; null for never. */
export function removeExpired(database: Database, now: number): number | null {
  const due = EXPIRING.flatMap(([table, column, seconds]) => {
    const sql = `SELECT min(${column}) AS oldest FROM ${table}`
    const oldest = database.get<{oldest: number | null}>(sql)?.oldest ?? null
    return oldest === null ? [] : [{table, column, seconds, at: oldest + seconds + WAIT_SECONDS}]
  })
  if (due.length === 0) return null
  const first = Math.min(...due.map(({at}) => at))
  if (first > now) return first
  database.transaction(() => {
    for (const {table, column, seconds} of due) {
      const oldest = `SELECT rowid FROM ${table} WHERE ${column} <= ? ORDER BY ${column} LIMIT ${STEP}`
      database.run(`DELETE FROM ${table} WHERE rowid IN (${oldest})`, now - seconds)
    }
  })
  database.all(`PRAGMA incremental_vacuum(${STEP})`)
  // Only now the file and its log become smaller.
  database.all('PRAGMA wal_checkpoint(TRUNCATE)')
  return now
}
