/** Constant data: countries and currencies, from countries-list and ISO 4217 (§5 scope content:read; records are ours). */
import {countries, type ICountry} from 'countries-list'
import type {Country, Currency} from '../../contract/content.js'
import {minorUnits} from '../../contract/money.js'
import {CURRENCY_CODES} from './currencies.js'

/** Every country and territory with an ISO 3166-1 code, by code. `currency` is empty where there is none of its own. */
export function countryList(): Country[] {
  return Object.entries(countries)
    .map(([code, entry]) => toCountry(code, entry))
    .sort((left, right) => (left.code < right.code ? -1 : 1))
}

/** Every currency the sandbox can price in, by code. */
export function currencyList(): Currency[] {
  const names = new Intl.DisplayNames('en', {type: 'currency'})
  return CURRENCY_CODES.map(code => ({code, name: names.of(code) ?? code, minor_units: minorUnits(code)}))
}

function toCountry(code: string, entry: ICountry): Country {
  return {code, name: entry.name, phone_code: `+${entry.phone[0] ?? ''}`, currency: entry.currency[0] ?? ''}
}
