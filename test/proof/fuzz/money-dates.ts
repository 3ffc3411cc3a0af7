import fc from 'fast-check'
import {checkAmount, checkDate} from '../../../src/cli/input/checks.js'
import {dayNumber} from '../../../src/contract/dates.js'
import {Failure} from '../../../src/contract/failure.js'
import {compareAmounts, fromMinor, isAmount, toMinor} from '../../../src/contract/money.js'
import {anyText, must, property, thrownBy, words} from './property.js'

/** From the list of ISO 4217 itself (its amendment 177). */
const DIGITS: Readonly<Record<string, number>> = Object.fromEntries(
  [
    'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
    '',
    'EUR USD TRY GBP CHF HUF IDR COP AFN ALL IRR LBP MMK MGA MRU',
    'BHD IQD JOD KWD LYD OMR TND',
    'CLF UYW',
  ].flatMap((codes, digits) =>
    words(codes)
      .filter(Boolean)
      .map(code => [code, digits]),
  ),
)
const currency = fc.constantFrom(...Object.keys(DIGITS))
const digits = (max: number) =>
  fc.array(fc.constantFrom(...'0123456789'), {minLength: 1, maxLength: max}).map(list => list.join(''))
const decimal = fc.tuple(fc.constantFrom('', '', '', '-'), digits(30), fc.option(digits(9), {nil: undefined}))
const written = decimal.map(
  ([sign, whole, fraction]) => `${sign}${whole}${fraction === undefined ? '' : `.${fraction}`}`,
)
const nearlyAmount = fc.oneof(
  written,
  anyText,
  fc.stringMatching(/^[-+ ]?[\d٣３²]{0,4}[.,'٫ ]?\d{0,4}[eExX%]?\d{0,3}$/),
  fc.constantFrom(
    ...words('1e3 0x10 Infinity NaN ١٢ 1. .5 1..2 --1 1_000'),
    '1 000',
    '',
    '0'.repeat(500),
    '9'.repeat(500),
  ),
)

/** As a fraction: numerator over 10 to the power of the second. */
function fractionOf(text: string): [bigint, bigint] {
  const sign = text.startsWith('-') ? -1n : 1n
  const [whole = '', fraction = ''] = text.replace('-', '').split('.')
  return [sign * BigInt(whole + fraction), 10n ** BigInt(fraction.length)]
}

export const money = [
  property(
    'money: compared as fractions are, to any length',
    fc.tuple(written, written),
    ([left, right]) => {
      const [[a, b], [c, d]] = [fractionOf(left), fractionOf(right)]
      const expected = a * d < c * b ? -1 : a * d > c * b ? 1 : 0
      must(compareAmounts(left, right) === expected, left, right)
      must(compareAmounts(left, right) === 0 - compareAmounts(right, left), left, right)
    },
    {
      examples: [
        ['9007199254740993', '9007199254740992'],
        ['0.1', '0.10'],
        ['-0', '0'],
      ],
    },
  ),
  property('money: minor units are exact, or it is refused', fc.tuple(written, currency), ([text, code]) => {
    const [value, scale] = fractionOf(text)
    const whole = 10n ** BigInt(DIGITS[code] ?? 0)
    const isExact = (value * whole) % scale === 0n
    const minor = orRangeError(() => toMinor(text, code))
    must((minor !== undefined) === isExact, text, code, minor)
    if (minor === undefined) return
    must(minor === (value * whole) / scale, text, code, minor)
    must(compareAmounts(fromMinor(minor, code), text) === 0, fromMinor(minor, code))
  }),
  property('money: what is typed is a plain amount or refused', nearlyAmount, text => {
    const [whole = '', fraction, ...more] = text.split('.')
    const isDigits = (part: string, most: number) =>
      part.length >= 1 && part.length <= most && [...part].every(each => '0123456789'.includes(each))
    const expected =
      isDigits(whole, 15) && (fraction === undefined || isDigits(fraction, 6)) && more.length === 0
    must(isAmount(text) === expected, text)
    if (expected) must(checkAmount('--max-price', text) === text, text)
    else must(thrownBy(() => checkAmount('--max-price', text)) instanceof Failure, text)
    if (!/^-?\d+(\.\d*)?$/.test(text)) must(thrownBy(() => toMinor(text, 'EUR')) instanceof RangeError, text)
  }),
]

/** Days before a month by the rules of the calendar of 1582, extended backwards as in ISO 8601. */
const isLeap = (year: number) => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
const lengthOf = (year: number, month: number) =>
  month === 2 ? (isLeap(year) ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31
function daysFromCalendar(year: number, month: number, day: number): number {
  const before = year - 1
  let days =
    before * 365 + Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400) + day - 1
  for (let each = 1; each < month; each++) days += lengthOf(year, each)
  return days - 719_162
}
const pad = (value: number, length: number) => String(value).padStart(length, '0')
const dateText = (year: number, month: number, day: number) =>
  `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`
const year = fc.oneof(
  fc.integer({min: 1, max: 9999}),
  fc.constantFrom(1, 4, 100, 400, 1582, 1900, 1970, 2000, 2024, 2100, 9999),
)

export const dates = [
  property(
    'dates: every day of a year, and none besides',
    year,
    each => {
      for (let month = 0; month <= 13; month++) {
        for (let day = 0; day <= 32; day++) {
          const exists = month >= 1 && month <= 12 && day >= 1 && day <= lengthOf(each, month)
          const expected = exists ? daysFromCalendar(each, month, day) : undefined
          must(dayNumber(dateText(each, month, day)) === expected, dateText(each, month, day))
        }
      }
    },
    {weight: 20},
  ),
  property(
    'dates: what is typed is a date of the calendar or refused',
    fc.oneof(
      anyText,
      fc.stringMatching(/^[\d٣３+-]{1,6}[-/.]\d{1,3}[-/.]\d{1,3}[TZ ]?\d{0,2}$/),
      fc.stringMatching(/^\d{4}-[01]\d-[0-3]\d$/),
    ),
    text => {
      const [y, m, d] = [text.slice(0, 4), text.slice(5, 7), text.slice(8)].map(Number)
      const isShaped =
        text.length === 10 &&
        [...text].every((each, n) => (n === 4 || n === 7 ? each === '-' : '0123456789'.includes(each)))
      const exists =
        isShaped && (m ?? 0) >= 1 && (m ?? 0) <= 12 && (d ?? 0) >= 1 && (d ?? 0) <= lengthOf(y ?? 0, m ?? 0)
      must((dayNumber(text) !== undefined) === exists, text)
      if (!exists) must(thrownBy(() => checkDate('--check-in', text)) instanceof Failure, text)
    },
  ),
]

function orRangeError<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
