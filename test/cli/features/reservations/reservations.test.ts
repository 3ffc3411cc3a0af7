/** How a reservation and its payment are shown, in the forms that services use. Unknown facts are left out. */
import {expect, test, vi} from 'vitest'
import {describeCancellation} from '../../../../src/cli/features/reservations/reservations.js'
import {
  awaited,
  factsShown,
  lacksAddress,
  lacksAddressText,
  paymentAddress,
  paymentNote,
  paymentStateOf,
  qrCode,
  reservationResult,
} from '../../../../src/cli/features/reserve/booking.js'
import type {Target} from '../../../../src/cli/session/resolve.js'
import {isPublicHost} from '../../../../src/contract/network.js'
import {pending} from '../../../support/booking.js'
import {SEEN} from '../../../support/seen-offer.js'

const SAFE = ['https://pay.test/x', 'http://127.0.0.1:8080/x', 'http://localhost/x', 'http://[::1]/x']
const OTHERS = [
  'http://pay.test/x',
  'http://localhost.pay.test/x',
  'javascript:alert(1)',
  'https://u:p@a.test/',
  'x',
]
test.each([...SAFE, ...OTHERS, null])('%s is an address to pay at only if it is safe', url => {
  expect(paymentAddress(pending(url))).toBe(url !== null && SAFE.includes(url) ? url : undefined)
})

test.each([
  ['localhost 127.0.0.1 [::1] 0.0.0.0 pay.localhost [::ffff:127.0.0.1] nas nas.local. 10.1.2.3', false],
  ['172.20.0.1 192.168.1.7 169.254.1.1 [fd00::1] [fe80::1] [::ffff:10.0.0.1]', false],
  ['pay.example.com 8.8.8.8 172.32.0.1 [2606:4700::1111]', true],
])('a telephone elsewhere reaches %s: %s', (hosts, expected) => {
  for (const host of hosts.split(' '))
    expect([host, isPublicHost(new URL(`https://${host}/`).hostname)]).toEqual([host, expected])
})

test('a QR code is shown if it fits, and left out if the address is too long', async () => {
  const code = await qrCode('https://pay.test/x', 80)
  expect(code).toMatch(/[▀▄█]/)
  expect(Math.max(...(code ?? '').split('\n').map(line => line.length))).toBeLessThanOrEqual(80)
  expect(await qrCode('https://pay.test/x', 20)).toBeUndefined()
  expect(await qrCode(`https://pay.test/${'x'.repeat(3000)}`, 100_000)).toBeUndefined()
})

test('the JSON has the reservation, its status and the payment URL, next to what the service sent', () => {
  const {repeated: _, booked: __, ...booking} = pending('https://pay.test/x')
  const made = {...booking, price_changed: false}
  expect(reservationResult(pending('https://pay.test/x')).document).toEqual(made)
  expect(reservationResult(pending('javascript:alert(1)')).document).toMatchObject({payment_url: null})
})

const NO_MORE = {reason: null, until: null}

test.each<[object, object | undefined]>([
  [
    {payment: {status: 'FAILED', failure_code: 'card_declined', expires_at: '2030-06-01T12:15:00Z'}},
    {kind: 'declined', reason: 'card_declined', until: '2030-06-01T12:15:00Z'},
  ],
  [{payment: {state: 'Declined', payBy: '2030'}}, {kind: 'declined', reason: null, until: '2030'}],
  [{payment: [{status: 'failed', failureReason: 'no'}]}, {...NO_MORE, kind: 'declined', reason: 'no'}],
  [{payment: {status: 'EXPIRED', expires_at: 'x'}}, {...NO_MORE, kind: 'expired', until: 'x'}],
  [{payment: {status: 'CANCELLED'}}, {...NO_MORE, kind: 'cancelled'}],
  [{payment: {status: 'PAID'}}, {...NO_MORE, kind: 'paid'}],
  [{paymentStatus: ' captured '}, {...NO_MORE, kind: 'paid'}],
  [{}, undefined],
  [{payment: null}, undefined],
  [{status: 'FAILED'}, undefined],
  [{payment: {status: {code: 1}}}, undefined],
  [{payment: {status: 'UNPAID'}}, undefined],
])('%j', (reservation, found) => {
  expect(paymentStateOf({reservation: reservation as Record<string, unknown>})).toEqual(found)
})

