/** Reservations in answers of any form: lists up to the last page, facts, quotes, cancellations and updates. */
import {describe, expect, test} from 'vitest'
import {factsOfReservation} from '../../../src/api/answers/reservations.js'
import {
  cancelReservation,
  eachReservation,
  listReservations,
  quoteCancellation,
  showReservation,
  updateReservation,
} from '../../../src/api/operations/reservations.js'
import type {Api} from '../../../src/api/types.js'
import {apiAnswering} from '../../support/answering.js'
import {rejectionOf} from '../../support/thrown.js'

const record = (ref: string) => ({reservation_ref: ref, status: 'CONFIRMED'})
const page = (refs: string[], after: string | null) => ({json: {data: refs.map(record), meta: {after}}})
const refsOf = ({reservations}: {reservations: readonly {reservation_ref: string}[]}) =>
  reservations.map(({reservation_ref}) => reservation_ref)

describe('a list', () => {
  test.each([
    ['in data', {data: [record('A'), record('B')]}],
    ['bare', [record('A'), record('B')]],
    ['under any name', {result: {count: 2, bookings: [{booking: record('A')}, {booking: record('B')}]}}],
    ['by reference', {data: {A: record('A'), B: record('B')}}],
    ['holding others inside', {data: [{...record('A'), parent: record('X')}, record('B')]}],
  ])('%s', async (_, json) => {
    const found = await listReservations(apiAnswering({json}).api, {})
    expect([refsOf(found), found.next]).toEqual([['A', 'B'], null])
  })

  test('is one page by default, and names the next', async () => {
    const {api, requests} = apiAnswering(page(['A'], 'two'))
    const {next} = await listReservations(api, {query: {status: 'CONFIRMED', created_from: '2030-01-01'}})
    expect(next).toBe('two')
    expect(requests).toEqual(['GET /v1/reservations?status=CONFIRMED&created_from=2030-01-01 '])
  })

  test('with a limit is read until there are enough, and cut if the service returns more', async () => {
    const {api, requests} = apiAnswering(page(['A', 'B'], 'two'), page(['C'], 'three'))
    const found = await listReservations(api, {limit: 3})
    expect([refsOf(found), found.next]).toEqual([['A', 'B', 'C'], 'three'])
    expect(requests).toEqual(['GET /v1/reservations?limit=3 ', 'GET /v1/reservations?limit=1&after=two '])
    const deaf = apiAnswering(page(['A', 'B'], 'two'), page(['C', 'D'], null))
    const cut = await listReservations(deaf.api, {limit: 3})
    expect([refsOf(cut), cut.next]).toEqual([['A', 'B', 'C'], 'two'])
  })

  test('with --all ends at the last page, or at a cursor without a page', async () => {
    const {api} = apiAnswering(page(['A'], 'two'), page(['B'], 'three'), page(['C'], null))
    expect(refsOf(await listReservations(api, {all: true}))).toEqual(['A', 'B', 'C'])
    const empty = apiAnswering(page(['A'], 'two'), page([], 'two'))
    expect(await listReservations(empty.api, {all: true})).toMatchObject({next: null})
    expect(empty.requests).toHaveLength(2)
  })

  test('with --all skips empty pages, but not endlessly', async () => {
    const {api} = apiAnswering(page([], 'two'), page(['A'], 'three'), page([], 'four'), page(['B'], null))
    expect(refsOf(await listReservations(api, {all: true}))).toEqual(['A', 'B'])
    const first = apiAnswering(page([], 'two'))
    expect(await listReservations(first.api, {})).toMatchObject({reservations: [], next: 'two'})
    const cursors = ['a', 'b', 'c', 'd', 'e', 'f'].map(cursor => page([], cursor))
    const endless = apiAnswering(page(['A'], 'z'), ...cursors)
    expect(await listReservations(endless.api, {all: true})).toMatchObject({next: null})
    expect(endless.requests).toHaveLength(5)
  })

  const rows = (ref: string) => [record(ref)]
  const BASE = 'https://service.test/v1'
  test.each<[string, (data: object[], n: number, isLast: boolean) => object]>([
    ['a link', (data, n, isLast) => ({data, links: {next: isLast ? null : `/b?page=${n + 1}`}})],
    [
      'a URL',
      (items, n, isLast) => ({items, _links: isLast ? {} : {next: {href: `${BASE}/b?page=${n + 1}`}}}),
    ],
    ['a number of pages', (data, page) => ({data, meta: {page, total_pages: 3}})],
    ['a number', (data, n, isLast) => ({data, next_page: isLast ? null : n + 1})],
    ['a cursor named next', (data, n, isLast) => ({data, meta: {next: isLast ? null : `c${n}`}})],
    ['a cursor beside has_more', (data, n, isLast) => ({data, next_cursor: `c${n}`, has_more: !isLast})],
  ])('is followed by %s, and --after takes what it names', async (_, answerOf) => {
    const pages = ['A', 'B', 'C'].map((ref, n) => ({json: answerOf(rows(ref), n + 1, n === 2)}))
    const whole = apiAnswering(...pages)
    expect(refsOf(await listReservations(whole.api, {all: true}))).toEqual(['A', 'B', 'C'])
    const first = apiAnswering(...pages)
    const {next} = await listReservations(first.api, {})
    await listReservations(first.api, {after: next ?? ''})
    const second = whole.requests[1]?.replace(/limit=200&?/, '')
    expect(first.requests[1]).toBe(second)
  })

  test.each([
    ['has_more', {data: rows('A'), has_more: true}],
    ['a total', {data: rows('A'), meta: {total: 2}}],
    ['a cursor that gives the same again', {data: rows('A'), meta: {after: 'two'}}],
    ['a link to another service', {data: rows('A'), links: {next: 'https://elsewhere.test/v1/b?page=2'}}],
    ['a link beside the base URL', {data: rows('A'), next: 'https://service.test/v2/b?page=2'}],
  ])('is incomplete if %s says so', async (_, json) => {
    const {api, requests} = apiAnswering({json})
    const failure = await rejectionOf(listReservations(api, {all: true}))
    expect([failure.kind, failure.details.code]).toEqual(['service_failed', 'list_incomplete'])
    expect((await listReservations(api, {})).next).not.toBeNull()
    expect(requests.filter(line => !/^GET \/v1\/reservations[? ]/.test(line))).toEqual([])
  })
})

