/** Offers for a search, their prices and cancellation policies (§2.2, §2.3; everything in an offer but its id is ours). */
import {addDays, dayNumber, nightsBetween} from '../../contract/dates.js'
import type {City, Hotel, Offer, Price, Room, SearchRequest} from '../../contract/hotels.js'
import {BOARDS, type BoardCode} from '../../contract/identifiers.js'
import {fromMinor} from '../../contract/money.js'
import {findCity, placeOf, type Season} from './cities.js'
import {convert} from './countries-and-currencies.js'
import {type Draw, drawFrom, hash} from './draw.js'
import {hotelsOf, rulesOf} from './hotels.js'
import {atWallClock, isoWithOffset, offsetsOf} from './zones.js'

/** An offer before the sandbox gives it an id and its lifetime. */
export type OfferDraft = Omit<Offer, 'offer_id' | 'expires_at'>

type Stay = ReturnType<typeof stayIn>

interface Variant {
  readonly kind: RoomKind
  readonly board: BoardCode
  /** Free cancellation until so many days before check-in; null: not refundable, and cheaper. */
  readonly freeUntilDays: number | null
  readonly hotelLevel: number
  readonly isBusiness: boolean
}

/**
 * One to four for each hotel of the city, in their order; with `limit` so many, of as many hotels as that takes. `now` (Unix seconds)
 * decides which cancellation deadlines are past, never a price. Throws RangeError for a currency without a rate.
 */
