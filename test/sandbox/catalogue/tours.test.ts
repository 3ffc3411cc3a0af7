/** The tours of the local sandbox: always the same, enough of them, and sensible. */
import {describe, expect, it} from 'vitest'
import {toMinor} from '../../../src/contract/money.js'
import {CITIES} from '../../../src/sandbox/catalogue/cities.js'
import {currencyList} from '../../../src/sandbox/catalogue/currencies.js'
import {findTour, runsOn, toursOf} from '../../../src/sandbox/catalogue/tours.js'

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

  it('have names of their own in a city, and no gap left in a text', () => {
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
