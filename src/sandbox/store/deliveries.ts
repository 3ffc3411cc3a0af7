/** Deliveries: one event on its way to one subscription, with every attempt made. */
import {isoTime} from '../../contract/dates.js'
import type {Database} from '../../storage/database.js'
import type {NextStep} from '../delivery/schedule.js'
import type {DueDelivery} from './due-deliveries.js'

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
