/** Successes that hold nothing of what was asked for: no record, no list, no word of the change. */
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
import {listSubscriptions} from '../../src/api/operations/webhooks.js'
import {apiAnswering} from '../support/answering.js'
import {rejectionOf} from '../support/thrown.js'

type Api = ReturnType<typeof apiAnswering>['api']

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

  test('is not the empty list of warnings beside it', async () => {
    const {api} = apiAnswering({json: {data: null, warnings: []}})
    expect((await rejectionOf(ask(api))).details.code).toBe('answer_not_understood')
  })
})

test('a change is not in an answer that says nothing of it, unless it says that it was taken', async () => {
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

test('a status in the envelope is the record', async () => {
  expect(await showAccount(apiAnswering({json: {data: {status: 'ACTIVE'}}}).api)).toEqual({status: 'ACTIVE'})
})
