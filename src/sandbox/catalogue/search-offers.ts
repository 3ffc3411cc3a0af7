/** Generates the offers for a search, and their prices (§2.2, §2.3; of an offer, the interface shows only the id). */
import {addDays, dayNumber, nightsBetween} from '../../contract/dates.js'
import type {Hotel, Offer, Room, SearchRequest} from '../../contract/hotels.js'
import {BOARDS, type BoardCode} from '../../contract/identifiers.js'
import {fromMinor} from '../../contract/money.js'
import {MOST_FREE_DAYS, policyMaker} from './cancellation.js'
import {findPlace, type Place, rulesOf, type Season} from './cities.js'
import {convert} from './countries-and-currencies.js'
import {type Draw, drawFrom, hash} from './draw.js'
import {hotelsOf} from './hotels.js'
import PRICES from './prices.json' with {type: 'json'}

/** An offer before it has an id and an expiry. */
export type OfferDraft = Omit<Offer, 'offer_id' | 'expires_at'>

type Stay = ReturnType<typeof stayIn>

interface Variant {
  readonly kind: RoomKind
  readonly board: BoardCode
  /** How many days before check-in free cancellation ends; null for a cheaper offer that is not refundable. */
  readonly freeUntilDays: number | null
  readonly hotelLevel: number
  readonly isBusiness: boolean
}

/**
 * Returns one to four offers for each hotel of the city, in the order of the hotels. With `limit`, returns exactly that
 * many, from further hotels if needed. `now` (Unix seconds) decides which cancellation deadlines have passed; it never
 * changes a price. Throws a RangeError if there is no rate for the currency.
 */
export function buildOffers(search: SearchRequest, now: number, limit?: number): OfferDraft[] {
  const place = findPlace(search.destination.id)
  if (!place) return []
  const stay = stayIn(place, search, now)
  const most = limit ?? Number.POSITIVE_INFINITY
  const drafts: OfferDraft[] = []
  for (const hotel of hotelsOf(place, limit !== undefined)) {
    drafts.push(...offersOf(hotel, stay))
    if (drafts.length >= most) break
  }
  return drafts.slice(0, most)
}

function stayIn(place: Place, search: SearchRequest, now: number) {
  const {check_in, check_out, client_nationality} = search
  const nights = nightsBetween(check_in, check_out)
  // Residents of the country get a lower rate. The rates of other nationalities differ by a few percent.
  const market =
    client_nationality === place.country_code ? 88 : 97 + (hash(`market/${client_nationality}`) % 9)
  return {
    search,
    nights,
    place,
    rules: rulesOf(place),
    market,
    leisure: nightFactors(place.season, PRICES.leisure_percent_from_sunday, check_in, nights),
    business: nightFactors(place.season, PRICES.business_percent_from_sunday, check_in, nights),
    cancel: policyMaker(check_in, place.timezone, now),
  }
}

/**
 * Returns the price factor of the first night, and the sum of the factors of all nights, each in percent of an ordinary
 * night. Leisure hotels cost more at weekends, business hotels on working days.
 */
function nightFactors(season: Season, week: readonly number[], checkIn: string, nights: number) {
  const factors = Array.from({length: nights}, (_, index) => {
    const date = addDays(checkIn, index)
    const month = PRICES.season_percent_by_month[season][Number(date.slice(5, 7)) - 1] ?? 100
    const weekday = week[((((dayNumber(date) ?? 0) + 4) % 7) + 7) % 7] ?? 100
    return Math.round((month * weekday) / 100)
  })
  return {first: factors[0] ?? 0, sum: factors.reduce((sum, factor) => sum + factor, 0)}
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
    // Every second offer is not refundable, so that the offers of a hotel differ.
    const freeUntilDays = index % 2 === 1 ? null : 1 + draw(MOST_FREE_DAYS)
    return makeOffer(hotel, stay, {kind, board, freeUntilDays, hotelLevel, isBusiness}, draw)
  })
}

/** `sleeps` is the number of guests aged two or older. `level` is the price in percent of a standard room. */
type RoomKind = (typeof PRICES.room_kinds)[number]

/**
 * Returns the kinds of room that are large enough for every room of the search, cheapest first and at least one. All
 * rooms of an offer are of the same kind.
 */
