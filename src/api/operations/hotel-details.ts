/** One hotel, and what an offer costs now (§4.9 names both and shows neither): answers of every shape are read. */
import {OFFER_ID_PREFIX} from '../../contract/identifiers.js'
import type {JsonObject} from '../../contract/json.js'
import {idsOfRecord, itemAskedFor} from '../answers/asked.js'
import {findNamed} from '../answers/facts.js'
import {factsOf, type OfferFacts} from '../answers/offer-facts.js'
import {findOffers, type OfferNode} from '../answers/offers.js'
import {holdsNo} from '../answers/refusals.js'
import type {Answer, Api} from '../types.js'

const HOTEL = ['hotel', 'property', 'accommodation']

/** The hotel as the service sends it, out of its envelope. Throws Failure, also for another hotel. */
export async function showHotel(api: Api, hotelId: string): Promise<JsonObject> {
  const answer = await api.call('hotels.show', {parameters: {hotel_id: hotelId}})
  const hotel = findNamed(answer.json, 'hotel')
  if (!hotel) throw holdsNo(answer, 'hotel')
  itemAskedFor(answer, {what: 'hotel', id: hotelId}, [hotel], record =>
    idsOfRecord(answer.json, record, HOTEL),
  )
  return hotel
}

export interface PricedOffer extends Omit<OfferFacts, 'expiry'> {
  readonly offer_id: string
  /** ISO 8601 on this machine's clock; null when the answer does not say (§2.3: 15 minutes from its search). */
  readonly expires_at: string | null
  /** The service's own object, untouched. */
  readonly raw: JsonObject
}

/** The offer as it stands now. Throws Failure. */
export async function priceOffer(api: Api, offerId: string): Promise<PricedOffer> {
  const askedAt = api.clock.now()
  const answer = await api.call('hotels.price', {parameters: {offer_id: offerId}})
  const {found, raw} = offerIn(answer, offerId)
  const {expiry, ...facts} = factsOf(found)
  // An instant on the service's clock, so it is measured against the answer's Date.
  const date = Date.parse(answer.headers.date ?? '') / 1000
  const expires = expiry === null ? null : askedAt + expiry - (Number.isNaN(date) ? askedAt : date)
  const expires_at = expires === null ? null : new Date(expires * 1000).toISOString()
  return {offer_id: offerId, ...facts, expires_at, raw}
}

/** The offer asked for; an answer that names no offer at all is about the one asked for. */
function offerIn(answer: Answer, offerId: string): {found: OfferNode; raw: JsonObject} {
  const asked = {what: 'offer', id: offerId}
  const own = itemAskedFor(answer, asked, findOffers(answer.json), offer => [offer.offerId])
  if (own) return {found: own, raw: own.node.value}
  const record = findNamed(answer.json, 'offer')
  // Under other names than `offer_id` only the prefix tells an offer's id from a rate's (§2.3).
  itemAskedFor(answer, asked, record ? [record] : [], value =>
    idsOfRecord(answer.json, value, ['offer']).filter(id => id.startsWith(OFFER_ID_PREFIX)),
  )
  const [found] = record ? findOffers({...record, offer_id: offerId}) : []
  if (!found || !record) throw holdsNo(answer, 'offer')
  // Without the offer's id and without a price it is an answer to something else.
  if (factsOf(found).price.total === null) throw holdsNo(answer, 'price')
  return {found, raw: record}
}
