/** Amounts as people write them in spreadsheets: how each is read, and which are refused. */
import {describe, expect, test} from 'vitest'
import {readLedgerAmount} from '../../../../src/cli/features/reconcile/ledger-amounts.js'
import {thrownBy} from '../../../support/thrown.js'

describe('an amount of a ledger', () => {
  test.each([
    ['1250', '1250'],
    ['1250.5', '1250.5'],
    ['1250,50', '1250.50'],
    ['1.250,50', '1250.50'],
    ['1,250.50', '1250.50'],
    ['1 250,50', '1250.50'],
    ['1\u202f250,50', '1250.50'],
    ["1'250.50", '1250.50'],
    ['1.234.567', '1234567'],
    ['12,345,678.90', '12345678.90'],
    ['0.125', '0.125'],
    ['1250.125', '1250.125'],
    ['99999999999999.99', '99999999999999.99'],
  ])('%s is %s', (text, amount) => {
    expect(readLedgerAmount(text, 'EUR')).toEqual({amount, currency: 'EUR'})
  })

  test.each([
    ['1250.50 EUR', 'EUR'],
    ['eur 1250.50', 'EUR'],
    ['USD1250.50', 'USD'],
    ['1250.50', null],
  ])('%s is in %s', (text, currency) => {
    expect(readLedgerAmount(text, null)).toEqual({amount: '1250.50', currency})
  })

  test.each(['1.250', '1,250', '999.999'])('%s can be read in two ways, and is refused', text => {
    for (const currency of ['EUR', null]) {
      const {message, details} = thrownBy(() => readLedgerAmount(text, currency))
      expect(message).toBe(`can be read in two ways, not "${text}"`)
      expect(details.hint).toContain('write it with its decimals')
    }
  })

  test('the decimals of the currency say how it is read, where they can', () => {
    expect(readLedgerAmount('1.250', 'KWD').amount).toBe('1.250')
    expect(readLedgerAmount('1.250', 'JPY').amount).toBe('1250')
    expect(readLedgerAmount('1,250 JPY', null).amount).toBe('1250')
    expect(thrownBy(() => readLedgerAmount('1,250', 'KWD')).kind).toBe('usage')
  })

  test.each(['-12.50', '(12.50)', '12.50-'])('%s has a sign, and is refused', text => {
    expect(thrownBy(() => readLedgerAmount(text, 'EUR')).message).toContain('without a sign')
  })

  test.each(['', 'free', '12.50.1', '1,2,3', '1.25,000.00', '€12', 'EUR 12 USD', '1e3', '12..5', '1 2'])(
    '%s is no amount',
    text => {
      expect(thrownBy(() => readLedgerAmount(text, null)).kind).toBe('usage')
    },
  )

  test('a currency other than that of the currency column is refused', () => {
    expect(thrownBy(() => readLedgerAmount('12.50 USD', 'EUR')).message).toContain('must be in EUR')
  })
})
