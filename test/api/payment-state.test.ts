/** A payment that did not go through, in the shapes services say so. */
import {expect, test} from 'vitest'
import {failedPaymentIn} from '../../src/cli/features/reserve/payment.js'

test.each<[object, object]>([
  [
    {payment: {status: 'FAILED', failure_code: 'card_declined', expires_at: '2030-06-01T12:15:00Z'}},
    {kind: 'declined', reason: 'card_declined', until: '2030-06-01T12:15:00Z'},
  ],
  [{payment: {state: 'Declined', payBy: '2030'}}, {kind: 'declined', reason: null, until: '2030'}],
  [
    {payments: [], paymentStatus: 'REJECTED'},
    {kind: 'declined', reason: null, until: null},
  ],
  [
    {payment: [{status: 'failed', failureReason: 'no funds'}]},
    {kind: 'declined', reason: 'no funds', until: null},
  ],
  [{payment: {status: 'EXPIRED', expires_at: 'x'}}, {kind: 'expired', reason: null, until: 'x'}],
  [{payment: {status: 'timed_out'}}, {kind: 'expired', reason: null, until: null}],
  [{payment: {status: 'CANCELLED'}}, {kind: 'cancelled', reason: null, until: null}],
])('%j', (reservation, found) => {
  expect(failedPaymentIn(reservation as Record<string, unknown>)).toEqual(found)
})

test.each([
  {},
  {payment: null},
  {payment: {status: 'PENDING'}},
  {payment: {status: 'PAID'}},
  {payment: 'failed'},
  {status: 'FAILED'},
  {payment: {status: {code: 1}}},
])('%j says nothing of the kind', reservation => {
  expect(failedPaymentIn(reservation as Record<string, unknown>)).toBeUndefined()
})
