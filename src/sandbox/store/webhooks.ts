/**
 * Stores events (§6.1), subscriptions (§2.7) and deliveries. A delivery is one event for one subscription, with its
 * attempts and the time of the next one. Events and their deliveries are written in the transaction of the change that
 * caused them.
 */
import type {z} from 'zod'
import {isoTime} from '../../contract/dates.js'
import {DELIVERY_ID_PREFIX, EVENT_ID_PREFIX} from '../../contract/identifiers.js'
import type {delivery, deliveryAttempt, Subscription} from '../../contract/webhooks.js'
import type {Database} from '../../storage/database.js'
import {randomId} from '../base/random.js'
import type {SeenAttempt} from '../certify/evidence.js'
import {addAttempt} from './evidence.js'
import {listPage, type Paging} from './lists.js'

/** An event as in §2.8. Links in `data` are stored as paths. */
export type StoredEvent = ReturnType<typeof fromEventRow>

interface NewEvent {
  readonly clientId: string
  readonly type: string
  readonly data: Record<string, unknown>
  /** Unix seconds. */
  readonly now: number
}

/**
 * Records an event, and a delivery for each active subscription that lists its type: those of the client, or of all
 * clients.
 */
export function addEvent(database: Database, event: NewEvent, toAllClients = false) {
  const sql = `SELECT subscription_id AS id FROM subscriptions, json_each(subscriptions.events)
    WHERE ${toAllClients ? '' : 'client_id = ? AND'} is_active = 1 AND value = ? ORDER BY sequence`
  const found = database.all<{id: string}>(sql, ...(toAllClients ? [] : [event.clientId]), event.type)
  const ids = found.map(({id}) => id)
  return addEventFor(database, ids, event)
}

/** Records an event for the given subscriptions only, for example a test event (§4.8). */
export function addEventFor(database: Database, subscriptionIds: readonly string[], event: NewEvent) {
  const eventId = addEventAlone(database, event)
  const deliveryIds = subscriptionIds.map(id => addDelivery(database, id, eventId, 'PENDING', event.now))
  return {eventId, deliveryIds}
}

/** Records an event without deliveries, and returns its id. */
export function addEventAlone(database: Database, {clientId, type, data, now}: NewEvent): string {
  const eventId = randomId(EVENT_ID_PREFIX)
  const sql = 'INSERT INTO events (event_id, client_id, type, created_at, data) VALUES (?, ?, ?, ?, ?)'
  database.run(sql, eventId, clientId, type, now, JSON.stringify(data))
  return eventId
}

/** Records a delivery without a schedule, which is only attempted manually. Returns its id. */
export function addUnscheduledDelivery(database: Database, subscriptionId: string, eventId: string): string {
  return addDelivery(database, subscriptionId, eventId, 'ABANDONED', null)
}

function addDelivery(
  database: Database,
  subscriptionId: string,
  eventId: string,
  status: DeliveryStatus,
  dueAt: number | null,
): string {
  const deliveryId = randomId(DELIVERY_ID_PREFIX)
  const sql = `INSERT INTO deliveries (delivery_id, subscription_id, event_id, status, next_attempt_at)
    VALUES (?, ?, ?, ?, ?)`
  database.run(sql, deliveryId, subscriptionId, eventId, status, dueAt)
  return deliveryId
}

type EventRow = Record<'event_id' | 'type' | 'data', string> & {created_at: number}

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

function fromEventRow({event_id, type, created_at, data}: EventRow) {
  return {id: event_id, type, created: isoTime(created_at), data: JSON.parse(data) as Record<string, unknown>}
}

/** Returns the event as it is shown and sent, with links at `origin`. */
export function eventWithOrigin(event: StoredEvent, origin: string): StoredEvent {
  const voucher = event.data.voucher as {url: string} | undefined
  if (!voucher) return event
  return {...event, data: {...event.data, voucher: {...voucher, url: origin + voucher.url}}}
}

type SubscriptionRow = Record<'client_id' | 'subscription_id' | 'url' | 'events', string> &
  Record<'sequence' | 'is_active', number>

const SUBSCRIPTIONS = 'SELECT * FROM subscriptions'

