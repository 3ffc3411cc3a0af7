/** Searches hotels and stores the offers for `reserve`, shows a hotel, and queries the current price of an offer. */
import * as Flags from '@oclif/core/flags'
import type * as Interfaces from '@oclif/core/interfaces'
import {chargeOf} from '../../../api/answers/charges.js'
import {textIn} from '../../../api/answers/facts.js'
import {termsOf} from '../../../api/answers/terms-and-fees.js'
import {CITY_NAME, HOTEL} from '../../../api/answers/vocabulary.js'
import {
  type FoundHotel,
  type FoundOffer,
  type PricedOffer,
  priceOffer,
  type SearchOutcome,
  searchHotels,
  showHotel,
} from '../../../api/operations/hotels.js'
import {isoTime, nightsBetween} from '../../../contract/dates.js'
import {Failure} from '../../../contract/failure.js'
import type {SearchRequest} from '../../../contract/hotels.js'
import {fieldsOf, firstObject} from '../../../contract/json.js'
import {MOST_LISTED} from '../../../contract/limits.js'
import {compareAmounts, isAmount} from '../../../contract/money.js'
import type {OfferFound, SeenOffer} from '../../../contract/seen-offers.js'
import type {Client} from '../../../contract/token-cache.js'
import {StorageError} from '../../../storage/errors.js'
import {DATE_FORMS} from '../../input/dates.js'
import {checkedFlag, comingDayFlag, countryFlag, maximumFlag} from '../../input/flags.js'
import {
  checkDeparture,
  checkRooms,
  leaveAfter,
  MOST_NIGHTS,
  readCheckOut,
  readRoom,
} from '../../input/stay.js'
import {collectFailure, combined} from '../../input/usage-errors.js'
import type {Connection} from '../../session/connect.js'
import {SETTING_VARIABLES} from '../../session/setting-variables.js'
import {counted} from '../../terminal/dates-and-amounts.js'
import {type Column, columnsOf, type Result} from '../../terminal/result.js'
import {absentIn, cityFlag, cityText, pricesFlag} from './city-search.js'
import {
  AMOUNT_COLUMNS,
  countOf,
  filterAndSort,
  PRICE_COLUMN,
  priceText,
  warningOfCurrencies,
} from './filters.js'

export const searchFlags = {
  ...cityFlag,
  'check-in': comingDayFlag({helpValue: 'DATE', summary: `arrival date: ${DATE_FORMS}`}),
  // It is checked again when the check-in is known.
  'check-out': checkedFlag(checkDeparture)({
    helpValue: 'DATE|N',
    summary: 'departure date, or number of nights (3 or +3)',
  }),
  nights: Flags.integer({
    helpValue: 'N',
    min: 1,
    max: MOST_NIGHTS,
    exclusive: ['check-out'],
    summary: 'number of nights, instead of --check-out',
  }),
  room: checkedFlag(readRoom)({
    helpValue: 'ADULTS[:AGE,AGE]',
    multiple: true,
    summary: 'one room: adults, then the ages of the children (repeatable; default 2)',
  }),
  nationality: countryFlag({
    helpValue: 'COUNTRY',
    env: SETTING_VARIABLES.nationality,
    summary: 'country of the guests, by name or two-letter code',
  }),
  ...pricesFlag,
  sort: Flags.string({
    options: ['price', 'stars', 'name'],
    summary: 'order: cheapest, most stars, or by name first',
  }),
  'max-price': maximumFlag({
    helpValue: 'AMOUNT',
    summary: 'maximum price, such as 450 or "450 EUR" (default currency: that of the search)',
  }),
  refundable: Flags.boolean({summary: 'only offers that can be cancelled for a refund'}),
  board: Flags.string({helpValue: 'BOARD', summary: 'only offers with this board, for example BB'}),
  limit: Flags.integer({helpValue: 'N', min: 1, max: MOST_LISTED, summary: 'maximum number of offers'}),
}

/** The flags as typed. The city may be a name. */
type TypedSearch = Partial<Interfaces.InferredFlags<typeof searchFlags>>
export type SearchFlags = Omit<TypedSearch, 'city'> & {city?: number | undefined}
type Filters = Pick<TypedSearch, 'sort' | 'max-price' | 'currency' | 'refundable' | 'board' | 'limit'>

