/** Countries and currencies of `/content` (records are ours), what the hotels of a country share, and what one euro buys. */
import {countries} from 'countries-list'
import {minorUnits} from '../../contract/money.js'
import type {Country, Currency} from '../../contract/records.js'
import EURO_RATES from './euro-rates.json' with {type: 'json'}

/** Every country and territory with an ISO 3166-1 code, by code. `currency` is empty where there is none of its own. */
export function countryList(): Country[] {
  return Object.entries(countries)
    .map(([code, {name, phone, currency}]) => ({
      code,
      name,
      phone_code: `+${phone[0] ?? ''}`,
      currency: currency[0] ?? '',
    }))
    .sort((left, right) => (left.code < right.code ? -1 : 1))
}

/** Invented for the sandbox, of a plausible size. */
export const COUNTRIES = {
  TR: rules('TRY', '+90 850', 120, 1200, 'Local visitor fee'),
  GB: rules('GBP', '+44 20', 200, 60, 'City visitor charge'),
  FR: rules('EUR', '+33 1', 100, 130, 'Taxe de séjour'),
  IT: rules('EUR', '+39 06', 100, 150, 'Tassa di soggiorno'),
  ES: rules('EUR', '+34 93', 100, 120, 'Impost sobre les estades turístiques'),
  DE: rules('EUR', '+49 30', 70, 90, 'City tax'),
  AT: rules('EUR', '+43 1', 100, 70, 'Ortstaxe'),
  NL: rules('EUR', '+31 20', 90, 210, 'Toeristenbelasting'),
  CZ: rules('CZK', '+420 234', 120, 1250, 'Místní poplatek z pobytu'),
  GR: rules('EUR', '+30 210', 130, 80, 'Τέλος ανθεκτικότητας'),
  PT: rules('EUR', '+351 21', 60, 100, 'Taxa municipal turística'),
  PL: rules('PLN', '+48 12', 80, 0, ''),
  BA: rules('BAM', '+387 33', 170, 50, 'Boravišna taksa'),
  AE: rules('AED', '+971 4', 150, 400, 'Tourism dirham'),
  QA: rules('QAR', '+974 4', 70, 0, ''),
  KW: rules('KWD', '+965 2', 0, 125, 'Service charge'),
  SA: rules('SAR', '+966 12', 175, 0, ''),
  EG: rules('EGP', '+20 22', 260, 1000, 'City tax'),
  AZ: rules('AZN', '+994 12', 180, 0, ''),
  GE: rules('GEL', '+995 32', 180, 0, ''),
  US: rules('USD', '+1 212', 147, 150, 'Occupancy fee'),
  BR: rules('BRL', '+55 11', 50, 150, 'Taxa de turismo'),
  JP: rules('JPY', '+81 3', 100, 50, 'Accommodation tax'),
  TH: rules('THB', '+66 2', 177, 0, ''),
  SG: rules('SGD', '+65 6', 199, 0, ''),
  NP: rules('NPR', '+977 1', 249, 2000, 'Tourism service fee'),
  AU: rules('AUD', '+61 2', 100, 0, ''),
  MA: rules('MAD', '+212 524', 100, 500, 'Taxe de promotion touristique'),
}

/**
 * Tax is in tenths of a percent on top of the base; the city tax is paid at the hotel for each adult and night, in minor units
 * of `currency` times the stars, zero where there is none.
 */
function rules(
  currency: string,
  phonePrefix: string,
  taxPermille: number,
  cityTaxPerStar: number,
  cityTaxName: string,
) {
  return {currency, phonePrefix, taxPermille, cityTaxPerStar, cityTaxName}
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
