/**
 * Stores searches but not their offers (§2.3). An offer is generated again from its search, which always gives the same
 * offers.
 */
import {isoTime} from '../../contract/dates.js'
import type {Offer, SearchRequest} from '../../contract/hotels.js'
import {OFFER_ID_PREFIX} from '../../contract/identifiers.js'
import {OFFER_VALIDITY_SECONDS} from '../../contract/limits.js'
import type {Database} from '../../storage/database.js'
import {randomId} from '../base/random.js'
import {buildOffers} from '../catalogue/search-offers.js'
import {stampsOf} from './sealed-ids-and-links.js'

export interface StoredOffer {
  readonly offer: Offer
  readonly criteria: SearchRequest
}

/** Stores the search and returns its offers, at most `limit` of them, each with a new id. `now` is in Unix seconds. */
export function addSearch(
  database: Database,
  clientId: string,
  criteria: SearchRequest,
  {now, limit}: {now: number; limit: number | undefined},
) {
  const sql = 'INSERT INTO searches (client_id, criteria, searched_at) VALUES (?, ?, ?) RETURNING sequence'
  const row = database.get<{sequence: number}>(sql, clientId, JSON.stringify(criteria), now)
  const {seal} = stampsOf(database, clientId)
  const expiresAt = now + OFFER_VALIDITY_SECONDS
  const expires_at = isoTime(expiresAt)
  const offers = buildOffers(criteria, now, limit).map((draft, index) => {
    const offer_id = OFFER_ID_PREFIX + seal({expiresAt, sequence: row?.sequence ?? 0, index})
    return {offer_id, expires_at, ...draft}
  })
  return {search_id: randomId('srch_'), expires_at, offers}
}

/**
 * Returns an offer that `clientId` has searched for, with its search, or undefined. For an expired offer, returns only
 * `expiredAt`. Times are Unix seconds.
 */
export function findOffer(database: Database, clientId: string, offer_id: string, now: number) {
  const isOffer = offer_id.startsWith(OFFER_ID_PREFIX)
  const stamp = isOffer && stampsOf(database, clientId).open(offer_id.slice(OFFER_ID_PREFIX.length))
  if (!stamp) return undefined
  const {expiresAt, sequence, index} = stamp
  if (expiresAt <= now) return {expiredAt: expiresAt}
  const sql = 'SELECT criteria, searched_at AS searchedAt FROM searches WHERE sequence = ?'
  const row = database.get<{criteria: string; searchedAt: number}>(sql, sequence)
  if (!row) return undefined
  const criteria = JSON.parse(row.criteria) as SearchRequest
  const draft = buildOffers(criteria, row.searchedAt, index + 1)[index]
  return draft && {offer: {offer_id, expires_at: isoTime(expiresAt), ...draft}, criteria}
}
