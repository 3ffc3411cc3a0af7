/** Deliveries: one event on its way to one subscription, with its attempts and when the next one is due. */
import type {z} from 'zod'
import {isoTime} from '../../contract/dates.js'
import type {delivery, deliveryAttempt} from '../../contract/webhooks.js'
import type {Database} from '../../storage/database.js'
import {type EventRow, fromEventRow, type StoredEvent} from './events.js'
import {listPage, type Paging} from './lists.js'

type DeliveryStatus = 'PENDING' | 'DELIVERED' | 'ABANDONED'
export type Attempt = z.infer<typeof deliveryAttempt>
type Delivery = z.infer<typeof delivery>

export interface DueDelivery {
  readonly deliveryId: string
  readonly subscriptionId: string
  readonly url: string
  readonly secret: string
  readonly event: StoredEvent
  readonly status: DeliveryStatus
  readonly attempts: number
  /** Unix seconds of real time under which the last attempt was signed. */
  readonly signedAt: number | null
  /** Unix seconds of the sandbox's clock; null when no attempt is due. */
  readonly dueAt: number | null
}

export interface DeliveryAttempt {
  readonly delivery: DueDelivery
  readonly attempt: Attempt
  readonly signedAt: number
  /** After it. */
  readonly status: DeliveryStatus
  /** Unix seconds of the sandbox's clock. */
  readonly nextAttemptAt: number | null
}

export function recordAttempts(database: Database, records: readonly DeliveryAttempt[]): void {
  database.transaction(() => {
    for (const record of records) recordAttempt(database, record)
  })
}