describe('a list page by page', () => {
  /** Reads the references of each page into `pages`. */
  const readInto = async (pages: string[][], api: Api, query = {}) => {
    for await (const found of eachReservation(api, query))
      pages.push(found.map(({reservation_ref}) => reservation_ref))
  }

  test('has each reservation once, although the list changed meanwhile', async () => {
    const {api, requests} = apiAnswering(
      page(['B', 'A'], 'two'),
      page(['A', 'X'], 'three'),
      page(['W'], null),
    )
    const pages: string[][] = []
    await readInto(pages, api, {created_from: '2030-01-01'})
    expect(pages).toEqual([['B', 'A'], ['X'], ['W']])
    expect(requests[0]).toBe('GET /v1/reservations?created_from=2030-01-01&limit=100 ')
  })

  test('ends with an error if the same page comes again and again', async () => {
    const {api, requests} = apiAnswering(page(['A'], 'two'), page(['A'], 'three'), page(['A'], 'four'))
    const pages: string[][] = []
    const failure = await rejectionOf(readInto(pages, api))
    expect(failure.details.code).toBe('list_incomplete')
    expect(pages.flat()).toEqual(['A'])
    expect(requests).toHaveLength(2)
  })
})

test('reads the facts of another service’s reservation, and null for each that is missing', () => {
  const foreign = {
    reservation_ref: 'A',
    hotelName: 'Otel',
    checkIn: '2030-06-01',
    totalPrice: {value: 120, currency: 'EUR'},
    passengers: [{firstName: 'Ayşe', lastName: 'Öğüt'}],
    cancellation_policies: [
      {from: '2030-05-30T00:00:00Z', fee: 120},
      {from: '2030-05-01T00:00:00Z', fee: 0},
      {from: '2030-05-20T00:00:00Z', fee: 40},
    ],
  }
  expect(factsOfReservation({reservation: foreign})).toMatchObject({
    hotel: 'Otel',
    check_in: '2030-06-01',
    check_out: null,
    price: {amount: '120.00', currency: 'EUR'},
    lead_guest: 'Ayşe Öğüt',
    free_until: '2030-05-20T00:00:00Z',
  })
  const mute = factsOfReservation({reservation: {reservation_ref: 'A', guests: 3, hotel: []}})
  expect(new Set(Object.values(mute))).toEqual(new Set([null]))
})

const EUR = 'EUR'

describe('a quote', () => {
  test.each([
    [{data: {fee: '10.00', refund_amount: '90.00', currency: EUR}}, '10.00', '90.00'],
    [
      {quote: {cancellationFee: {amount: 10, currency: EUR}, refund: {amount: 90}}, currency: EUR},
      '10.00',
      '90.00',
    ],
    [{penalty: 10.5, currency: EUR}, '10.50', undefined],
    [{data: {fee: 0, currency: EUR, refund: '0'}}, '0.00', '0'],
    [{data: {fee: '9.00', fee_percent: 10, type: 'cancellation_quote', currency: EUR}}, '9.00', undefined],
    [{fee: '10.00 EUR'}, '10.00', undefined],
    [{currency: EUR, result: {fee: '10.00'}}, '10.00', undefined],
    [{data: {fee: '9.00', currency: EUR}, cancellation_fee: '9'}, '9.00', undefined],
  ])('in %j', async (json, fee, refund) => {
    const quote = await quoteCancellation(apiAnswering({json}).api, 'A')
    expect([quote.fee, quote.refund?.amount]).toEqual([{amount: fee, currency: EUR}, refund])
  })

  test.each([
    {data: {refund: '90.00'}},
    {data: {cancellation_policies: [{fee: '10.00', currency: EUR}]}},
    {data: {price: {fee: '3.00', currency: EUR}}},
    [],
    {data: {hotel: {fee: '1.00'}, total: {fee: '10.00', currency: EUR}}},
    {data: {fee: '10.00', charge: '3.00', currency: EUR}},
    {data: {fee: {amount: 5, currency: 'USD'}, penalty: {amount: 5, currency: EUR}}},
    {reservation: {cancellation: {fee: '0.00'}}, quote: {amount: '50.00', currency: EUR}},
    {data: {quotes: [{fee: 0}, {fee: 50}], currency: EUR}},
    {data: {fee: '20%', charge: '3.00', currency: EUR}},
    {data: {cancellation_fee: {percentage: 20}, fee: '3.00', currency: EUR}},
    {data: {fee: {value: 20, unit: '%'}, currency: EUR}},
    {data: {fee: 1, feeType: 'NIGHTS', currency: EUR}},
    {data: {fee: 45000, minor_units: 2, currency: EUR}},
    {data: {amountType: 'Percentage', quote: {penalty: {amount: 20, currency: EUR}}}},
  ])('is refused if it names no fee or several: %j', async json => {
    const failure = await rejectionOf(quoteCancellation(apiAnswering({json}).api, 'A'))
    expect([failure.kind, failure.details.code]).toEqual(['service_failed', 'answer_not_understood'])
  })
})

