/** Countries and currencies of `/content` (records are ours), and what one euro buys. */
import {countries} from 'countries-list'
import {minorUnits} from '../../contract/money.js'
import type {Country, Currency} from '../../contract/records.js'
import EURO_RATES from './euro-rates.json' with {type: 'json'}

/** Every country and territory with an ISO 3166-1 code, by code. `currency` is empty where there is none of its own. */
export function countryList(): Country[] {
  const all = Object.entries(countries).map(([code, {name, phone, currency}]) => {
    return {code, name, phone_code: `+${phone[0] ?? ''}`, currency: currency[0] ?? ''}
  })
  return all.sort((left, right) => (left.code < right.code ? -1 : 1))
}

/** What one euro buys, in millionths; fixed, so that the same search always gives the same price. */
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

/** Minor units of one currency in those of another, half away from zero. Throws RangeError without a rate. */
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
