/** Tours, one hotel and the price of an offer, in every shape; and as the local sandbox has them. */
import {describe, expect, test} from 'vitest'
import {priceOffer, showHotel} from '../../src/api/operations/hotels.js'
import {searchTours, showTour} from '../../src/api/operations/tours.js'
import {apiAnswering} from '../support/answering.js'
import {rejectionOf} from '../support/thrown.js'

const SEARCH = {destination: {type: 'CITY' as const, id: 101}, currency: 'EUR'}
const search = async (json: unknown) => [...(await searchTours(apiAnswering({json}).api, SEARCH)).items]

describe('tours', () => {
  test.each([
    [{duration_minutes: 90}, 90],
    [{durationHours: 1.5}, 90],
    [{duration: 'PT1H30M'}, 90],
    [{duration: '1h 30min'}, 90],
    [{duration: {hours: 2}}, 120],
    [{duration: 3}, null],
    [{duration: 'half a day'}, null],
  ])('that take %j', async (said, minutes) => {
    const [tour] = await search({data: [{tour_id: 't1', ...said}]})
    expect(tour?.duration_minutes).toBe(minutes)
  })

  test('in other words, raw untouched', async () => {
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
    'of which the least price lies in %j',
    async said => {
      const [tour] = await search({data: [{tour_id: 't1', ...said}]})
      expect(tour?.price).toEqual({total: '10.00', currency: 'EUR'})
    },
  )
})

test.each([{data: {name: 'Otel'}}, {name: 'Otel'}, {data: {property: {name: 'Otel'}, meta: {}}}])(
  'a hotel in %j',
  async json => {
    expect(await showHotel(apiAnswering({json}).api, '1')).toEqual({name: 'Otel'})
  },
)

test('the price of an offer is read where no offer is named', async () => {
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
  ])('is not one that names it %s', async (_, ask) => {
    await expect(ask()).resolves.toBeTruthy()
  })
})