function recordAttempt(database: Database, record: DeliveryAttempt): void {
  const {delivery, attempt, signedAt, status, nextAttemptAt} = record
  const {deliveryId, subscriptionId} = delivery
  const exists = database.get('SELECT 1 FROM subscriptions WHERE subscription_id = ?', subscriptionId)
  const isOver = exists === undefined && status === 'PENDING'
  const [after, dueAt] = isOver ? ['ABANDONED', null] : [status, nextAttemptAt]
  const sql = `UPDATE deliveries SET attempts = json_insert(attempts, '$[#]', json(?)), signed_at = ?, status = ?,
    next_attempt_at = ? WHERE delivery_id = ?`
  database.run(sql, JSON.stringify(attempt), signedAt, after, dueAt, deliveryId)
  // The last of the schedule has failed.
  if (status === 'ABANDONED' && delivery.status === 'PENDING') {
    database.run('UPDATE subscriptions SET is_active = 0 WHERE subscription_id = ?', subscriptionId)
  }
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
  status, next_attempt_at, attempts, url, is_active FROM deliveries
  LEFT JOIN events ON events.event_id = deliveries.event_id
  LEFT JOIN subscriptions ON subscriptions.subscription_id = deliveries.subscription_id`

/** Newest first, or `oldestFirst`. */
export function listDeliveries(
  database: Database,
  filter: {status?: string | null; subscriptionId?: string | null; eventId?: string},
  {after, limit}: Paging,
  oldestFirst = false,
) {
  const filters = {
    'status = ?': filter.status,
    'deliveries.subscription_id = ?': filter.subscriptionId,
    'deliveries.event_id = ?': filter.eventId,
    [`deliveries.sequence ${oldestFirst ? '>' : '<'} ?`]: after,
  }
  const order = `deliveries.sequence ${oldestFirst ? '' : 'DESC'}`
  return listPage(database, {select: DELIVERIES, filters, order, limit}, fromDeliveryRow)
}

export function findDelivery(database: Database, deliveryId: string): ListedDelivery | undefined {
  const row = database.get<DeliveryRow>(`${DELIVERIES} WHERE delivery_id = ?`, deliveryId)
  return row && fromDeliveryRow(row)
}

/** `url`: the subscription's; null when it was deleted. */
function fromDeliveryRow(row: DeliveryRow) {
  const {sequence: _, next_attempt_at: at, attempts, url, is_active, ...rest} = row
  const next_attempt_at = at === null ? null : isoTime(at)
  const delivery: Delivery = {...rest, next_attempt_at, attempts: JSON.parse(attempts) as Attempt[]}
  return {delivery, url, active: is_active === 1}
}

/** Timers are late, and sums of seconds are rounded, by less than this. */
const SLACK_SECONDS = 0.001

/** What is left out when looking for what to send: the ids of deliveries, and of subscriptions at their limit. */
export interface Taken {
  readonly deliveries: readonly string[]
  readonly subscriptions: readonly string[]
}

/** Active subscriptions and when their next attempt is due: one look into the index for each, however much waits. */
const FIRST_DUE = `SELECT subscription_id AS id, (
    SELECT min(next_attempt_at) FROM deliveries INDEXED BY deliveries_waiting
    WHERE deliveries.subscription_id = subscriptions.subscription_id AND status = 'PENDING'
      AND next_attempt_at IS NOT NULL AND delivery_id NOT IN (SELECT value FROM json_each(?))) AS at
  FROM subscriptions WHERE is_active = 1 AND subscription_id NOT IN (SELECT value FROM json_each(?))`

/** Subscriptions for which an attempt is due at `now`, the earliest first. */
export function findSubscriptionsDue(database: Database, now: number, taken: Taken, limit: number): string[] {
  const sql = `SELECT id FROM (${FIRST_DUE}) WHERE at <= ? ORDER BY at LIMIT ?`
  return database.all<{id: string}>(sql, ...listsOf(taken), now + SLACK_SECONDS, limit).map(({id}) => id)
}

const DUE = `SELECT delivery_id AS deliveryId, subscription_id AS subscriptionId, subscriptions.url, secret, status,
    json_array_length(attempts) AS attempts, signed_at AS signedAt, next_attempt_at AS dueAt,
    event_id, type, events.created_at, data
  FROM deliveries JOIN subscriptions USING (subscription_id) JOIN events USING (event_id)`

type DueRow = Omit<DueDelivery, 'event'> & EventRow

/** At most `limit` deliveries due for a subscription at `now`, the earliest first, without those of `taken`. */
export function findDue(database: Database, subscription: string, now: number, taken: Taken, limit: number) {
  const sql = `SELECT delivery_id AS id FROM deliveries INDEXED BY deliveries_waiting
    WHERE subscription_id = ? AND status = 'PENDING' AND next_attempt_at <= ?
      AND delivery_id NOT IN (SELECT value FROM json_each(?))
    ORDER BY next_attempt_at, sequence LIMIT ?`
  return database
    .all<{id: string}>(sql, subscription, now + SLACK_SECONDS, JSON.stringify(taken.deliveries), limit)
    .flatMap(({id}) => findForAttempt(database, id) ?? [])
}

/** The delivery, whatever its state; undefined when it or its subscription does not exist. */
export function findForAttempt(database: Database, deliveryId: string): DueDelivery | undefined {
  const row = database.get<DueRow>(`${DUE} WHERE delivery_id = ?`, deliveryId)
  if (row === undefined) return undefined
  const {event_id, type, created_at, data, ...delivery} = row
  return {...delivery, event: fromEventRow({event_id, type, created_at, data})}
}

/** When the next attempt is due, also in the past; Infinity when none is. */
export function nextAttemptAt(database: Database, taken: Taken): number {
  const sql = `SELECT min(at) AS at FROM (${FIRST_DUE})`
  return database.get<{at: number | null}>(sql, ...listsOf(taken))?.at ?? Number.POSITIVE_INFINITY
}

/** When the last attempt is due of those that are due by `time`; 0 when none is. */
export function lastAttemptBy(database: Database, time: number): number {
  const sql = `SELECT max(next_attempt_at) AS at FROM deliveries INDEXED BY deliveries_due
    WHERE status = 'PENDING' AND next_attempt_at <= ?`
  return database.get<{at: number | null}>(sql, time)?.at ?? 0
}

function listsOf({deliveries, subscriptions}: Taken): [string, string] {
  return [JSON.stringify(deliveries), JSON.stringify(subscriptions)]
}
