/** A hotel search: asked, remembered for `reserve`, narrowed. */
import {termsOf} from '../../../api/answers/offer-terms.js'
import {type FoundOffer, type SearchOutcome, searchHotels} from '../../../api/operations/hotels.js'
import {addDays, isoTime, nightsBetween} from '../../../contract/dates.js'
import type {Room, SearchRequest} from '../../../contract/hotels.js'
import {compareAmounts, isAmount} from '../../../contract/money.js'
import type {OfferFound} from '../../../state/seen-store.js'
import {invalid} from '../../input/checks.js'
import {missing} from '../../input/usage-errors.js'
import type {Connection} from '../../session/connect.js'
import type {Column, Result} from '../../terminal/result.js'

/** Searches and remembers every offer found, also those narrowed away. Throws Failure. */
export async function search(
  connection: Connection,
  request: SearchRequest,
  wanted: Narrowing,
): Promise<Result<FoundOffer>> {
  const outcome = await searchHotels(connection.api, request)
  if (connection.state.writable) remember(connection, request, outcome)
  const offers = narrow(outcome.offers, wanted)
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
    id: offer => offer.offer_id,
    whenEmpty: outcome.offers.length > 0 ? 'No offers match your filters' : 'No offers were found.',
  }
}

/** Named as in JSON, plus total and currency as columns of their own. */
export const OFFER_COLUMNS: readonly Column<FoundOffer>[] = [
  {name: 'offer_id', value: offer => offer.offer_id},
  {name: 'hotel_name', value: offer => offer.hotel_name},
  {name: 'stars', value: offer => offer.stars, isMinor: true},
  {name: 'room_name', value: offer => offer.room_name, isMinor: true},
  {name: 'board', value: offer => offer.board, isMinor: true},
  {name: 'price', value: offer => [offer.price.total, offer.price.currency].filter(Boolean).join(' ')},
  {name: 'free_cancellation_until', value: offer => offer.free_cancellation_until, isMinor: true},
  {name: 'refundable', value: offer => offer.refundable},
  {name: 'total', value: offer => offer.price.total},
  {name: 'currency', value: offer => offer.price.currency},
  {name: 'expires_at', value: offer => offer.expires_at},
]

function remember(connection: Connection, request: SearchRequest, outcome: SearchOutcome): void {
  const {baseUrl, clientId} = connection.target
  const seen = seenOffers(request, outcome)
  connection.state.offers.remember({baseUrl, clientId}, seen, connection.clock.now())
}

/** What is kept of each offer, made when it is written: there may be a great many. */
function* seenOffers(request: SearchRequest, outcome: SearchOutcome): Generator<OfferFound> {
  for (const offer of outcome.offers) {
    yield {
      offer_id: offer.offer_id,
      hotel_name: offer.hotel_name,
      stars: offer.stars,
      room_name: offer.room_name,
      board: offer.board,
      total: offer.price.total,
      currency: offer.price.currency,
      details: {
        refundable: offer.refundable,
        free_cancellation_until: offer.free_cancellation_until,
        terms: termsOf(offer.raw),
        city: request.destination.type === 'CITY' ? request.destination.id : null,
      },
      nationality: request.client_nationality,
      check_in: request.check_in,
      check_out: request.check_out,
      rooms: request.rooms,
      searched_at: outcome.searchedAt,
      expires_at: Date.parse(offer.expires_at) / 1000,
    }
  }
}

export interface SearchFlags {
  readonly city?: number | undefined
  readonly 'check-in'?: string | undefined
  readonly 'check-out'?: string | undefined
  readonly nights?: number | undefined
  readonly room?: readonly Room[] | undefined
  readonly nationality?: string | undefined
  readonly currency?: string | undefined
}

/** One room with two adults, when no --room is given. */
const DEFAULT_ROOMS: readonly Room[] = [{adults: 2, children_ages: []}]
/** Ours: as contract/hotels.ts bounds them. */
export const MOST_ROOMS = 9
/** Ours: of adults, and of children, in one room. */
export const MOST_PERSONS = 9
/** Ours, as §2.2's children have an age. */
export const OLDEST_CHILD = 17
export const MOST_NIGHTS = 365
/** The last date that YYYY-MM-DD can write. */
const LAST_DATE = '9999-12-31'

/** Whether `given` lacks something that has no default. */
export function lacksSomething(given: SearchFlags): boolean {
  const {city, 'check-in': checkIn, 'check-out': checkOut, nights, nationality, currency} = given
  return !(city && checkIn && (checkOut || nights) && nationality && currency)
}

