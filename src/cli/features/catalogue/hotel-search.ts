/** A hotel search: sent, remembered for `reserve`, filtered. */
import {termsOf} from '../../../api/answers/offer-terms.js'
import {type FoundOffer, type SearchOutcome, searchHotels} from '../../../api/operations/hotels.js'
import {addDays, isoTime, nightsBetween} from '../../../contract/dates.js'
import type {Room, SearchRequest} from '../../../contract/hotels.js'
import {compareAmounts} from '../../../contract/money.js'
import type {OfferFound} from '../../../state/seen-store.js'
import {invalid} from '../../input/checks.js'
import {missing} from '../../input/usage-errors.js'
import type {Connection} from '../../session/connect.js'
import {type Column, columnsOf, type Result} from '../../terminal/result.js'
import {AMOUNT_COLUMNS, amountOf, inOrder, isAffordable, PRICE_COLUMN} from './narrow.js'

/** Searches and remembers every offer found, also those filtered out. Throws Failure. */
export async function search(
  connection: Connection,
  request: SearchRequest,
  wanted: Narrowing,
): Promise<Result<FoundOffer>> {
  const outcome = await searchHotels(connection.api, request)
  const {state, clock, target} = connection
  const client = {baseUrl: target.baseUrl, clientId: target.clientId}
  if (state.writable) state.offers.remember(client, seenOffers(request, outcome), clock.now())
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
    whenEmpty:
      outcome.offers.length > 0
        ? `No offers match your filters (${outcome.offers.length} found).`
        : 'No offers were found.',
  }
}

/** Named as in JSON, plus total and currency as columns of their own. */
export const OFFER_COLUMNS: readonly Column<FoundOffer>[] = [
  ...columnsOf<FoundOffer>(['offer_id', 'hotel_name']),
  ...columnsOf<FoundOffer>(['stars', 'room_name', 'board'], {isMinor: true}),
  PRICE_COLUMN,
  ...columnsOf<FoundOffer>(['free_cancellation_until'], {isMinor: true}),
  ...columnsOf<FoundOffer>(['refundable']),
  ...AMOUNT_COLUMNS,
  ...columnsOf<FoundOffer>(['expires_at']),
]

/** Lazy, because there may be many offers. */
function* seenOffers(request: SearchRequest, outcome: SearchOutcome): Generator<OfferFound> {
  const {check_in, check_out, rooms, client_nationality: nationality, destination} = request
  for (const {price, refundable, free_cancellation_until, raw, expires_at, ...offer} of outcome.offers) {
    yield {
      ...offer,
      ...price,
      details: {refundable, free_cancellation_until, terms: termsOf(raw), city: destination.id},
      ...{nationality, check_in, check_out, rooms},
      searched_at: outcome.searchedAt,
      expires_at: Date.parse(expires_at) / 1000,
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

/** Without --room. */
const DEFAULT_ROOMS: readonly Room[] = [{adults: 2, children_ages: []}]
/** As contract/hotels.ts bounds them. */
export const MOST_ROOMS = 9
/** Of adults, and of children, in one room. */
export const MOST_PERSONS = 9
/** Children have an age (§2.2); the highest is not in the interface. */
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
  return (ORDERS[wanted.sort ?? '']?.(kept) ?? kept).slice(0, wanted.limit)
}

/** An offer whose price or terms are not known is left out where they matter. */
function isWanted(offer: FoundOffer, {maxPrice, refundable, board}: Narrowing): boolean {
  if (!isAffordable(offer, maxPrice) || (refundable && offer.refundable !== true)) return false
  return board === undefined || (offer.board?.toLowerCase().includes(board.toLowerCase()) ?? false)
}

const ORDERS: Readonly<Record<string, (offers: readonly FoundOffer[]) => FoundOffer[]>> = {
  price: inOrder<FoundOffer, string>(amountOf, compareAmounts),
  stars: inOrder(
    ({stars}) => stars,
    (left, right) => right - left,
  ),
  // Created only when needed: creating a collator takes longer than most commands.
  name: offers => inOrder((offer: FoundOffer) => offer.hotel_name, new Intl.Collator('en').compare)(offers),
}

export const SORTS = Object.keys(ORDERS)
