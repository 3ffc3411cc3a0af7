/**
 * Searches hotels (§4.3), shows them and queries prices, from answers of any shape. §4.9 names the last two but shows
 * neither.
 */
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

/**
 * Builds the record of an offer. `timeOf` converts the expiry on the service's clock (Unix seconds) to `expires_at` on
 * this machine's clock (ISO 8601).
 */
function recordOf<Time>(found: OfferNode, timeOf: (expiry: number | null) => Time, raw = found.node.value) {
  const {expiry, ...facts} = factsOf(found)
  return {offer_id: found.offerId, ...facts, expires_at: timeOf(expiry), raw}
}

export type FoundOffer = ReturnType<typeof recordOf<string>>
/**
 * An offer with its current price. `expires_at` is null if the answer states none; the offer then expires
 * OFFER_VALIDITY_SECONDS after its search (§2.3).
 */
export type PricedOffer = ReturnType<typeof recordOf<string | null>>
export type SearchOutcome = Awaited<ReturnType<typeof searchHotels>>

/**
 * Searches offers. Finding no offer is a result, not an error. Throws a Failure if the call fails or the answer has no
 * list of offers.
 */
export async function searchHotels(api: Api, request: SearchRequest) {
  // The expiry is counted from before the search, so that an offer never seems to be valid for longer than it is
  // (§2.3).
  const searchedAt = api.clock.now()
  const answer = await api.call('hotels.search', {body: request})
  const serviceNow = serviceClock(answer, searchedAt)
  const offers = findOffers(answer.json).map(found =>
    recordOf(found, expiry => isoTime(searchedAt + lifetimeSeconds(expiry, serviceNow))),
  )
  if (offers.length === 0) checkHoldsList(answer, 'offers')
  const expiries = offers.map(({expires_at}) => Date.parse(expires_at) / 1000)
  /** When the last offer expires. Like `searchedAt`, Unix seconds on this machine's clock. */
  const expiresAt = expiries.reduce((latest, at) => Math.max(latest, at), searchedAt)
  return {searchedAt, expiresAt, offers}
}

/** Returns how many seconds an offer is valid after the search: until its expiry, at most OFFER_VALIDITY_SECONDS. */
function lifetimeSeconds(expiry: number | null, serviceNow: number): number {
  const left = expiry === null ? Number.NaN : expiry - serviceNow
  return left > 0 ? Math.min(left, OFFER_VALIDITY_SECONDS) : OFFER_VALIDITY_SECONDS
}

/**
 * Returns the time on the service's clock in Unix seconds, from the answer's Date header, or `now` if there is none.
 * The service's clock decides when an offer expires.
 */
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

/**
 * Returns the requested hotel without its envelope. A hotel without an id is accepted. Throws a Failure if the call
 * fails or the answer is about another hotel.
 */
export async function showHotel(api: Api, hotelId: string): Promise<FoundHotel> {
  const answer = await api.call('hotels.show', {parameters: {hotel_id: hotelId}})
  const found = readRecord(recordAskedFor(answer, 'hotel', hotelId), HOTEL, HOTEL_READERS)
  return {...found, hotel_id: found.hotel_id ?? hotelId}
}

/**
 * Returns the offer with its current price. Throws a Failure if the call fails or the answer is about another offer.
 */
export async function priceOffer(api: Api, offerId: string): Promise<PricedOffer> {
  const askedAt = api.clock.now()
  const answer = await api.call('hotels.price', {parameters: {offer_id: offerId}})
  const {found, raw} = offerIn(answer, offerId)
  const ahead = serviceClock(answer, askedAt) - askedAt
  const record = recordOf(found, expiry => (expiry === null ? null : isoTime(expiry - ahead)), raw)
  return {...record, offer_id: offerId}
}

/**
 * Returns the requested offer. An answer without an offer id is taken to be about that offer. Throws a Failure if the
 * answer has no offer, or a different one.
 */
function offerIn(answer: Answer, offerId: string): {found: OfferNode; raw: JsonObject} {
  const asked = {what: 'offer', id: offerId}
  const own = itemAskedFor(answer, asked, findOffers(answer.json), offer => [offer.offerId])
  if (own) return {found: own, raw: own.node.value}
  const record = findNamed(answer.json, 'offer')
  // In a field other than `offer_id`, only the prefix distinguishes an offer id from the id of a rate (§2.3).
  itemAskedFor(answer, asked, record ? [record] : [], value =>
    idsOfRecord(answer.json, value, 'offer').filter(id => id.startsWith(OFFER_ID_PREFIX)),
  )
  const [found] = record ? findOffers({...record, offer_id: offerId}) : []
  if (!found || !record) throw holdsNo(answer, 'offer')
  // A record with neither an offer id nor a price is not an offer.
  if (factsOf(found).price.total === null) throw holdsNo(answer, 'price')
  return {found, raw: record}
}
