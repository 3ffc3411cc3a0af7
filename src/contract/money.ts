/**
 * Calculates with amounts. Callers pass decimal strings; the calculation uses integers. The minor units are those of
 * ISO 4217, because `Intl` differs for about twenty currencies.
 */
import {own} from './json.js'
import MINOR_UNITS from './minor-units.json' with {type: 'json'}

/** Returns the number of decimals of a currency (ISO 4217), by default 2. */
export function minorUnits(currency: string): number {
  return own<number>(MINOR_UNITS, currency) ?? 2
}

export function isCurrencyCode(text: string): boolean {
  return /^[A-Z]{3}$/.test(text)
}

/** Formats an amount as `1250.00 EUR`, for terminal, browser and PDF alike. The digits are never changed. */
export function moneyText(amount: string, currency: string | null): string {
  return currency ? `${amount} ${currency}` : amount
}

/** Reports whether `text` is a plain decimal amount such as `1250` or `1250.00`, without sign, grouping or exponent. */
export function isAmount(text: string): boolean {
  return /^\d{1,15}(\.\d{1,6})?$/.test(text)
}

/**
 * Compares two decimal strings. Returns a negative number, zero or a positive number, as a sort function does. Throws a
 * RangeError if one is not a decimal amount.
 */
export function compareAmounts(left: string, right: string): number {
  const scale = Math.max(...[left, right].map(amount => amount.split('.')[1]?.length ?? 0))
  const difference = toInteger(left, scale) - toInteger(right, scale)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

/**
 * Returns the sum of decimal strings, with as many decimals as the longest fraction among them. Throws a RangeError if
 * one is not a decimal amount.
 */
export function sumOfAmounts(amounts: readonly string[]): string {
  const scale = Math.max(0, ...amounts.map(amount => amount.split('.')[1]?.length ?? 0))
  return atScale(
    amounts.reduce((total, amount) => total + toInteger(amount, scale), 0n),
    scale,
  )
}

/** Returns `left` minus `right`, which is at most as much, with as many decimals as the more exact of them has. */
export function differenceOfAmounts(left: string, right: string): string {
  const scale = Math.max(...[left, right].map(amount => amount.split('.')[1]?.length ?? 0))
  return atScale(toInteger(left, scale) - toInteger(right, scale), scale)
}

/**
 * Converts an amount to minor units (cents for EUR). Throws a RangeError if the amount has more decimals than the
 * currency.
 */
export function toMinor(amount: string, currency: string): bigint {
  const scale = minorUnits(currency)
  const trimmed = amount.replace(/(\.\d*?)0+$/, '$1')
  const decimals = trimmed.split('.')[1]?.length ?? 0
  if (decimals > scale) throw new RangeError(`${amount} has more decimals than ${currency}`)
  return toInteger(trimmed, scale)
}

/** Converts minor units to a decimal string: `125000n` EUR is `1250.00`. */
export function fromMinor(minor: bigint, currency: string): string {
  return atScale(minor, minorUnits(currency))
}

/** Formats an integer as a decimal string with `scale` decimals. */
function atScale(value: bigint, scale: number): string {
  const sign = value < 0n ? '-' : ''
  const digits = (value < 0n ? -value : value).toString().padStart(scale + 1, '0')
  return scale === 0 ? `${sign}${digits}` : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

function toInteger(amount: string, scale: number): bigint {
  const match = /^(-?)(\d+)(?:\.(\d*))?$/.exec(amount)
  if (!match) throw new RangeError(`not a decimal amount: ${amount}`)
  const [, sign, whole = '', fraction = ''] = match
  const value = BigInt(whole + fraction.padEnd(scale, '0'))
  return sign ? -value : value
}
