/** Stores the offers (§2.3) and cities that this machine has seen, in state.db. They contain no personal data. */
import type {Room} from '../contract/hotels.js'
import {
  OFFER_RETENTION_SECONDS,
  type OfferStore,
  type SeenDetails,
  type SeenOffer,
} from '../contract/seen-offers.js'
import type {Client} from '../contract/token-cache.js'
import type {Database, Value} from '../storage/database.js'

type Row = Omit<SeenOffer, 'rooms' | 'details'> & {
  rooms: string
  details: string | null
  base_url: string
  client_id: string
}

/** The columns of an offer that a later search updates. */
const COLUMNS = [
  'hotel_name',
  'stars',
  'room_name',
  'board',
  'total',
  'currency',
  'nationality',
  'check_in',
  'check_out',
  'rooms',
  'searched_at',
  'expires_at',
  'details',
]

const UPSERT_OFFER = `INSERT INTO offers (base_url, client_id, offer_id, ${COLUMNS})
  VALUES (?, ?, ?, ${COLUMNS.map(() => '?')})
  ON CONFLICT DO UPDATE SET ${COLUMNS.map(name => `${name} = excluded.${name}`)}`

const OF_CLIENT = 'base_url = ? AND client_id = ?'

export function createOfferStore(database: Database): OfferStore {
  const selectAll = (where: string, ...values: Value[]) =>
    database
      .all<Row>(`SELECT * FROM offers WHERE ${where}`, ...values)
      .map(({base_url: baseUrl, client_id: clientId, rooms, details, ...offer}): SeenOffer & Client => {
        return {
          ...offer,
          baseUrl,
          clientId,
          rooms: JSON.parse(rooms) as Room[],
          details: details === null ? null : (JSON.parse(details) as SeenDetails),
        }
      })
  const select = (where: string, ...values: Value[]) =>
    selectAll(where, ...values).map(({baseUrl: _, clientId: __, ...offer}): SeenOffer => offer)
  return {
    async remember(client, offers, now) {
      database.transaction(() => {
        database.run('DELETE FROM offers WHERE searched_at < ?', now - OFFER_RETENTION_SECONDS)
        for (const offer of offers) {
          const details = offer.details && JSON.stringify(offer.details)
          const row: Record<string, Value> = {...offer, rooms: JSON.stringify(offer.rooms), details}
          const values = COLUMNS.map(name => row[name] ?? null)
          database.run(UPSERT_OFFER, client.baseUrl, client.clientId, offer.offer_id, ...values)
        }
      })
    },
    findAll: async offerId => selectAll('offer_id = ? ORDER BY searched_at DESC', offerId),
    find: async ({baseUrl, clientId}, offerId) =>
      select(`${OF_CLIENT} AND offer_id = ?`, baseUrl, clientId, offerId)[0],
    latest: async ({baseUrl, clientId}) =>
      select(`${OF_CLIENT} ORDER BY searched_at DESC LIMIT 1`, baseUrl, clientId)[0],
    valid: async now =>
      select('expires_at > ? AND used_by_reference IS NULL ORDER BY searched_at DESC, rowid', now),
    async markUsed(client, offerId, clientReferenceId) {
      const sql = `UPDATE offers SET used_by_reference = ? WHERE ${OF_CLIENT} AND offer_id = ?`
      database.run(sql, clientReferenceId, client.baseUrl, client.clientId, offerId)
    },
  }
}

export interface KnownCity {
  /** The `destination.id` of a search (§2.2). */
  readonly id: number
  readonly name: string
  readonly country_code: string | null
}

const UPSERT_CITY = `INSERT INTO cities (base_url, id, name, country_code) VALUES (?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET name = excluded.name, country_code = excluded.country_code`

export function createCityStore(database: Database) {
  return {
    /** Stores cities of a service. Changed names are updated. */
    remember({baseUrl}: Pick<Client, 'baseUrl'>, cities: readonly KnownCity[]): void {
      database.transaction(() => {
        for (const {id, name, country_code} of cities)
          database.run(UPSERT_CITY, baseUrl, id, name, country_code)
      })
    },
    /** Returns the cities of one service, or of all services, sorted by name. */
    list(client?: Pick<Client, 'baseUrl'>): KnownCity[] {
      const sql = `SELECT DISTINCT id, name, country_code FROM cities WHERE ? IS NULL OR base_url = ? ORDER BY name, id`
      const baseUrl = client?.baseUrl ?? null
      return database.all<KnownCity>(sql, baseUrl, baseUrl)
    },
  }
}
