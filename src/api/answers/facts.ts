/** Facts of a foreign record under the names services give them. What is not found is null; nothing is guessed. */
import {createFieldReader, type Fields} from '../../contract/field-names.js'
import {isObject} from '../../contract/json.js'
import {textOf} from '../../contract/json-walk.js'
import {amountText, moneyFrom} from './offer-price.js'

export interface Money {
  /** Decimal string: as the service wrote it, or made from its number. */
  readonly amount: string
  /** ISO 4217, when the answer says which. */
  readonly currency: string | null
}

const fieldsOf = createFieldReader()
const CURRENCY = ['currency', 'currency_code', 'currency_iso']
const AMOUNT = ['amount', 'total', 'value', 'price', 'total_price', 'total_amount', 'gross']

/** The first amount under one of `names`: `12.5`, `"12.50"`, `"12.50 EUR"` or `{amount, currency}`. */
export function moneyIn(fields: Fields, names: readonly string[]): Money | null {
  for (const name of names) {
    const value = fields.get(name)
    const inner = isObject(value) ? moneyIn(fieldsOf(value), AMOUNT) : readMoney(value)
    if (inner === null) continue
    const currency = inner.currency ?? codeIn(fields, [`${name}_currency`, ...CURRENCY])
    const isNumber = typeof value === 'number'
    return {amount: isNumber ? amountText(value, currency ?? undefined) : inner.amount, currency}
  }
  return null
}

function readMoney(value: unknown): Money | null {
  const money = moneyFrom(value)
  return money ? {amount: amountText(money.amount, money.currency), currency: money.currency ?? null} : null
}

/** The first text (or number, as text) under one of `names`; of a text in several languages, the English or first. */
export function textIn(fields: Fields, names: readonly string[]): string | null {
  for (const name of names) {
    const text = words(fields.get(name))
    if (text !== undefined) return text
  }
  return null
}

/** As `textIn`, for codes: of an object the code is taken, not the name. */
export function codeIn(fields: Fields, names: readonly string[]): string | null {
  for (const name of names) {
    const value = fields.get(name)
    const text = isObject(value) ? textOf(value.code, value.iso_code, value.iso2, value.iso) : textOf(value)
    if (text !== undefined) return text
  }
  return null
}

function words(value: unknown): string | undefined {
  if (!isObject(value)) return textOf(value)
  return textOf(value.en, value.content, value.name, ...Object.values(value))
}

/** The first number under one of `names`, also one written as text. */
export function numberIn(fields: Fields, names: readonly string[]): number | null {
  for (const name of names) {
    const value = fields.get(name)
    const text = typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value
    if (typeof text === 'number' && Number.isFinite(text)) return text
  }
  return null
}

/** As `numberIn`, for whole numbers that can be told apart from their neighbours. */
export function integerIn(fields: Fields, names: readonly string[]): number | null {
  const found = numberIn(fields, names)
  return Number.isSafeInteger(found) ? found : null
}
