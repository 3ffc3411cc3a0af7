/**
 * Reads amounts as partners write them in their books: `1250.00`, `1.250,00`, `1 250,00 EUR`. An amount that is not
 * clear is an error.
 */
import {isAmount, minorUnits} from '../../../contract/money.js'
import {invalid} from '../../input/checks.js'

export interface LedgerAmount {
  /** A decimal string. */
  readonly amount: string
  /** In upper case. Null if neither the cell nor `currency` states it. */
  readonly currency: string | null
}

/** Matches an amount with thousands separators, all the same, with or without decimals after a different mark. */
const GROUPED = /^(\d{1,3}(?:([.,' ])\d{3})(?:\2\d{3})*)(?:(?!\2)[.,](\d{1,6}))?$/
const PLAIN = /^(\d+)(?:[.,](\d{1,6}))?$/
/**
 * Matches one mark and three digits: in some countries `1.250` is more than a thousand, in others little more than one.
 */
const UNCLEAR = /^[1-9]\d{0,2}([.,])\d{3}$/

/**
 * Reads an amount. `currency` comes from another cell. Throws a usage error that names no field if the text is not an
 * amount or can be read in two ways.
 */
export function readLedgerAmount(text: string, currency: string | null): LedgerAmount {
  const plain = text.normalize('NFKC').replaceAll('’', "'").trim()
  const [, before, digits = '', after] =
    /^(?:([A-Za-z]{3})\s*)?([\d.,' ]*\d)(?:\s*([A-Za-z]{3}))?$/.exec(plain) ?? []
  if (/^[-(−–]|[-−–)]$/.test(plain)) throw invalid('', 'must be an amount without a sign', text)
  if (digits === '' || (before !== undefined && after !== undefined))
    throw invalid('', 'must be an amount such as 1250.00, with or without a currency code', text)
  const named = (before ?? after)?.toUpperCase() ?? null
  if (named !== null && currency !== null && named !== currency)
    throw invalid('', `must be in ${currency}, as the currency beside it says`, text)
  const known = named ?? currency
  return {amount: amountOf(digits.trim(), known, text), currency: known}
}

function amountOf(digits: string, currency: string | null, text: string): string {
  const mark = UNCLEAR.exec(digits)?.[1]
  if (mark !== undefined) {
    const decimals = currency === null ? 2 : minorUnits(currency)
    // In a currency without decimals it is a thousand. The service writes amounts in a currency with three decimals
    // like this.
    if (decimals === 0) return digits.replace(mark, '')
    if (decimals === 3 && mark === '.') return digits
    const [whole, rest] = digits.split(mark)
    const hint = `write it with its decimals: ${whole}${rest}.00, or ${whole}.${rest}0`
    throw invalid('', 'can be read in two ways', text, hint)
  }
  const [, grouped, , fractionOfGrouped] = GROUPED.exec(digits) ?? []
  const [, whole = grouped?.replace(/\D/g, ''), fraction = fractionOfGrouped] = PLAIN.exec(digits) ?? []
  const amount = fraction === undefined ? whole : `${whole}.${fraction}`
  if (amount !== undefined && isAmount(amount)) return amount
  throw invalid('', 'must be an amount such as 1250.00', text)
}
