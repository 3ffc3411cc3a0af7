/** Webhook subscriptions (§2.7). The signing secret is kept: it signs. */
import type {Subscription} from '../../contract/webhooks.js'
import type {Database} from '../../storage/database.js'

export interface StoredSubscription {
  readonly sequence: number
  readonly clientId: string
  /** Without the secret: it is answered once, at creation. */
  readonly subscription: Subscription
}

export interface SubscriptionRow {
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
  const row = database.get<SubscriptionRow>(
    `SELECT ${COLUMNS} FROM subscriptions WHERE client_id = ? AND subscription_id = ?`,
    clientId,
    subscriptionId,
  )
  return row && fromSubscriptionRow(row)
}

/** Oldest first, those after sequence number `after`. */
export function listOwnSubscriptions(
  database: Database,
  clientId: string,
  paging: {limit: number; after: number | null},
): StoredSubscription[] {
  return database
    .all<SubscriptionRow>(
      `SELECT ${COLUMNS} FROM subscriptions WHERE client_id = ? AND sequence > ? ORDER BY sequence LIMIT ?`,
      clientId,
      paging.after ?? 0,
      paging.limit,
    )
    .map(fromSubscriptionRow)
}

export function fromSubscriptionRow(row: SubscriptionRow): StoredSubscription {
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
