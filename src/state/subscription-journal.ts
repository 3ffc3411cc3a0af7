/**
 * Subscriptions that were requested and whose outcome is unknown, written before the request is sent. After a lost answer
 * the service may have created one, and a second request would create another.
 */
import type {Client} from '../contract/token-cache.js'
import type {Database} from '../storage/database.js'

interface BegunSubscription {
  readonly id: number
  readonly url: string
  readonly events: readonly string[]
  /** Unix seconds. */
  readonly begunAt: number
}

export interface SubscriptionJournal {
  /**
   * Records that a subscription for `url` is requested, unless the outcome of an earlier one is unknown: then returns that.
   * `again` removes earlier ones first.
   */
  begin(
    client: Client,
    wanted: {readonly url: string; readonly events: readonly string[]},
    options: {readonly now: number; readonly again: boolean},
  ): {readonly id: number; readonly earlier?: never} | {readonly earlier: BegunSubscription}
  /** The outcome is known. */
  end(id: number): void
}

interface Row {
  id: number
  url: string
  events: string
  begun_at: number
}

export function createSubscriptionJournal(open: () => Database): SubscriptionJournal {
  return {
    begin: ({baseUrl, clientId}, {url, events}, {now, again}) => {
      const database = open()
      const whose = [baseUrl, clientId, url] as const
      return database.transaction(() => {
        const where = 'WHERE base_url = ? AND client_id = ? AND url = ?'
        if (again) database.run(`DELETE FROM subscriptions_begun ${where}`, ...whose)
        const row = database.get<Row>(
          `SELECT * FROM subscriptions_begun ${where} ORDER BY id LIMIT 1`,
          ...whose,
        )
        if (row) return {earlier: fromRow(row)}
        const values = [...whose, JSON.stringify(events), now] as const
        const sql = `INSERT INTO subscriptions_begun (base_url, client_id, url, events, begun_at)
          VALUES (?, ?, ?, ?, ?) RETURNING id`
        return {id: database.get<{id: number}>(sql, ...values)?.id ?? 0}
      })
    },
    end: id => void open().run('DELETE FROM subscriptions_begun WHERE id = ?', id),
  }
}

function fromRow(row: Row): BegunSubscription {
  return {id: row.id, url: row.url, events: JSON.parse(row.events) as string[], begunAt: row.begun_at}
}
