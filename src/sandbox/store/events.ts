/** Events of §6.1 and the deliveries they are due. Both are written in the transaction of the change itself. */
import {isoTime} from '../../contract/dates.js'
import type {EventType} from '../../contract/events.js'
import {DELIVERY_ID_PREFIX, EVENT_ID_PREFIX} from '../../contract/identifiers.js'
import type {Database} from '../../storage/database.js'
import {randomId} from '../base/random.js'

/** The envelope of §2.8; links in `data` are stored as paths. */
export interface StoredEvent {
  readonly id: string
  readonly type: string
  readonly created: string
  readonly data: Record<string, unknown>
}

/** Records an event, and a delivery for each active subscription of the client that lists its type. */
export function addEvent(
  database: Database,
  event: {clientId: string; type: EventType; data: Record<string, unknown>; now: number},
): string {
  const eventId = insertEvent(database, event)
  const subscribed = database.all<{subscription_id: string; events: string}>(
    'SELECT subscription_id, events FROM subscriptions WHERE client_id = ? AND is_active = 1 ORDER BY sequence',
    event.clientId,
  )
  for (const {subscription_id, events} of subscribed) {
    if ((JSON.parse(events) as string[]).includes(event.type)) {
      addDelivery(database, subscription_id, eventId, event.now)
    }
  }
  return eventId
}

/** Records a test event for one subscription alone (§4.8). */
export function addTestEvent(
  database: Database,
  subscriptionId: string,
  event: {clientId: string; type: string; data: Record<string, unknown>; now: number},
): {event_id: string; delivery_id: string} {
  const eventId = insertEvent(database, event)
  return {event_id: eventId, delivery_id: addDelivery(database, subscriptionId, eventId, event.now)}
}

export interface EventRow {
  event_id: string
  type: string
  created_at: number
  data: string
}

/** All events, oldest first. */
export function listEvents(database: Database): StoredEvent[] {
  return database
    .all<EventRow>('SELECT event_id, type, created_at, data FROM events ORDER BY sequence')
    .map(fromEventRow)
}

export function fromEventRow(row: EventRow): StoredEvent {
  return {
    id: row.event_id,
    type: row.type,
    created: isoTime(row.created_at),
    data: JSON.parse(row.data) as Record<string, unknown>,
  }
}

function insertEvent(
  database: Database,
  event: {clientId: string; type: string; data: Record<string, unknown>; now: number},
): string {
  const eventId = randomId(EVENT_ID_PREFIX)
  database.run(
    'INSERT INTO events (event_id, client_id, type, created_at, data) VALUES (?, ?, ?, ?, ?)',
    eventId,
    event.clientId,
    event.type,
    event.now,
    JSON.stringify(event.data),
  )
  return eventId
}

function addDelivery(database: Database, subscriptionId: string, eventId: string, now: number): string {
  const deliveryId = randomId(DELIVERY_ID_PREFIX)
  database.run(
    `INSERT INTO deliveries (delivery_id, subscription_id, event_id, status, next_attempt_at)
     VALUES (?, ?, ?, 'PENDING', ?)`,
    deliveryId,
    subscriptionId,
    eventId,
    now,
  )
  return deliveryId
}

/** The event's envelope as it is shown and sent: links lead to the origin of the running sandbox. */
export function eventWithOrigin(event: StoredEvent, origin: string): StoredEvent {
  const voucher = event.data.voucher as {url: string} | undefined
  if (!voucher) return event
  return {...event, data: {...event.data, voucher: {...voucher, url: origin + voucher.url}}}
}
