/** Webhook events received by any machine, byte for byte as they came, in the shared store. An id is kept once for each profile. */
import {
  type EventForward,
  type EventRow,
  type EventStore,
  fromEventRow,
  type StoredEvent,
} from '../../contract/stored-events.js'
import type {StoreConnection} from './connection.js'

/** An event's columns, under the names of its fields. */
export const EVENT = `e.sequence, e.profile, e.event_id AS "eventId", e.type,
  extract(epoch FROM e.received_at)::float8 AS "receivedAt", e.secret_name AS "secretName", e.headers, e.body`

export function createSharedEvents(store: StoreConnection): EventStore {
  return {
    async page(filter, from, limit) {
      const newestFirst = !('after' in from)
      const place = newestFirst ? (from.before ?? Number.MAX_SAFE_INTEGER) : from.after
      const {ids = null, types = null, since = null} = filter
      const sql = `SELECT ${EVENT} FROM bookctl.events e WHERE sequence ${newestFirst ? '<' : '>'} $1
          AND ($2::text[] IS NULL OR event_id = ANY ($2)) AND ($3::text[] IS NULL OR type = ANY ($3))
          AND ($4::float8 IS NULL OR received_at >= to_timestamp($4))
        ORDER BY sequence ${newestFirst ? 'DESC' : 'ASC'} LIMIT $5`
      const {rows} = await store.query<EventRow<StoredEvent>>(sql, [place, ids, types, since, limit])
      return rows.map(row => fromEventRow(row))
    },
    async forwardsOf(sequence) {
      const sql = `SELECT target, state, attempts, status, ms, error FROM bookctl.forwards
        WHERE sequence = $1 ORDER BY target`
      const {rows} = await store.query<EventForward>(sql, [sequence])
      return rows
    },
    prune: (time, limit) => prune(store, time, limit),
  }
}

/** Removes events; never one that is still to be forwarded. */
export async function prune(store: StoreConnection, time: number, limit: number): Promise<number> {
  const sql = `DELETE FROM bookctl.events WHERE sequence IN (
    SELECT sequence FROM bookctl.events e WHERE received_at < to_timestamp($1) AND NOT EXISTS (
      SELECT FROM bookctl.forwards f WHERE f.sequence = e.sequence AND f.state = 'pending')
    ORDER BY received_at LIMIT $2)`
  return (await store.query(sql, [time, limit])).count
}
