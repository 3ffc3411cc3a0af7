/** Stores the offers that were seen in the shared store. */
import {OFFER_RETENTION_SECONDS, type OfferStore, type SeenOffer} from '../../contract/seen-offers.js'
import type {Client} from '../../contract/token-cache.js'
import type {StoreConnection} from './connection.js'

interface OfferRow extends Client {
  readonly offer: string
  /** Seconds since the search, by the database's clock. `left` is the number of seconds until the offer expires. */
  readonly age: number
  readonly left: number
  readonly used_by_reference: string | null
}

const OFFER = `SELECT base_url AS "baseUrl", client_id AS "clientId", offer, extract(epoch FROM clock_timestamp() - searched_at)::float8 AS age,
  extract(epoch FROM expires_at - clock_timestamp())::float8 AS "left", used_by_reference FROM bookctl.offers`

const REMEMBER = `WITH old AS (
    DELETE FROM bookctl.offers WHERE searched_at < clock_timestamp() - make_interval(secs => ${OFFER_RETENTION_SECONDS})
  )
  INSERT INTO bookctl.offers (base_url, client_id, offer_id, offer, searched_at, expires_at)
  SELECT DISTINCT ON (offer_id) $1, $2, offer_id, offer, clock_timestamp() - make_interval(secs => age),
      clock_timestamp() + make_interval(secs => "left")
    FROM unnest($3::text[], $4::text[], $5::float8[], $6::float8[]) AS g (offer_id, offer, age, "left")
    ORDER BY offer_id
  ON CONFLICT (base_url, client_id, offer_id) DO UPDATE SET offer = excluded.offer,
    searched_at = excluded.searched_at, expires_at = excluded.expires_at`

/**
 * Creates the store for offers. `now` returns Unix seconds on this machine; the database stores times of its own clock.
 */
export function createSharedOffers(store: StoreConnection, now: () => number): OfferStore {
  const selectAll = async (rest: string, values?: readonly string[]): Promise<(SeenOffer & Client)[]> => {
    const {rows} = await store.query<OfferRow>(`${OFFER} WHERE ${rest}`, values)
    const at = now()
    return rows.map(({offer, age, left, ...columns}) => {
      return {...JSON.parse(offer), searched_at: at - age, expires_at: at + left, ...columns}
    })
  }
  const select = async (rest: string, values?: readonly string[]): Promise<SeenOffer[]> =>
    (await selectAll(rest, values)).map(({baseUrl: _, clientId: __, ...offer}) => offer)
  return {
    async remember({baseUrl, clientId}, offers, at) {
      const all = [...offers]
      const texts = all.map(({searched_at: _, expires_at: __, ...offer}) => JSON.stringify(offer))
      const ids = all.map(offer => offer.offer_id)
      const ages = all.map(offer => at - offer.searched_at)
      const left = all.map(offer => offer.expires_at - at)
      await store.query(REMEMBER, [baseUrl, clientId, ids, texts, ages, left])
    },
    async find({baseUrl, clientId}, offerId) {
      const values = [baseUrl, clientId, offerId]
      return (await select('base_url = $1 AND client_id = $2 AND offer_id = $3', values))[0]
    },
    findAll: offerId => selectAll('offer_id = $1 ORDER BY searched_at DESC', [offerId]),
    async latest({baseUrl, clientId}) {
      const newest = 'base_url = $1 AND client_id = $2 ORDER BY searched_at DESC LIMIT 1'
      return (await select(newest, [baseUrl, clientId]))[0]
    },
    valid: () =>
      select(`expires_at > clock_timestamp() AND used_by_reference IS NULL
        ORDER BY searched_at DESC, offer_id`),
    async markUsed({baseUrl, clientId}, offerId, clientReferenceId) {
      const sql = `UPDATE bookctl.offers SET used_by_reference = $4
        WHERE base_url = $1 AND client_id = $2 AND offer_id = $3`
      await store.query(sql, [baseUrl, clientId, offerId, clientReferenceId])
    },
  }
}
