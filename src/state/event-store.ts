/** The webhook events received, byte for byte as they came, in events.db; an id is kept once for each profile. */
import {
  type EventFilter,
  type EventForward,
  type EventRow,
  type EventStore,
  fromEventRow,
  type Keeper,
  type NewEvent,
  packHeaders,
  type StoredEvent,
} from '../contract/stored-events.js'
import type {Database, Value} from '../storage/database.js'

/** Event ids are known for longer than the retries of §6.4 last. */
export const EVENT_RETENTION_SECONDS = 32 * 24 * 3600

/** An event whose headers are packed already: see `packHeaders`. */
export interface KeptEvent extends Omit<NewEvent, 'rawHeaders'> {
  readonly headers: string
}

/** An event's columns, under the names of its fields. */
const EVENT = `sequence, profile, event_id AS eventId, type, received_at AS receivedAt, secret_name AS secretName,
  headers, body`

const INSERT_EVENT = `INSERT INTO events (profile, event_id, type, received_at, secret_name, headers, body)
  VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`

/** The table has no row ids, so last_insert_rowid() stays that of the event. */
const INSERT_FORWARD = `INSERT INTO forwards (sequence, target, owner, state, attempts, next_attempt_at)
  VALUES (last_insert_rowid(), ?, ?, 'pending', 0, ?)`

/** Stores events in one transaction, durable when it returns; reports for each whether its id was known. */
export function receiveEvents(
  database: Database,
  keeper: Keeper,
  events: readonly (NewEvent | KeptEvent)[],
): {duplicate: boolean}[] {
  return database.transaction(() => events.map(event => ({duplicate: !insert(database, keeper, event)})))
}

/** Removes at most `limit` events received before `time` (Unix seconds), but none to be forwarded; returns their number. */
export function pruneEvents(database: Database, time: number, limit: number): number {
  const sql = `DELETE FROM events WHERE sequence IN
    (SELECT sequence FROM events WHERE received_at < ? AND NOT EXISTS
      (SELECT 1 FROM forwards WHERE forwards.sequence = events.sequence AND state = 'pending')
    ORDER BY sequence LIMIT ?)`
  return database.run(sql, time, limit)
}

/** `toRead` opens the database if it exists. */
export function createEventStore(open: () => Database, toRead: () => Database = open): EventStore {
  return {
    async page(filter, from, limit) {
      const [condition, values] = conditionOf(filter)
      const newestFirst = !('after' in from)
      const place = newestFirst ? (from.before ?? Number.MAX_SAFE_INTEGER) : from.after
      const sql = `SELECT ${EVENT} FROM events WHERE sequence ${newestFirst ? '<' : '>'} ? ${condition}
        ORDER BY sequence ${newestFirst ? 'DESC' : 'ASC'} LIMIT ?`
      const rows = toRead().all<EventRow<StoredEvent>>(sql, place, ...values, limit)
      return rows.map(row => fromEventRow(row))
    },
    async forwardsOf(sequence) {
      const sql =
        'SELECT target, state, attempts, status, ms, error FROM forwards WHERE sequence = ? ORDER BY target'
      return toRead().all<EventForward>(sql, sequence)
    },
    prune: async (time, limit) => pruneEvents(open(), time, limit),
  }
}

/** Whether the event is new. */
function insert(database: Database, {profile, owner}: Keeper, event: NewEvent | KeptEvent): boolean {
  const {eventId, type, receivedAt, secretName, body, targets} = event
  const headers = 'headers' in event ? event.headers : packHeaders(event.rawHeaders)
  if (database.run(INSERT_EVENT, profile, eventId, type, receivedAt, secretName, headers, body) === 0)
    return false
  for (const target of targets) database.run(INSERT_FORWARD, target, owner, receivedAt)
  return true
}

function conditionOf({ids, types, since}: EventFilter): [sql: string, values: Value[]] {
  const parts: [sql: string, value: Value][] = []
  if (ids) parts.push(['AND event_id IN (SELECT value FROM json_each(?))', JSON.stringify(ids)])
  if (types) parts.push(['AND type IN (SELECT value FROM json_each(?))', JSON.stringify(types)])
  if (since !== undefined) parts.push(['AND received_at >= ?', since])
  return [parts.map(([sql]) => sql).join(' '), parts.map(([, value]) => value)]
}
