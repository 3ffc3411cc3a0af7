/** Offers found by a search, with the criteria they were found for (§2.3). */
import {isoTime} from '../../contract/dates.js'
import type {Offer, SearchRequest} from '../../contract/hotels.js'
import {OFFER_ID_PREFIX} from '../../contract/identifiers.js'
import {OFFER_VALIDITY_SECONDS} from '../../contract/limits.js'
import type {Database} from '../../storage/database.js'
import {randomId} from '../base/random.js'
import type {OfferDraft} from '../catalogue/search-offers.js'

export interface StoredOffer {
  readonly offer: Offer
  readonly criteria: SearchRequest
  /** Unix seconds. */
  readonly expiresAt: number
  /** The reservation it became, or null. */
  readonly reservationRef: string | null
}

/** Stores a search and its offers in one transaction, each offer under a new id. */
export function addSearch(
  database: Database,
  clientId: string,
  criteria: SearchRequest,
  drafts: readonly OfferDraft[],
  now: number,
): {searchId: string; expires_at: string; offers: Offer[]} {
  const searchId = randomId('srch_')
  const expiresAt = now + OFFER_VALIDITY_SECONDS
  const expires_at = isoTime(expiresAt)
  const offers = drafts.map(draft => ({offer_id: randomId(OFFER_ID_PREFIX), expires_at, ...draft}))
  database.transaction(() => {
    const search = 'INSERT INTO searches (search_id, client_id, criteria) VALUES (?, ?, ?)'
    database.run(search, searchId, clientId, JSON.stringify(criteria))
    const sql = 'INSERT INTO offers (offer_id, search_id, offer, expires_at) VALUES (?, ?, ?, ?)'
    for (const offer of offers) database.run(sql, offer.offer_id, searchId, JSON.stringify(offer), expiresAt)
  })
  return {searchId, expires_at, offers}
}

/** The offer, if `clientId` itself searched it. */
export function findOffer(database: Database, clientId: string, offerId: string): StoredOffer | undefined {
  const sql = `SELECT offer, criteria, expires_at AS expiresAt, reservation_ref AS reservationRef
    FROM offers JOIN searches USING (search_id) WHERE offer_id = ? AND client_id = ?`
  const row = database.get<Omit<StoredOffer, 'offer' | 'criteria'> & {offer: string; criteria: string}>(
    sql,
    offerId,
    clientId,
  )
  return row && {...row, offer: JSON.parse(row.offer), criteria: JSON.parse(row.criteria)}
}

export function markConverted(database: Database, offerId: string, reservationRef: string): void {
  database.run('UPDATE offers SET reservation_ref = ? WHERE offer_id = ?', reservationRef, offerId)
}
