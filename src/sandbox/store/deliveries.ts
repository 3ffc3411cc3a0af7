/** Deliveries: one event on its way to one subscription, every attempt made, and what waits for its next one. */
import {isoTime} from '../../contract/dates.js'
import type {Database} from '../../storage/database.js'
import type {StoredEvent} from './events.js'

export type DeliveryStatus = 'PENDING' | 'DELIVERED' | 'ABANDONED'

/** What follows from an attempt. */
export interface NextStep {
  readonly status: DeliveryStatus
  /** Unix seconds of the sandbox's clock. */
  readonly nextAttemptAt: number | null
  /** Whether the subscription becomes passive: once, after the last attempt of the schedule. */
  readonly makesPassive: boolean
}

/** An attempt as service.md shows it. */
export interface Attempt {
  /** From 1. */
  readonly n: number
  /** ISO 8601, on the sandbox's clock. */
  readonly at: string
  readonly status: number | null
  readonly ms: number | null
  readonly error: string | null
}

/** A delivery as service.md shows it. */
export interface Delivery {
  readonly delivery_id: string
  readonly subscription_id: string
  readonly event_id: string
  readonly type: string
  readonly status: string
  readonly next_attempt_at: string | null
  readonly attempts: readonly Attempt[]
}

/** An attempt that was made, and what follows from it. */
export interface MadeAttempt {
  readonly delivery: DueDelivery
  readonly attempt: Attempt
  readonly signedAt: number
  readonly next: NextStep
}

/** Adds attempts and what follows from them, in one transaction. A delivery that is gone by now stays gone. */
export function recordAttempts(database: Database, made: readonly MadeAttempt[]): void {
  database.transaction(() => {
    for (const each of made) recordAttempt(database, each)
  })
}

function recordAttempt(database: Database, {delivery, attempt, signedAt, next}: MadeAttempt): void {
  const {deliveryId, subscriptionId} = delivery
  const lives = database.get('SELECT 1 FROM subscriptions WHERE subscription_id = ?', subscriptionId)
  const isOver = lives === undefined && next.status === 'PENDING'
  database.run(
    `UPDATE deliveries SET attempts = json_insert(attempts, '$[#]', json(?)), signed_at = ?, status = ?,
       next_attempt_at = ? WHERE delivery_id = ?`,
    JSON.stringify(attempt),
    signedAt,
    isOver ? 'ABANDONED' : next.status,
    isOver ? null : next.nextAttemptAt,
    deliveryId,
  )
  if (next.makesPassive) {
    database.run('UPDATE subscriptions SET is_active = 0 WHERE subscription_id = ?', subscriptionId)
  }
}

export interface RecordRow {
  sequence: number
  delivery_id: string
  subscription_id: string
  event_id: string
  type: string
  status: string
  next_attempt_at: number | null
  attempts: string
}

const RECORDS = `SELECT deliveries.sequence, delivery_id, subscription_id, event_id, type, status, next_attempt_at, attempts
  FROM deliveries JOIN events USING (event_id)`

/** Those of one subscription, oldest first. */
export function listDeliveryRecords(
  database: Database,
  filter: {subscriptionId: string; limit: number; after: number | null},
): {sequence: number; delivery: Delivery}[] {
  return database
    .all<RecordRow>(
      `${RECORDS} WHERE subscription_id = ? AND deliveries.sequence > ? ORDER BY deliveries.sequence LIMIT ?`,
      filter.subscriptionId,
      filter.after ?? 0,
      filter.limit,
    )
    .map(row => ({sequence: row.sequence, delivery: fromRecordRow(row)}))
}

/** The last `limit` of all, oldest first. */
export function newestDeliveryRecords(database: Database, limit: number): Delivery[] {
  const newest = `${RECORDS} ORDER BY deliveries.sequence DESC LIMIT ?`
  return database.all<RecordRow>(newest, limit).map(fromRecordRow).reverse()
}

export function findDeliveryRecord(database: Database, deliveryId: string): Delivery | undefined {
  const row = database.get<RecordRow>(`${RECORDS} WHERE delivery_id = ?`, deliveryId)
  return row && fromRecordRow(row)
}

export function fromRecordRow(row: RecordRow): Delivery {
  return {
    delivery_id: row.delivery_id,
    subscription_id: row.subscription_id,
    event_id: row.event_id,
    type: row.type,
    status: row.status,
    next_attempt_at: row.next_attempt_at === null ? null : isoTime(row.next_attempt_at),
    attempts: JSON.parse(row.attempts) as Attempt[],
  }
}

/** What an attempt needs. */
export interface DueDelivery {
  readonly deliveryId: string
  readonly subscriptionId: string
  readonly url: string
  readonly secret: string
  readonly event: StoredEvent
  readonly status: DeliveryStatus
  /** How many attempts were made. */
  readonly attempts: number
  /** Unix seconds of real time under which the attempt before was signed. */
  readonly signedAt: number | null
  /** Unix seconds of the sandbox's clock; null when no attempt waits, or the subscription is passive. */
  readonly dueAt: number | null
}

