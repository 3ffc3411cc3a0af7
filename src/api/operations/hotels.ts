/** Hotel search (§4.3): the request goes out exactly as §2.2 has it, the offers come back in our own shape. */
import type {SearchRequest} from '../../contract/hotels.js'
import {OFFER_VALIDITY_SECONDS} from '../../contract/limits.js'
import {factsOf, type OfferFacts} from '../answers/offer-facts.js'
import {findOffers, type OfferNode} from '../answers/offers.js'
import type {Answer, Api} from '../types.js'
import {checkHoldsList} from './lists.js'

export interface FoundOffer extends Omit<OfferFacts, 'expiry'> {
  readonly offer_id: string
  /** ISO 8601, on this machine's clock. */
  readonly expires_at: string
  /** The service's own object, untouched. */
  readonly raw: object
}

export interface SearchOutcome {
  /** Unix seconds on this machine's clock. */
  readonly searchedAt: number
  /** When the last of the offers expires. */
  readonly expiresAt: number
  readonly offers: FoundOffer[]
}

/** Searches offers. No offers is an outcome, not a failure. Throws Failure. */
export async function searchHotels(api: Api, request: SearchRequest): Promise<SearchOutcome> {
  // Counted from before the search, so that an offer is never thought to live longer than it does (§2.3).
  const searchedAt = api.clock.now()
  const answer = await api.call('hotels.search', {body: request})
  const lifetime = lifetimeReader(answer, searchedAt)
  const isoTime = lastIsoTime()
  const found = findOffers(answer.json).map(offer => toFoundOffer(offer, searchedAt, lifetime, isoTime))
  if (found.length === 0) checkHoldsList(answer, 'offers')
  const expiries = found.map(({expiresAt}) => expiresAt)
  return {
    searchedAt,
    expiresAt: expiries.reduce((latest, at) => Math.max(latest, at), searchedAt),
    offers: found.map(({offer}) => offer),
  }
}

function toFoundOffer(
  found: OfferNode,
  searchedAt: number,
  lifetimeSeconds: (expiry: number | null) => number,
  isoTime: (unixSeconds: number) => string,
): {offer: FoundOffer; expiresAt: number} {
  const {expiry, ...facts} = factsOf(found)
  const expiresAt = searchedAt + lifetimeSeconds(expiry)
  const expires_at = isoTime(expiresAt)
  return {expiresAt, offer: {offer_id: found.offerId, ...facts, expires_at, raw: found.node.value}}
}

/** ISO 8601. Most offers of a search expire at the same moment, which is then written once. */
function lastIsoTime(): (unixSeconds: number) => string {
  let last = Number.NaN
  let text = ''
  return unixSeconds => {
    if (unixSeconds !== last) text = new Date(unixSeconds * 1000).toISOString()
    last = unixSeconds
    return text
  }
}

/**
 * Seconds an offer lives from the search on: 15 minutes (§8), or less when its own expiry says so. That is an instant
 * on the service's clock, so it is measured against the answer's Date.
 */
function lifetimeReader(answer: Answer, searchedAt: number): (expiry: number | null) => number {
  const date = Date.parse(answer.headers.date ?? '')
  const serviceNow = Number.isNaN(date) ? searchedAt : date / 1000
  return expiry => {
    const left = expiry === null ? Number.NaN : expiry - serviceNow
    return left > 0 ? Math.min(left, OFFER_VALIDITY_SECONDS) : OFFER_VALIDITY_SECONDS
  }
}
