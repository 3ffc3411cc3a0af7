/**
 * Subscriptions that were requested and whose outcome is unknown, written before the request is sent. After a lost answer
 * the service may have created one, and a second request would create another.
 */
import type {Client} from '../contract/token-cache.js'
import type {Database} from '../storage/database.js'

interface Requested {
  readonly id: number
  readonly url: string
  readonly events: readonly string[]
  /** Unix seconds. */
  readonly begunAt: number
}

export function createSubscriptionJournal(open: () => Database) {
  return {
    /**
     * Records that a subscription for `url` is requested, unless the outcome of an earlier one is unknown: then returns
     * that. `again` removes earlier ones first.
     */
    begin(
      {baseUrl, clientId}: Client,
      {url, events}: {readonly url: string; readonly events: readonly string[]},
      {now, again}: {readonly now: number; readonly again: boolean},
    ): {readonly id: number; readonly earlier?: never} | {readonly earlier: Requested} {
      const database = open()
      const key = [baseUrl, clientId, url] as const
      const where = 'WHERE base_url = ? AND client_id = ? AND url = ?'
      return database.transaction(() => {
        if (again) database.run(`DELETE FROM subscriptions_begun ${where}`, ...key)
        const sql = `SELECT id, url, events, begun_at AS begunAt FROM subscriptions_begun ${where} ORDER BY id LIMIT 1`
        const row = database.get<Omit<Requested, 'events'> & {events: string}>(sql, ...key)
        if (row) return {earlier: {...row, events: JSON.parse(row.events) as string[]}}
        const insert = `INSERT INTO subscriptions_begun (base_url, client_id, url, events, begun_at)
          VALUES (?, ?, ?, ?, ?) RETURNING id`
        return {id: database.get<{id: number}>(insert, ...key, JSON.stringify(events), now)?.id ?? 0}
      })
    },
    /** The outcome is known. */
    end: (id: number) => void open().run('DELETE FROM subscriptions_begun WHERE id = ?', id),
  }
}
