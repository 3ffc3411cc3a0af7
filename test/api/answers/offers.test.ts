/** Offers and their terms in the forms of many services. The only field that the interface promises is offer_id (§2.3). */
import {readdirSync, readFileSync} from 'node:fs'
import {describe, expect, test} from 'vitest'
import {factsOf, findOffers, type OfferFacts} from '../../../src/api/answers/offers.js'
import {factsOfReservation} from '../../../src/api/answers/reservations.js'
import {termsOf} from '../../../src/api/answers/terms-and-fees.js'

type Expected = Partial<OfferFacts> & {offer_id: string}

function read(json: unknown): Expected[] {
  return findOffers(json).map(offer => ({offer_id: offer.offerId, ...factsOf(offer)}))
}

const price = (total: string | null, currency: string | null) => ({total, currency})
const NOTHING: OfferFacts = {
  hotel_id: null,
  hotel_name: null,
  stars: null,
  room_name: null,
  board: null,
  price: price(null, null),
  refundable: null,
  free_cancellation_until: null,
  expiry: null,
}

/** An answer in the form of one service, and what must be read from it. */
interface Shape {
  readonly shape: string
  readonly answer: unknown
  readonly expected: Expected[]
}

const directory = new URL('../../vectors/offers/', import.meta.url)
const SHAPES = readdirSync(directory).map(
  name => JSON.parse(readFileSync(new URL(name, directory), 'utf8')) as Shape,
)

test.each(SHAPES)('$shape', ({answer, expected}) => {
  const found = read(answer)
  expect(found).toHaveLength(expected.length)
  expected.forEach((offer, index) => {
    expect(found[index]).toMatchObject(offer)
  })
})

const eur = (total: unknown) => ({total, currency: 'EUR'})

describe('a field that belongs to something else', () => {
  const A = {offer_id: 'a', hotel: {name: 'A', stars: 5}, board: 'BB', price: eur('1.00'), refundable: true}
  const inside = {offer_id: 'a', hotel_name: 'A', price: '1.00', board: 'BB'}
  const fees = {
    taxes: {amount: '1.00', currency: 'EUR'},
    fees: [{amount: 2}],
    cancellation_policies: [{amount: '3.00'}],
  }
  const city = {name: 'Istanbul'}
  test.each<[string, unknown, number]>([
    ['the next offer', {offers: [A, {offer_id: 'b'}]}, 1],
    ['an offer inside', {offers: [{offer_id: 'b', alternatives: [inside]}]}, 0],
    [
      "a hotel's cheapest price",
      {hotels: [{price: eur('1.00'), rates: [{offer_id: 'b'}, {offer_id: 'c'}]}]},
      0,
    ],
    ['taxes, fees and fines', {offers: [{offer_id: 'b', ...fees}]}, 0],
    [
      'the price of one of two rooms',
      {offers: [{offer_id: 'b', rooms: [{price: eur(1)}, {price: eur(2)}]}]},
      0,
    ],
    ['the name of the city', {data: {name: 'x', city, offers: [{offer_id: 'b', destination: city}]}}, 0],
    ['a list of cities', {cities: [{...city, offers: [{offer_id: 'b'}]}]}, 0],
  ])('is not believed: %s', (_, json, index) => {
    expect(read(json)[index]).toEqual({offer_id: expect.stringMatching(/^[bc]$/), ...NOTHING})
  })

  test('offers are found in the order of the document, each id once', () => {
    const json = {
      z: [{offer_id: 'c'}],
      a: {b: {offer_id: 'a', inner: {offer_id: 'b'}}},
      again: [{offer_id: 'c'}, [[{offer_id: 'd'}]]],
    }
    expect(findOffers(json).map(({offerId}) => offerId)).toEqual(['c', 'a', 'b', 'd'])
  })
})

describe('money', () => {
  test.each([
    [240, 'EUR', '240.00'],
    [1.005, 'KWD', '1.005'],
    [0.1 + 0.2, 'EUR', '0.30'],
    [1e-7, 'EUR', '0.00'],
    ['123456789012345.67', 'EUR', '123456789012345.67'],
    ['EUR 12.50', undefined, '12.50'],
  ])('%s %s is %s', (total, currency, expected) => {
    expect(read({offer_id: 'a', price: {total, currency}})[0]?.price?.total).toBe(expected)
  })

  test.each([['-1.00'], ['1,250.00'], ['free'], [1e21], [Number.NaN], [-1], [null], [true], [{}], [[]]])(
    '%s is no amount',
    total => {
      expect(read({offer_id: 'a', price: {total, currency: 'EUR'}})[0]?.price?.total).toBeNull()
    },
  )
})