test('a declined payment can be tried again until its time is over', () => {
  const note = (expires_at: string) => {
    const payment = {status: 'FAILED', failure_code: 'card_declined', expires_at}
    return paymentNote({...pending(null), reservation: {payment}}, 1_900_000_000)
  }
  const declined = 'the payment was declined (card_declined)'
  expect(note('2030-03-17T17:46:41Z')).toBe(`${declined}; it can be tried again until 2030-03-17T17:46:41Z`)
  expect(note('2030-03-17T17:46:40Z')).toBe(`${declined}; the time to pay has ended (2030-03-17T17:46:40Z)`)
  expect(note('noon')).toBe(`${declined}; it can be tried again until noon`)
})

test('a paid reservation waits for its confirmation, and is not to be paid again', () => {
  const paid = {...pending('https://pay.test/x'), reservation: {payment: {status: 'PAID'}}}
  expect(awaited(paid)).toBe('confirmation')
  expect(awaited({...paid, payment_url: null})).toBe('confirmation')
  expect([paymentAddress(paid), lacksAddress(paid)]).toEqual([undefined, false])
  expect(paymentNote(paid, 0)).toBe('it is paid, and waits for confirmation')
  expect(paymentNote({...paid, outcome: 'confirmed'}, 0)).toBeUndefined()
})

test.each([
  ['pending_payment', 'https://pay.example/1', 'payment'],
  ['in_process', null, 'confirmation'],
  ['pending_payment', null, 'nothing'],
  ['pending_payment', 'http://pay.example/1', 'nothing'],
  ['pending_payment', 'https://me:secret@pay.example/1', 'nothing'],
  ['rejected', null, 'nothing'],
  ['payment_received', null, 'nothing'],
  ['zorp', null, 'nothing'],
])('%s with the address %s waits for %s', (outcome, address, waits) => {
  expect(awaited(pending(address, outcome))).toBe(waits)
})

test('reports a payment without a safe address, without showing its secret', () => {
  const outcome = pending('https://me:secret@pay.example/1?token=x')
  expect(lacksAddress(outcome)).toBe(true)
  const text = lacksAddressText(outcome).join('\n')
  expect(text).toContain('https://pay.example')
  expect(text).not.toMatch(/secret|token/)
  expect(text).toContain('bookctl reserve --resume c --wait')
  expect(lacksAddress(pending(null, 'payment_received'))).toBe(false)
})

const now = Date.parse('2030-01-01T00:00:00Z') / 1000
const today = {now, payAt: undefined}
type Shown = Parameters<typeof factsShown>[1]
const shown = (reservation: Record<string, unknown>, parts = today as Shown, status = 'CONFIRMED') => {
  const facts = factsShown({reservation, reservation_ref: 'R-1', status}, parts)
  return Object.fromEntries(Object.entries(facts).filter(([, text]) => text))
}

test('a reservation of which only the reference is known shows the reference and the command for its voucher', () => {
  const voucher = 'bookctl voucher download R-1'
  expect(shown({})).toEqual({reservation: 'R-1', status: 'CONFIRMED', voucher})
})

test('a reservation that has ended shows no voucher and no deadline', () => {
  const ended = {voucher: {status: 'PENDING'}, cancellation_deadline: '2999-01-01T00:00:00Z'}
  for (const status of ['CANCELLED', 'Expired', 'failed'])
    expect(shown(ended, today, status)).toEqual({reservation: 'R-1', status})
})

test('names of other services are understood', () => {
  expect(
    shown({
      hotelName: 'Otel',
      rooms: [
        {roomType: {name: 'Double'}, board: {code: 'BB'}},
        {room_name: 'Single', meal_plan: 'HB'},
      ],
      arrival: '2030-06-01',
      departure: '2030-06-02',
      passengers: [{first_name: 'Ayşe', last_name: 'Öğüt'}, {firstName: 'Can'}],
      totalPrice: {amount: 90, currency: 'EUR'},
      payment: {method: 'card', state: 'captured'},
      cancellation_deadline: '2029-12-01T12:00:00Z',
    }),
  ).toMatchObject({
    hotel: 'Otel',
    rooms: 'Double, BB; Single, HB',
    dates: '2030-06-01 to 2030-06-02, 1 night',
    guests: 'Ayşe Öğüt, Can',
    price: expect.stringMatching(/^90(\.00)? EUR$/),
    payment: 'card, captured',
    cancellation: 'cancelling costs a fee',
  })
})

