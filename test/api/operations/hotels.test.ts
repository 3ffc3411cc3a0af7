/** Hotels, tours, reference data and the account in every form: the requests, what is read, and when offers expire. */
import {describe, expect, test} from 'vitest'
import {showAccount} from '../../../src/api/operations/account.js'
import {listCities, listCountries, listCurrencies} from '../../../src/api/operations/content.js'
import {priceOffer, searchHotels, showHotel} from '../../../src/api/operations/hotels.js'
import {searchTours, showTour} from '../../../src/api/operations/tours.js'
import {apiAnswering, apiOver} from '../../support/answering.js'
import {fakeClock} from '../../support/clocks.js'
import {searchRequest} from '../../support/sandbox.js'
import {rejectionOf} from '../../support/thrown.js'

const SEARCH = {destination: {type: 'CITY' as const, id: 101}, currency: 'EUR'}
const search = async (json: unknown) => [...(await searchTours(apiAnswering({json}).api, SEARCH)).items]

describe('tours', () => {
  test.each([
    [{duration_minutes: 90}, 90],
    [{durationHours: 1.5}, 90],
    [{duration: 'PT1H30M'}, 90],
    [{duration: {hours: 2}}, 120],
    [{duration: 'half a day'}, null],
  ])('that take %j', async (said, minutes) => {
    const [tour] = await search({data: [{tour_id: 't1', ...said}]})
    expect(tour?.duration_minutes).toBe(minutes)
  })

  test('are read with other field names, and raw is the record as received', async () => {
    const odd = {
      activityId: 7,
      title: {en: 'Cruise'},
      pricing: {value: 12.5, currency: 'EUR'},
      categories: [{name: 'boat'}, 'family'],
      location: {name: 'İstanbul'},
    }
    const unsaid = {short_description: null, duration_minutes: null, country_code: null, rating: null}
    const price = {total: '12.50', currency: 'EUR'}
    const said = {tour_id: '7', name: 'Cruise', price, city: 'İstanbul', tags: ['boat', 'family']}
    expect(await search({activities: [odd]})).toEqual([{...said, ...unsaid, review_count: null, raw: odd}])
  })

  test.each([{pricing: {from: {value: 10, currency: 'EUR'}}}, {price: {minimum: '10.00'}, currency: 'EUR'}])(
    'whose lowest price is in %j',
    async said => {
      const [tour] = await search({data: [{tour_id: 't1', ...said}]})
      expect(tour?.price).toEqual({total: '10.00', currency: 'EUR'})
    },
  )
})

test.each([{data: {name: 'Otel'}}, {name: 'Otel'}, {data: {property: {name: 'Otel'}, meta: {}}}])(
  'a hotel in %j',
  async json => {
    const hotel = await showHotel(apiAnswering({json}).api, '1')
    expect(hotel).toMatchObject({hotel_id: '1', name: 'Otel', raw: {name: 'Otel'}})
  },
)

test('reads the price from an answer that names no offer', async () => {
  const raw = {total: 120, currency: 'EUR'}
  const offer = await priceOffer(apiAnswering({json: {data: raw}}).api, 'off_1')
  const price = {total: '120.00', currency: 'EUR'}
  expect(offer).toMatchObject({offer_id: 'off_1', price, expires_at: null, raw})
})