/** The request of §2.2. Throws usage, naming every flag that is missing, or the first that does not fit the others. */
export function readSearch(flags: SearchFlags): SearchRequest {
  const {city, 'check-in': checkIn, nationality, currency, room: rooms = DEFAULT_ROOMS} = flags
  const absent = [
    ...(city ? [] : ['--city']),
    ...(checkIn ? [] : ['--check-in']),
    ...(flags['check-out'] || flags.nights ? [] : ['--check-out or --nights']),
    ...(nationality ? [] : ['--nationality']),
    ...(currency ? [] : ['--currency']),
  ]
  if (!city || !checkIn || !nationality || !currency || absent.length > 0) throw missing(absent)
  if (rooms.length > MOST_ROOMS) throw invalid('--room', `at most ${MOST_ROOMS} rooms`)
  return {
    destination: {type: 'CITY', id: city},
    check_in: checkIn,
    check_out: readCheckOut(checkIn, flags),
    rooms: [...rooms],
    client_nationality: nationality,
    currency,
  }
}

function readCheckOut(checkIn: string, {'check-out': checkOut, nights = 0}: SearchFlags): string {
  if (checkOut === undefined) return leaveAfter(checkIn, nights)
  if (nightsBetween(checkIn, checkOut) < 1) throw invalid('--check-out', 'must be after --check-in', checkOut)
  return checkOut
}

/** The day `nights` after check-in. Throws usage when no date of four digits a year is left for it. */
export function leaveAfter(checkIn: string, nights: number): string {
  if (nightsBetween(checkIn, LAST_DATE) >= nights) return addDays(checkIn, nights)
  throw invalid('--nights', `must end the stay by ${LAST_DATE}`, String(nights))
}

/** A room as `--room` takes it. */
export function roomText({adults, children_ages: ages}: Room): string {
  return ages.length === 0 ? `${adults}` : `${adults}:${ages.join(',')}`
}

/** `2` or `2:7,4`: adults, then the children's ages. Throws usage. */
export function readRoom(field: string, text: string): Room {
  const match = /^(\d{1,2})(?::(\d{1,2}(?:,\d{1,2})*))?$/.exec(text.trim())
  if (!match) throw invalid(field, 'must be ADULTS or ADULTS:AGE,AGE, for example 2:7,4', text)
  const adults = Number(match[1])
  if (adults < 1) throw invalid(field, 'a room needs at least one adult', text)
  if (adults > MOST_PERSONS) throw invalid(field, `at most ${MOST_PERSONS} adults in a room`, text)
  const children_ages = (match[2]?.split(',') ?? []).map(Number)
  if (children_ages.some(age => age > OLDEST_CHILD))
    throw invalid(field, `a child's age is 0 to ${OLDEST_CHILD}`, text)
  if (children_ages.length > MOST_PERSONS) throw invalid(field, `at most ${MOST_PERSONS} children in a room`)
  return {adults, children_ages}
}

export interface Narrowing {
  readonly sort?: string | undefined
  readonly maxPrice?: string | undefined
  readonly refundable?: boolean | undefined
  readonly board?: string | undefined
  readonly limit?: number | undefined
}

/** The offers wanted, in the order wanted; the service's own order unless `sort` says otherwise. */
export function narrow(offers: readonly FoundOffer[], wanted: Narrowing): FoundOffer[] {
  const kept = offers.filter(offer => isWanted(offer, wanted))
  const order = wanted.sort === undefined ? undefined : ORDERS[wanted.sort]
  const sorted = order ? order(kept) : kept
  return sorted.slice(0, wanted.limit)
}

export const SORTS = ['price', 'stars', 'name']

/** An offer whose price or terms are not known is left out where they matter. */
function isWanted(offer: FoundOffer, wanted: Narrowing): boolean {
  const total = amountOf(offer)
  if (wanted.maxPrice !== undefined && (total === null || compareAmounts(total, wanted.maxPrice) > 0))
    return false
  if (wanted.refundable && offer.refundable !== true) return false
  return wanted.board === undefined || hasBoard(offer.board, wanted.board)
}

function hasBoard(board: string | null, wanted: string): boolean {
  return board?.toLowerCase().includes(wanted.toLowerCase()) ?? false
}

function amountOf(offer: FoundOffer): string | null {
  const {total} = offer.price
  return total !== null && isAmount(total) ? total : null
}

/** What an order looks at, read once for each offer. Null comes last. */
interface Order<Key> {
  readonly keyOf: (offer: FoundOffer) => Key | null
  readonly compare: (left: Key, right: Key) => number
}

const ORDERS: Readonly<Record<string, (offers: readonly FoundOffer[]) => FoundOffer[]>> = {
  price: inOrder({keyOf: amountOf, compare: compareAmounts}),
  stars: inOrder({keyOf: offer => offer.stars, compare: (left, right) => right - left}),
  // Made when it is asked for: a collator takes longer to make than most commands take.
  name: offers =>
    inOrder({keyOf: offer => offer.hotel_name, compare: new Intl.Collator('en').compare})(offers),
}

function inOrder<Key>({keyOf, compare}: Order<Key>) {
  return (offers: readonly FoundOffer[]): FoundOffer[] =>
    offers
      .map(offer => ({offer, key: keyOf(offer)}))
      .sort(({key: left}, {key: right}) =>
        left === null || right === null
          ? Number(left === null) - Number(right === null)
          : compare(left, right),
      )
      .map(({offer}) => offer)
}
