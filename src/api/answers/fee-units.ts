/** Whether a number that is called a fee is an amount of money: a share, nights or cents are not to be taken for one. */
import type {Fields} from '../../contract/field-names.js'
import {isObject} from '../../contract/json.js'
import {textOf} from '../../contract/json-walk.js'

/** Where services say what a number counts. */
const TELLS_UNIT =
  /(^|_)(type|units?|kind|basis|mode|method|format|calculation|currency|currency_code|in|measure)$/
const NO_MONEY =
  /^(%|per_?cent(age|s)?|pct|permille|basis_points?|bps|nights?|days?|points?|(in_)?minor(_units?|_currency)?|cents?|pence|penn(y|ies)|kurus)(_.*)?$/
const SHARE = /^\s*(%\s*\d|\d+([.,]\d+)?\s*(%|per\s?cent|pct|nights?))/i

/** Whether the fields beside a number, or those of the object that holds it, say that it is no amount of money. */
export function countsNoMoney(fields: Fields): boolean {
  return [...fields].some(([name, value]) => {
    if (isMinorUnits(name)) return value !== null && value !== false
    const word =
      typeof value === 'string'
        ? value
            .trim()
            .toLowerCase()
            .replace(/[\s-]+/g, '_')
        : ''
    return TELLS_UNIT.test(name) && NO_MONEY.test(word)
  })
}

/** `minor_units: 2` may be said of the amount beside it, or of its currency: nobody can tell. */
function isMinorUnits(name: string): boolean {
  return /^(amount_in_|in_)?(minor_units?|cents)$/.test(name)
}

/** Whether a fee is told as a share or in nights: `20%`, `"1 night"`, `{percent: 20}`. */
export function isShare(value: unknown): boolean {
  if (typeof value === 'string') return SHARE.test(value)
  return isObject(value) && Object.entries(value).some(([name, inner]) => namesShare(name) && isGiven(inner))
}

function namesShare(name: string): boolean {
  return /^(percent(age)?|pct|nights?)$/i.test(name)
}

function isGiven(value: unknown): boolean {
  const text = textOf(value)
  return text !== undefined && Number(text) !== 0
}