export function buildOffers(search: SearchRequest, now: number, limit?: number): OfferDraft[] {
  const city = findCity(search.destination.id)
  if (!city) return []
  const stay = stayIn(city, search, now)
  const most = limit ?? Number.POSITIVE_INFINITY
  const drafts: OfferDraft[] = []
  for (const hotel of hotelsOf(city, limit !== undefined)) {
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
    // Residents pay a residents' rate, every other market its own a few points apart.
    market: client_nationality === city.country_code ? 88 : 97 + (hash(`market/${client_nationality}`) % 9),
    leisure: nightFactors(place.season, LEISURE_WEEK, check_in, nights),
    business: nightFactors(place.season, BUSINESS_WEEK, check_in, nights),
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
  const due_at_property = dueAtProperty(hotel, stay)
  const price = {total: text(total), currency, base: text(base), taxes: text(taxes), due_at_property}
  return {
    hotel: {hotel_id, name, stars, address, city, country_code, latitude, longitude},
    rooms: search.rooms.map(room => ({room_name: variant.kind.name, ...room, board})),
    price,
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

type RoomKind = (typeof KINDS)[number]

/** `sleeps`: guests of two years and older; `level`: percent of a standard room. */
const KINDS = [
  {name: 'Standard Room', sleeps: 2, level: 100, fromStars: 1},
  {name: 'Superior Room', sleeps: 3, level: 114, fromStars: 3},
  {name: 'Deluxe Room, City or Garden View', sleeps: 3, level: 132, fromStars: 4},
  {name: 'Family Room', sleeps: 5, level: 122, fromStars: 1},
  {name: 'Junior Suite', sleeps: 4, level: 158, fromStars: 4},
  {name: 'Connecting Family Rooms', sleeps: 18, level: 135, fromStars: 1},
]

/** The kinds that every room of the search fits in, cheapest first and never empty. All rooms are of one kind. */
function roomKindsFor(rooms: readonly Room[], stars: number): readonly RoomKind[] {
  const guests = rooms.map(room => room.adults + room.children_ages.filter(age => age >= 2).length)
  const largest = guests.reduce((most, count) => Math.max(most, count), 0)
  const fitting = KINDS.filter(kind => kind.sleeps >= largest && kind.fromStars <= stars)
  // A party of two is not offered the connecting rooms, as long as anything smaller fits.
  const snug = fitting.filter(kind => kind.sleeps < 18)
  return snug.length > 0 ? snug : fitting
}

const ROOM_CENTS = [0, 2600, 4200, 6600, 10_400, 18_800] as const

const SEASONS: Readonly<Record<Season, readonly number[]>> = {
  city: [82, 84, 95, 108, 115, 112, 104, 100, 114, 110, 92, 104],
  beach: [62, 62, 70, 88, 108, 132, 158, 165, 126, 98, 68, 66],
  winter_sun: [124, 122, 118, 104, 88, 74, 70, 72, 84, 102, 120, 132],
  southern: [138, 126, 112, 100, 88, 78, 82, 84, 94, 104, 116, 142],
}

/** Percent by weekday, Sunday first. Resorts and cities fill at the weekend; hotels of business on working days. */
const LEISURE_WEEK = [98, 94, 94, 96, 102, 118, 120] as const
const BUSINESS_WEEK = [88, 104, 110, 110, 106, 94, 90] as const

/** Percent of the room's price for each guest and night that the meals add. */
const BOARD_PERCENT: Readonly<Record<BoardCode, number>> = {RO: 0, BB: 7, HB: 17, FB: 26, AI: 40}

/** The percentage of the first night, and the sum of all. */
function nightFactors(season: Season, week: readonly number[], checkIn: string, nights: number) {
  const factors = Array.from({length: nights}, (_, index) => {
    const date = addDays(checkIn, index)
    const month = SEASONS[season][Number(date.slice(5, 7)) - 1] ?? 100
    const weekday = week[((((dayNumber(date) ?? 0) + 4) % 7) + 7) % 7] ?? 100
    return Math.round((month * weekday) / 100)
  })
  return {first: factors[0] ?? 0, sum: factors.reduce((sum, factor) => sum + factor, 0)}
}

/** Euro cents of one ordinary night in all rooms; the levels, and later the night's own, are percentages. */
function nightCents(stars: number, levels: readonly number[], rooms: readonly Room[], board: BoardCode) {
  const apply = (cents: number, percent: number) => Math.round((cents * percent) / 100)
  const double = levels.reduce(apply, ROOM_CENTS[stars] ?? 0)
  const percent = rooms.reduce((sum, room) => sum + roomPercent(room, board), 0)
  return apply(double, percent)
}

/** Percent of a double room: fewer adults pay a little less, each further one adds a bed, children by age. */
function roomPercent({adults, children_ages}: Room, board: BoardCode): number {
  const children = children_ages.map(childPercent)
  const beds = children.reduce((sum, {bed}) => sum + bed, adults === 1 ? 82 : 100 + (adults - 2) * 34)
  const meals = children.reduce((sum, {meal}) => sum + meal, adults * 100)
  return beds + Math.round((BOARD_PERCENT[board] * meals) / 100)
}

function childPercent(age: number): {bed: number; meal: number} {
  if (age < 2) return {bed: 0, meal: 0}
  if (age < 7) return {bed: 8, meal: 50}
  return age < 13 ? {bed: 17, meal: 50} : {bed: 30, meal: 100}
}

/** On the hotel's clock, and written with its offset: no reader is a day wrong. */
const DEADLINE = '18:00'

type Terms = Pick<Variant, 'freeUntilDays'> & {readonly firstNight: bigint; readonly total: bigint}
type Step = ReturnType<typeof atWallClock> & {readonly minor: bigint}

/** Works out the steps for one search: deadlines are computed once and shared by all offers. */
export function policyMaker(checkIn: string, zone: string, now: number) {
  const offsets = offsetsOf(zone)
  const deadlines = new Map<number, ReturnType<typeof atWallClock>>()
  const nowText = isoWithOffset(now, offsets(now))
  const deadline = (daysBefore: number) => {
    const known = deadlines.get(daysBefore) ?? atWallClock(addDays(checkIn, -daysBefore), DEADLINE, offsets)
    deadlines.set(daysBefore, known)
    return known
  }
  return ({freeUntilDays, firstNight, total}: Terms) => {
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
