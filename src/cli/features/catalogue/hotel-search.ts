/** A hotel search: sent, remembered for `reserve`, and printed as it is wanted. */
import {textIn} from '../../../api/answers/facts.js'
import {termsOf} from '../../../api/answers/terms-and-fees.js'
import {CITY_NAME} from '../../../api/answers/vocabulary.js'
import {
  type FoundOffer,
  type PricedOffer,
  type SearchOutcome,
  searchHotels,
} from '../../../api/operations/hotels.js'
import {isoTime, nightsBetween} from '../../../contract/dates.js'
import {Failure} from '../../../contract/failure.js'
import {fieldsOf, firstObject} from '../../../contract/field-names.js'
import type {SearchRequest} from '../../../contract/hotels.js'
import type {OfferFound} from '../../../contract/seen-offers.js'
import type {Client} from '../../../contract/token-cache.js'
import {StorageError} from '../../../storage/errors.js'
import type {Connection} from '../../session/connect.js'
import {type Column, columnsOf, type Result} from '../../terminal/result.js'
import {counted} from '../../terminal/text.js'
import {cityText} from './city-names.js'
import {AMOUNT_COLUMNS, countOf, filterAndSort, PRICE_COLUMN} from './filters.js'
import type {Filters} from './hotel-flags.js'

/** Searches and remembers every offer found, also those filtered out. Throws Failure. */
export async function search(
  connection: Connection,
  request: SearchRequest,
  wanted: Filters,
): Promise<Result<FoundOffer> & {readonly whenEmpty: string}> {
  const outcome = await searchHotels(connection.api, request)
  const found = outcome.offers.map(offer => offerFound(request, offer, outcome.searchedAt))
  const lost = await remember(connection, found)
  const offers = filterOffers(outcome.offers, wanted)
  return {
    document: {
      search: {...request, nights: nightsBetween(request.check_in, request.check_out)},
      searched_at: isoTime(outcome.searchedAt),
      expires_at: isoTime(outcome.expiresAt),
      offers,
    },
    items: offers,
    columns: OFFER_COLUMNS,
    shown: ['offer_id', 'hotel_name', 'stars', 'room_name', 'board', 'price', 'free_cancellation_until'],
    ...countOf('offer', offers, outcome.offers, describeSearch(request, outcome, connection)),
    ...lost,
  }
}

/** For `reserve`. A warning if the shared store was lost: the answer is there. Throws StorageError of this machine's files. */
export async function remember(
  {state, target, clock}: Pick<Connection, 'state' | 'clock'> & {readonly target: Client},
  offers: readonly OfferFound[],
): Promise<{warning?: string}> {
  if (!state.remembers) return {}
  const client = {baseUrl: target.baseUrl, clientId: target.clientId}
  try {
    await state.offers.remember(client, offers, clock.now())
    return {}
  } catch (error) {
    if (!state.isShared || !(error instanceof Failure || error instanceof StorageError)) throw error
    return {warning: `Warning: the offers could not be stored for bookctl reserve: ${error.message}`}
  }
}

/** `Istanbul (101), 2030-06-01 to 2030-06-04 (3 nights), 2 adults, nationality TR`. */
function describeSearch(
  {destination, check_in, check_out, rooms, client_nationality}: SearchRequest,
  {offers}: SearchOutcome,
  connection: Connection,
): string {
  const city = cityText(destination.id, connection, offers[0] && cityOf(offers[0]))
  const nights = counted(nightsBetween(check_in, check_out), 'night')
  const adults = rooms.reduce((sum, room) => sum + room.adults, 0)
  const ages = rooms.flatMap(room => room.children_ages)
  const people = [
    ...(rooms.length > 1 ? [`${rooms.length} rooms`] : []),
    counted(adults, 'adult'),
    ...(ages.length > 0 ? [`${counted(ages.length, 'child', 'children')} (${ages.join(', ')})`] : []),
  ]
  return `${city}, ${check_in} to ${check_out} (${nights}), ${people.join(', ')}, nationality ${client_nationality}`
}

/** The name of its city, where the service says it. */
function cityOf({raw}: FoundOffer): string | undefined {
  const fields = fieldsOf(raw)
  const hotel = fieldsOf(firstObject(fields.get('hotel')) ?? {})
  return textIn(hotel, CITY_NAME) ?? textIn(fields, CITY_NAME) ?? undefined
}

/** Named as in JSON, plus total and currency as columns of their own. */
export const OFFER_COLUMNS: readonly Column<PricedOffer>[] = [
  ...columnsOf<PricedOffer>(['offer_id']),
  ...columnsOf<PricedOffer>(['hotel_name'], {isMain: true}),
  ...columnsOf<PricedOffer>(['stars', 'room_name', 'board'], {isMinor: true}),
  PRICE_COLUMN,
  ...columnsOf<PricedOffer>(['free_cancellation_until'], {isMinor: true}),
  ...columnsOf<PricedOffer>(['refundable']),
  ...AMOUNT_COLUMNS,
  ...columnsOf<PricedOffer>(['expires_at']),
]

/** The offers wanted, in the order wanted. An offer whose price or terms are not known is left out where they matter. */
export function filterOffers<Offer extends FoundOffer>(offers: readonly Offer[], wanted: Filters): Offer[] {
  const {refundable, board = ''} = wanted
  const kept = offers.filter(
    offer =>
      (!refundable || offer.refundable === true) &&
      (offer.board ?? '').toLowerCase().includes(board.toLowerCase()),
  )
  return filterAndSort(kept, wanted, {
    stars: ({stars}) => stars && -stars,
    name: ({hotel_name}) => hotel_name,
  })
}

/** An offer of a search as it is remembered. */
export function offerFound(request: SearchRequest, found: FoundOffer, searched_at: number): OfferFound {
  const {check_in, check_out, rooms, client_nationality: nationality, destination} = request
  const {price, refundable, free_cancellation_until, raw, expires_at, ...offer} = found
  const details = {refundable, free_cancellation_until, terms: termsOf(raw), city: destination.id}
  const times = {searched_at, expires_at: Date.parse(expires_at) / 1000}
  return {...offer, ...price, details, nationality, check_in, check_out, rooms, ...times}
}
