/** Webhook subscriptions (§2.7). */
import type {Subscription} from '../../contract/webhooks.js'
import type {Database} from '../../storage/database.js'
import {listPage, type Paging} from './lists.js'

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

/** Removes the subscription; its deliveries stay on record. */
export function removeSubscription(database: Database, subscriptionId: string): void {
  database.transaction(() => {
    const sql = `UPDATE deliveries SET status = 'ABANDONED', next_attempt_at = NULL
      WHERE subscription_id = ? AND status = 'PENDING'`
    database.run(sql, subscriptionId)
    database.run('DELETE FROM subscriptions WHERE subscription_id = ?', subscriptionId)
  })
}

export function findSubscription(database: Database, clientId: string, subscriptionId: string) {
  const sql = `${SUBSCRIPTIONS} WHERE client_id = ? AND subscription_id = ?`
  const row = database.get<SubscriptionRow>(sql, clientId, subscriptionId)
  return row && fromSubscriptionRow(row).subscription
}

/** Of one client, oldest first; of all, newest first. */
export function listSubscriptions(database: Database, {after, limit}: Paging, clientId?: string) {
  const [order, further] = clientId ? ['sequence', 'sequence > ?'] : ['sequence DESC', 'sequence < ?']
  const filters = {'client_id = ?': clientId, [further]: after}
  return listPage(database, {select: SUBSCRIPTIONS, filters, order, limit}, fromSubscriptionRow)
}

/** Without the secret: only the answer to its creation has it. */
function fromSubscriptionRow(row: SubscriptionRow) {
  const {client_id: clientId, subscription_id: id, url, is_active} = row
  const subscription: Subscription = {id, url, events: JSON.parse(row.events), is_active: is_active === 1}
  return {clientId, subscription}
}
