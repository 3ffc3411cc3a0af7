/** The lists of the sandbox's pages: entries of all clients, newest first, a page at a time. */
import type {Database, Value} from '../../storage/database.js'
import {type Delivery, type DeliveryRow, fromDeliveryRow} from './deliveries.js'
import {type EventRow, fromEventRow, type StoredEvent} from './events.js'
import {
  conditions,
  foldCase,
  fromReservationRow,
  SELECT_RESERVATIONS,
  type StoredReservation,
} from './reservations.js'
import {fromSubscriptionRow, type StoredSubscription} from './subscriptions.js'

/** Entries on a page of a list. */
export const PAGE_SIZE = 50

export interface Paging {
  /** Only entries with a smaller sequence number; null for the newest. */
  readonly before: number | null
  readonly limit: number
}

export interface Listed<Item> {
  readonly items: readonly Item[]
  /** `before` of the next page; null on the last. */
  readonly older: number | null
}

/** A filter of a list; null or missing: not filtered by it. */
type Filter<Name extends string> = {readonly [name in Name]?: string | null}

/** `search`: words that all must be part of the references, the hotel's name or a person's name. */
export function browseReservations(
  database: Database,
  {status, search}: Filter<'status' | 'search'>,
  paging: Paging,
): Listed<StoredReservation> {
  const words = foldCase(search ?? '').match(/\S+/g)
  const hasAllWords = `NOT EXISTS (
    SELECT 1 FROM json_each(?) AS word WHERE instr(coalesce(search_text, ''), word.value) = 0)`
  const asked = [['status = ?', status] as const, [hasAllWords, words && JSON.stringify(words)] as const]
  return list(database, SELECT_RESERVATIONS, asked, paging, fromReservationRow, 'sequence')
}

export interface ListedEvent {
  readonly event: StoredEvent
  readonly clientId: string
  readonly deliveries: number
  readonly delivered: number
}

const EVENTS = `SELECT *,
  (SELECT count(*) FROM deliveries WHERE deliveries.event_id = events.event_id) AS deliveries,
  (SELECT count(*) FROM deliveries WHERE deliveries.event_id = events.event_id AND status = 'DELIVERED') AS delivered
  FROM events`

type ListedEventRow = EventRow & {sequence: number; client_id: string; deliveries: number; delivered: number}

export function browseEvents(
  database: Database,
  {type, reservationRef}: Filter<'type' | 'reservationRef'>,
  paging: Paging,
): Listed<ListedEvent> {
  const ofReservation = "json_extract(data, '$.reservation_ref') = ?"
  const asked = [['type = ?', type] as const, [ofReservation, reservationRef] as const]
  return list(database, EVENTS, asked, paging, fromListedEventRow, 'sequence')
}

export function findListedEvent(database: Database, eventId: string): ListedEvent | undefined {
  const row = database.get<ListedEventRow>(`${EVENTS} WHERE event_id = ?`, eventId)
  return row && fromListedEventRow(row)
}

function fromListedEventRow(row: ListedEventRow): ListedEvent {
  const {client_id: clientId, deliveries, delivered} = row
  return {event: fromEventRow(row), clientId, deliveries, delivered}
}

export interface ListedDelivery {
  readonly delivery: Delivery
  /** The subscription's address; null when it was deleted. */
  readonly url: string | null
  /** Whether the subscription is active. */
  readonly active: boolean
}

const DELIVERIES = `SELECT deliveries.sequence, delivery_id, deliveries.subscription_id, deliveries.event_id, type,
  status, next_attempt_at, attempts, url, is_active FROM deliveries
  LEFT JOIN events ON events.event_id = deliveries.event_id
  LEFT JOIN subscriptions ON subscriptions.subscription_id = deliveries.subscription_id`

type ListedDeliveryRow = DeliveryRow & {url: string | null; is_active: number | null}

export function browseDeliveries(
  database: Database,
  {status, subscriptionId, eventId}: Filter<'status' | 'subscriptionId' | 'eventId'>,
  paging: Paging,
): Listed<ListedDelivery> {
  const asked = [
    ['status = ?', status],
    ['deliveries.subscription_id = ?', subscriptionId],
    ['deliveries.event_id = ?', eventId],
  ] as const
  return list(database, DELIVERIES, asked, paging, fromListedDeliveryRow, 'deliveries.sequence')
}

export function findListedDelivery(database: Database, deliveryId: string): ListedDelivery | undefined {
  const row = database.get<ListedDeliveryRow>(`${DELIVERIES} WHERE delivery_id = ?`, deliveryId)
  return row && fromListedDeliveryRow(row)
}

function fromListedDeliveryRow({url, is_active, ...row}: ListedDeliveryRow): ListedDelivery {
  return {delivery: fromDeliveryRow(row), url, active: is_active === 1}
}

export function browseSubscriptions(database: Database, paging: Paging): Listed<StoredSubscription> {
  return list(database, 'SELECT * FROM subscriptions', [], paging, fromSubscriptionRow, 'sequence')
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

function list<Row extends {sequence: number}, Item>(
  database: Database,
  select: string,
  asked: readonly (readonly [sql: string, value: Value | undefined])[],
  {before, limit}: Paging,
  fromRow: (row: Row) => Item,
  sequence: string,
): Listed<Item> {
  const [where, values] = conditions([...asked, [`${sequence} < ?`, before]])
  const sql = `${select} WHERE ${where} ORDER BY ${sequence} DESC LIMIT ?`
  const rows = database.all<Row>(sql, ...values, limit + 1)
  const shown = rows.slice(0, limit)
  const older = rows.length > limit ? (shown.at(-1)?.sequence ?? null) : null
  return {items: shown.map(fromRow), older}
}
