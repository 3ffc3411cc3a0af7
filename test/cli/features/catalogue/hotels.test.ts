/** What is typed for a search, and the current price of an offer, compared with the price that this machine saw. */
import {beforeEach, expect, test} from 'vitest'
import {price, readSearch, type SearchFlags} from '../../../../src/cli/features/catalogue/hotels.js'
import {apiAnswering} from '../../../support/answering.js'
import {fakeClock} from '../../../support/clocks.js'
import {stateForEachTest} from '../../../support/own-state.js'
import {SEEN} from '../../../support/seen-offer.js'
import {thrownBy} from '../../../support/thrown.js'

const target = {baseUrl: 'https://example.com/v1', clientId: 'cid_1'}
const place = stateForEachTest()
beforeEach(() => place.state.offers.remember(target, [{...SEEN, total: '10.00'}], 1000))

test.each([
  ['a new total without its currency', {total: '11.00'}, true, {total: '11.00', currency: 'EUR'}],
  ['another currency', {total: '11.00', currency: 'USD'}, true, {total: '11.00', currency: 'USD'}],
  ['the same total without its currency', {total: '10.00'}, false, {total: '10.00', currency: 'EUR'}],
  ['a currency alone', {currency: 'USD'}, null, {total: '10.00', currency: 'EUR'}],
])('%s', async (_, answered, changed, remembered) => {
  const {api} = apiAnswering({json: {data: {offer_id: 'off_1', price: answered}}})
  const result = await price({api, state: place.state, target, clock: fakeClock(1100)}, 'off_1')
  expect((result.document as {changed: boolean | null}).changed).toBe(changed)
  expect(await place.state.offers.find(target, 'off_1')).toMatchObject(remembered)
})

const SEARCH = {city: 101, 'check-in': '2030-06-01', nights: 3, nationality: 'TR', currency: 'EUR'}

test('a search is for two adults by default', () => {
  expect(readSearch(SEARCH).rooms).toEqual([{adults: 2, children_ages: []}])
})

test.each<[string, SearchFlags]>([
  ['--check-out', {...SEARCH, nights: undefined, 'check-out': '2030-06-01'}],
  ['--check-out', {...SEARCH, nights: undefined, 'check-out': '2030-05-30'}],
  ['--nights', {...SEARCH, 'check-in': '9999-12-31', nights: 1}],
  ['--room', {...SEARCH, room: Array(10).fill({adults: 1, children_ages: []})}],
])('a search names %s where it does not fit the rest', (field, flags) => {
  const failure = thrownBy(() => readSearch(flags))
  expect(failure.kind).toBe('usage')
  expect(failure.message).toContain(field)
})
