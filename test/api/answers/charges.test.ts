/** What the account was charged, found in answers that name it differently and have it in different places. */
import {describe, expect, test} from 'vitest'
import {type Charge, chargeOf} from '../../../src/api/answers/charges.js'
import {priceOfReservation} from '../../../src/api/answers/reservations.js'
import {withoutPeople} from '../../../src/api/reserve/outcome.js'
import {parseExactly} from '../../../src/contract/json.js'

const PRICE = {total: '100.00', currency: 'USD'}
const EURO: Charge = {amount: '92.59', currency: 'EUR', rate: '0.9259259259'}
const STATED = {amount: '92.59', currency: 'EUR', rate: '0.9259259259'}

describe('what the account was charged', () => {
  test.each<[string, object, Charge | null]>([
    ['as the local sandbox writes it', {payment: {charged: STATED}}, EURO],
    ['as numbers', {payment: {charged: {amount: 92.59, currency: 'EUR', rate: 0.9259259259}}}, EURO],
    [
      'in camel case',
      {payment: {chargedAmount: '92.59', chargedCurrency: 'EUR', fxRate: 0.9259259259}},
      EURO,
    ],
    ['in one text, without a rate', {payment: {charged: '92.59 EUR'}}, {...EURO, rate: null}],
    [
      'in the reservation',
      {debited: {value: '92.59', currency_code: 'EUR', exchange_rate: '0.9259259259'}},
      EURO,
    ],
    ['in the price', {price: {...PRICE, account_charge: STATED}}, EURO],
    [
      'as a payment that was converted',
      {payment: {amount: 92.59, currency: 'EUR', exchange_rate: '0.9259259259'}},
      EURO,
    ],
    [
      'in a currency without decimals',
      {payment: {charged: {amount: 15000, currency: 'JPY', rate: 150}}},
      {amount: '15000', currency: 'JPY', rate: '150'},
    ],
    [
      'in a currency with three',
      {payment: {charged: {amount: 30.5, currency: 'KWD'}}},
      {amount: '30.500', currency: 'KWD', rate: null},
    ],
    [
      'a payment in the currency of the price is none',
      {payment: {amount: '100.00', currency: 'USD', exchange_rate: '1'}},
      null,
    ],
    [
      'a payment in another currency without a rate is none',
      {payment: {amount: '92.59', currency: 'EUR'}},
      null,
    ],
    ['a truth is none', {payment: {charged: true}}, null],
    [
      'an amount in minor units is none',
      {payment: {charged: {amount: 9259, currency: 'EUR', minor_units: 2}}},
      null,
    ],
    [
      'a rate that is no number is left out',
      {payment: {charged: {...STATED, rate: 'daily'}}},
      {...EURO, rate: null},
    ],
    ['a rate of zero is left out', {payment: {charged: {...STATED, rate: 0}}}, {...EURO, rate: null}],
  ])('%s', (_, said, expected) => {
    const reservation = {reservation_ref: 'R-1', price: PRICE, ...said}
    expect(chargeOf(reservation)).toEqual(expected)
    // It is never read as the price, nor makes the price unclear.
    if (expected)
      expect(priceOfReservation(reservation, reservation)).toEqual({amount: '100.00', currency: 'USD'})
  })

  test('every digit of a long rate is kept', () => {
    const text = '{"charged": {"amount": "92.59", "currency": "EUR", "rate": 0.92592592592592592592}}'
    expect(chargeOf(parseExactly(text) as Record<string, unknown>)?.rate).toBe('0.92592592592592592592')
  })

  test('is kept in the journal under one name', () => {
    const found = {reservation_ref: 'R-1', status: 'CONFIRMED', payment_url: null}
    const reservation = {debited: STATED, payment: {mode: 'account', amount: '100.00', currency: 'USD'}}
    const kept = withoutPeople({...found, reservation})
    expect(kept.payment).toEqual({mode: 'account', amount: '100.00', currency: 'USD', charged: STATED})
    expect(chargeOf(kept)).toEqual(EURO)
  })
})
