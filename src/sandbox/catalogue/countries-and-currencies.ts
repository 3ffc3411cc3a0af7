/**
 * The countries and currencies under `/content` (the interface shows no records), and the exchange rates of the
 * sandbox.
 */
import {countries} from 'countries-list'
import {fromMinor, minorUnits, toMinor} from '../../contract/money.js'
import type {AccountCharge, Country, Currency} from '../../contract/records.js'
import EURO_RATES from './euro-rates.json' with {type: 'json'}

/**
 * Lists all countries and territories with an ISO 3166-1 code, sorted by code. `currency` is empty for one without a
 * currency.
 */
export function countryList(): Country[] {
  const all = Object.entries(countries).map(([code, {name, phone, currency}]) => {
    return {code, name, phone_code: `+${phone[0] ?? ''}`, currency: currency[0] ?? ''}
  })
  return all.sort((left, right) => (left.code < right.code ? -1 : 1))
}

/**
 * How much of each currency one euro is, in millionths. The rates are fixed, so that a search always gives the same
 * prices.
 */
const RATES = new Map(
  Object.entries(EURO_RATES).map(([code, rate]) => [code, BigInt(Math.round(rate * 1_000_000))]),
)

export function isSoldIn(currency: string): boolean {
  return RATES.has(currency)
}

export function currencyList(): Currency[] {
  const names = new Intl.DisplayNames('en', {type: 'currency'})
  return [...RATES.keys()]
    .sort()
    .map(code => ({code, name: names.of(code) ?? code, minor_units: minorUnits(code)}))
}

/**
 * Converts minor units of one currency to minor units of another, rounding halves away from zero. Throws a RangeError
 * if there is no rate.
 */
export function convert(minor: bigint, from: string, to: string): bigint {
  if (from === to) return minor
  const numerator = minor * rate(to) * 10n ** BigInt(minorUnits(to))
  const denominator = rate(from) * 10n ** BigInt(minorUnits(from))
  const half = numerator < 0n ? -denominator / 2n : denominator / 2n
  return (numerator + half) / denominator
}

/** The number of decimals of the rate at which an account is charged. */
const RATE_DECIMALS = 10

/**
 * Returns the rate at which an account in `to` is charged for prices in `from`: units of `to` for one unit of `from`,
 * as a decimal string. Throws a RangeError if there is no rate.
 */
function accountRate(from: string, to: string): string {
  const numerator = rate(to) * 10n ** BigInt(RATE_DECIMALS)
  const denominator = rate(from)
  const scaled = (numerator + denominator / 2n) / denominator
  const digits = scaled.toString().padStart(RATE_DECIMALS + 1, '0')
  const whole = digits.slice(0, -RATE_DECIMALS)
  const decimals = digits.slice(-RATE_DECIMALS).replace(/0+$/, '')
  return decimals === '' ? whole : `${whole}.${decimals}`
}

/**
 * Returns what an account in the currency `to` is charged for `amount` in `from` (not in the interface): the exact
 * product of amount and rate, rounded half up to a minor unit of `to`. The result states the rate, so that the amount
 * can be checked. `agreedRate` is the rate of an earlier charge. Throws a RangeError if there is no rate.
 */
export function accountCharge(
  amount: string,
  from: string,
  to: string,
  agreedRate = accountRate(from, to),
): AccountCharge {
  const [whole = '', decimals = ''] = agreedRate.split('.')
  const numerator = toMinor(amount, from) * BigInt(whole + decimals) * 10n ** BigInt(minorUnits(to))
  const denominator = 10n ** BigInt(decimals.length + minorUnits(from))
  const minor = (numerator + denominator / 2n) / denominator
  return {amount: fromMinor(minor, to), currency: to, rate: agreedRate}
}

function rate(currency: string): bigint {
  const found = RATES.get(currency)
  if (found === undefined) throw new RangeError(`the sandbox has no rate for ${currency}`)
  return found
}
