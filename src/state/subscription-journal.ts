/** Subscriptions whose outcome is unknown, in state.db. */
import type {RequestedSubscription, SubscriptionJournal} from '../contract/journal.js'
import type {Database} from '../storage/database.js'

export function createSubscriptionJournal(open: () => Database): SubscriptionJournal {
  return {
    async begin({baseUrl, clientId}, {url, events}, {now, again}) {
      const database = open()
      const key = [baseUrl, clientId, url] as const
      const where = 'WHERE base_url = ? AND client_id = ? AND url = ?'
      return database.transaction(() => {
        if (again) database.run(`DELETE FROM subscriptions_begun ${where}`, ...key)
        const sql = `SELECT id, url, events, begun_at AS begunAt FROM subscriptions_begun ${where} ORDER BY id LIMIT 1`
        const row = database.get<Omit<RequestedSubscription, 'events'> & {events: string}>(sql, ...key)
        if (row) return {earlier: {...row, events: JSON.parse(row.events) as string[]}}
        const insert = `INSERT INTO subscriptions_begun (base_url, client_id, url, events, begun_at)
          VALUES (?, ?, ?, ?, ?) RETURNING id`
        return {id: database.get<{id: number}>(insert, ...key, JSON.stringify(events), now)?.id ?? 0}
      })
    },
    async end(id) {
      open().run('DELETE FROM subscriptions_begun WHERE id = ?', id)
    },
  }
}
