/** The price of an offer beside the one this machine saw, and what is remembered of it. */
import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterEach, beforeEach, expect, test} from 'vitest'
import {price} from '../../src/cli/features/catalogue/hotels.js'
import {openState, type State} from '../../src/state/state.js'
import {apiAnswering} from '../support/answering.js'
import {fakeClock} from '../support/clocks.js'

const target = {baseUrl: 'https://example.com/v1', clientId: 'cid_1'}
const OFFER = {
  ...{offer_id: 'off_1', hotel_name: 'Otel', stars: 4, room_name: null, board: 'BB', details: null},
  ...{total: '10.00', currency: 'EUR', nationality: 'TR', check_in: '2030-01-01', check_out: '2030-01-02'},
  ...{rooms: [{adults: 2, children_ages: []}], searched_at: 1000, expires_at: 1900},
}

let directory: string
let state: State
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'bookctl-price-'))
  state = openState(directory)
  state.offers.remember(target, [OFFER], 1000)
})
afterEach(() => {
  state.close()
  rmSync(directory, {recursive: true})
})

test.each([
  ['a new total without its currency', {total: '11.00'}, true, {total: '11.00', currency: 'EUR'}],
  ['another currency', {total: '11.00', currency: 'USD'}, true, {total: '11.00', currency: 'USD'}],
  ['the same total without its currency', {total: '10.00'}, false, {total: '10.00', currency: 'EUR'}],
  ['a currency alone', {currency: 'USD'}, null, {total: '10.00', currency: 'EUR'}],
])('%s', async (_, told, changed, remembered) => {
  const {api} = apiAnswering({json: {data: {offer_id: 'off_1', price: told}}})
  const result = await price({api, state, target, clock: fakeClock(1100)}, 'off_1')
  expect((result.document as {changed: boolean | null}).changed).toBe(changed)
  expect(state.offers.find(target, 'off_1')).toMatchObject(remembered)
})
