/** Deliveries that wait for an attempt, and what the attempt needs. However much waits, few rows are looked at. */
import {isoTime} from '../../contract/dates.js'
import type {Database} from '../../storage/database.js'
import type {DeliveryStatus} from '../delivery/schedule.js'
import type {StoredEvent} from './events.js'

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
