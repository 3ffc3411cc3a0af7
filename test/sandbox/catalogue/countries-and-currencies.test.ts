/** What an account is charged for a price in another currency. */
import fc from 'fast-check'
import {expect, test} from 'vitest'
import {fromMinor, minorUnits, toMinor} from '../../../src/contract/money.js'
import {accountCharge, currencyList} from '../../../src/sandbox/catalogue/countries-and-currencies.js'

test.each([
  ['100.00', 'USD', 'EUR', {amount: '92.59', rate: '0.9259259259'}],
  ['100.00', 'EUR', 'USD', {amount: '108.00', rate: '1.08'}],
  ['16200', 'JPY', 'EUR', {amount: '100.00', rate: '0.0061728395'}],
  ['100.00', 'EUR', 'JPY', {amount: '16200', rate: '162'}],
  ['4.070', 'BHD', 'EUR', {amount: '10.00', rate: '2.457002457'}],
  ['1.00', 'EUR', 'BHD', {amount: '0.407', rate: '0.407'}],
  ['0.01', 'EUR', 'JPY', {amount: '2', rate: '162'}],
  ['12.34', 'EUR', 'EUR', {amount: '12.34', rate: '1'}],
])('%s %s charges an account in %s with the product, rounded once', (amount, from, to, expected) => {
  expect(accountCharge(amount, from, to)).toEqual({...expected, currency: to})
})

test('is the stated amount times the stated rate, for every pair of currencies', () => {
  const currency = fc.constantFrom(...currencyList().map(({code}) => code))
  fc.assert(
    fc.property(currency, currency, fc.bigInt(0n, 10n ** 10n), (from, to, minor) => {
      const amount = fromMinor(minor, from)
      const {rate, ...charge} = accountCharge(amount, from, to)
      const [whole = '', decimals = ''] = rate.split('.')
      // Twice the difference between the charge and the exact product, in the smallest unit of both.
      const unit = 10n ** BigInt(decimals.length + minorUnits(from))
      const product = minor * BigInt(whole + decimals) * 10n ** BigInt(minorUnits(to))
      const twice = 2n * (toMinor(charge.amount, to) * unit - product)
      expect(twice > -unit && twice <= unit).toBe(true)
    }),
  )
})

test('knows only the currencies of the list', () => {
  expect(() => accountCharge('1.00', 'EUR', 'XXX')).toThrow('XXX')
  expect(() => accountCharge('1.00', 'XXX', 'EUR')).toThrow('XXX')
})
