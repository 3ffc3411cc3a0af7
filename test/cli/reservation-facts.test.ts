/** What a person sees of a reservation, in the shapes services give it; what nobody says is left out. */
import {expect, test} from 'vitest'
import {factsShown} from '../../src/cli/features/reserve/payment.js'
import {SEEN} from './seen-offer.js'

const now = Date.parse('2030-01-01T00:00:00Z') / 1000
const none = {now, payAt: undefined}
const shown = (reservation: Record<string, unknown>, parts: Parameters<typeof factsShown>[1] = none) => {
  const facts = factsShown({reservation, reservation_ref: 'R-1', status: 'CONFIRMED'}, parts)
  return Object.fromEntries(Object.entries(facts).filter(([, text]) => text))
}

test('a reservation of which only the reference is known shows that, and the way to its voucher', () => {
  expect(shown({})).toEqual({
    reservation: 'R-1',
    status: 'CONFIRMED',
    voucher: 'bookctl voucher download R-1',
  })
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

test('what the reservation does not say is that of the offer it was made from', () => {
  expect(shown({}, {...none, seen: SEEN})).toMatchObject({
    hotel: SEEN.hotel_name,
    dates: expect.stringContaining(`${SEEN.check_in} to ${SEEN.check_out}`),
    price: `${SEEN.total} ${SEEN.currency}`,
  })
})

test('what is not free to cancel any more, or never was, has no deadline', () => {
  const fees = {created_at: '2029-12-02T00:00:00Z', cancellation_deadline: '2029-12-01T12:00:00Z'}
  const seen = (refundable: boolean) => {
    const details = {refundable, free_cancellation_until: null, terms: [], city: null}
    return {...none, seen: {...SEEN, details} as typeof SEEN}
  }
  expect(shown(fees)).toHaveProperty('cancellation', 'cancelling costs a fee')
  expect(shown(fees, seen(true))).toHaveProperty('cancellation', 'cancelling costs a fee')
  expect(shown(fees, seen(false))).toHaveProperty('cancellation', 'not refundable')
  expect(shown({}, seen(false))).toHaveProperty('cancellation', 'not refundable')
})

test('until when to pay is shown only beside where', () => {
  const payment = {expires_at: '2030-06-01T12:15:00Z'}
  expect(shown({payment})).not.toHaveProperty('pay by')
  expect(shown({payment}, {...none, payAt: 'https://pay.test/x'})).toMatchObject({
    'pay at': 'https://pay.test/x',
    'pay by': '2030-06-01 12:15 (UTC)',
  })
})

test('a reference that is none is not part of a command', () => {
  const found = {reservation: {}, reservation_ref: '$(rm x)', status: 'CONFIRMED'}
  expect(factsShown(found, none).voucher).toBeNull()
})

test.each([
  [{check_in: 'soon', check_out: 'later'}, 'soon to later'],
  [{check_in: 'soon'}, 'soon'],
])('dates that are none are shown as they are: %j', (reservation, dates) => {
  expect(shown(reservation).dates).toBe(dates)
})
