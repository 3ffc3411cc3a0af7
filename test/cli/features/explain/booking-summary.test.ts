/** The stay of a booking, and what cancelling it costs, from its record or from the offer. */
import {expect, it} from 'vitest'
import {stayOf, summaryOf} from '../../../../src/cli/features/explain/booking-summary.js'
import {SEEN} from '../../../support/seen-offer.js'
import {entry, NOON, RECORD, reservation, shown} from './made-up-facts.js'

const DAY = 86_400
const POLICIES = [
  {from: '2030-06-01T00:00:00Z', amount: '0.00', currency: 'EUR'},
  {from: '2030-06-03T12:00:00Z', amount: '50.00', currency: 'EUR'},
  {from: '2030-06-05T12:00:00Z', amount: '100.00', currency: 'EUR'},
]
const withPolicies = reservation({service: shown({cancellation_policies: POLICIES})})
const cancellingAt = (now: number, facts = withPolicies) => summaryOf(facts, now).cancelling

it('cancelling is free until the first fee, and costs that of the step that has begun', () => {
  const until = NOON + 2 * DAY
  expect(cancellingAt(NOON)).toEqual({kind: 'free', until, feeAfterwards: '50.00 EUR'})
  expect(cancellingAt(until)).toEqual({kind: 'costs', fee: '50.00 EUR'})
  expect(cancellingAt(NOON + 9 * DAY)).toEqual({kind: 'costs', fee: '100.00 EUR'})
})

it('terms that neither offer nor reservation states are unknown', () => {
  expect(cancellingAt(NOON, reservation())).toBeNull()
  const unzoned = shown({cancellation_policies: [{from: '2030-06-03T12:00:00', amount: '50.00'}]})
  expect(cancellingAt(NOON, reservation({service: unzoned}))).toBeNull()
})

it('the terms of the offer apply if the reservation has none', () => {
  const details = {refundable: true, free_cancellation_until: '2030-06-03T12:00:00Z', terms: null, city: null}
  const offer = {...SEEN, details}
  const free = {kind: 'free', until: NOON + 2 * DAY, feeAfterwards: null}
  expect(cancellingAt(NOON, reservation({offer}))).toEqual(free)
  const fixed = {...SEEN, details: {...details, refundable: false}}
  expect(cancellingAt(NOON, reservation({offer: fixed}))).toEqual({kind: 'not_refundable'})
})

it('the summary has the state, price and terms of the record', () => {
  expect(summaryOf(reservation(), NOON)).toMatchObject({
    clientReferenceId: 'order-7',
    state: 'confirmed',
    isPaid: true,
    madeAt: NOON,
    price: {amount: '100.00', currency: 'EUR'},
  })
})

it('a stay is that of the record, and that of the offer without one', () => {
  const stay = {hotel: 'Sea View', checkIn: RECORD.check_in, checkOut: RECORD.check_out}
  expect(stayOf(reservation())).toEqual(stay)
  const bare = reservation({service: {kind: 'hidden'}, entry: entry({result: null}), offer: SEEN})
  expect(stayOf(bare)).toEqual({hotel: 'Pera', checkIn: '2030-06-01', checkOut: '2030-06-04'})
})
