/** Offers for a search over the catalogue, and their cancellation policies (§2.2, §2.3; everything in an offer but its id is ours). */
import {addDays, nightsBetween} from '../../contract/dates.js'
import type {City, Hotel, Offer, Price, SearchRequest} from '../../contract/hotels.js'
import {BOARDS, type BoardCode} from '../../contract/identifiers.js'
import {fromMinor} from '../../contract/money.js'
import {findCity, placeOf} from './cities.js'
import {convert} from './currencies.js'
import {type Draw, drawFrom} from './draw.js'
import {hotelsOf, rulesOf} from './hotels.js'
import {marketPercent, nightCents, nightFactors, type RoomKind, roomKindsFor} from './rates.js'
import {atWallClock, isoWithOffset, offsetsOf} from './zones.js'

/** An offer before the sandbox gives it an id and its lifetime. */
export type OfferDraft = Omit<Offer, 'offer_id' | 'expires_at'>

interface CatalogueContext {
  /** Unix seconds; decides which cancellation deadlines are past, never a price. */
  readonly now: number
  /** Number of offers, of as many hotels as that takes (default: those of the city's own hotels). */
  readonly offers?: number | undefined
}

type Stay = ReturnType<typeof stayIn>

interface Variant {
  readonly kind: RoomKind
  readonly board: BoardCode
  /** Free cancellation until so many days before check-in; null: not refundable, and cheaper. */
  readonly freeUntilDays: number | null
  readonly hotelLevel: number
  readonly isBusiness: boolean
}

/** One to four for each hotel of the city, in their order. Throws RangeError for a currency without a rate. */
export function buildOffers(search: SearchRequest, {now, offers}: CatalogueContext): OfferDraft[] {
  const city = findCity(search.destination.id)
  if (!city) return []
  const stay = stayIn(city, search, now)
  const most = offers ?? Number.POSITIVE_INFINITY
  const drafts: OfferDraft[] = []
  for (const hotel of hotelsOf(city, offers !== undefined)) {
    drafts.push(...offersOf(hotel, stay))
    if (drafts.length >= most) break
  }
  return drafts.slice(0, most)
}

function stayIn(city: City, search: SearchRequest, now: number) {
  const {check_in, check_out, client_nationality} = search
  const nights = nightsBetween(check_in, check_out)
  const place = placeOf(city.id)
  return {
    search,
    nights,
    place,
    rules: rulesOf(city),
    market: marketPercent(client_nationality, city.country_code),
    leisure: nightFactors(place.season, false, check_in, nights),
    business: nightFactors(place.season, true, check_in, nights),
    cancel: policyMaker(check_in, city.timezone, now),
  }
}

function offersOf(hotel: Hotel, stay: Stay): OfferDraft[] {
  const draw = drawFrom(`bookctl/offers/${hotel.hotel_id}`)
  const hotelLevel = 78 + draw(50)
  const isBusiness = stay.place.season === 'city' && draw(3) === 0
  const kinds = roomKindsFor(stay.search.rooms, hotel.stars)
  const {boards} = stay.place
  const firstBoard = draw(4) === 0 ? 1 : 0
  const count = 1 + draw(4)
  return Array.from({length: count}, (_, index) => {
    const kind = kinds[index % kinds.length] as RoomKind
    const board = boards[(firstBoard + index) % boards.length] ?? 'BB'
    // Every second offer is not refundable, so that no two of the four are alike.
    const freeUntilDays = index % 2 === 1 ? null : 1 + draw(5)
    return makeOffer(hotel, stay, {kind, board, freeUntilDays, hotelLevel, isBusiness}, draw)
  })
}

function makeOffer(hotel: Hotel, stay: Stay, variant: Variant, draw: Draw): OfferDraft {
  const {search} = stay
  const {hotel_id, name, stars, address, city, country_code, latitude, longitude} = hotel
  const {base, taxes, firstNight} = charge(hotel, stay, variant)
  const total = base + taxes
  const {freeUntilDays, board: code} = variant
  const board = {code, name: BOARDS[code]}
  const {steps, freeUntil, refundable} = stay.cancel({freeUntilDays, firstNight, total})
  const {currency} = search
  const text = (minor: bigint) => fromMinor(minor, currency)
  return {
    hotel: {hotel_id, name, stars, address, city, country_code, latitude, longitude},
    rooms: search.rooms.map(room => ({room_name: variant.kind.name, ...room, board})),
    price: {
      total: text(total),
      currency,
      base: text(base),
      taxes: text(taxes),
      due_at_property: dueAtProperty(hotel, stay),
    },
    refundable,
    free_cancellation_until: freeUntil,
    cancellation_policies: steps.map(({from, minor}) => ({from, amount: text(minor), currency})),
    rooms_left: draw(3) === 0 ? 1 + draw(6) : null,
    payment_modes: ['account', 'instant'],
    remarks: remarksOf(hotel, refundable),
  }
}