export function addSubscription(database: Database, clientId: string, added: Subscription, secret: string) {
  const {id, url, events, is_active} = added
  const sql = `INSERT INTO subscriptions (subscription_id, client_id, url, events, secret, is_active)
    VALUES (?, ?, ?, ?, ?, ?)`
  database.run(sql, id, clientId, url, JSON.stringify(events), secret, Number(is_active))
}

export function saveSubscription(database: Database, {id, url, events, is_active}: Subscription): void {
  const sql = 'UPDATE subscriptions SET url = ?, events = ?, is_active = ? WHERE subscription_id = ?'
  database.run(sql, url, JSON.stringify(events), Number(is_active), id)
}

/** Removes the subscription and abandons its pending deliveries. Its deliveries are kept. */
export function removeSubscription(database: Database, subscriptionId: string): void {
  database.transaction(() => {
    const sql = `UPDATE deliveries SET status = 'ABANDONED', next_attempt_at = NULL
      WHERE subscription_id = ? AND status = 'PENDING'`
    database.run(sql, subscriptionId)
    database.run('DELETE FROM subscriptions WHERE subscription_id = ?', subscriptionId)
  })
}

/** Lists the active subscriptions of a client, oldest first. */
export function activeSubscriptions(database: Database, clientId: string): Subscription[] {
  const sql = `${SUBSCRIPTIONS} WHERE client_id = ? AND is_active = 1 ORDER BY sequence`
  return database.all<SubscriptionRow>(sql, clientId).map(row => fromSubscriptionRow(row).subscription)
}

export function findSubscription(database: Database, clientId: string, subscriptionId: string) {
  const sql = `${SUBSCRIPTIONS} WHERE client_id = ? AND subscription_id = ?`
  const row = database.get<SubscriptionRow>(sql, clientId, subscriptionId)
  return row && fromSubscriptionRow(row).subscription
}

/** Lists the subscriptions of one client, oldest first, or of all clients, newest first. */
export function listSubscriptions(database: Database, {after, limit}: Paging, clientId?: string) {
  const [order, further] = clientId ? ['sequence', 'sequence > ?'] : ['sequence DESC', 'sequence < ?']
  const filters = {'client_id = ?': clientId, [further]: after}
  return listPage(database, {select: SUBSCRIPTIONS, filters, order, limit}, fromSubscriptionRow)
}

/** Leaves out the signing secret, which only the answer to the creation contains. */
function fromSubscriptionRow(row: SubscriptionRow) {
  const {client_id: clientId, subscription_id: id, url, is_active} = row
  const subscription: Subscription = {id, url, events: JSON.parse(row.events), is_active: is_active === 1}
  return {clientId, subscription}
}

type DeliveryStatus = 'PENDING' | 'DELIVERED' | 'ABANDONED'
type Attempt = z.infer<typeof deliveryAttempt>
type Delivery = z.infer<typeof delivery>

export interface DueDelivery {
  readonly deliveryId: string
  readonly subscriptionId: string
  readonly url: string
  readonly secret: string
  readonly event: StoredEvent
  readonly status: DeliveryStatus
  readonly attempts: number
  /** The time in the signature of the last attempt, in Unix seconds of real time; null before the first attempt. */
  readonly signedAt: number | null
  /** Unix seconds of the sandbox's clock; null if no attempt is due. */
  readonly dueAt: number | null
}

export interface DeliveryAttempt {
  readonly delivery: DueDelivery
  readonly attempt: Attempt
  /** What is recorded as evidence about the subscriber. */
  readonly seen: SeenAttempt
  readonly signedAt: number
  /** The status after this attempt. */
  readonly status: DeliveryStatus
  /** Unix seconds of the sandbox's clock. */
  readonly nextAttemptAt: number | null
}

