/** Hotels (§4.3; §4.9 names the detail and the price query, and shows neither), from answers of any shape. */
import {isoTime} from '../../contract/dates.js'
import type {SearchRequest} from '../../contract/hotels.js'
import {OFFER_ID_PREFIX} from '../../contract/identifiers.js'
import {type Fields, fieldsOf, firstObject, isObject, type JsonObject} from '../../contract/json.js'
import {OFFER_VALIDITY_SECONDS} from '../../contract/limits.js'
import {idsOfRecord, itemAskedFor, recordAskedFor} from '../answers/asked.js'
import {codeIn, type Found, findNamed, numberIn, readRecord, wordsIn} from '../answers/facts.js'
import {factsOf, findOffers, type OfferNode} from '../answers/offers.js'
import {holdsNo} from '../answers/refusals.js'
import {HOTEL, PLACES} from '../answers/vocabulary.js'
import type {Answer, Api} from '../types.js'
import {checkHoldsList} from './lists.js'

/** An offer under our names; `expires_at` is ISO 8601 on this machine's clock, from its expiry on the service's. */
function recordOf<Time>(found: OfferNode, timeOf: (expiry: number | null) => Time, raw = found.node.value) {
  const {expiry, ...facts} = factsOf(found)
  return {offer_id: found.offerId, ...facts, expires_at: timeOf(expiry), raw}
}

export type FoundOffer = ReturnType<typeof recordOf<string>>
/** Its expiry is null when the answer has none (§2.3: OFFER_VALIDITY_SECONDS from its search). */
export type PricedOffer = ReturnType<typeof recordOf<string | null>>
export type SearchOutcome = Awaited<ReturnType<typeof searchHotels>>

/** Searches offers. No offers is an outcome, not a failure. Throws Failure. */
export async function searchHotels(api: Api, request: SearchRequest) {
  // Counted from before the search, so that an offer is never thought to live longer than it does (§2.3).
  const searchedAt = api.clock.now()
  const answer = await api.call('hotels.search', {body: request})
  const serviceNow = serviceClock(answer, searchedAt)
  const offers = findOffers(answer.json).map(found =>
    recordOf(found, expiry => isoTime(searchedAt + lifetimeSeconds(expiry, serviceNow))),
  )
  if (offers.length === 0) checkHoldsList(answer, 'offers')
  const expiries = offers.map(({expires_at}) => Date.parse(expires_at) / 1000)
  /** When the last of the offers expires; Unix seconds on this machine's clock, as `searchedAt` is. */
  const expiresAt = expiries.reduce((latest, at) => Math.max(latest, at), searchedAt)
  return {searchedAt, expiresAt, offers}
}

/** Seconds an offer lives from the search on: OFFER_VALIDITY_SECONDS, or less when its own expiry says so. */
function lifetimeSeconds(expiry: number | null, serviceNow: number): number {
  const left = expiry === null ? Number.NaN : expiry - serviceNow
  return left > 0 ? Math.min(left, OFFER_VALIDITY_SECONDS) : OFFER_VALIDITY_SECONDS
}

/** Unix seconds on the service's clock, on which offers expire: the answer's Date, else our own time. */
function serviceClock(answer: Answer, now: number): number {
  const date = Date.parse(answer.headers.date ?? '') / 1000
  return Number.isNaN(date) ? now : date
}

const HOTEL_READERS = {
  stars: numberIn,
  country_code: codeIn,
  latitude: coordinateIn,
  longitude: coordinateIn,
  facilities: (fields: Fields, names: readonly string[]) => wordsIn(fields, names)?.join(', ') ?? null,
}

export type FoundHotel = Found<typeof HOTEL, typeof HOTEL_READERS>

function coordinateIn(fields: Fields, names: readonly string[]): number | null {
  const inside = PLACES.map(place => firstObject(fields.get(place))).filter(isObject)
  const found = [fields, ...inside.map(fieldsOf)].map(each => numberIn(each, names))
  return found.find(number => number !== null) ?? null
}

/** The hotel, out of its envelope; one without an id is the hotel asked for. Throws Failure, also for another hotel. */
export async function showHotel(api: Api, hotelId: string): Promise<FoundHotel> {
  const answer = await api.call('hotels.show', {parameters: {hotel_id: hotelId}})
  const found = readRecord(recordAskedFor(answer, 'hotel', hotelId), HOTEL, HOTEL_READERS)
  return {...found, hotel_id: found.hotel_id ?? hotelId}
}

/** The offer as it is now. Throws Failure. */
export async function priceOffer(api: Api, offerId: string): Promise<PricedOffer> {
  const askedAt = api.clock.now()
  const answer = await api.call('hotels.price', {parameters: {offer_id: offerId}})
  const {found, raw} = offerIn(answer, offerId)
  const ahead = serviceClock(answer, askedAt) - askedAt
  const record = recordOf(found, expiry => (expiry === null ? null : isoTime(expiry - ahead)), raw)
  return {...record, offer_id: offerId}
}

/** The offer asked for; an answer that names no offer at all is about the one asked for. */
function offerIn(answer: Answer, offerId: string): {found: OfferNode; raw: JsonObject} {
  const asked = {what: 'offer', id: offerId}
  const own = itemAskedFor(answer, asked, findOffers(answer.json), offer => [offer.offerId])
  if (own) return {found: own, raw: own.node.value}
  const record = findNamed(answer.json, 'offer')
  // Under other names than `offer_id` only the prefix tells an offer's id from a rate's (§2.3).
  itemAskedFor(answer, asked, record ? [record] : [], value =>
    idsOfRecord(answer.json, value, 'offer').filter(id => id.startsWith(OFFER_ID_PREFIX)),
  )
  const [found] = record ? findOffers({...record, offer_id: offerId}) : []
  if (!found || !record) throw holdsNo(answer, 'offer')
  // Without the offer's id and without a price it is an answer to something else.
  if (factsOf(found).price.total === null) throw holdsNo(answer, 'price')
  return {found, raw: record}
}
