import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {
  compareAmounts,
  fromMinor,
  isAmount,
  isCurrencyCode,
  minorUnits,
  toMinor,
} from '../../src/contract/money.js'

describe('minor units', () => {
  it('are those of ISO 4217, not those of Intl', () => {
    const digits = 'EUR 2 TRY 2 JPY 0 KRW 0 ISK 0 KWD 3 TND 3 CLF 4 IQD 3 HUF 2 IDR 2 COP 2'
    for (const [, currency = '', expected] of digits.matchAll(/(\w+) (\d)/g))
      expect(minorUnits(currency), currency).toBe(Number(expected))
  })
})

describe('amounts', () => {
  it.each(['0', '1250', '1250.00', '0.5', '0.125', '999999999999999.999999'])('%s is one', text =>
    expect(isAmount(text)).toBe(true),
  )
  it.each(['', '-1', '+1', '1.', '.5', '1,250.00', '1e3', 'NaN', ' 1', '1\n', '1.0000000', '١'])(
    '%j is none',
    text => expect(isAmount(text)).toBe(false),
  )

  it.each([
    ['1250.00', 'EUR', 125_000n],
    ['1250', 'EUR', 125_000n],
    ['1250.5', 'EUR', 125_050n],
    ['1250.500000', 'EUR', 125_050n],
    ['0.01', 'EUR', 1n],
    ['1250', 'JPY', 1250n],
    ['1250.00', 'JPY', 1250n],
    ['1.250', 'KWD', 1250n],
    ['100', 'JPY', 100n],
  ])('%s %s is %d minor units', (amount, currency, minor) => expect(toMinor(amount, currency)).toBe(minor))

  it('with more decimals than the currency are refused', () => {
    expect(() => toMinor('0.001', 'EUR')).toThrow('0.001')
    expect(() => toMinor('0.5', 'JPY')).toThrow(RangeError)
    expect(() => toMinor('abc', 'EUR')).toThrow(RangeError)
  })

  it.each([
    [125_000n, 'EUR', '1250.00'],
    [5n, 'EUR', '0.05'],
    [0n, 'EUR', '0.00'],
    [-5n, 'EUR', '-0.05'],
    [1250n, 'JPY', '1250'],
    [1n, 'KWD', '0.001'],
  ])('%d minor units of %s are %s', (minor, currency, amount) =>
    expect(fromMinor(minor, currency)).toBe(amount),
  )

  it('come back unchanged', () => {
    const currencies = fc.constantFrom('EUR', 'JPY', 'KWD', 'CLF')
    const minors = fc.bigInt({min: 0n, max: 10n ** 15n})
    fc.assert(
      fc.property(minors, currencies, (minor, currency) => {
        expect(toMinor(fromMinor(minor, currency), currency)).toBe(minor)
      }),
    )
  })

  it('compare as numbers, not as text or floats', () => {
    expect(compareAmounts('9', '10')).toBeLessThan(0)
    expect(compareAmounts('1.5', '1.50')).toBe(0)
    expect(compareAmounts('0.3', '0.29999')).toBeGreaterThan(0)
    expect(compareAmounts('9007199254740993', '9007199254740992')).toBeGreaterThan(0)
    expect(compareAmounts('-1', '0')).toBeLessThan(0)
  })
})

it('a currency code is three capital letters', () => {
  expect(['EUR', 'eur', 'EU', 'EURO', 'E1R', 'EUR\n', ''].filter(isCurrencyCode)).toEqual(['EUR'])
})
