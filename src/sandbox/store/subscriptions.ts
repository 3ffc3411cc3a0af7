/** Webhook subscriptions (§2.7). */
import type {Subscription} from '../../contract/webhooks.js'
import type {Database} from '../../storage/database.js'

export interface StoredSubscription {
  readonly sequence: number
  readonly clientId: string
  /** Without the secret: only the answer to its creation has it. */
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

export function addSubscription(
  database: Database,
  clientId: string,
  {id, url, events, is_active}: Subscription,
  secret: string,
): void {
  const sql = `INSERT INTO subscriptions (subscription_id, client_id, url, events, secret, is_active)
    VALUES (?, ?, ?, ?, ?, ?)`
  database.run(sql, id, clientId, url, JSON.stringify(events), secret, Number(is_active))
}

export function saveSubscription(database: Database, {id, url, events, is_active}: Subscription): void {
  const sql = 'UPDATE subscriptions SET url = ?, events = ?, is_active = ? WHERE subscription_id = ?'
  database.run(sql, url, JSON.stringify(events), Number(is_active), id)
}

/** Removes the subscription; what was delivered to it stays on record. */
export function removeSubscription(database: Database, subscriptionId: string): void {
  database.transaction(() => {
    const sql = `UPDATE deliveries SET status = 'ABANDONED', next_attempt_at = NULL
      WHERE subscription_id = ? AND status = 'PENDING'`
    database.run(sql, subscriptionId)
    database.run('DELETE FROM subscriptions WHERE subscription_id = ?', subscriptionId)
  })
}

/** The subscription, if it is `clientId`'s own. */
export function findSubscription(
  database: Database,
  clientId: string,
  subscriptionId: string,
): Subscription | undefined {
  const sql = 'SELECT * FROM subscriptions WHERE client_id = ? AND subscription_id = ?'
  const row = database.get<SubscriptionRow>(sql, clientId, subscriptionId)
  return row && fromSubscriptionRow(row).subscription
}

/** Oldest first, those after sequence number `after`. */
export function listOwnSubscriptions(
  database: Database,
  clientId: string,
  {limit, after}: {limit: number; after: number | null},
): StoredSubscription[] {
  const sql = 'SELECT * FROM subscriptions WHERE client_id = ? AND sequence > ? ORDER BY sequence LIMIT ?'
  return database.all<SubscriptionRow>(sql, clientId, after ?? 0, limit).map(fromSubscriptionRow)
}

export function fromSubscriptionRow(row: SubscriptionRow): StoredSubscription {
  const {subscription_id: id, url, is_active} = row
  return {
    sequence: row.sequence,
    clientId: row.client_id,
    subscription: {id, url, events: JSON.parse(row.events) as string[], is_active: is_active === 1},
  }
}