/** Ours: a timer is late and a sum of seconds is rounded by less than this. */
const SLACK_SECONDS = 0.001

const DUE_COLUMNS = `delivery_id, subscription_id, subscriptions.url, subscriptions.secret, deliveries.event_id,
  events.type, events.created_at, events.data, status, json_array_length(attempts) AS attempts,
  signed_at,
  CASE WHEN status = 'PENDING' AND is_active = 1 THEN next_attempt_at END AS due_at`

interface DueRow {
  delivery_id: string
  subscription_id: string
  url: string
  secret: string
  event_id: string
  type: string
  created_at: number
  data: string
  status: DeliveryStatus
  attempts: number
  signed_at: number | null
  due_at: number | null
}

/** What is left out when looking for what to send. */
export interface Taken {
  /** Being sent, or about to be. */
  readonly deliveries: readonly string[]
  /** With as many of those as they may have. */
  readonly subscriptions: readonly string[]
}

/**
 * Active subscriptions and when the first of what waits for each is due, without what is taken: two lists of ids in
 * JSON. One look into the index for each subscription, however much waits.
 */
const FIRST_DUE = `SELECT subscription_id, (
    SELECT min(next_attempt_at) FROM deliveries INDEXED BY deliveries_waiting
    WHERE deliveries.subscription_id = subscriptions.subscription_id AND status = 'PENDING'
      AND next_attempt_at IS NOT NULL AND delivery_id NOT IN (SELECT value FROM json_each(?))) AS at
  FROM subscriptions WHERE is_active = 1 AND subscription_id NOT IN (SELECT value FROM json_each(?))`

/** Subscriptions for which something is due at `now`, the earliest first. */
export function findSubscriptionsDue(database: Database, now: number, taken: Taken, limit: number): string[] {
  return database
    .all<{subscription_id: string}>(
      `SELECT subscription_id FROM (${FIRST_DUE}) WHERE at <= ? ORDER BY at LIMIT ?`,
      JSON.stringify(taken.deliveries),
      JSON.stringify(taken.subscriptions),
      now + SLACK_SECONDS,
      limit,
    )
    .map(row => row.subscription_id)
}

/** At most `limit` of what waits for a subscription and is due at `now`, earliest first; without those of `taken`. */
export function findDue(
  database: Database,
  subscriptionId: string,
  now: number,
  taken: readonly string[],
  limit: number,
): string[] {
  return database
    .all<{delivery_id: string}>(
      `SELECT delivery_id FROM deliveries INDEXED BY deliveries_waiting
       WHERE subscription_id = ? AND status = 'PENDING' AND next_attempt_at <= ?
         AND delivery_id NOT IN (SELECT value FROM json_each(?))
       ORDER BY next_attempt_at, sequence LIMIT ?`,
      subscriptionId,
      now + SLACK_SECONDS,
      JSON.stringify(taken),
      limit,
    )
    .map(row => row.delivery_id)
}

export function isDue({dueAt}: DueDelivery, now: number): boolean {
  return dueAt !== null && dueAt <= now + SLACK_SECONDS
}

/** The delivery, whatever its state; undefined when it, or its subscription, is not there. */
export function findForAttempt(database: Database, deliveryId: string): DueDelivery | undefined {
  const row = database.get<DueRow>(
    `SELECT ${DUE_COLUMNS} FROM deliveries JOIN subscriptions USING (subscription_id) JOIN events USING (event_id)
     WHERE delivery_id = ?`,
    deliveryId,
  )
  return row && fromDueRow(row)
}

/** When the next attempt is due, also in the past; null when none is. */
export function nextAttemptAt(database: Database, taken: Taken): number | null {
  const row = database.get<{at: number | null}>(
    `SELECT min(at) AS at FROM (${FIRST_DUE})`,
    JSON.stringify(taken.deliveries),
    JSON.stringify(taken.subscriptions),
  )
  return row?.at ?? null
}

/** When the last attempt is due of those that are due by `time`; null when none is. */
export function lastAttemptBy(database: Database, time: number): number | null {
  const sql = `SELECT max(next_attempt_at) AS at FROM deliveries INDEXED BY deliveries_due
    WHERE status = 'PENDING' AND next_attempt_at <= ?`
  return database.get<{at: number | null}>(sql, time)?.at ?? null
}

function fromDueRow(row: DueRow): DueDelivery {
  return {
    deliveryId: row.delivery_id,
    subscriptionId: row.subscription_id,
    url: row.url,
    secret: row.secret,
    event: {
      id: row.event_id,
      type: row.type,
      created: isoTime(row.created_at),
      data: JSON.parse(row.data) as Record<string, unknown>,
    },
    status: row.status,
    attempts: row.attempts,
    signedAt: row.signed_at,
    dueAt: row.due_at,
  }
}
