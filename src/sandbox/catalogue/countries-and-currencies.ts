/** Countries and currencies of `/content` (records are ours), what the hotels of a country share, and what one euro buys. */
import {countries} from 'countries-list'
import {minorUnits} from '../../contract/money.js'
import type {Country, Currency} from '../../contract/records.js'

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

/** In millionths; fixed, so that the same search always gives the same price. */
const RATES = parse(`
  AED 3.97 AFN 77 ALL 98 AMD 420 AOA 990 ARS 1100 AUD 1.65 AWG 1.93 AZN 1.84 BAM 1.95583 BBD 2.16 BDT 130
  BHD 0.407 BIF 3150 BMD 1.08 BND 1.44 BOB 7.46 BOV 7.46 BRL 6.1 BSD 1.08 BTN 91 BWP 14.7 BYN 3.5 BZD 2.17
  CAD 1.48 CDF 3050 CHE 0.95 CHF 0.95 CHW 0.95 CLF 0.0265 CLP 1020 CNY 7.8 COP 4500 CRC 550 CUP 25.9 CVE 110.265
  CZK 25 DJF 192 DKK 7.46 DOP 65 DZD 145 EGP 53 ERN 16.2 ETB 130 EUR 1 FJD 2.44 FKP 0.85 GBP 0.85 GEL 2.95
  GHS 16.5 GIP 0.85 GMD 76 GNF 9300 GTQ 8.35 GYD 226 HKD 8.4 HNL 27 HTG 142 HUF 400 IDR 17300 ILS 4 INR 91
  IQD 1415 IRR 45500 ISK 149 JMD 170 JOD 0.766 JPY 162 KES 140 KGS 93 KHR 4400 KMF 491.96775 KPW 972 KRW 1490
  KWD 0.332 KYD 0.9 KZT 520 LAK 23500 LBP 96700 LKR 320 LRD 208 LSL 19.6 LYD 5.2 MAD 10.7 MDL 19.3 MGA 4950
  MKD 61.5 MMK 2270 MNT 3700 MOP 8.66 MRU 43 MUR 50 MVR 16.65 MWK 1875 MXN 20.5 MYR 4.8 MZN 69 NAD 19.6 NGN 1720
  NIO 39.8 NOK 11.7 NPR 145 NZD 1.8 OMR 0.416 PAB 1.08 PEN 4.05 PGK 4.25 PHP 62 PKR 301 PLN 4.3 PYG 8450 QAR 3.94
  RON 4.98 RSD 117 RUB 98 RWF 1450 SAR 4.05 SBD 9 SCR 15.3 SDG 650 SEK 11.4 SGD 1.44 SHP 0.85 SLE 24.5 SOS 617
  SRD 38 SSP 1400 STN 24.5 SVC 9.45 SYP 14000 SZL 19.6 THB 38 TJS 11.5 TMT 3.78 TND 3.35 TOP 2.55 TRY 36 TTD 7.3
  TWD 35 TZS 2850 UAH 44.5 UGX 4000 USD 1.08 USN 1.08 UYI 43 UYU 43 UZS 13700 VES 50 VND 27400 VUV 128 WST 2.95
  XAF 655.957 XCD 2.92 XCG 1.93 XOF 655.957 XPF 119.33174 YER 270 ZAR 19.6 ZMW 29 ZWG 28.5
`)

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

function parse(table: string): Map<string, bigint> {
  const millionths = (rate: string | undefined) => BigInt(Math.round(Number(rate) * 1_000_000))
  const pairs = table.matchAll(/([A-Z]{3}) (\S+)/g)
  return new Map(Array.from(pairs, ([, code = '', rate]) => [code, millionths(rate)]))
}
