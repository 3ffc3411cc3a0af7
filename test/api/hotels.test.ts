/** Search and account through a client without a network: what is asked, and when offers expire. */
import {describe, expect, test} from 'vitest'
import {showAccount} from '../../src/api/operations/account.js'
import {searchHotels} from '../../src/api/operations/hotels.js'
import type {SearchRequest} from '../../src/contract/hotels.js'
import {apiOver} from '../support/answering.js'
import {fakeClock} from '../support/clocks.js'

const NOW = 1_800_000_000
const SEARCH: SearchRequest = {
  destination: {type: 'CITY', id: 101},
  check_in: '2030-06-01',
  check_out: '2030-06-03',
  rooms: [{adults: 2, children_ages: [7]}],
  client_nationality: 'TR',
  currency: 'EUR',
}

function apiAnswering(json: unknown, headers: Record<string, string> = {}) {
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
  const {api, bodies} = apiAnswering({data: [offer]})
  const found = await searchHotels(api, SEARCH)
  expect(bodies).toEqual([JSON.stringify(SEARCH)])
  expect(found.offers[0]?.raw).toEqual(offer)
  const names =
    'offer_id hotel_name stars room_name board price refundable free_cancellation_until expires_at raw'
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
    const {api} = apiAnswering({offers: [{offer_id: 'off_1', expires_at}]}, headers as Record<string, string>)
    const found = await searchHotels(api, SEARCH)
    expect(found).toMatchObject({
      searchedAt: NOW,
      expiresAt: NOW + seconds,
      offers: [{expires_at: at(NOW + seconds)}],
    })
  })

  test("as long as the search's expiry says, unless its own is nearer", async () => {
    const {api} = apiAnswering({
      expires_at: at(NOW + 600),
      offers: [{offer_id: 'a'}, {offer_id: 'b', expires_at: at(NOW + 60)}],
    })
    const {offers, expiresAt} = await searchHotels(api, SEARCH)
    expect(offers.map(({expires_at}) => expires_at)).toEqual([at(NOW + 600), at(NOW + 60)])
    expect(expiresAt).toBe(NOW + 600)
  })
})

test.each([
  {data: {balance: '1.00'}},
  {balance: '1.00'},
  {account: {balance: '1.00'}},
  {data: {account: {balance: '1.00'}}},
  {data: {acct: {balance: '1.00'}}},
  {profile: {balance: '1.00'}, meta: {page: 1}, request_id: 'r'},
])('the account is taken out of its envelope: %j', async json => {
  expect(await showAccount(apiAnswering(json).api)).toEqual({balance: '1.00'})
})

test('an account of several members is left as it is', async () => {
  const account = {id: 'A1', balance: {amount: '1.00'}}
  expect(await showAccount(apiAnswering({data: account}).api)).toEqual(account)
})
