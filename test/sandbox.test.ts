/**
 * The answers of the local sandbox match the OpenAPI description. The other tests of the folder check all their answers as well.
 */
import {expect, test} from 'vitest'
import {OPERATION_DETAILS} from '../src/contract/operation-details.js'
import {checkAnswer, sandboxForEachTest} from './sandbox/each-sandbox.js'
import {closing} from './support/own.js'
import {startSandbox} from './support/sandbox.js'

const {client} = sandboxForEachTest()

test('every operation of the contract is served', async () => {
  const served = new Set<string | undefined>()
  const check = (...asked: Parameters<typeof checkAnswer>) => void served.add(checkAnswer(...asked))
  const sandbox = closing(await startSandbox({inProcess: true, check}))
  const {call, get, search, book} = await sandbox.client()
  const family = {adults: 2, children_ages: [1, 7]}
  const [{hotel, offer_id}] = await search({currency: 'JPY', rooms: [family, {adults: 1, children_ages: []}]})
  await search({currency: 'KWD', destination: {type: 'CITY', id: 303}})
  await get(`/hotels/${hotel.hotel_id}`)
  await get(`/hotels/offers/${offer_id}`)
  const wanted = {destination: {type: 'CITY', id: 403}, currency: 'JPY', date: '2030-07-10'}
  const tours = await call('POST', '/tours/search', wanted)
  await get(`/tours/${tours.json.data[0].tour_id}`)
  for (const list of ['/account', '/content/countries', '/content/currencies', '/content/cities'])
    await get(list)

  const reservation = `/reservations/${(await book()).reservation_ref}`
  await book({payment: {mode: 'instant'}})
  await get('/reservations?limit=1')
  for (const part of ['', '/voucher', '/cancellation-quote']) await get(reservation + part)
  await call('PATCH', reservation, {contact: {email: 'new@example.com'}})
  await call('POST', `${reservation}/cancel`)

  const subscriptions = '/webhooks/subscriptions'
  const hook = {url: 'https://example.com/hook', events: ['voucher.ready']}
  const made = await call('POST', subscriptions, hook)
  const subscription = `${subscriptions}/${made.json.data.id}`
  await call('POST', `${subscription}/test`)
  for (const path of [subscriptions, subscription, `${subscription}/deliveries`]) await get(path)
  await call('PATCH', subscription, {is_active: false})
  await call('DELETE', subscription)
  await call('POST', '/oauth/revoke', {token: 'unknown'})

  served.delete(undefined)
  expect([...served].sort()).toEqual(Object.keys(OPERATION_DETAILS).sort())
})

test('the check of answers refuses what the description or the contract does not have', async () => {
  const {json, ...rest} = await client.call('GET', '/account')
  const check = (change: object, data: object = {}) =>
    checkAnswer('GET', '/account?x=1', {...rest, json: {data: {...json.data, ...data}}, ...change})
  expect(check({})).toBe('account.show')
  expect(() => check({}, {name: 7})).toThrow('account.show, 200')
  expect(() => check({}, {unknown: 1})).toThrow('deeply equal')
  expect(() => check({json: {...json, meta: {}}})).toThrow("'meta'")
  expect(() => check({status: 409})).toThrow("to include '409'")
  const error = {code: 7, request_id: rest.headers.get('x-request-id')}
  expect(() => check({status: 403, json: {error}})).toThrow('account.show, 403')
  expect(() => check({status: 403, json: {error: {...error, request_id: 'req_'}}})).toThrow('req_')
  expect(() => check({headers: new Headers()})).toThrow('to be truthy')
})
