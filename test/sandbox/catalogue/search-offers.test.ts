import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {addDays} from '../../../src/contract/dates.js'
import {offer, type Room, type SearchRequest} from '../../../src/contract/hotels.js'
import {minorUnits, toMinor} from '../../../src/contract/money.js'
import {CITIES} from '../../../src/sandbox/catalogue/cities.js'
import {convert, currencyList} from '../../../src/sandbox/catalogue/countries-and-currencies.js'
import {buildOffers, type OfferDraft} from '../../../src/sandbox/catalogue/search-offers.js'
import {searchRequest} from '../../support/sandbox.js'

/** 2030-06-01T12:00:00Z */
const NOW = 1_906_545_600
/** 2030-07-10 is a Wednesday. */
const SEARCH = searchRequest({check_out: '2030-07-12', client_nationality: 'DE'})

const draft = offer.omit({offer_id: true, expires_at: true})

function find(change: Partial<SearchRequest> = {}, {now = NOW, offers = 0} = {}): OfferDraft[] {
  return buildOffers({...SEARCH, ...change}, now, offers || undefined)
}

function totals(change: Partial<SearchRequest> = {}): bigint[] {
  const currency = change.currency ?? SEARCH.currency
  return find(change).map(({price}) => toMinor(price.total, currency))
}

function everyPair(left: bigint[], right: bigint[], holds: (l: bigint, r: bigint) => boolean): boolean {
  expect(left).toHaveLength(right.length)
  return left.every((value, index) => holds(value, right[index] as bigint))
}

const room = (adults: number, ...ages: number[]): Room => ({adults, children_ages: ages})

describe('a search', () => {
  it.each(CITIES)('in $name finds some 20 to 60 whole offers, no two alike', ({id}) => {
    const offers = find({destination: {type: 'CITY', id}})
    expect(offers.length).toBeGreaterThanOrEqual(15)
    expect(offers.length).toBeLessThanOrEqual(80)
    for (const each of offers) expect(draft.parse(each)).toEqual(each)
    const keys = offers.map(({hotel, rooms, refundable}) =>
      JSON.stringify([hotel.hotel_id, rooms, refundable]),
    )
    expect(new Set(keys).size).toBe(offers.length)
  })

  it('gives the same again', () => {
    expect(find()).toEqual(find())
  })

  it('has the same prices at another hour of the day', () => {
    const later = find({}, {now: NOW + 3600}).map(({price}) => price)
    expect(later).toEqual(find().map(({price}) => price))
  })

  it('refuses a currency it has no rate for', () => {
    expect(() => find({currency: 'XXX'})).toThrow(RangeError)
  })

  it('finds the requested number of offers, those of the city first', () => {
    const offers = find({}, {offers: 5000})
    expect(offers).toHaveLength(5000)
    expect(offers.slice(0, find().length)).toEqual(find())
    expect(find({}, {offers: 5})).toEqual(find().slice(0, 5))
  })

  it('has consistent prices, rooms and policies for any search', () => {
    const adults = fc.integer({min: 1, max: 9})
    const children_ages = fc.array(fc.integer({min: 0, max: 17}), {maxLength: 9})
    const rooms = fc.array(fc.record({adults, children_ages}), {minLength: 1, maxLength: 9})
    const stays = fc.integer({min: 1, max: 30})
    const currencies = fc.constantFrom(...currencyList().map(({code}) => code))
    const cities = fc.constantFrom(...CITIES.map(({id}) => id))
    fc.assert(
      fc.property(rooms, currencies, cities, stays, (parties, currency, id, nights) => {
        const check_out = addDays(SEARCH.check_in, nights)
        const offers = find({destination: {type: 'CITY', id}, rooms: parties, currency, check_out})
        for (const {price, rooms: sold, cancellation_policies: steps} of offers) {
          const minor = (amount: string) => toMinor(amount, currency)
          expect(minor(price.base) + minor(price.taxes)).toBe(minor(price.total))
          expect(minor(price.total) > 0n || minorUnits(currency) < 2).toBe(true)
          expect(sold.map(({adults, children_ages}) => ({adults, children_ages}))).toEqual(parties)
          const fees = steps.map(({amount}) => minor(amount))
          expect(fees.at(-1)).toBe(minor(price.total))
          expect(fees).toEqual([...fees].sort((a, b) => (a < b ? -1 : 1)))
        }
      }),
      {numRuns: 60},
    )
  })
})

describe('prices', () => {
  it('grow with the nights, and each night is priced by its own date', () => {
    expect(everyPair(totals({check_out: '2030-07-13'}), totals(), (longer, base) => longer > base)).toBe(true)
    const first = totals({check_out: '2030-07-11'})
    const second = totals({check_in: '2030-07-11'})
    const both = totals()
    // Nights are rounded separately here and together there, so the sums may differ by a few cents.
    const sum = first.map((value, index) => value + (second[index] as bigint))
    expect(everyPair(sum, both, (l, r) => l - r <= 3n && r - l <= 3n)).toBe(true)
  })

  it('take nothing for infants, less for younger children, and most for adults', () => {
    const of = (...rooms: Room[]) => totals({rooms})
    expect(of(room(2, 1))).toEqual(of(room(2)))
    expect(everyPair(of(room(2, 5)), of(room(2)), (child, none) => child > none)).toBe(true)
    // Each room needs three beds, so that the same kinds of room are offered.
    expect(everyPair(of(room(2, 5)), of(room(2, 10)), (young, old) => young < old)).toBe(true)
    expect(everyPair(of(room(2, 10)), of(room(2, 15)), (old, teen) => old < teen)).toBe(true)
    expect(everyPair(of(room(2, 15)), of(room(3)), (teen, adult) => teen < adult)).toBe(true)
    expect(everyPair(of(room(1)), of(room(2)), (single, double) => single < double)).toBe(true)
    expect(everyPair(of(room(2), room(2)), of(room(2)), (two, one) => two > one)).toBe(true)
  })
})

describe('what is due at the hotel', () => {
  it('counts adults and nights, in the currency of the country', () => {
    const [first] = find({rooms: [room(2, 8), room(1)], check_out: '2030-07-13'})
    // 12.00 TRY for each star, for 3 adults and 3 nights.
    const expected = `${12 * (first?.hotel.stars ?? 0) * 3 * 3}.00`
    expect(first?.price.due_at_property).toEqual([
      {description: expect.stringContaining('paid at the hotel'), amount: expected, currency: 'TRY'},
    ])
  })

  it('is nothing if there is no such tax', () => {
    const offers = find({destination: {type: 'CITY', id: 302}})
    expect(offers.every(({price}) => price.due_at_property.length === 0)).toBe(true)
  })
})

describe('convert', () => {
  it.each([
    [10_000n, 'EUR', 'USD', 10_800n],
    [10_000n, 'EUR', 'JPY', 16_200n],
    [16_200n, 'JPY', 'EUR', 10_000n],
    [10_800n, 'USD', 'JPY', 16_200n],
    [-10_000n, 'EUR', 'USD', -10_800n],
    [1n, 'EUR', 'CHF', 1n],
  ])('%d %s in %s is %d', (minor, from, to, expected) => {
    expect(convert(minor, from, to)).toBe(expected)
  })

  it('knows only the currencies of the list', () => {
    expect(() => convert(1n, 'EUR', 'XXX')).toThrow('XXX')
    expect(() => convert(1n, 'XXX', 'EUR')).toThrow('XXX')
  })
})
