/** Webhook subscriptions (§2.7) and the deliveries recorded for them. The signing secret is kept: it signs. */
import type {Subscription} from '../../contract/webhooks.js'
import type {Database} from '../../storage/database.js'
import {isoTime} from '../clock.js'

export interface StoredSubscription {
  readonly sequence: number
  readonly clientId: string
  /** Without the secret: it is answered once, at creation. */
  readonly subscription: Subscription
}

interface Row {
  sequence: number
  client_id: string
  subscription_id: string
  url: string
  events: string
  is_active: number
}

const COLUMNS = 'sequence, client_id, subscription_id, url, events, is_active'

export function addSubscription(
  database: Database,
  clientId: string,
  subscription: Subscription,
  secret: string,
): void {
  database.run(
    `INSERT INTO subscriptions (subscription_id, client_id, url, events, secret, is_active)
     VALUES (?, ?, ?, ?, ?, ?)`,
    subscription.id,
    clientId,
    subscription.url,
    JSON.stringify(subscription.events),
    secret,
    Number(subscription.is_active),
  )
}

export function saveSubscription(database: Database, subscription: Subscription): void {
  database.run(
    'UPDATE subscriptions SET url = ?, events = ?, is_active = ? WHERE subscription_id = ?',
    subscription.url,
    JSON.stringify(subscription.events),
    Number(subscription.is_active),
    subscription.id,
  )
}

/** Removes the subscription; what was delivered to it stays on record. */
export function removeSubscription(database: Database, subscriptionId: string): void {
  database.transaction(() => {
    database.run(
      "UPDATE deliveries SET status = 'ABANDONED', next_attempt_at = NULL WHERE subscription_id = ? AND status = 'PENDING'",
      subscriptionId,
    )
    database.run('DELETE FROM subscriptions WHERE subscription_id = ?', subscriptionId)
  })
}

/** The subscription, if it is `clientId`'s own. */
export function findSubscription(
  database: Database,
  clientId: string,
  subscriptionId: string,
): StoredSubscription | undefined {
  const row = database.get<Row>(
    `SELECT ${COLUMNS} FROM subscriptions WHERE client_id = ? AND subscription_id = ?`,
    clientId,
    subscriptionId,
  )
  return row && fromRow(row)
}

/** Oldest first, those after sequence number `after`. */
export function listOwnSubscriptions(
  database: Database,
  clientId: string,
  paging: {limit: number; after: number | null},
): StoredSubscription[] {
  return database
    .all<Row>(
      `SELECT ${COLUMNS} FROM subscriptions WHERE client_id = ? AND sequence > ? ORDER BY sequence LIMIT ?`,
      clientId,
      paging.after ?? 0,
      paging.limit,
    )
    .map(fromRow)
}

/** A delivery as service.md shows it. */
export interface Delivery {
  readonly delivery_id: string
  readonly subscription_id: string
  readonly event_id: string
  readonly type: string
  readonly status: string
  readonly next_attempt_at: string | null
  readonly attempts: readonly unknown[]
}

/** Oldest first; of one subscription, or of all. */
export function listDeliveryRecords(
  database: Database,
  filter: {subscriptionId: string | null; limit: number; after: number | null},
): {sequence: number; delivery: Delivery}[] {
  return database
    .all<{
      sequence: number
      delivery_id: string
      subscription_id: string
      event_id: string
      type: string
      status: string
      next_attempt_at: number | null
      attempts: string
    }>(
      `SELECT deliveries.sequence, delivery_id, subscription_id, event_id, type, status, next_attempt_at, attempts
       FROM deliveries JOIN events USING (event_id)
       WHERE subscription_id = coalesce(?, subscription_id) AND deliveries.sequence > ?
       ORDER BY deliveries.sequence LIMIT ?`,
      filter.subscriptionId,
      filter.after ?? 0,
      filter.limit,
    )
    .map(row => ({
      sequence: row.sequence,
      delivery: {
        delivery_id: row.delivery_id,
        subscription_id: row.subscription_id,
        event_id: row.event_id,
        type: row.type,
        status: row.status,
        next_attempt_at: row.next_attempt_at === null ? null : isoTime(row.next_attempt_at),
        attempts: JSON.parse(row.attempts) as unknown[],
      },
    }))
}

/** Makes a delivery due again at `now`. Returns whether there is one with this id. */
export function redeliver(database: Database, deliveryId: string, now: number): boolean {
  return (
    database.run(
      "UPDATE deliveries SET status = 'PENDING', next_attempt_at = ? WHERE delivery_id = ?",
      now,
      deliveryId,
    ) > 0
  )
}

function fromRow(row: Row): StoredSubscription {
  return {
    sequence: row.sequence,
    clientId: row.client_id,
    subscription: {
      id: row.subscription_id,
      url: row.url,
      events: JSON.parse(row.events) as string[],
      is_active: row.is_active === 1,
    },
  }
}