const update = (api: Api) => updateReservation(api, 'A', {contact: {name: 'B'}})
const cancel = (api: Api) => cancelReservation(api, 'A', {})

describe('an answer about another reservation', () => {
  const other = {json: {data: {reservation_ref: 'B', status: 'CANCELLED', fee: '0.00', currency: 'EUR'}}}
  test.each([
    ['show', showReservation, 'service_failed'],
    ['quote', quoteCancellation, 'service_failed'],
    ['cancellation', cancel, 'outcome_unknown'],
    ['update', update, 'outcome_unknown'],
  ] as const)('fails a %s', async (_name, ask, kind) => {
    const failure = await rejectionOf(ask(apiAnswering(other).api, 'A'))
    expect([failure.kind, failure.details.code]).toEqual([kind, 'another_reservation'])
  })

  test('is not assumed if the one asked for is in it, also in another case', async () => {
    const both = {json: {data: [record('B'), record('A')]}}
    expect((await showReservation(apiAnswering(both).api, 'A')).reservation_ref).toBe('A')
    const {status} = await showReservation(apiAnswering({json: record('rsv-1')}).api, 'RSV-1')
    expect(status).toBe('CONFIRMED')
  })
})

describe('a 2xx answer to a cancellation', () => {
  const A = {reservation_ref: 'A'}
  test.each([
    {status: 'REJECTED'},
    {data: {status: 'FAILED', reason: 'no'}},
    {data: {...A, status: 'NOT_CANCELLED'}},
    {data: {...A, status: 'CONFIRMED'}},
    {data: {...A, status: 'CANCELLED'}, status: 'partially failed'},
    {data: {cancelled: false}},
    {data: {success: false}},
    {data: {error: {code: 'no'}}},
  ])('that does not confirm it: %j', async json => {
    const failure = await rejectionOf(cancelReservation(apiAnswering({json}).api, 'A', {}))
    expect(failure.kind).toBe('outcome_unknown')
    expect(failure.details.result).toHaveProperty('outcome')
  })

  test.each([
    [{status: 'ok', data: {...A, status: 'CANCELLED'}}, 'cancelled'],
    [{data: {...A, status: 'CANCELLED_BY_PARTNER'}}, 'cancelled_by_partner'],
    [{data: {...A, status: 'CANCELLATION_PENDING'}}, 'cancellation_pending'],
    [{data: {...A, status: 'CANCELLED', payment: {status: 'PAID'}}, refund: {status: 'FAILED'}}, 'cancelled'],
    [{success: true, cancelled: true}, 'cancelled'],
    [{status: 'success'}, 'accepted'],
    [{}, 'accepted'],
  ])('that confirms or accepts it: %j', async (json, outcome) => {
    expect(await cancelReservation(apiAnswering({json}).api, 'A', {})).toMatchObject({outcome})
  })

  test('an update denied in a 2xx answer has an unknown outcome', async () => {
    for (const json of [{status: 'REJECTED'}, {data: {success: false}}, {data: A, result: 'not updated'}]) {
      const failure = await rejectionOf(updateReservation(apiAnswering({json}).api, 'A', {}))
      expect(failure.kind).toBe('outcome_unknown')
    }
    const done = {status: 'ok', data: {...A, status: 'CONFIRMED', is_cancelled: false}}
    const updated = await updateReservation(apiAnswering({json: done}).api, 'A', {})
    expect(updated?.status).toBe('CONFIRMED')
  })
})

test('a cancellation has the status and the fee of the service, in any shape', async () => {
  const json = {booking: {reservation_ref: 'A', status: 'Cancelled', cancellation: {fee: 5, currency: 'EUR'}}}
  expect(await cancelReservation(apiAnswering({json}).api, 'A', {})).toEqual({
    outcome: 'cancelled',
    reservation: json.booking,
    fee: {amount: '5.00', currency: 'EUR'},
    refund: null,
  })
})
