/** Deliveries: one event on its way to one subscription, with every attempt made. */
import {isoTime} from '../../contract/dates.js'
import type {Database} from '../../storage/database.js'
import type {NextStep} from '../delivery/schedule.js'
import type {StoredEvent} from './events.js'

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

/** What an attempt needs. */
export interface DueDelivery {
  readonly deliveryId: string
  readonly subscriptionId: string
  readonly url: string
  readonly secret: string
  readonly event: StoredEvent
  /** How many attempts were made. */
  readonly attempts: number
  /** Unix seconds of real time under which the attempt before was signed. */
  readonly signedAt: number | null
}

/** Ours: a timer is late and a sum of seconds is rounded by less than this. */
const SLACK_SECONDS = 0.001

const DUE_COLUMNS = `delivery_id, subscription_id, subscriptions.url, subscriptions.secret, deliveries.event_id,
  events.type, events.created_at, events.data, json_array_length(attempts) AS attempts, signed_at`

interface DueRow {
  delivery_id: string
  subscription_id: string
  url: string
  secret: string
  event_id: string
  type: string
  created_at: number
  data: string
  attempts: number
  signed_at: number | null
}

/** What is left out when looking for what to send. */
export interface Taken {
  /** Under way already. */
  readonly deliveries: readonly string[]
  /** With as many under way as they may have. */
  readonly subscriptions: readonly string[]
}

/** What waits for an attempt, its subscription being active, without what is taken: two lists of ids in JSON. */
const WAITING = `FROM deliveries JOIN subscriptions USING (subscription_id)
  WHERE status = 'PENDING' AND is_active = 1
    AND delivery_id NOT IN (SELECT value FROM json_each(?))
    AND subscription_id NOT IN (SELECT value FROM json_each(?))`

/** At most `limit` that are due at `now`, earliest first. */
export function findDue(database: Database, now: number, taken: Taken, limit: number): DueDelivery[] {
  return database
    .all<DueRow>(
      `SELECT ${DUE_COLUMNS} FROM deliveries JOIN subscriptions USING (subscription_id)
         JOIN events USING (event_id)
       WHERE delivery_id IN (
         SELECT delivery_id ${WAITING} AND next_attempt_at <= ?
         ORDER BY next_attempt_at, deliveries.sequence LIMIT ?)
       ORDER BY next_attempt_at, deliveries.sequence`,
      JSON.stringify(taken.deliveries),
      JSON.stringify(taken.subscriptions),
      now + SLACK_SECONDS,
      limit,
    )
    .map(fromDueRow)
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
    `SELECT min(next_attempt_at) AS at ${WAITING}`,
    JSON.stringify(taken.deliveries),
    JSON.stringify(taken.subscriptions),
  )
  return row?.at ?? null
}

/** Adds an attempt and what follows from it, in one transaction. A delivery that is gone by now stays gone. */
export function recordAttempt(
  database: Database,
  {deliveryId, subscriptionId}: DueDelivery,
  attempt: Attempt,
  signedAt: number,
  next: NextStep,
): void {
  database.transaction(() => {
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
  })
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

/** Oldest first; of one subscription, or of all. */
export function listDeliveryRecords(
  database: Database,
  filter: {subscriptionId: string | null; limit: number; after: number | null},
): {sequence: number; delivery: Delivery}[] {
  return database
    .all<RecordRow>(
      `${RECORDS} WHERE subscription_id = coalesce(?, subscription_id) AND deliveries.sequence > ?
       ORDER BY deliveries.sequence LIMIT ?`,
      filter.subscriptionId,
      filter.after ?? 0,
      filter.limit,
    )
    .map(row => ({sequence: row.sequence, delivery: fromRecordRow(row)}))
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
    attempts: row.attempts,
    signedAt: row.signed_at,
  }
}
