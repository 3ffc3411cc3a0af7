/** What the sandbox's own page lists: newest first, a page at a time, whoever's it is. */
import type {Database, Value} from '../../storage/database.js'
import {type Delivery, fromRecordRow, type RecordRow} from './deliveries.js'
import {type EventRow, fromEventRow, type StoredEvent} from './events.js'
import {foldCase, fromReservationRow, type ReservationRow, type StoredReservation} from './reservations.js'
import {fromSubscriptionRow, type StoredSubscription, type SubscriptionRow} from './subscriptions.js'

/** Ours: entries on a page of a list. */
export const PAGE_SIZE = 50

export interface Paging {
  /** Only what has a smaller sequence number; null for the newest. */
  readonly before: number | null
  readonly limit: number
}

export interface Listed<Item> {
  readonly items: readonly Item[]
  /** `before` of the next page; null on the last. */
  readonly older: number | null
}

/** A condition of a query and its value; undefined when it was not asked for. */
type Condition = readonly [sql: string, value: Value] | undefined

/** `search`: words that all must be part of the references, the hotel's name or a person's name. */
export function browseReservations(
  database: Database,
  filter: {status: string | null; search: string},
  paging: Paging,
): Listed<StoredReservation> {
  const words = foldCase(filter.search)
    .split(/\s+/)
    .filter(word => word !== '')
  return list<ReservationRow, StoredReservation>(
    database,
    'SELECT sequence, client_id, debited_minor, record FROM reservations',
    [
      when('status = ?', filter.status),
      words.length > 0 ? [HAS_ALL_WORDS, JSON.stringify(words)] : undefined,
    ],
    'sequence',
    paging,
    fromReservationRow,
  )
}

/** A JSON array of words, case and marks folded. */
const HAS_ALL_WORDS = `NOT EXISTS (
  SELECT 1 FROM json_each(?) AS word WHERE instr(coalesce(search_text, ''), word.value) = 0)`

export interface ListedEvent {
  readonly event: StoredEvent
  readonly clientId: string
  readonly deliveries: number
  readonly delivered: number
}

const EVENTS = `SELECT sequence, event_id, client_id, type, created_at, data,
  (SELECT count(*) FROM deliveries WHERE deliveries.event_id = events.event_id) AS deliveries,
  (SELECT count(*) FROM deliveries WHERE deliveries.event_id = events.event_id AND status = 'DELIVERED') AS delivered
  FROM events`

type ListedEventRow = EventRow & {sequence: number; client_id: string; deliveries: number; delivered: number}

export function browseEvents(
  database: Database,
  filter: {type: string | null; reservationRef: string | null},
  paging: Paging,
): Listed<ListedEvent> {
  return list<ListedEventRow, ListedEvent>(
    database,
    EVENTS,
    [
      when('type = ?', filter.type),
      when("json_extract(data, '$.reservation_ref') = ?", filter.reservationRef),
    ],
    'sequence',
    paging,
    fromListedEventRow,
  )
}

export function findListedEvent(database: Database, eventId: string): ListedEvent | undefined {
  const row = database.get<ListedEventRow>(`${EVENTS} WHERE event_id = ?`, eventId)
  return row && fromListedEventRow(row)
}

export interface ListedDelivery {
  readonly delivery: Delivery
  /** Where it goes; null when the subscription is gone. */
  readonly url: string | null
  /** Whether the subscription is active. */
  readonly active: boolean
}

const DELIVERIES = `SELECT deliveries.sequence, delivery_id, deliveries.subscription_id, deliveries.event_id, type,
  status, next_attempt_at, attempts, url, is_active FROM deliveries
  LEFT JOIN events ON events.event_id = deliveries.event_id
  LEFT JOIN subscriptions ON subscriptions.subscription_id = deliveries.subscription_id`

type ListedDeliveryRow = RecordRow & {url: string | null; is_active: number | null}

export function browseDeliveries(
  database: Database,
  filter: {status: string | null; subscriptionId: string | null; eventId: string | null},
  paging: Paging,
): Listed<ListedDelivery> {
  return list<ListedDeliveryRow, ListedDelivery>(
    database,
    DELIVERIES,
    [
      when('status = ?', filter.status),
      when('deliveries.subscription_id = ?', filter.subscriptionId),
      when('deliveries.event_id = ?', filter.eventId),
    ],
    'deliveries.sequence',
    paging,
    fromListedDeliveryRow,
  )
}

export function findListedDelivery(database: Database, deliveryId: string): ListedDelivery | undefined {
  const row = database.get<ListedDeliveryRow>(`${DELIVERIES} WHERE delivery_id = ?`, deliveryId)
  return row && fromListedDeliveryRow(row)
}

export function browseSubscriptions(database: Database, paging: Paging): Listed<StoredSubscription> {
  const sql = 'SELECT sequence, client_id, subscription_id, url, events, is_active FROM subscriptions'
  return list<SubscriptionRow, StoredSubscription>(database, sql, [], 'sequence', paging, fromSubscriptionRow)
}

/** How many there are of each status. */
export function countByStatus(
  database: Database,
  table: 'reservations' | 'deliveries',
): ReadonlyMap<string, number> {
  const sql = `SELECT status, count(*) AS count FROM ${table} GROUP BY status ORDER BY status`
  return new Map(database.all<{status: string; count: number}>(sql).map(row => [row.status, row.count]))
}

export function countAll(database: Database, table: 'events' | 'subscriptions'): number {
  return database.get<{count: number}>(`SELECT count(*) AS count FROM ${table}`)?.count ?? 0
}

function when(sql: string, value: string | null): Condition {
  return value === null ? undefined : [sql, value]
}

function list<Row extends {sequence: number}, Item>(
  database: Database,
  select: string,
  asked: readonly Condition[],
  sequence: string,
  {before, limit}: Paging,
  fromRow: (row: Row) => Item,
): Listed<Item> {
  const conditions = [...asked, before === null ? undefined : ([`${sequence} < ?`, before] as const)]
  const present = conditions.filter(condition => condition !== undefined)
  const where = present.length > 0 ? `WHERE ${present.map(([sql]) => sql).join(' AND ')}` : ''
  const rows = database.all<Row>(
    `${select} ${where} ORDER BY ${sequence} DESC LIMIT ?`,
    ...present.map(([, value]) => value),
    limit + 1,
  )
  const shown = rows.slice(0, limit)
  return {
    items: shown.map(fromRow),
    older: rows.length > limit ? (shown.at(-1)?.sequence ?? null) : null,
  }
}

function fromListedEventRow(row: ListedEventRow): ListedEvent {
  const {client_id: clientId, deliveries, delivered} = row
  return {event: fromEventRow(row), clientId, deliveries, delivered}
}

function fromListedDeliveryRow(row: ListedDeliveryRow): ListedDelivery {
  return {delivery: fromRecordRow(row), url: row.url, active: row.is_active === 1}
}
