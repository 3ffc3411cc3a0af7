/** Where a person may be sent to pay. */
import {expect, test} from 'vitest'
import type {ReserveOutcome} from '../../src/api/reserve/outcome.js'
import {paymentAddress, qrCode, reservationResult} from '../../src/cli/features/reserve/payment.js'

const pending = (payment_url: string | null): ReserveOutcome => ({
  outcome: 'pending_payment',
  reservation: {},
  reservation_ref: 'R-1',
  status: 'PENDING_PAYMENT',
  payment_url,
  idempotency_key: 'k',
  client_reference_id: 'c',
  attempts: 1,
  repeated: false,
})

test.each([
  'https://pay.test/x',
  'http://127.0.0.1:8080/x',
  'http://127.9.8.7/x',
  'http://localhost/x',
  'http://[::1]/x',
])('%s is one', url => {
  expect(paymentAddress(pending(url))).toBe(url)
})

test.each([
  'http://pay.test/x',
  'http://localhost.pay.test/x',
  'http://127.0.0.1.pay.test/',
  'javascript:alert(1)',
  'https://u:p@pay.test/',
  'x',
  null,
])('%s is none', url => {
  expect(paymentAddress(pending(url))).toBeUndefined()
})

test('a QR code is shown where it fits, and an address too long for one needs none', async () => {
  const code = await qrCode('https://pay.test/x', 80)
  expect(code).toMatch(/[▀▄█]/)
  expect(Math.max(...(code ?? '').split('\n').map(line => line.length))).toBeLessThanOrEqual(80)
  expect(await qrCode('https://pay.test/x', 20)).toBeUndefined()
  expect(await qrCode(`https://pay.test/${'x'.repeat(3000)}`, 100_000)).toBeUndefined()
})

test('the JSON names the reservation, its status and where to pay beside what the service sent', () => {
  const names = {idempotency_key: 'k', client_reference_id: 'c', attempts: 1}
  const made = {
    outcome: 'pending_payment',
    reservation_ref: 'R-1',
    status: 'PENDING_PAYMENT',
    reservation: {},
  }
  const url = 'https://pay.test/x'
  expect(reservationResult(pending(url)).document).toEqual({...made, payment_url: url, ...names})
  expect(reservationResult(pending('javascript:alert(1)')).document).toMatchObject({payment_url: null})
})
