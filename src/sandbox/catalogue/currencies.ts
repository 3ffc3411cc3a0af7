/** Currencies, and how much of each one euro buys: fixed, so that the same search always gives the same price. */

import {minorUnits} from '../../contract/money.js'
import type {Currency} from '../../contract/records.js'

/** Rates have six decimals. */
const RATE_SCALE = 1_000_000

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
  const pairs = table.matchAll(/([A-Z]{3}) (\S+)/g)
  return new Map(
    Array.from(pairs, ([, code = '', rate]) => [code, BigInt(Math.round(Number(rate) * RATE_SCALE))]),
  )
}