export function recordAttempts(database: Database, records: readonly DeliveryAttempt[]): void {
  const update = `UPDATE deliveries SET attempts = json_insert(attempts, '$[#]', json(?)), signed_at = ?, status = ?,
    next_attempt_at = ? WHERE delivery_id = ?`
  database.transaction(() => {
    for (const {delivery, attempt, seen, signedAt, status, nextAttemptAt} of records) {
      const {deliveryId, subscriptionId} = delivery
      const owner = 'SELECT client_id AS clientId FROM subscriptions WHERE subscription_id = ?'
      const subscriber = database.get<{clientId: string}>(owner, subscriptionId)
      const isOver = subscriber === undefined && status === 'PENDING'
      const after = isOver ? 'ABANDONED' : status
      const dueAt = isOver ? null : nextAttemptAt
      database.run(update, JSON.stringify(attempt), signedAt, after, dueAt, deliveryId)
      if (subscriber) addAttempt(database, subscriber.clientId, seen)
      // The last attempt of the schedule has failed (§6.4).
      if (status === 'ABANDONED' && delivery.status === 'PENDING') {
        database.run('UPDATE subscriptions SET is_active = 0 WHERE subscription_id = ?', subscriptionId)
      }
    }
  })
}

/** Returns the number of deliveries by status. */
export function countDeliveries(database: Database): Record<string, number> {
  const sql = 'SELECT status, count(*) AS count FROM deliveries GROUP BY status'
  const rows = database.all<{status: string; count: number}>(sql)
  return Object.fromEntries(rows.map(({status, count}) => [status, count]))
}

export type ListedDelivery = ReturnType<typeof fromDeliveryRow>

type DeliveryRow = Omit<Delivery, 'next_attempt_at' | 'attempts'> & {
  sequence: number
  next_attempt_at: number | null
  attempts: string
  url: string | null
  is_active: number | null
}

const DELIVERIES = `SELECT deliveries.sequence, delivery_id, deliveries.subscription_id, deliveries.event_id, type,
  json_extract(data, '$.reservation_ref') AS reservation_ref, status, next_attempt_at, attempts, url, is_active FROM deliveries
  LEFT JOIN events ON events.event_id = deliveries.event_id
  LEFT JOIN subscriptions ON subscriptions.subscription_id = deliveries.subscription_id`

const OF_RESERVATION =
  "deliveries.event_id IN (SELECT event_id FROM events WHERE json_extract(data, '$.reservation_ref') = ?)"

/** Lists deliveries, newest first unless `oldestFirst` is set. */
export function listDeliveries(
  database: Database,
  filter: {
    status?: string | null
    subscriptionId?: string | null
    eventId?: string
    reservationRef?: string | null | undefined
  },
  {after, limit}: Paging,
  oldestFirst = false,
) {
  const filters = {
    'status = ?': filter.status,
    'deliveries.subscription_id = ?': filter.subscriptionId,
    'deliveries.event_id = ?': filter.eventId,
    [OF_RESERVATION]: filter.reservationRef,
    [`deliveries.sequence ${oldestFirst ? '>' : '<'} ?`]: after,
  }
  const order = `deliveries.sequence ${oldestFirst ? '' : 'DESC'}`
  return listPage(database, {select: DELIVERIES, filters, order, limit}, fromDeliveryRow)
}

/** Reports whether the subscription, which may have been deleted, has a delivery of an event of the client. */
export function hasDeliveries(database: Database, clientId: string, subscriptionId: string): boolean {
  const sql = `SELECT 1 FROM deliveries JOIN events USING (event_id)
    WHERE subscription_id = ? AND client_id = ? LIMIT 1`
  return database.get(sql, subscriptionId, clientId) !== undefined
}

export function findDelivery(database: Database, deliveryId: string): ListedDelivery | undefined {
  const row = database.get<DeliveryRow>(`${DELIVERIES} WHERE delivery_id = ?`, deliveryId)
  return row && fromDeliveryRow(row)
}

/** Returns the delivery, with the URL of its subscription, or null if the subscription was deleted. */
function fromDeliveryRow(row: DeliveryRow) {
  const {sequence: _, next_attempt_at: at, attempts, url, is_active, ...rest} = row
  const next_attempt_at = at === null ? null : isoTime(at)
  const delivery: Delivery = {...rest, next_attempt_at, attempts: JSON.parse(attempts) as Attempt[]}
  return {delivery, url, active: is_active === 1}
}

