/** The offers of a batch: which searches trips share, and that no offer is taken twice. */
import {expect, test} from 'vitest'
import {BatchOffers} from '../../../../src/cli/features/batch/offers.js'
import type {Choice} from '../../../../src/cli/features/batch/trips.js'
import type {SearchRequest} from '../../../../src/contract/hotels.js'
import {OFFER_VALIDITY_SECONDS} from '../../../../src/contract/limits.js'
import {apiOver} from '../../../support/answering.js'
import {fakeClock} from '../../../support/clocks.js'
import {rejectionOf} from '../../../support/thrown.js'

const REQUEST: SearchRequest = {
  destination: {type: 'CITY', id: 101},
  check_in: '2030-06-01',
  check_out: '2030-06-04',
  rooms: [{adults: 2, children_ages: []}],
  client_nationality: 'TR',
  currency: 'EUR',
}

type Answer = (nth: number) => object | number

/** Offers of a service that answers the nth search (from 1) with offers, or with a status; `usedBefore`: by earlier runs. */
function offersOf(answer: Answer, usedBefore: readonly string[] = []) {
  const clock = fakeClock()
  let searches = 0
  const api = apiOver(
    async () => {
      const nth = ++searches
      // Others may begin meanwhile.
      await new Promise(resolve => setImmediate(resolve))
      const given = answer(nth)
      const isStatus = typeof given === 'number'
      const body = Buffer.from(isStatus ? '' : JSON.stringify({data: {offers: given}}))
      return {status: isStatus ? given : 200, headers: {}, body}
    },
    'https://service.test/v1',
    't',
    clock,
  )
  return {offers: new BatchOffers({api, clock}, new Set(usedBefore)), clock, searches: () => searches}
}

const offer = (offer_id: string, total: string | null, currency = 'EUR') => ({
  offer_id,
  hotel: {hotel_id: 'htl_1', name: 'Pera'},
  ...(total !== null && {price: {total, currency}}),
})

/** New offers in each search. */
const fresh: Answer = nth => [offer(`off_dear_${nth}`, '200.00'), offer(`off_cheap_${nth}`, '100.00')]

const taken = async (offers: BatchOffers, choose: Choice = {}, request = REQUEST) =>
  (await offers.take(request, choose)).offer?.offer_id

test('trips with equal criteria share the search of the plan, and each gets a cheapest offer of its own', async () => {
  const {offers, searches} = offersOf(fresh)
  const shown = await Promise.all(Array.from({length: 6}, () => offers.show(REQUEST, {})))
  expect(shown.map(({offer}) => offer?.offer_id)).toEqual(Array(6).fill('off_cheap_1'))
  expect(searches()).toBe(1)
  const ids = await Promise.all(Array.from({length: 6}, () => taken(offers)))
  expect(new Set(ids).size).toBe(6)
  for (const id of ids) expect(id).toMatch(/^off_cheap_/)
  expect(searches()).toBe(6)
})

test('a trip that wants another offer of the same search gets it without a search', async () => {
  const {offers, searches} = offersOf(() => [
    offer('off_1', '100.00'),
    {...offer('off_2', '120.00'), hotel: {hotel_id: 'htl_2', name: 'Galata'}},
  ])
  expect(await taken(offers)).toBe('off_1')
  expect(await taken(offers, {hotelId: 'htl_2'})).toBe('off_2')
  expect(searches()).toBe(1)
})

test('other criteria are another search', async () => {
  const {offers, searches} = offersOf(fresh)
  await offers.show(REQUEST, {})
  await offers.show({...REQUEST, check_out: '2030-06-05'}, {})
  expect(searches()).toBe(2)
})

test('an offer that is about to expire is not taken', async () => {
  const {offers, clock} = offersOf(fresh)
  await offers.show(REQUEST, {})
  clock.advance(OFFER_VALIDITY_SECONDS - 60)
  expect(await taken(offers)).toBe('off_cheap_1')
  const late = offersOf(fresh)
  await late.offers.show(REQUEST, {})
  late.clock.advance(OFFER_VALIDITY_SECONDS - 10)
  expect(await taken(late.offers)).toBe('off_cheap_2')
})

test('a search that failed is made again', async () => {
  const {offers} = offersOf(nth => (nth === 1 ? 400 : [offer(`off_${nth}`, '100.00')]))
  expect(await rejectionOf(offers.show(REQUEST, {}))).toMatchObject({kind: 'refused'})
  expect((await offers.show(REQUEST, {})).offer?.offer_id).toBe('off_2')
})

test('offers without a price, or in another currency, are not taken', async () => {
  const {offers} = offersOf(() => [
    offer('off_1', null),
    offer('off_2', '1.00', 'USD'),
    offer('off_3', '90.00'),
  ])
  expect(await taken(offers)).toBe('off_3')
  const none = offersOf(() => [offer('off_1', null)])
  expect(await none.offers.take(REQUEST, {})).toEqual({offer: undefined, found: 1})
})

test('of equal prices the first is taken', async () => {
  const {offers} = offersOf(() => [
    offer('off_x', '100.01'),
    offer('off_b', '100.00'),
    offer('off_a', '100.0'),
  ])
  expect(await taken(offers)).toBe('off_b')
})

test('where every search finds the same offers, no offer is taken twice', async () => {
  const {offers} = offersOf(() => [offer('off_1', '100.00'), offer('off_2', '200.00')])
  expect([await taken(offers), await taken(offers), await taken(offers)]).toEqual([
    'off_1',
    'off_2',
    undefined,
  ])
})

test('an offer that an earlier run booked is neither planned nor taken, though the service finds it again', async () => {
  const same: Answer = () => [offer('off_dear', '200.00'), offer('off_cheap', '100.00')]
  const {offers} = offersOf(same, ['off_cheap'])
  expect((await offers.show(REQUEST, {})).offer?.offer_id).toBe('off_dear')
  expect(await taken(offers)).toBe('off_dear')
})

test('the offer of the plan is taken without another search, once, and while it is fresh', async () => {
  const {offers, searches, clock} = offersOf(fresh)
  const {offer: planned} = await offers.show(REQUEST, {})
  const takePlanned = async () => (await offers.take(REQUEST, {}, planned)).offer?.offer_id
  expect(await takePlanned()).toBe('off_cheap_1')
  expect(searches()).toBe(1)
  expect(await takePlanned()).toBe('off_cheap_2')
  const {offer: later} = await offers.show(REQUEST, {})
  clock.advance(OFFER_VALIDITY_SECONDS)
  expect((await offers.take(REQUEST, {}, later)).offer?.offer_id).toBe('off_cheap_3')
})
