/**
 * Stores received webhook events in events.db, byte for byte and each id once per profile. Also stores the forwards
 * that `listen --forward-to` has not sent yet, so that they survive the process.
 */
import {
  type DueForward,
  type EventForward,
  type EventRow,
  type EventStore,
  type ForwardResult,
  fromEventRow,
  type NewEvent,
  packHeaders,
  packReservation,
  pageOfReservation,
  type StoredEvent,
} from '../contract/stored-events.js'
import type {Database, Value} from '../storage/database.js'
import type {OwnerFate} from '../storage/temporary.js'
import {overviewOf} from './listeners.js'

/** The columns of an event, named after its fields. */
const EVENT = `sequence, profile, event_id AS eventId, type, received_at AS receivedAt, secret_name AS secretName,
  headers, body`

/**
 * The numbers of rows that one statement can insert. There are only a few, because each number needs a prepared
 * statement.
 */
const ROWS_IN_STATEMENT = [50, 10, 1]

/**
 * Returns statements that insert several rows each, those with most rows first. Rows that exist already are left out.
 */
function insertsInto(table: string, columns: readonly string[]): readonly {rows: number; sql: string}[] {
  const row = `(${columns.map(() => '?').join(', ')})`
  return ROWS_IN_STATEMENT.map(rows => {
    const places = Array.from({length: rows}, () => row).join(', ')
    const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${places} ON CONFLICT DO NOTHING`
    return {rows, sql}
  })
}

const INSERT_EVENTS = insertsInto('events', [
  'profile',
  'event_id',
  'type',
  'received_at',
  'secret_name',
  'headers',
  'body',
  'reservation_ref',
])

const INSERT_FORWARDS = insertsInto('forwards', [
  'sequence',
  'target',
  'owner',
  'state',
  'attempts',
  'next_attempt_at',
])

/** Runs the statements of `insertsInto` for all rows, and returns how many rows were inserted. */
function insertRows(database: Database, inserts: typeof INSERT_EVENTS, values: readonly Value[][]): number {
  let inserted = 0
  let next = 0
  for (const {rows, sql} of inserts) {
    for (; values.length - next >= rows; next += rows)
      inserted += database.run(sql, ...values.slice(next, next + rows).flat())
  }
  return inserted
}

/** The profile of the events, and the name of the process that forwards them, as `createOwner` returns it. */
interface Keeper {
  readonly profile: string
  readonly owner: string
}

/**
 * Stores events in one transaction. They are durable when the function returns. Returns for each event whether its id
 * was already stored.
 */
export function receiveEvents(database: Database, {profile, owner}: Keeper, events: readonly NewEvent[]) {
  const rows = events.map(event => {
    const {eventId, type, receivedAt, secretName, rawHeaders, body, reservationRef} = event
    const headers = packHeaders(rawHeaders)
    return [profile, eventId, type, receivedAt, secretName, headers, body, packReservation(reservationRef)]
  })
  return database.transaction(() => {
    const before = database.get<{last: number | null}>('SELECT max(sequence) AS last FROM events')?.last ?? 0
    const inserted = insertRows(database, INSERT_EVENTS, rows)
    const isForwarded = events.some(({targets}) => targets.length > 0)
    if (inserted === events.length && !isForwarded) return events.map(() => ({duplicate: false}))
    // RETURNING would cost as much in every batch as inserting many rows per statement saves.
    const sql = 'SELECT sequence, event_id AS eventId FROM events WHERE sequence > ?'
    const added = database.all<{sequence: number; eventId: string}>(sql, before)
    const sequences = new Map(added.map(({eventId, sequence}) => [eventId, sequence]))
    const forwards: Value[][] = []
    const results = events.map(({eventId, targets, receivedAt}) => {
      const sequence = sequences.get(eventId)
      if (sequence === undefined) return {duplicate: true}
      // If the same id occurs again in this batch, it is a duplicate.
      sequences.delete(eventId)
      for (const target of targets) forwards.push([sequence, target, owner, 'pending', 0, receivedAt])
      return {duplicate: false}
    })
    insertRows(database, INSERT_FORWARDS, forwards)
    return results
  })
}

/**
 * Deletes at most `limit` events received before `time` (Unix seconds) and returns their number. Events with pending
 * forwards are kept.
 */
export function pruneEvents(database: Database, time: number, limit: number): number {
  const sql = `DELETE FROM events WHERE sequence IN
    (SELECT sequence FROM events WHERE received_at < ? AND NOT EXISTS
      (SELECT 1 FROM forwards WHERE forwards.sequence = events.sequence AND state = 'pending')
    ORDER BY sequence LIMIT ?)`
  const mark = `INSERT INTO pruned VALUES (1, ?)
    ON CONFLICT (one) DO UPDATE SET before = max(before, excluded.before)`
  return database.transaction(() => {
    const removed = database.run(sql, time, limit)
    if (removed > 0) database.run(mark, time)
    return removed
  })
}

/**
 * The SQL condition for the events that may be about a reservation. Events that earlier versions stored have no
 * `reservation_ref`; their bodies must contain the reference, or an escape such as \u0052, which may stand for a
 * character of it. `column` is NULL for a file without the column that cannot be migrated because it is read-only.
 */
const candidatesIn = (column: string) => `(${column} = ?6 OR (${column} IS NULL
    AND (instr(body, CAST(?6 AS BLOB)) > 0 OR instr(body, CAST('\\u00' AS BLOB)) > 0)))`

const HAS_COLUMN = `SELECT 1 AS found FROM pragma_table_info('events') WHERE name = 'reservation_ref'`

export function createEventStore(database: Database): EventStore {
  const page: EventStore['page'] = async ({ids, types, since = null, reservation}, from, limit) => {
    const newestFirst = !('after' in from)
    const place = newestFirst ? (from.before ?? Number.MAX_SAFE_INTEGER) : from.after
    const column = database.get(HAS_COLUMN) === undefined ? 'NULL' : 'reservation_ref'
    const ofReservation = reservation === undefined ? '' : `AND ${candidatesIn(column)}`
    const sql = `SELECT ${EVENT} FROM events WHERE sequence ${newestFirst ? '<' : '>'} ?1
        AND (?2 IS NULL OR event_id IN (SELECT value FROM json_each(?2)))
        AND (?3 IS NULL OR type IN (SELECT value FROM json_each(?3)))
        AND (?4 IS NULL OR received_at >= ?4) ${ofReservation}
      ORDER BY sequence ${newestFirst ? 'DESC' : 'ASC'} LIMIT ?5`
    const lists = [ids, types].map(list => (list ? JSON.stringify(list) : null))
    const values = [place, ...lists, since, limit, ...(reservation === undefined ? [] : [reservation])]
    return database.all<EventRow<StoredEvent>>(sql, ...values).map(row => fromEventRow(row))
  }
  return {
    async page(filter, from, limit) {
      const {reservation} = filter
      if (reservation === undefined) return page(filter, from, limit)
      return pageOfReservation(reservation, from, limit, (place, most) => page(filter, place, most))
    },
    async forwardsOf(sequence) {
      const sql =
        'SELECT target, state, attempts, status, ms, error FROM forwards WHERE sequence = ? ORDER BY target'
      return database.all<EventForward>(sql, sequence)
    },
    prune: async (time, limit) => pruneEvents(database, time, limit),
    async giveUpForwards(target, limit) {
      const sql = `UPDATE forwards SET state = 'given_up', next_attempt_at = ?3 WHERE target = ?1 AND sequence IN
        (SELECT sequence FROM forwards WHERE state = 'pending' AND target = ?1 LIMIT ?2)`
      return database.run(sql, target, limit, Date.now() / 1000)
    },
    async prunedBefore() {
      // A read-only file of an earlier version does not have this table.
      const isRecorded = database.get("SELECT 1 FROM sqlite_master WHERE name = 'pruned'") !== undefined
      const sql = isRecorded ? 'SELECT before FROM pruned' : 'SELECT min(received_at) AS before FROM events'
      return database.get<{before: number | null}>(sql)?.before ?? null
    },
    overview: async () => overviewOf(database, Date.now() / 1000),
  }
}

/**
 * A forward that is overdue by this many seconds has lost its process: an attempt takes seconds, and a failed forward
 * becomes due only after its wait.
 */
const LONG_DUE_SECONDS = 300

/** Selects due forwards of one owner to one target. A JSON list of sequence numbers is excluded. */
const DUE = `SELECT events.sequence, target, event_id AS eventId, type, received_at AS receivedAt, headers, body, attempts
  FROM forwards JOIN events USING (sequence)
  WHERE state = 'pending' AND target = ? AND owner = ? AND next_attempt_at <= ?
    AND sequence NOT IN (SELECT value FROM json_each(?))
  ORDER BY next_attempt_at LIMIT ?`

/** Creates the store for the forwards of the process `owner`. */
export function createForwardStore(database: Database, owner: string) {
  const taken = new Map<string, Set<number>>()
  const takenOf = (target: string) => {
    const set = taken.get(target) ?? new Set<number>()
    taken.set(target, set)
    return set
  }
  return {
    /**
     * Takes over the forwards of processes that no longer run, and long overdue ones of processes on other machines.
     * They become due immediately. Returns their number.
     */
    adopt(targets: readonly string[], fateOf: (owner: string) => OwnerFate, now: number): number {
      const others = `SELECT DISTINCT target, owner AS other FROM forwards
        WHERE state = 'pending' AND owner <> ? AND target IN (SELECT value FROM json_each(?))`
      const sql = `UPDATE forwards SET owner = ?, next_attempt_at = ?
        WHERE state = 'pending' AND target = ? AND owner = ? AND next_attempt_at <= ?`
      const dueBy = {running: undefined, gone: Number.MAX_VALUE, elsewhere: now - LONG_DUE_SECONDS}
      let adopted = 0
      database.transaction(() => {
        const left = database.all<{target: string; other: string}>(others, owner, JSON.stringify(targets))
        for (const {target, other} of left) {
          const by = dueBy[fateOf(other)]
          if (by !== undefined) adopted += database.run(sql, owner, now, target, other, by)
        }
      })
      return adopted
    },
    /** Returns due forwards, oldest first, except those that were already taken and are not settled yet. */
    take(target: string, now: number, limit: number): DueForward[] {
      const busy = takenOf(target)
      const rows = database
        .all<EventRow<DueForward>>(DUE, target, owner, now, JSON.stringify([...busy]), limit)
        .map(row => fromEventRow(row))
      for (const {sequence} of rows) busy.add(sequence)
      return rows
    },
    /** Records the results of attempts in one transaction. */
    settle(results: readonly ForwardResult[]): void {
      const sql = `UPDATE forwards SET state = ?, attempts = attempts + 1, next_attempt_at = ?, status = ?, ms = ?,
        error = ? WHERE sequence = ? AND target = ?`
      database.transaction(() => {
        for (const {state, nextAttemptAt, status, ms, error, sequence, target} of results)
          database.run(sql, state, nextAttemptAt, status, ms, error, sequence, target)
      })
      for (const {sequence, target} of results) takenOf(target).delete(sequence)
    },
  }
}