/** Minor units of the search's currency. The first night carries its share of the tax. */
function charge(hotel: Hotel, stay: Stay, variant: Variant) {
  const {search, place, rules, market} = stay
  const saver = variant.freeUntilDays === null ? 87 : 100
  const levels = [place.level, variant.hotelLevel, variant.kind.level, saver, market]
  const cents = nightCents(hotel.stars, levels, search.rooms, variant.board)
  const factors = variant.isBusiness ? stay.business : stay.leisure
  const inCurrency = (eurCents: number) => convert(BigInt(Math.round(eurCents)), 'EUR', search.currency)
  const base = inCurrency((cents * factors.sum) / 100)
  const permille = BigInt(rules.taxPermille)
  const taxed = (minor: bigint) => (minor * permille + 500n) / 1000n
  const first = inCurrency((cents * factors.first) / 100)
  const total = base + taxed(base)
  const firstNight = stay.nights === 1 ? total : first + taxed(first)
  return {base, taxes: taxed(base), firstNight}
}

function dueAtProperty(hotel: Hotel, {search, nights, rules}: Stay): Price['due_at_property'] {
  if (rules.cityTaxPerStar === 0) return []
  const adults = search.rooms.reduce((sum, room) => sum + room.adults, 0)
  const minor = BigInt(rules.cityTaxPerStar) * BigInt(hotel.stars * adults * nights)
  const description = `${rules.cityTaxName}, per adult and night, paid at the hotel`
  return [{description, amount: fromMinor(minor, rules.currency), currency: rules.currency}]
}

function remarksOf(hotel: Hotel, refundable: boolean): string {
  const hours = `Check-in from ${hotel.check_in_from}, check-out until ${hotel.check_out_until}.`
  return `${hours} The hotel asks each adult for an identity document.${refundable ? '' : ' No refund on cancellation or no-show.'}`
}

/** On the hotel's clock, and written with its offset: no reader is a day wrong. */
const DEADLINE = '18:00'

interface Terms {
  /** Free until this many days before check-in, or null: never free. */
  readonly freeUntilDays: number | null
  readonly firstNight: bigint
  readonly total: bigint
}

type Step = ReturnType<typeof atWallClock> & {readonly minor: bigint}
type Cancellation = ReturnType<typeof inForce>

/** Works out the steps for one search: deadlines are computed once and shared by all offers. */
export function policyMaker(checkIn: string, zone: string, now: number): (terms: Terms) => Cancellation {
  const offsets = offsetsOf(zone)
  const deadlines = new Map<number, ReturnType<typeof atWallClock>>()
  const nowText = isoWithOffset(now, offsets(now))
  const deadline = (daysBefore: number) => {
    const known = deadlines.get(daysBefore) ?? atWallClock(addDays(checkIn, -daysBefore), DEADLINE, offsets)
    deadlines.set(daysBefore, known)
    return known
  }
  return ({freeUntilDays, firstNight, total}) => {
    if (freeUntilDays === null)
      return {steps: [{from: nowText, minor: total}], freeUntil: null, refundable: false}
    const first = {...deadline(freeUntilDays), minor: firstNight}
    return inForce(first, {...deadline(Math.min(1, freeUntilDays - 1)), minor: total}, now)
  }
}

/** Without steps that a later one has replaced. */
function inForce(first: Step, last: Step, now: number) {
  // A stay of one night: the first night is the whole price.
  const steps = first.minor === last.minor ? [first] : [first, last]
  const current = steps.findLastIndex(step => step.unixSeconds <= now)
  const kept = steps.slice(Math.max(0, current))
  return {
    steps: kept.map(({text, minor}) => ({from: text, minor})),
    freeUntil: first.unixSeconds > now ? first.text : null,
    refundable: current < 0 || (steps[current]?.minor ?? 0n) < last.minor,
  }
}
