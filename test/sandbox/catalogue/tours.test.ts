/** The tours of the local sandbox are always the same, numerous and plausible, and are found by search and by id. */
import {describe, expect, it} from 'vitest'
import {toMinor} from '../../../src/contract/money.js'
import {CITIES} from '../../../src/sandbox/catalogue/cities.js'
import {currencyList} from '../../../src/sandbox/catalogue/countries-and-currencies.js'
import {findTour, runsOn, toursOf} from '../../../src/sandbox/catalogue/tours.js'
import {sandboxForEachTest} from '../each-sandbox.js'

const ALL = CITIES.flatMap(({id}) => toursOf(id, 'EUR'))

describe('tours', () => {
  it('are there for every city, and for no other', () => {
    for (const {id} of CITIES) expect(toursOf(id, 'EUR').length).toBeGreaterThanOrEqual(8)
    expect(toursOf(999, 'EUR')).toEqual([])
  })

  it('are always the same', () => {
    expect(toursOf(101, 'EUR')[0]).toMatchObject({tour_id: 'tour_101_01', price_from: {amount: '35.00'}})
  })

  it('are found by id, and no other id finds one', () => {
    expect(new Set(ALL.map(({tour_id}) => tour_id)).size).toBe(ALL.length)
    for (const tour of ALL) expect(findTour(tour.tour_id, 'EUR')).toEqual(tour)
    for (const id of ['', 'tour_101_99', 'tour_101_00', 'tour_999_01', 'tour_1010000_01', 'off_1']) {
      expect(findTour(id, 'EUR')).toBeUndefined()
    }
  })

  it('have distinct names in a city, and no unfilled placeholder in a text', () => {
    for (const {id} of CITIES) {
      const names = toursOf(id, 'EUR').map(({name}) => name)
      expect(new Set(names).size).toBe(names.length)
    }
    expect(ALL.filter(({name, short_description}) => `${name}${short_description}`.includes('*'))).toEqual([])
  })

  it('are priced in every currency, with its decimals', () => {
    for (const {code: currency} of currencyList()) {
      const [tour] = toursOf(101, currency)
      expect(tour?.price_from.currency).toBe(currency)
      expect(toMinor(tour?.price_from.amount ?? '', currency)).toBeGreaterThan(0n)
    }
  })

  it('rest at most one day a week', () => {
    const days = ['09', '10', '11', '12', '13', '14', '15'].map(day => `2030-07-${day}`)
    const resting = ALL.map(tour => days.filter(day => !runsOn(tour, day)).length)
    expect(new Set(resting)).toEqual(new Set([0, 1]))
  })
})

describe('the service', () => {
  const {client} = sandboxForEachTest()

  const search = (change: object = {}) =>
    client.call('POST', '/tours/search', {destination: {type: 'CITY', id: 101}, currency: 'EUR', ...change})

  it('leaves out the tours that rest on the day asked for', async () => {
    const all = (await search()).json.data.length
    const days = Array.from({length: 7}, (_, day) => `2030-07-${10 + day}`)
    const counts = await Promise.all(days.map(async date => (await search({date})).json.data.length))
    expect(Math.min(...counts)).toBeLessThan(all)
    expect(Math.min(...counts)).toBeGreaterThan(7)
  })

  it.each([
    [{destination: {type: 'CITY', id: 999}}, 'destination.id'],
    [{currency: 'XTS'}, 'currency'],
    [{date: '2020-01-01'}, 'date'],
    [{date: '2030-02-30'}, 'date'],
  ])('refuses %j', async (change, field) => {
    const {status, json} = await search(change)
    expect([status, json.error.code, json.error.details[0].field]).toEqual([400, 'validation_failed', field])
  })

  it('knows no other tour and no other hotel', async () => {
    expect((await client.call('GET', '/tours/tour_101_99')).json.error.code).toBe('tour_not_found')
    expect((await client.call('GET', '/hotels/1')).json.error.code).toBe('hotel_not_found')
  })
})