export const NEEDED = [
  ['--city'],
  ['--check-in'],
  ['--check-out', '--nights'],
  ['--nationality'],
  ['--currency'],
]

/** Returns errors about flags that contradict each other. Missing flags are not reported here. */
export function misfitsIn(flags: TypedSearch): Failure[] {
  const {'check-in': checkIn, room: rooms = []} = flags
  const errors: Failure[] = []
  try {
    checkRooms('--room', rooms)
  } catch (error) {
    collectFailure(errors)(error)
  }
  try {
    if (checkIn) departureOf(checkIn, flags)
  } catch (error) {
    collectFailure(errors)(error)
  }
  return errors
}

/**
 * Builds the search request (§2.2). Throws a usage error that names every flag that is missing or contradicts another.
 */
export function readSearch(flags: SearchFlags): SearchRequest {
  const {city, 'check-in': checkIn, nationality, currency, room = [{adults: 2, children_ages: []}]} = flags
  const errors = [...absentIn(flags, NEEDED), ...misfitsIn(flags)]
  if (!city || !checkIn || !nationality || !currency || errors.length > 0) throw combined(errors)
  return {
    destination: {type: 'CITY', id: city},
    check_in: checkIn,
    check_out: departureOf(checkIn, flags),
    rooms: room,
    client_nationality: nationality,
    currency,
  }
}

function departureOf(checkIn: string, {'check-out': checkOut, nights}: TypedSearch): string {
  return checkOut ? readCheckOut('--check-out', checkOut, checkIn) : leaveAfter(checkIn, nights ?? 1)
}

type Remembering = Pick<Connection, 'state' | 'clock'> & {readonly target: Client}

/**
 * Searches for offers and stores all of them, even those that filters leave out. Throws a Failure if the search fails.
 */
export async function search(
  connection: Connection,
  request: SearchRequest,
  wanted: Filters,
): Promise<Result<FoundOffer> & {readonly whenEmpty: string}> {
  const outcome = await searchHotels(connection.api, request)
  const found = outcome.offers.map(offer => offerFound(request, offer, outcome.searchedAt))
  const lost = await remember(connection, found)
  const filters = {...wanted, currency: request.currency}
  const offers = filterOffers(outcome.offers, filters)
  const warnings = [
    ...(lost.warning === undefined ? [] : [lost.warning]),
    ...warningOfCurrencies('offer', outcome.offers, filters),
  ]
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
    ...(warnings.length > 0 && {warning: warnings}),
  }
}

/**
 * Stores offers for `reserve`. If the shared store fails, only returns a warning, because the search itself has
 * succeeded. Throws a StorageError for files of this machine.
 */
async function remember(
  {state, target, clock}: Remembering,
  offers: readonly OfferFound[],
): Promise<{warning?: string}> {
  if (!state.remembers) return {}
  try {
    await state.offers.remember(target, offers, clock.now())
    return {}
  } catch (error) {
    if (!state.isShared || !(error instanceof Failure || error instanceof StorageError)) throw error
    return {warning: `Warning: the offers could not be stored for bookctl reserve: ${error.message}`}
  }
}

