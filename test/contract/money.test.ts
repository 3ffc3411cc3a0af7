import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {addDays, ageOn, dayNumber, isCalendarDate, isoTime, nightsBetween} from '../../src/contract/dates.js'
import {
  compareAmounts,
  differenceOfAmounts,
  fromMinor,
  isAmount,
  isCurrencyCode,
  minorUnits,
  sumOfAmounts,
  toMinor,
} from '../../src/contract/money.js'

describe('minor units', () => {
  it('are those of ISO 4217, not those of Intl', () => {
    const digits = {EUR: 2, TRY: 2, JPY: 0, KRW: 0, ISK: 0, KWD: 3, TND: 3, CLF: 4, IQD: 3, HUF: 2, COP: 2}
    for (const [currency, expected] of Object.entries(digits))
      expect(minorUnits(currency), currency).toBe(expected)
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
    ['1250.5', 'EUR', 125_050n],
    ['1250.500000', 'EUR', 125_050n],
    ['1250.00', 'JPY', 1250n],
    ['1.250', 'KWD', 1250n],
    ['100', 'JPY', 100n],
  ])('%s %s is %d minor units', (amount, currency, minor) => expect(toMinor(amount, currency)).toBe(minor))

  it('with more decimals than the currency are refused', () => {
    expect(() => toMinor('0.001', 'EUR')).toThrow('0.001')
    for (const amount of ['0.5', 'abc']) expect(() => toMinor(amount, 'JPY')).toThrow(RangeError)
  })

  it.each([
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
    const inOrder = ['-1', '0', '0.29999', '0.3', '9', '10', '9007199254740992', '9007199254740993']
    expect(inOrder.toReversed().sort(compareAmounts)).toEqual(inOrder)
    expect(compareAmounts('1.5', '1.50')).toBe(0)
  })

  it('add up exactly, with the most decimals that one has', () => {
    expect(sumOfAmounts(['0.1', '0.20'])).toBe('0.30')
    expect(sumOfAmounts(['9007199254740993', '0.005', '1'])).toBe('9007199254740994.005')
    expect(sumOfAmounts(['0.00'])).toBe('0.00')
    expect(sumOfAmounts(['7', '8'])).toBe('15')
    expect(sumOfAmounts([])).toBe('0')
  })

  it('are subtracted exactly, with the most decimals that one has', () => {
    expect(differenceOfAmounts('1000', '900.50')).toBe('99.50')
    expect(differenceOfAmounts('9007199254740993', '0.001')).toBe('9007199254740992.999')
    expect(differenceOfAmounts('0.30', '0.3')).toBe('0.00')
    expect(differenceOfAmounts('8', '8')).toBe('0')
  })
})

it('a currency code is three capital letters', () => {
  expect(['EUR', 'eur', 'EU', 'EURO', 'E1R', 'EUR\n', ''].filter(isCurrencyCode)).toEqual(['EUR'])
})

const days = fc.integer({min: -719_000, max: 2_932_000})
const dateOf = (day: number) => addDays('1970-01-01', day)

it('an instant is written to the nearest millisecond', () => {
  expect(isoTime(1_700_000_000.0019999)).toBe('2023-11-14T22:13:20.002Z')
})

describe('calendar dates', () => {
  it('are checked against the calendar', () => {
    const good = ['2030-06-01', '2028-02-29', '2000-02-29', '0004-02-29', '9999-12-31', '0001-01-01']
    const bad = [
      '2030-02-29',
      '1900-02-29',
      '2030-04-31',
      '2030-13-01',
      '2030-00-10',
      '2030-01-00',
      '2030-1-1',
      '30-01-01',
      '٢٠٣٠-٠١-٠١',
      '2030-01-01T00:00:00Z',
      ' 2030-01-01',
      '2030-01-01\n',
      '',
    ]
    expect([...good, ...bad].filter(isCalendarDate)).toEqual(good)
  })

  it('end with the year 9999', () => {
    expect(addDays('9999-12-30', 1)).toBe('9999-12-31')
    expect(() => addDays('9999-12-31', 1)).toThrow(RangeError)
    expect(() => addDays('0000-01-01', -1)).toThrow(RangeError)
  })

  it('are numbered from 1970-01-01', () => {
    const days = ['1970-01-01', '1969-12-31', '2030-06-01', 'nothing'].map(day => dayNumber(day))
    expect(days).toEqual([0, -1, 22_066, undefined])
  })

  it('are added to and counted between across months, years and leap days', () => {
    expect(addDays('2028-02-28', 2)).toBe('2028-03-01')
    expect(addDays('2030-12-31', 1)).toBe('2031-01-01')
    expect(addDays('2030-01-01', -1)).toBe('2029-12-31')
    expect(nightsBetween('2030-06-01', '2030-06-04')).toBe(3)
    expect(nightsBetween('2030-06-04', '2030-06-01')).toBe(-3)
    // The night in which the clocks change counts as one night.
    expect(nightsBetween('2026-03-28', '2026-03-30')).toBe(2)
  })

  it('come back from a day number, and adding undoes counting', () => {
    fc.assert(
      fc.property(days, days, (a, b) => {
        expect(dayNumber(dateOf(a))).toBe(a)
        expect(nightsBetween(dateOf(a), dateOf(b))).toBe(b - a)
      }),
    )
  })

  it('refuse to compute with what is no date', () => {
    expect(() => addDays('2030-02-30', 1)).toThrow('2030-02-30')
    expect(() => nightsBetween('2030-01-01', 'x')).toThrow(RangeError)
    expect(() => ageOn('x', '2030-01-01')).toThrow(RangeError)
  })
})

it.each([
  ['2018-06-01', '2030-05-31', 11],
  ['2012-02-29', '2030-02-28', 17],
  ['2012-02-29', '2030-03-01', 18],
  ['2030-06-01', '2030-06-01', 0],
  ['2030-06-02', '2030-06-01', -1],
])('the age of someone born on %s is, on %s, %d', (born, on, age) => expect(ageOn(born, on)).toBe(age))
