/** Events of §6.1 and their deliveries. Both are written in the transaction of the change itself. */
import {isoTime} from '../../contract/dates.js'
import {DELIVERY_ID_PREFIX, EVENT_ID_PREFIX} from '../../contract/identifiers.js'
import type {Database} from '../../storage/database.js'
import {randomId} from '../base/random.js'
import {listPage, type Paging} from './lists.js'

/** The envelope of §2.8; links in `data` are stored as paths. */
export interface StoredEvent {
  readonly id: string
  readonly type: string
  readonly created: string
  readonly data: Record<string, unknown>
}

interface NewEvent {
  readonly clientId: string
  readonly type: string
  readonly data: Record<string, unknown>
  /** Unix seconds. */
  readonly now: number
}

/** Records an event, and a delivery for each active subscription of the client, or of all clients, that lists its type. */
export function addEvent(database: Database, event: NewEvent, toAllClients = false) {
  const sql = `SELECT subscription_id AS id FROM subscriptions, json_each(subscriptions.events)
    WHERE ${toAllClients ? '' : 'client_id = ? AND'} is_active = 1 AND value = ? ORDER BY sequence`
  const found = database.all<{id: string}>(sql, ...(toAllClients ? [] : [event.clientId]), event.type)
  const ids = found.map(({id}) => id)
  return addEventFor(database, ids, event)
}

/** Records an event for these subscriptions alone, as a test event is (§4.8). */
export function addEventFor(database: Database, subscriptionIds: readonly string[], event: NewEvent) {
  const {clientId, type, data, now} = event
  const eventId = randomId(EVENT_ID_PREFIX)
  const sql = 'INSERT INTO events (event_id, client_id, type, created_at, data) VALUES (?, ?, ?, ?, ?)'
  database.run(sql, eventId, clientId, type, now, JSON.stringify(data))
  const deliveryIds = subscriptionIds.map(subscriptionId => {
    const deliveryId = randomId(DELIVERY_ID_PREFIX)
    const delivery = `INSERT INTO deliveries (delivery_id, subscription_id, event_id, status, next_attempt_at)
      VALUES (?, ?, ?, 'PENDING', ?)`
    database.run(delivery, deliveryId, subscriptionId, eventId, now)
    return deliveryId
  })
  return {eventId, deliveryIds}
}

export type EventRow = Record<'event_id' | 'type' | 'data', string> & {created_at: number}

export type ListedEvent = ReturnType<typeof fromListedRow>

const EVENTS = `SELECT *,
  (SELECT count(*) FROM deliveries WHERE deliveries.event_id = events.event_id) AS deliveries,
  (SELECT count(*) FROM deliveries WHERE deliveries.event_id = events.event_id AND status = 'DELIVERED') AS delivered
  FROM events`

type ListedEventRow = EventRow & {sequence: number; client_id: string; deliveries: number; delivered: number}

export function listEvents(
  database: Database,
  {type, reservationRef}: {type?: string | null; reservationRef?: string},
  {after, limit}: Paging,
) {
  const filters = {
    'type = ?': type,
    "json_extract(data, '$.reservation_ref') = ?": reservationRef,
    'sequence < ?': after,
  }
  return listPage(database, {select: EVENTS, filters, order: 'sequence DESC', limit}, fromListedRow)
}

export function findEvent(database: Database, eventId: string): ListedEvent | undefined {
  const row = database.get<ListedEventRow>(`${EVENTS} WHERE event_id = ?`, eventId)
  return row && fromListedRow(row)
}

function fromListedRow(row: ListedEventRow) {
  const {client_id: clientId, deliveries, delivered} = row
  return {event: fromEventRow(row), clientId, deliveries, delivered}
}

export function fromEventRow({event_id, type, created_at, data}: EventRow): StoredEvent {
  return {id: event_id, type, created: isoTime(created_at), data: JSON.parse(data) as StoredEvent['data']}
}

/** The event's envelope as it is shown and sent: links lead to the origin of the running sandbox. */
export function eventWithOrigin(event: StoredEvent, origin: string): StoredEvent {
  const voucher = event.data.voucher as {url: string} | undefined
  if (!voucher) return event
  return {...event, data: {...event.data, voucher: {...voucher, url: origin + voucher.url}}}
}
