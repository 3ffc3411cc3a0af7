/** Countries and currencies of `/content` (the fields of records are ours), and the exchange rates of the sandbox. */
import {countries} from 'countries-list'
import {minorUnits} from '../../contract/money.js'
import type {Country, Currency} from '../../contract/records.js'
import EURO_RATES from './euro-rates.json' with {type: 'json'}

/** Lists every country and territory with an ISO 3166-1 code, sorted by code. `currency` is empty if it has none of its own. */
export function countryList(): Country[] {
  const all = Object.entries(countries).map(([code, {name, phone, currency}]) => {
    return {code, name, phone_code: `+${phone[0] ?? ''}`, currency: currency[0] ?? ''}
  })
  return all.sort((left, right) => (left.code < right.code ? -1 : 1))
}

/** Millionths of each currency for one euro. The rates are fixed, so that the same search always gives the same price. */
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

/** Converts minor units of one currency to another, rounding halves away from zero. Throws RangeError if there is no rate. */
export function convert(minor: bigint, from: string, to: string): bigint {
  if (from === to) return minor
  const numerator = minor * rate(to) * 10n ** BigInt(minorUnits(to))
  const denominator = rate(from) * 10n ** BigInt(minorUnits(from))
  const half = numerator < 0n ? -denominator / 2n : denominator / 2n
  return (numerator + half) / denominator
}

function rate(currency: string): bigint {
  const found = RATES.get(currency)
  if (found === undefined) throw new RangeError(`the sandbox has no rate for ${currency}`)
  return found
}
