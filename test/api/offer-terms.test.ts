/** Charges at the hotel, cancellation fees and ways to pay, in whatever shape an offer has. */
import {expect, test} from 'vitest'
import {termsOf} from '../../src/api/answers/offer-terms.js'

const NOTHING = {
  dueAtProperty: undefined,
  policies: undefined,
  paymentModes: undefined,
  roomsLeft: undefined,
  remarks: undefined,
}

test('what the offer does not say is not known', () => {
  expect(termsOf({offer_id: 'off_1'})).toEqual(NOTHING)
})

test.each([
  [{price: {due_at_property: []}}, []],
  [
    {price: {due_at_property: [{description: 'City tax', amount: '12.00', currency: 'EUR'}]}},
    [{description: 'City tax', amount: '12.00', currency: 'EUR'}],
  ],
  [{payAtHotel: 12.5}, [{description: null, amount: '12.5', currency: null}]],
  [
    {fees: {mandatory_fees: {name: 'Resort fee', amount: {value: 7, currency: 'USD'}}}},
    [{description: 'Resort fee', amount: '7', currency: 'USD'}],
  ],
  [{city_tax: {percent: 3}}, undefined],
])('due at the hotel: %j', (raw, due) => {
  expect(termsOf(raw).dueAtProperty).toEqual(due)
})

test.each([
  [
    {cancellation_policies: [{from: '2030-05-29T18:00:00+03:00', amount: '10.00', currency: 'EUR'}]},
    [{from: '2030-05-29T18:00:00+03:00', fee: '10.00', currency: 'EUR'}],
  ],
  [
    {cancelPenalties: [{start: '2030-05-29', percent: '50%'}]},
    [{from: '2030-05-29', fee: '50 %', currency: null}],
  ],
  [{cancellation_policy: {penalty: 20}}, [{from: null, fee: '20', currency: null}]],
  [{cancellation_policies: 'ask the hotel'}, undefined],
])('cancelling: %j', (raw, policies) => {
  expect(termsOf(raw).policies).toEqual(policies)
})

test('the rest', () => {
  const raw = {payment_modes: ['ACCOUNT', 'instant'], roomsLeft: 2, remarks: 'Bring a passport'}
  expect(termsOf(raw)).toEqual({
    ...NOTHING,
    ...{paymentModes: ['account', 'instant'], roomsLeft: 2, remarks: 'Bring a passport'},
  })
  expect(termsOf({payment_methods: [{code: 'card'}], rooms_left: 'many'})).toEqual(NOTHING)
})

test('the outermost counts, then the first of several names, and null says nothing', () => {
  const inner = {rooms_left: 9, remarks: 'inner', paymentModes: ['Instant']}
  expect(termsOf({inner, notes: 'later name', remark: 'outer', rooms_left: null})).toMatchObject({
    ...{remarks: 'outer', roomsLeft: 9, paymentModes: ['instant']},
  })
})