/** Describes a search: `Istanbul (101), 2030-06-01 to 2030-06-04 (3 nights), 2 adults, nationality TR`. */
function describeSearch(
  {destination, check_in, check_out, rooms, client_nationality}: SearchRequest,
  {offers}: SearchOutcome,
  connection: Connection,
): string {
  // The name of the city, if an offer contains it.
  const fields = fieldsOf(offers[0]?.raw)
  const hotel = fieldsOf(firstObject(fields.get('hotel')))
  const name = textIn(hotel, CITY_NAME) ?? textIn(fields, CITY_NAME) ?? undefined
  const city = cityText(destination.id, connection, name)
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

/** The columns of an offer. They are named as in the JSON document; total and currency are additional columns. */
export const OFFER_COLUMNS: readonly Column<PricedOffer>[] = [
  ...columnsOf<PricedOffer>(['offer_id']),
  ...columnsOf<PricedOffer>(['hotel_name'], {isMain: true}),
  ...columnsOf<PricedOffer>(['stars', 'room_name', 'board'], {isMinor: true}),
  PRICE_COLUMN,
  ...columnsOf<PricedOffer>(['free_cancellation_until']),
  ...columnsOf<PricedOffer>(['refundable']),
  ...AMOUNT_COLUMNS,
  ...columnsOf<PricedOffer>(['expires_at']),
]

/**
 * Filters and sorts offers. If a filter depends on the price or the terms, offers that do not state them are left out.
 */
export function filterOffers<
  Offer extends Pick<FoundOffer, 'price' | 'refundable' | 'board' | 'stars' | 'hotel_name'>,
>(offers: readonly Offer[], wanted: Filters): Offer[] {
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

/** Returns an offer of a search in the form in which it is stored. */
export function offerFound(request: SearchRequest, found: FoundOffer, searched_at: number): OfferFound {
  const {check_in, check_out, rooms, client_nationality: nationality, destination} = request
  const {price, refundable, free_cancellation_until, raw, expires_at, ...offer} = found
  const charge = chargeOf(raw)
  const details = {
    refundable,
    free_cancellation_until,
    terms: termsOf(raw),
    city: destination.id,
    currency: request.currency,
    ...(charge && {charge}),
  }
  const times = {searched_at, expires_at: Date.parse(expires_at) / 1000}
  return {...offer, ...price, details, nationality, check_in, check_out, rooms, ...times}
}
export const HOTEL_COLUMNS = columnsOf<FoundHotel>(Object.keys(HOTEL) as (keyof typeof HOTEL)[])

export async function show({api}: Connection, hotelId: string): Promise<Result<FoundHotel>> {
  const hotel = await showHotel(api, hotelId)
  const {raw, ...facts} = hotel
  const document = {...facts, hotel: raw}
  return {document, items: [hotel], columns: HOTEL_COLUMNS, id: () => hotelId, single: true}
}

type Comparison = ReturnType<typeof compare>

export const PRICE_COLUMNS: readonly Column<Comparison>[] = [
  ...OFFER_COLUMNS.map(({name, value}) => ({name, value: ({offer}: Comparison) => value(offer)})),
  ...columnsOf<Comparison>(['changed']),
  {name: 'price_seen', value: ({seen}) => seen && priceText(seen)},
  ...columnsOf<Comparison>(['valid_seconds']),
]

/**
 * Queries the current price of an offer. If it has changed, stores it for `reserve`. Throws a Failure if the call
 * fails.
 */
export async function price(
  connection: Remembering & Pick<Connection, 'api'>,
  offerId: string,
): Promise<Result<Comparison>> {
  const {api, state, target, clock} = connection
  const seen = state.remembers ? await state.offers.find(target, offerId) : undefined
  const offer = await priceOffer(api, offerId)
  const comparison = compare(offer, seen, clock.now())
  // If the answer has no currency, the currency of the search applies.
  const currency = offer.price.currency ?? seen?.currency ?? null
  const isNew = seen !== undefined && comparison.changed === true
  const lost = isNew ? await remember(connection, [{...seen, total: offer.price.total, currency}]) : {}
  return {
    ...lost,
    document: comparison,
    items: [comparison],
    columns: PRICE_COLUMNS,
    shown: [
      'offer_id',
      'hotel_name',
      'room_name',
      'board',
      'price',
      'price_seen',
      'changed',
      'free_cancellation_until',
      'valid_seconds',
    ],
    id: () => offerId,
    single: true,
  }
}

/**
 * Compares an offer with the one that the search found. `valid_seconds` is how long it can still be reserved. This and
 * `changed` are null if unknown. `now` is in Unix seconds.
 */
function compare(offer: PricedOffer, seen: SeenOffer | undefined, now: number) {
  const stated = offer.expires_at === null ? undefined : Date.parse(offer.expires_at) / 1000
  const ends = [stated, seen?.expires_at].filter(end => end !== undefined)
  return {
    offer,
    changed: seen ? differ(offer.price, seen) : null,
    seen: seen ? {total: seen.total, currency: seen.currency, searched_at: isoTime(seen.searched_at)} : null,
    valid_seconds: ends.length === 0 ? null : Math.max(0, Math.floor(Math.min(...ends) - now)),
  }
}

function differ(now: PricedOffer['price'], seen: SeenOffer): boolean | null {
  if (now.total === null || seen.total === null || !isAmount(now.total) || !isAmount(seen.total)) return null
  const other = now.currency !== null && seen.currency !== null && now.currency !== seen.currency
  return other || compareAmounts(now.total, seen.total) !== 0
}