test('facts that the reservation lacks are those of its offer', () => {
  expect(shown({}, {...today, seen: SEEN})).toMatchObject({
    hotel: SEEN.hotel_name,
    dates: expect.stringContaining(`${SEEN.check_in} to ${SEEN.check_out}`),
    price: `${SEEN.total} ${SEEN.currency}`,
  })
})

test('a cancellation that is not free any more, or never was, has no deadline', () => {
  const fees = {created_at: '2029-12-02T00:00:00Z', cancellation_deadline: '2029-12-01T12:00:00Z'}
  const seen = (refundable: boolean) => {
    const details = {refundable, free_cancellation_until: null, terms: [], city: null}
    return {...today, seen: {...SEEN, details} as typeof SEEN}
  }
  expect(shown(fees)).toHaveProperty('cancellation', 'cancelling costs a fee')
  expect(shown(fees, seen(true))).toHaveProperty('cancellation', 'cancelling costs a fee')
  expect(shown(fees, seen(false))).toHaveProperty('cancellation', 'not refundable')
  expect(shown({}, seen(false))).toHaveProperty('cancellation', 'not refundable')
})

test('a fee that applied at the time of booking leaves no free period, even if the clock of the service is ahead', () => {
  const from = '2030-01-01T04:00:00+03:00'
  const ahead = {created_at: '2030-01-01T01:00:00Z', cancellation_policies: [{from, amount: '9.00'}]}
  const text = (reservation: object, refundable: boolean | null) => {
    const details = {refundable, free_cancellation_until: null, terms: null, city: null}
    return shown({...reservation}, {...today, seen: {...SEEN, details}}).cancellation
  }
  expect(text(ahead, false)).toBe('not refundable')
  expect(text(ahead, null)).toBe('cancelling costs a fee')
  expect(text({...ahead, created_at: '2030-01-01T00:59:59Z'}, null)).toMatch(/^free until /)
})

test.each([
  ['2029-12-31T13:00:00', 'free until 2029-12-31T13:00:00'],
  ['2029-12-31T12:00:00', 'cancelling costs a fee'],
  ['2029-12-31', 'cancelling costs a fee'],
  ['2030-01-01', 'free until 2030-01-01'],
  ['some day', 'free until some day'],
])('until %s, in which time zone is not said, is over when it is over everywhere', (until, cancellation) => {
  for (const zone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
    vi.stubEnv('TZ', zone)
    expect(shown({cancellation_deadline: until})).toMatchObject({cancellation})
  }
})

test('before a cancellation, it is not called free if a fee is due now', () => {
  const reservation = {cancellation_deadline: '2999-01-01T00:00:00Z'}
  const lines = (amount: string) => {
    const quote = {fee: {amount, currency: 'EUR'}, refund: null}
    const found = {reservation, reservation_ref: 'R-1', status: 'CONFIRMED', payment_url: null}
    const target = {mode: 'test', baseUrl: 'https://service.test/v1', clientId: 'c'} as Target
    return describeCancellation({reference: 'R-1', quote, reservation: found}, target).join('\n')
  }
  expect(lines('0.00')).toMatch(/Cancellation\s+free until 2999/)
  expect(lines('180.82')).toMatch(/Cancellation\s+cancelling costs a fee\nFee now/)
  expect(lines('180.82')).not.toContain('free until')
})

test('the time limit of a payment is shown only with its address', () => {
  const payment = {expires_at: '2030-06-01T12:15:00Z'}
  expect(shown({payment})).not.toHaveProperty('pay by')
  expect(shown({payment}, {...today, payAt: 'https://pay.test/x'})).toMatchObject({
    'pay at': 'https://pay.test/x',
    'pay by': '2030-06-01 12:15 (UTC)',
  })
})

test('an invalid reference is not part of a command', () => {
  const found = {reservation: {}, reservation_ref: '$(rm x)', status: 'CONFIRMED'}
  expect(factsShown(found, today).voucher).toBeNull()
})

test.each([
  [{check_in: 'soon', check_out: 'later'}, 'soon to later'],
  [{check_in: 'soon'}, 'soon'],
])('dates that are none are shown as they are: %j', (reservation, dates) => {
  expect(shown(reservation).dates).toBe(dates)
})