/** Timers may fire early, and sums of seconds may be rounded, by less than this. */
const SLACK_SECONDS = 0.001

/**
 * What a search for due deliveries skips: deliveries that are being sent, and subscriptions that are at their limit of
 * attempts.
 */
export interface Taken {
  readonly deliveries: readonly string[]
  readonly subscriptions: readonly string[]
}

/**
 * Selects the active subscriptions and the time of the next attempt for each. The index makes this fast, however many
 * deliveries are waiting.
 */
const FIRST_DUE = `SELECT subscription_id AS id, (
    SELECT min(next_attempt_at) FROM deliveries INDEXED BY deliveries_waiting
    WHERE deliveries.subscription_id = subscriptions.subscription_id AND status = 'PENDING'
      AND next_attempt_at IS NOT NULL AND delivery_id NOT IN (SELECT value FROM json_each(?))) AS at
  FROM subscriptions WHERE is_active = 1 AND subscription_id NOT IN (SELECT value FROM json_each(?))`

/** Lists at most `limit` subscriptions with an attempt due at `now` (Unix seconds), the earliest first. */
export function findSubscriptionsDue(database: Database, now: number, taken: Taken, limit: number): string[] {
  const sql = `SELECT id FROM (${FIRST_DUE}) WHERE at <= ? ORDER BY at LIMIT ?`
  return database.all<{id: string}>(sql, ...listsOf(taken), now + SLACK_SECONDS, limit).map(({id}) => id)
}

const DUE = `SELECT delivery_id AS deliveryId, subscription_id AS subscriptionId, subscriptions.url, secret, status,
    json_array_length(attempts) AS attempts, signed_at AS signedAt, next_attempt_at AS dueAt,
    event_id, type, events.created_at, data
  FROM deliveries JOIN subscriptions USING (subscription_id) JOIN events USING (event_id)`

type DueRow = Omit<DueDelivery, 'event'> & EventRow

/**
 * Lists at most `limit` deliveries for a subscription that are due at `now` (Unix seconds), the earliest first, without
 * those in `taken`.
 */
export function findDue(database: Database, subscription: string, now: number, taken: Taken, limit: number) {
  const sql = `SELECT delivery_id AS id FROM deliveries INDEXED BY deliveries_waiting
    WHERE subscription_id = ? AND status = 'PENDING' AND next_attempt_at <= ?
      AND delivery_id NOT IN (SELECT value FROM json_each(?))
    ORDER BY next_attempt_at, sequence LIMIT ?`
  return database
    .all<{id: string}>(sql, subscription, now + SLACK_SECONDS, JSON.stringify(taken.deliveries), limit)
    .flatMap(({id}) => findForAttempt(database, id) ?? [])
}

/** Returns the delivery, whatever its status, or undefined if it or its subscription does not exist. */
export function findForAttempt(database: Database, deliveryId: string): DueDelivery | undefined {
  const row = database.get<DueRow>(`${DUE} WHERE delivery_id = ?`, deliveryId)
  if (row === undefined) return undefined
  const {event_id, type, created_at, data, ...delivery} = row
  return {...delivery, event: fromEventRow({event_id, type, created_at, data})}
}

/** Returns the Unix seconds at which the next attempt is due, which may be in the past, or Infinity if none is. */
export function nextAttemptAt(database: Database, taken: Taken): number {
  const sql = `SELECT min(at) AS at FROM (${FIRST_DUE})`
  return database.get<{at: number | null}>(sql, ...listsOf(taken))?.at ?? Number.POSITIVE_INFINITY
}

/** Returns the latest due time, in Unix seconds, among the attempts that are due by `time`, or 0 if there are none. */
export function lastAttemptBy(database: Database, time: number): number {
  const sql = `SELECT max(next_attempt_at) AS at FROM deliveries INDEXED BY deliveries_due
    WHERE status = 'PENDING' AND next_attempt_at <= ?`
  return database.get<{at: number | null}>(sql, time)?.at ?? 0
}

function listsOf({deliveries, subscriptions}: Taken): [string, string] {
  return [JSON.stringify(deliveries), JSON.stringify(subscriptions)]
}
