/**
 * Cities the service named in its constant data (§1), so that completion and questions can offer them by name with no
 * request. Nothing of people is in it.
 */
import type {Client} from '../contract/token-cache.js'
import type {Database} from '../storage/database.js'

export interface KnownCity {
  /** The destination.id of a search (§2.2). */
  readonly id: number
  readonly name: string
  readonly country_code: string | null
}

export interface CityStore {
  /** Adds `cities` to those known of the client's service; one known already gets its new name. */
  remember(client: Pick<Client, 'baseUrl'>, cities: readonly KnownCity[]): void
  /** Known cities by name, of one service, or of all when none is named. */
  list(client?: Pick<Client, 'baseUrl'>): KnownCity[]
}

const UPSERT = `INSERT INTO cities (base_url, id, name, country_code) VALUES (?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET name = excluded.name, country_code = excluded.country_code`

/** `toRead` opens the database if there is one. */
export function createCityStore(open: () => Database, toRead: () => Database = open): CityStore {
  return {
    remember({baseUrl}, cities) {
      const database = open()
      database.transaction(() => {
        for (const {id, name, country_code} of cities) database.run(UPSERT, baseUrl, id, name, country_code)
      })
    },
    list(client) {
      const sql = `SELECT DISTINCT id, name, country_code FROM cities WHERE ? IS NULL OR base_url = ? ORDER BY name, id`
      const baseUrl = client?.baseUrl ?? null
      return toRead().all<KnownCity>(sql, baseUrl, baseUrl)
    },
  }
}