describe('an answer about another', () => {
  const hotel = (json: unknown, id = '7') => showHotel(apiAnswering({json}).api, id)
  const tour = (json: unknown, id = 't1') => showTour(apiAnswering({json}).api, id)
  const offer = (json: unknown, id = 'off_1') => priceOffer(apiAnswering({json}).api, id)
  test.each([
    ['hotel', hotel, '8', {data: {hotel: {id: '8', name: 'Otel'}}}],
    ['hotel', hotel, '8', {data: {hotelId: 8, hotel: {name: 'Otel'}}}],
    ['hotel', hotel, '8', {propertyCode: '8', slug: 'otel'}],
    ['tour', tour, 't2', {data: {tour_id: 't2', name: 'Cruise'}}],
    ['tour', tour, 't2', {activity: {code: 't2', title: 'Cruise'}}],
    ['offer', offer, 'off_2', {data: {offer_id: 'off_2', total: '1.00', currency: 'EUR'}}],
    ['offer', offer, 'off_2', {offer: {id: 'off_2', total: '1.00', currency: 'EUR'}}],
  ])('%s is refused, and both ids are named: %j', async (what, ask, other, json) => {
    const failure = await rejectionOf(ask(json))
    expect([failure.kind, failure.details.code]).toEqual(['service_failed', `another_${what}`])
    expect(failure.message).toMatch(new RegExp(`about another ${what}, ${other} in place of \\w+$`))
  })

  test.each([
    ['a number for a text', () => hotel({data: {hotel_id: 7}})],
    ['in another case, padded', () => tour({tour_id: ' T1 ', name: 'Cruise'})],
    ['under one of several names', () => hotel({id: 88123, code: 'IST-1'}, 'IST-1')],
    ['not at all', () => hotel({data: {name: 'Otel', slug: 'otel', city: {id: 101}}})],
    ['not at all, in an envelope with an id', () => hotel({id: 'env_1', data: {name: 'Otel', stars: 5}})],
    ["not at all, but the rate's", () => offer({rate: {id: 'rate_9', total: '1.00', currency: 'EUR'}})],
    ['among others', () => offer([{offer_id: 'off_2'}, {offer_id: 'off_1', total: '1.00', currency: 'EUR'}])],
  ])('is accepted if it names the id %s', async (_, ask) => {
    await expect(ask()).resolves.toBeTruthy()
  })
})

const PLACE = {latitude: 41.01, longitude: 28.98, timezone: 'Europe/Istanbul'}
const ISTANBUL = {id: 101, name: 'İstanbul', country_code: 'TR', ...PLACE}

test.each([
  ['in data', {data: [ISTANBUL]}],
  ['bare', [ISTANBUL]],
  ['under any name', {result: {page: 1, destinations: [ISTANBUL]}}],
  ['by id', {data: {101: ISTANBUL}}],
  ['in other words', {cities: [{cityId: '101', cityName: 'İstanbul', country: {code: 'TR', name: 'x'}}]}],
])('a city %s', async (_, json) => {
  const {items} = await listCities(apiAnswering({json}).api)
  expect(items[0]).toMatchObject({id: 101, name: 'İstanbul', country_code: 'TR'})
})

test('a missing field is null, and raw is the record as it came', async () => {
  const odd = {id: 7, names: {tr: 'x'}, odd: {deep: [1]}}
  const unsaid = {name: null, country_code: null, latitude: null, longitude: null, timezone: null}
  const {items} = await listCities(apiAnswering({json: {data: [odd]}}).api)
  expect(items).toEqual([{id: 7, ...unsaid, raw: odd}])
})

test.each([
  [{data: [{code: 'EUR', name: 'Euro', minor_units: 2}]}, {code: 'EUR', name: 'Euro', minor_units: 2}],
  [{currencies: {EUR: {title: 'Euro', decimals: '2'}}}, {code: 'EUR', name: 'Euro', minor_units: 2}],
  [{data: {EUR: 'Euro', TRY: 'Lira'}}, {code: 'EUR', name: 'Euro', minor_units: null}],
  [{data: ['EUR', 'TRY']}, {code: 'EUR', name: null, minor_units: null}],
])('a currency in %j', async (json, expected) => {
  const {items} = await listCurrencies(apiAnswering({json}).api)
  expect(items[0]).toMatchObject(expected)
})

test('a country names its currency by code', async () => {
  const json = {
    data: [{iso2: 'TR', name: {en: 'Türkiye'}, dialCode: '+90', currency: {code: 'TRY', name: 'Lira'}}],
  }
  expect((await listCountries(apiAnswering({json}).api)).items).toMatchObject([
    {code: 'TR', name: 'Türkiye', phone_code: '+90', currency: 'TRY'},
  ])
})

test('pages are read to the last, each record once', async () => {
  const page = (ids: number[], after: string | null) => ({
    json: {data: ids.map(id => ({...ISTANBUL, id})), meta: {after}},
  })
  const {api} = apiAnswering(page([1], 'a b'), page([1, 2], null))
  expect((await listCities(api)).items.map(({id}) => id)).toEqual([1, 2])
})

