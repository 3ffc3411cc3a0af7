/** Quotes, cancellations and updates in answers of any shape. */
import {describe, expect, test} from 'vitest'
import {
  cancelReservation,
  quoteCancellation,
  showReservation,
  updateReservation,
} from '../../src/api/operations/reservations.js'
import type {Api} from '../../src/api/types.js'
import {apiAnswering} from '../support/answering.js'
import {rejectionOf} from '../support/thrown.js'

const EUR = 'EUR'

const record = (ref: string) => ({reservation_ref: ref, status: 'CONFIRMED'})

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
    [{data: {fee: 0, fee_type: 'percent', currency: EUR}}, '0.00', undefined],
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
    {data: {fee: null}},
    [],
    {data: {hotel: {fee: '1.00'}, total: {fee: '10.00', currency: EUR}}},
    {data: {fee: '10.00', charge: '3.00', currency: EUR}},
    {data: {fee: {amount: 5, currency: 'USD'}, penalty: {amount: 5, currency: EUR}}},
    {reservation: {cancellation: {fee: '0.00'}}, quote: {amount: '50.00', currency: EUR}},
    {data: {quotes: [{fee: 0}, {fee: 50}], currency: EUR}},
    {data: {fee: '20', fee_type: 'percent', currency: EUR}},
    {data: {fee: '20%', charge: '3.00', currency: EUR}},
    {data: {cancellation_fee: {percentage: 20}, fee: '3.00', currency: EUR}},
    {data: {fee: {value: 20, unit: '%'}, currency: EUR}},
    {data: {fee: 1, feeType: 'NIGHTS', currency: EUR}},
    {data: {fee: 45000, minor_units: 2, currency: EUR}},
    {data: {amountType: 'Percentage', quote: {penalty: {amount: 20, currency: EUR}}}},
  ])('that names no fee, or several, is none: %j', async json => {
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
  ] as const)('is none to a %s', async (_name, ask, kind) => {
    const failure = await rejectionOf(ask(apiAnswering(other).api, 'A'))
    expect([failure.kind, failure.details.code]).toEqual([kind, 'another_reservation'])
  })

  test('is not one that holds the one asked for, or writes it otherwise', async () => {
    const both = {json: {data: [record('B'), record('A')]}}
    expect((await showReservation(apiAnswering(both).api, 'A')).reservation_ref).toBe('A')
    const {status} = await showReservation(apiAnswering({json: record('rsv-1')}).api, 'RSV-1')
    expect(status).toBe('CONFIRMED')
  })
})

describe('what a success says of a cancellation', () => {
  const A = {reservation_ref: 'A'}
  test.each([
    {status: 'REJECTED'},
    {data: {status: 'FAILED', reason: 'no'}},
    {data: {...A, status: 'NOT_CANCELLED'}},
    {data: {...A, status: 'CONFIRMED'}},
    {data: {...A, status: 'CANCELLATION_FAILED'}},
    {data: {...A, status: 'CANCELLED'}, status: 'partially failed'},
    {data: {cancelled: false}},
    {data: {success: false}},
    {data: {error: {code: 'no'}}},
    {result: 'refused'},
  ])('that it is not done, or not plainly: %j', async json => {
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
  ])('that it is, or will be: %j', async (json, outcome) => {
    expect(await cancelReservation(apiAnswering({json}).api, 'A', {})).toMatchObject({outcome})
  })

  test('and of an update', async () => {
    for (const json of [
      {status: 'REJECTED'},
      {data: {success: false}},
      {data: {...A}, result: 'not updated'},
    ]) {
      const failure = await rejectionOf(updateReservation(apiAnswering({json}).api, 'A', {}))
      expect(failure.kind).toBe('outcome_unknown')
    }
    const done = {status: 'ok', data: {...A, status: 'CONFIRMED', is_cancelled: false}}
    expect(await updateReservation(apiAnswering({json: done}).api, 'A', {})).toMatchObject({
      status: 'CONFIRMED',
    })
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