describe('a price that can be read in two ways is unknown', () => {
  test.each<[object]>([
    [{net: 100, gross: 180}],
    [{total: '100.00', price: {total: '500.00'}}],
    [{totalPrice: 100, total_price: 500}],
    [{price: {total: 100, total_with_tax: 120}}],
    [{price: 100, gross_price: 180}],
    [{prices: [eur(100), eur(500)]}],
    [{price: 'EUR 100.00', total: 'KWD 100.00'}],
    [{price: 'EUR 100.00 KWD'}],
    [{price: 100, total: '1,800.00'}],
    [{price: {amount: 12500, currency: 'EUR', minor_units: 2}}],
    [{price: {amount: '12500', currency: {code: 'EUR', exponent: 2}}}],
    [{price: {amount: 12500, currency: 'EUR'}, minor_units: true}],
    [{price: {value: 12500, scale: 2}}],
    [{price: {amount: 12500, unit: 'cents'}}],
    [{price: {amount: 100, per: 'night'}}],
    [{price: 100, price_type: 'PER_NIGHT'}],
    [{price: {amount: 5000, currency: 'points'}}],
  ])('%j', more => {
    const found = read({currency: 'EUR', offers: [{offer_id: 'a', ...more}]})
    expect(found).toMatchObject([{price: price(null, null)}])
  })

  test('even if an object around the offers defines the unit of amounts', () => {
    expect(read({amounts_in_cents: true, offers: [{offer_id: 'a', price: 12500}]})[0]?.price).toEqual(
      price(null, null),
    )
  })

  test('even if the same offer occurs twice with different prices', () => {
    const twice = [{offer_id: 'a', price: eur('1.00')}, [{offer_id: 'a', price: eur('5.00')}]]
    expect(read(twice)[0]?.price).toEqual(price(null, null))
  })

  test.each<[object, string]>([
    [{total: '100.00', price: {total: 100, currency: 'EUR'}}, '100.00'],
    [{net: 100, gross: '100.0', currency: 'EUR'}, '100.00'],
    [{price: {amount: '125.00', minor_units: 2, currency: 'EUR'}}, '125.00'],
    [{price: {amount: 125, minor_units: 0, currency: 'EUR'}}, '125.00'],
    [{price: {amount: 0, minor_units: 2, currency: 'EUR'}}, '0.00'],
    [{price: {amount: 125, factor: 1, currency: 'EUR', type: 'total'}}, '125.00'],
  ])('but a price that all fields agree on is known: %j', (more, total) => {
    expect(read({offer_id: 'a', ...more})[0]?.price).toEqual(price(total, 'EUR'))
  })
})

describe('hostile answers', () => {
  const ODD_IDS = [{offer_id: 1}, {offer_id: ''}, {offer_id: null}, {offer_id: {}}]
  test.each([null, 1, 'x', true, [], {}, [[[]]], {offers: null}, {offers: [null, 1, [], 'x']}, ...ODD_IDS])(
    '%j holds no offers',
    json => {
      expect(findOffers(json)).toEqual([])
    },
  )

  test.each([
    [1_900_000_000, 1_900_000_000],
    [1_900_000_000_000, 1_900_000_000],
    [1e300, null],
    ['2030-01-01T00:00:00Z', 1_893_456_000],
  ])('%s is the moment %s', (expires_at, expiry) => {
    expect(read({offer_id: 'a', expires_at})[0]?.expiry).toBe(expiry)
  })

  test('reads __proto__ and constructor like any other field', () => {
    const json = JSON.parse(
      '{"__proto__": {"offer_id": "a", "hotel_name": "A"}, "constructor": {"offer_id": "b"}}',
    )
    expect(read(json)).toMatchObject([
      {offer_id: 'a', hotel_name: 'A'},
      {offer_id: 'b', hotel_name: null},
    ])
    expect(read(JSON.parse('{"offer_id": "c", "__proto__": {"price": "1.00"}}'))[0]?.price?.total).toBeNull()
    expect(({} as Record<string, unknown>).offer_id).toBeUndefined()
  })

  test('survives a very deep answer', () => {
    const deep = JSON.parse(`${'{"a":['.repeat(20_000)}{"offer_id":"x"}${']}'.repeat(20_000)}`)
    expect(findOffers(deep)).toEqual([])
    expect(findOffers([deep, {offer_id: 'b'}])).toHaveLength(1)
  })

  test('reads ten thousand offers quickly, in a list and in an object', () => {
    const ids = Array.from({length: 10_000}, (_, index) => index)
    const more = {board: {code: 'BB'}, rooms: [{room_name: 'R'}]}
    const rates = ids.map(n => ({offer_id: `off_${n}`, price: {total: n, currency: 'EUR'}, ...more}))
    const found = read({data: {hotels: [{name: 'H', stars: 3, rates}]}})
    expect(found).toHaveLength(10_000)
    const last = {offer_id: 'off_9999', hotel_name: 'H', price: price('9999.00', 'EUR')}
    expect(found.at(-1)).toMatchObject(last)
    const named = Object.fromEntries(ids.map(n => [`off_${n}`, {offer_id: `off_${n}`, price: n}]))
    expect(read({currency: 'EUR', data: named}).at(-1)?.price).toEqual(price('9999.00', 'EUR'))
  })
})

test('an offer without terms has none', () => {
  expect(termsOf({offer_id: 'off_1'})).toEqual({})
})

