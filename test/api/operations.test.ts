/** A change is sent once, and its answer decides what is known about it. A 2xx answer may lack everything that was requested. */
import {describe, expect, test} from 'vitest'
import {showAccount} from '../../src/api/operations/account.js'
import {listCities} from '../../src/api/operations/content.js'
import {priceOffer, searchHotels, showHotel} from '../../src/api/operations/hotels.js'
import {
  cancelReservation,
  listReservations,
  showReservation,
  updateReservation,
} from '../../src/api/operations/reservations.js'
import {searchTours, showTour} from '../../src/api/operations/tours.js'
import {
  createSubscription,
  deleteSubscription,
  listSubscriptions,
  sendTestEvent,
  updateSubscription,
} from '../../src/api/operations/webhooks.js'
import {type Api, ExchangeError} from '../../src/api/types.js'
import {apiAnswering, type Reply} from '../support/answering.js'
import {rejectionOf} from '../support/thrown.js'

const WANTED = {url: 'https://partner.example/hooks', events: ['voucher.ready']}
const CHANGES: Record<string, (api: Api) => Promise<unknown>> = {
  'an update': api => updateReservation(api, 'A', {contact: {name: 'B'}}),
  'a cancellation': api => cancelReservation(api, 'A', {}),
  'a new subscription': api => createSubscription(api, WANTED),
  'a change of a subscription': api => updateSubscription(api, 'whsub_1', {is_active: true}),
  'a deletion': api => deleteSubscription(api, 'whsub_1'),
  'a test event': api => sendTestEvent(api, 'whsub_1'),
}

describe.each(Object.entries(CHANGES))('%s', (name, change) => {
  test.each<[string, Reply]>([
    ['a lost answer', new ExchangeError('reset', true, 'closed')],
    ['a cut answer', new ExchangeError('cut', true, 'cut')],
    ['no answer in time', new ExchangeError('timeout', true, 'timeout')],
    ['a failing service', {status: 500}],
    ['a failing gateway', {status: 502, text: '<html>bad gateway</html>'}],
    ['a redirect that a browser follows with a GET', {status: 303}],
    ['a success that is not JSON', {text: '<html>thank you</html>'}],
    ['a success that is cut off', {text: '{"data": {"event_id": "evt'}],
  ])('with %s has an unknown outcome, and is sent once', async (_, reply) => {
    const {api, requests} = apiAnswering(reply)
    expect((await rejectionOf(change(api))).kind).toBe('outcome_unknown')
    expect(requests).toHaveLength(1)
  })

  test.each<[string, Reply, string]>([
    ['a refusal', {status: 409, json: {error: {code: 'no'}}}, 'refused'],
    ['a missing scope', {status: 403, text: ''}, 'not_allowed'],
    ['a redirect that repeats the request', {status: 308}, 'service_failed'],
    ['an error in a success', {json: {success: false, error: {code: 'no'}}}, 'service_failed'],
    ['a refused certificate', new ExchangeError('tls', false, 'tls'), 'unreachable'],
  ])('with %s was not made', async (_, reply, kind) => {
    expect((await rejectionOf(change(apiAnswering(reply).api))).kind).toBe(kind)
  })

  test('names the scope if the service does not', async () => {
    const {details} = await rejectionOf(change(apiAnswering({status: 403, text: 'Forbidden'}).api))
    expect(details.hint).toMatch(
      /(reservations|webhooks):write may be missing.*operator of the service can grant/,
    )
  })

  const ofNothing: Record<string, unknown> = {
    'an update': null,
    'a cancellation': {outcome: 'accepted', reservation: null, fee: null, refund: null},
    'a deletion': undefined,
    'a test event': null,
  }
  test('may have an empty answer, unless its result is needed', async () => {
    const done = change(apiAnswering({status: 204}).api)
    if (name in ofNothing) expect(await done).toEqual(ofNothing[name])
    else expect((await rejectionOf(done)).kind).toBe('outcome_unknown')
  })
})

const HOTEL_SEARCH = {} as Parameters<typeof searchHotels>[1]
const TOUR_SEARCH = {} as Parameters<typeof searchTours>[1]

const RECORDS: Record<string, (api: Api) => Promise<unknown>> = {
  account: showAccount,
  hotel: api => showHotel(api, '1'),
  offer: api => priceOffer(api, 'off_1'),
  tour: api => showTour(api, '1'),
  reservation: api => showReservation(api, 'A'),
}
const LISTS: Record<string, (api: Api) => Promise<unknown>> = {
  offers: api => searchHotels(api, HOTEL_SEARCH),
  tours: api => searchTours(api, TOUR_SEARCH),
  cities: listCities,
  subscriptions: listSubscriptions,
  reservations: api => listReservations(api, {}),
}
const NOTHING = [
  {data: null},
  {data: null, meta: {request_id: 'r'}},
  {success: true},
  {data: 5},
  {data: {}},
  [7, null, []],
]

describe.each(Object.entries({...RECORDS, ...LISTS}))('%s', (_, ask) => {
  test.each(NOTHING)('is not in %j, which is quoted', async json => {
    const {kind, message, details} = await rejectionOf(ask(apiAnswering({json}).api))
    expect([kind, details.code, details.status]).toEqual(['service_failed', 'answer_not_understood', 200])
    expect(message).toContain(JSON.stringify(json))
  })
})

test.each(Object.entries(RECORDS))('a record of nulls is none: %s', async (name, ask) => {
  const failure = await rejectionOf(ask(apiAnswering({json: {data: {[name]: null}}}).api))
  expect(failure.details.code).toBe('answer_not_understood')
})

describe.each(Object.entries(LISTS))('a list of %s', (name, ask) => {
  test.each([[], {data: []}, {[name]: []}, {data: {count: 0, [name]: []}}])(
    'may be empty: %j',
    async json => {
      const found = await ask(apiAnswering({json}).api)
      expect(JSON.stringify(found)).toContain('[]')
    },
  )

  test('is not confused with an empty list of warnings', async () => {
    const {api} = apiAnswering({json: {data: null, warnings: []}})
    expect((await rejectionOf(ask(api))).details.code).toBe('answer_not_understood')
  })
})

test('a change without a record in its answer is unknown, unless the answer says success', async () => {
  for (const change of [
    (api: Api) => updateReservation(api, 'A', {contact: {name: 'B'}}),
    (api: Api) => cancelReservation(api, 'A', {}),
  ]) {
    for (const json of [null, {data: null}, [], {data: null, meta: {}}])
      expect((await rejectionOf(change(apiAnswering({json}).api))).kind).toBe('outcome_unknown')
    for (const json of [{success: true}, {status: 'ok', data: null}, {}])
      await change(apiAnswering({json}).api)
  }
})

test('a status inside data belongs to the record', async () => {
  expect(await showAccount(apiAnswering({json: {data: {status: 'ACTIVE'}}}).api)).toEqual({status: 'ACTIVE'})
})
