/** The current price of an offer, compared with the price that this machine saw, and what is stored of it. */
import {beforeEach, expect, test} from 'vitest'
import {price} from '../../../../src/cli/features/catalogue/hotels.js'
import {apiAnswering} from '../../../support/answering.js'
import {fakeClock} from '../../../support/clocks.js'
import {stateForEachTest} from '../../../support/own-state.js'
import {SEEN} from '../../../support/seen-offer.js'

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