test.each([
  [{price: {due_at_property: []}}, []],
  [
    {price: {due_at_property: [{description: 'City tax', amount: '12.00', currency: 'EUR'}]}},
    [{description: 'City tax', amount: '12.00', currency: 'EUR'}],
  ],
  [{payAtHotel: 12.5}, [{description: null, amount: '12.5', currency: null}]],
  [
    {fees: {mandatory_fees: {name: 'Resort fee', amount: {value: 7, currency: 'USD'}}}},
    [{description: 'Resort fee', amount: '7', currency: 'USD'}],
  ],
  [{city_tax: {percent: 3}}, undefined],
])('due at the hotel: %j', (raw, due) => {
  expect(termsOf(raw).dueAtProperty).toEqual(due)
})

test.each([
  [
    {cancellation_policies: [{from: '2030-05-29T18:00:00+03:00', amount: '10.00', currency: 'EUR'}]},
    [{from: '2030-05-29T18:00:00+03:00', fee: '10.00', currency: 'EUR'}],
  ],
  [
    {cancelPenalties: [{start: '2030-05-29', percent: '50%'}]},
    [{from: '2030-05-29', fee: '50 %', currency: null}],
  ],
  [{cancellation_policy: {penalty: 20}}, [{from: null, fee: '20', currency: null}]],
  [{cancellation_policies: 'ask the hotel'}, undefined],
])('cancelling: %j', (raw, policies) => {
  expect(termsOf(raw).policies).toEqual(policies)
})

const LATER = {from: '2030-05-29', amount: 300}
const free = (more: object) => ({from: '2030-04-01', amount: 0, ...more})
test.each<[object, string | undefined]>([
  [[LATER, {from: '2030-05-01', percent: '50%'}, free({})], '2030-05-01'],
  [[{from: '2030-05-01', fee: 'EUR 50'}, LATER], '2030-05-01'],
  [[{amount: '0.00'}, LATER], '2030-05-29'],
  [[{percent: '0%'}, LATER], '2030-05-29'],
  [[free({})], undefined],
  [[], undefined],
  [[{from: '2030-05-01', nights: 1}, LATER], undefined],
  [[{from: '2030-05-01', amount: 'first night'}, LATER], undefined],
  [[free({nights: 1}), LATER], undefined],
  [[{amount: 50}, LATER], undefined],
  [[{from: '05/06/2030', amount: 50}, LATER], undefined],
  [['from 1 May the first night', LATER], undefined],
])('the first fee is known only if every policy can be read: %j', (cancellation_policies, firstFee) => {
  expect(factsOfReservation({reservation: {cancellation_policies}}).free_until).toBe(firstFee ?? null)
  expect(termsOf({cancellation_policies}).firstFee).toBe(firstFee)
})

test('reads payment modes, rooms left and remarks, and ignores unknown values', () => {
  const raw = {payment_modes: ['ACCOUNT', 'instant'], roomsLeft: 2, remarks: 'Bring a passport'}
  const terms = {paymentModes: ['account', 'instant'], roomsLeft: 2, remarks: 'Bring a passport'}
  expect(termsOf(raw)).toEqual(terms)
  expect(termsOf({payment_methods: [{code: 'card'}], rooms_left: 'many'})).toEqual({})
})

test('prefers the outermost field, then the first of several names, and skips null', () => {
  const inner = {rooms_left: 9, remarks: 'inner', paymentModes: ['Instant']}
  const terms = {remarks: 'outer', roomsLeft: 9, paymentModes: ['instant']}
  expect(termsOf({inner, notes: 'later name', remark: 'outer', rooms_left: null})).toMatchObject(terms)
})

test.each(['off_a/b', 'off_a\\b', 'off_a\tb', 'off_\u0000', 'off_a..b', 'off_\u200bx'])(
  'ignores an offer whose id cannot be part of a path: %j',
  offer_id => {
    const other = {offer_id: 'off_other', price: eur('20.00')}
    expect(read({offers: [{offer_id, price: eur('10.00')}, other]})).toMatchObject([other])
    // A price outside the list of offers is not taken as the price of one of them.
    const answer = {price: eur('10.00'), offers: [{offer_id}, {offer_id: 'off_other'}]}
    expect(read(answer)).toMatchObject([{offer_id: 'off_other', price: price(null, null)}])
  },
)

test.each<[string, unknown, string | null]>([
  ['in the offer', {offer_id: 'a', hotel_id: 'h-7', hotel: {id: 'x'}}, 'h-7'],
  ['in its hotel, as a number', {offer_id: 'a', hotel: {id: 7, name: 'A'}}, '7'],
  [
    'of the hotel around the offer',
    {hotels: [{property_code: 'H7', rates: [{offer_id: 'a', id: 'rate'}]}]},
    'H7',
  ],
  ['of nothing but the offer', {offer_id: 'a', id: 'a', code: 'BB'}, null],
])('the id of the hotel is read: %s', (_where, answer, expected) => {
  expect(read(answer)[0]?.hotel_id).toBe(expected)
})