const GERMAN = ['Köln', 'Bonn'].map((name, index) => ({id: index + 1, name}))
test.each([
  {cities: {TR: [{...ISTANBUL, country_code: undefined}], DE: GERMAN}},
  {data: {Türkiye: [ISTANBUL], Germany: GERMAN.map(city => ({...city, country: 'DE'}))}},
])('reads a grouped list completely: %j', async json => {
  const {items} = await listCities(apiAnswering({json}).api)
  expect(items.map(({id, country_code}) => `${id} ${country_code}`)).toEqual(['101 TR', '1 DE', '2 DE'])
})

const NOW = 1_800_000_000
const STAY = searchRequest()

function clockedApi(json: unknown, headers: Record<string, string> = {}) {
  const clock = fakeClock(NOW)
  const bodies: (string | undefined)[] = []
  const transport = async (request: {body?: string}) => {
    bodies.push(request.body)
    clock.advance(2)
    return {status: 200, headers, body: Buffer.from(JSON.stringify(json))}
  }
  return {api: apiOver(transport, 'https://service.test/v1', 't', clock), bodies}
}

const at = (seconds: number) => new Date(seconds * 1000).toISOString()

test('the request is exactly §2.2, and raw is the offer as it came', async () => {
  const offer = {offer_id: 'off_1', odd: {x: [1]}}
  const {api, bodies} = clockedApi({data: [offer]})
  const found = await searchHotels(api, STAY)
  expect(bodies).toEqual([JSON.stringify(STAY)])
  expect(found.offers[0]?.raw).toEqual(offer)
  const names =
    'offer_id hotel_id hotel_name stars room_name board price refundable free_cancellation_until expires_at raw'
  expect(Object.keys(found.offers[0] ?? {}).join(' ')).toBe(names)
})

describe('an offer lives', () => {
  // The service's clock is an hour ahead of this machine's.
  const date = new Date((NOW + 3600) * 1000).toUTCString()
  test.each([
    ['15 minutes from the search on (§8)', undefined, {}, 900],
    ['less when it says so, by the clock of the service', at(NOW + 3600 + 300), {date}, 300],
    ['less when it says so, by our clock when there is no other', at(NOW + 300), {}, 300],
    ['never more than 15 minutes', at(NOW + 3600 + 9000), {date}, 900],
    ['15 minutes when its expiry is past, which cannot be', at(NOW), {date}, 900],
    ['15 minutes when its expiry has no offset', '2027-01-15T08:05:00', {}, 900],
  ])('%s', async (_, expires_at, headers, seconds) => {
    const {api} = clockedApi({offers: [{offer_id: 'off_1', expires_at}]}, headers as Record<string, string>)
    const found = await searchHotels(api, STAY)
    const expiresAt = NOW + seconds
    expect(found).toMatchObject({searchedAt: NOW, expiresAt, offers: [{expires_at: at(expiresAt)}]})
  })

  test("until the search's expiry, unless its own is earlier", async () => {
    const {api} = clockedApi({
      expires_at: at(NOW + 600),
      offers: [{offer_id: 'a'}, {offer_id: 'b', expires_at: at(NOW + 60)}],
    })
    const {offers, expiresAt} = await searchHotels(api, STAY)
    expect(offers.map(({expires_at}) => expires_at)).toEqual([at(NOW + 600), at(NOW + 60)])
    expect(expiresAt).toBe(NOW + 600)
  })
})

test.each([
  {data: {balance: '1.00'}},
  {account: {balance: '1.00'}},
  {data: {acct: {balance: '1.00'}}},
  {profile: {balance: '1.00'}, meta: {page: 1}, request_id: 'r'},
])('the account is taken out of its envelope: %j', async json => {
  expect(await showAccount(clockedApi(json).api)).toEqual({balance: '1.00'})
})

test('an account with several fields is left as it is', async () => {
  const account = {id: 'A1', balance: {amount: '1.00'}}
  expect(await showAccount(clockedApi({data: account}).api)).toEqual(account)
})