function roomKindsFor(rooms: readonly Room[], stars: number): readonly RoomKind[] {
  const guests = rooms.map(room => room.adults + room.children_ages.filter(age => age >= 2).length)
  const largest = Math.max(0, ...guests)
  const fitting = PRICES.room_kinds.filter(kind => kind.sleeps >= largest && kind.from_stars <= stars)
  // Connecting rooms are offered only if no other kind is large enough.
  const snug = fitting.filter(kind => kind.sleeps < 18)
  return snug.length > 0 ? snug : fitting
}

function makeOffer(hotel: Hotel, stay: Stay, variant: Variant, draw: Draw): OfferDraft {
  const {search, rules} = stay
  const {hotel_id, name, stars, address, city, country_code, latitude, longitude} = hotel
  const {base, taxes, firstNight} = charge(hotel, stay, variant)
  const total = base + taxes
  const {freeUntilDays, board: code} = variant
  const {steps, freeUntil, refundable} = stay.cancel({freeUntilDays, firstNight, total})
  const {currency} = search
  const text = (minor: bigint) => fromMinor(minor, currency)
  const adults = search.rooms.reduce((sum, room) => sum + room.adults, 0)
  const cityTax = BigInt(rules.city_tax_per_star) * BigInt(stars * adults * stay.nights)
  const due = {
    description: `${rules.city_tax_name}, per adult and night, paid at the hotel`,
    amount: fromMinor(cityTax, rules.currency),
    currency: rules.currency,
  }
  const hours = `Check-in from ${hotel.check_in_from}, check-out until ${hotel.check_out_until}.`
  const noRefund = refundable ? '' : ' No refund on cancellation or no-show.'
  return {
    hotel: {hotel_id, name, stars, address, city, country_code, latitude, longitude},
    rooms: search.rooms.map(room => ({
      room_name: variant.kind.name,
      ...room,
      board: {code, name: BOARDS[code]},
    })),
    price: {
      total: text(total),
      currency,
      base: text(base),
      taxes: text(taxes),
      due_at_property: cityTax === 0n ? [] : [due],
    },
    refundable,
    free_cancellation_until: freeUntil,
    cancellation_policies: steps.map(({from, minor}) => ({from, amount: text(minor), currency})),
    rooms_left: draw(3) === 0 ? 1 + draw(6) : null,
    payment_modes: ['account', 'instant'],
    remarks: `${hours} The hotel asks each adult for an identity document.${noRefund}`,
  }
}

/** Returns base price, taxes and the price of the first night with its tax, in minor units of the search's currency. */
function charge(hotel: Hotel, stay: Stay, variant: Variant) {
  const {search, place, rules, market} = stay
  // The price of an ordinary night in all rooms, in euro cents: the price of a double room times several percentages.
  const percent = (cents: number, percent: number) => Math.round((cents * percent) / 100)
  const saver = variant.freeUntilDays === null ? 87 : 100
  const levels = [place.level, variant.hotelLevel, variant.kind.level, saver, market]
  const double = levels.reduce(percent, PRICES.double_room_cents_by_stars[hotel.stars] ?? 0)
  const rooms = search.rooms.reduce((sum, room) => sum + roomPercent(room, variant.board), 0)
  const cents = percent(double, rooms)
  const factors = variant.isBusiness ? stay.business : stay.leisure
  const inCurrency = (eurCents: number) => convert(BigInt(Math.round(eurCents)), 'EUR', search.currency)
  const base = inCurrency((cents * factors.sum) / 100)
  const first = inCurrency((cents * factors.first) / 100)
  const taxed = (minor: bigint) => (minor * BigInt(rules.tax_permille) + 500n) / 1000n
  const firstNight = stay.nights === 1 ? base + taxed(base) : first + taxed(first)
  return {base, taxes: taxed(base), firstNight}
}

/**
 * Returns the price of a room in percent of a double room. A single adult pays less, each adult after the second adds a
 * bed, and children pay by age.
 */
function roomPercent({adults, children_ages}: Room, board: BoardCode): number {
  const children = children_ages.map(childPercent)
  const beds = children.reduce((sum, {bed}) => sum + bed, adults === 1 ? 82 : 100 + (adults - 2) * 34)
  const meals = children.reduce((sum, {meal}) => sum + meal, adults * 100)
  return beds + Math.round((PRICES.board_percent_of_the_room[board] * meals) / 100)
}

function childPercent(age: number): {bed: number; meal: number} {
  if (age < 2) return {bed: 0, meal: 0}
  if (age < 7) return {bed: 8, meal: 50}
  return age < 13 ? {bed: 17, meal: 50} : {bed: 30, meal: 100}
}
