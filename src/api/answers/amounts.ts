/**
 * Amounts of money in answers of any shape. What can be read in two ways that differ is `unclear`, never the first of them:
 * a price that is read wrongly is paid.
 */
import {
  ExactNumber,
  type Fields,
  fieldsOf,
  isObject,
  type JsonObject,
  type Node,
  namedTwice,
  outwards,
  textOf,
} from '../../contract/json.js'
import {compareAmounts, isAmount, minorUnits} from '../../contract/money.js'
import {asWord, codeIn} from './facts.js'
import {AMOUNT, CURRENCY, MINOR, UNIT} from './vocabulary.js'

export interface Money {
  /** Decimal string: as the service wrote it, or made from its number. */
  readonly amount: string
  /** As the answer says it: ISO 4217 in upper case, or another text; null when it does not say. */
  readonly currency: string | null
}

export type MoneyReading = Money | 'unclear'

/** How to find an amount in the objects under a name. */
export interface MoneyWay {
  /** The names of amounts inside an object. */
  readonly inside: readonly string[]
  /** The objects under a name that may hold the amount; undefined when there is none. */
  readonly children: (value: unknown, name: string) => readonly JsonObject[] | undefined
  /** Names of objects only: a bare amount under one of them is no price. */
  readonly leads: readonly string[]
  readonly currency: readonly string[]
}

const OBJECTS: MoneyWay = {
  inside: AMOUNT,
  children: value => (isObject(value) ? [value] : undefined),
  leads: [],
  currency: CURRENCY,
}

/**
 * The amount under the first of `names` that has one: `12.5`, `"12.50 EUR"` or in an object. Null if there is none or it is
 * unclear.
 */
export function moneyIn(fields: Fields, names: readonly string[], node?: Node): Money | null {
  for (const name of names) {
    const found = priceIn(fields, [name], node)
    if (found !== null) return found === 'unclear' ? null : found
  }
  return null
}

/** The amount that all of `names` agree on; null when none has one. Its currency may be in the objects around `node`. */
export function priceIn(
  fields: Fields,
  names: readonly string[],
  node?: Node,
  way: MoneyWay = OBJECTS,
): MoneyReading | null {
  const found = names.flatMap(name => readingsUnder(fields, name, way))
  if (found.length === 0) return null
  const around = outwards(node?.parent).map(({value}) => fieldsOf(value))
  const isMinor = outwards(node).some(({value}) => isMarked(fieldsOf(value), MINOR.always))
  const currency = around.map(each => currencyOf(each, '', way)).find(Boolean) ?? null
  return agreed(
    found.map(each => {
      if (each === 'unclear' || (isMinor && isWhole(each.amount))) return 'unclear'
      const known = each.currency ?? currency
      if (typeof each.amount === 'string') return {amount: each.amount, currency: known}
      // A number is written with the decimals of its currency.
      const decimals = known === null ? 0 : minorUnits(known)
      const text = String(each.amount)
      const fraction = text.split('.')[1] ?? ''
      // An exponent, or more decimals than any price has, is an artefact of floating point.
      if (text.includes('e') || fraction.length > 6)
        return {amount: each.amount.toFixed(known === null ? 2 : decimals), currency: known}
      return {amount: fraction.length < decimals ? each.amount.toFixed(decimals) : text, currency: known}
    }),
  )
}

/** The amount, if all readings are the same; `unclear` if they differ. */
export function agreed(readings: readonly MoneyReading[]): MoneyReading | null {
  const [first = null, ...others] = readings
  if (first === null || first === 'unclear') return first
  if (!others.every(other => other !== 'unclear' && isSameMoney(first, other))) return 'unclear'
  const named = [first, ...others].find(each => each !== 'unclear' && each.currency !== null)
  return named && named !== 'unclear' ? {...first, currency: named.currency} : first
}

/** Whether both may be the same amount. */
export function isSameMoney(left: Money, right: Money): boolean {
  return compareAmounts(left.amount, right.amount) === 0 && isSameCurrency(left, right)
}

/** Whether both may be in the same currency. */
export function isSameCurrency(left: Money, right: Money): boolean {
  if (left.currency === null || right.currency === null) return true
  return left.currency.toUpperCase() === right.currency.toUpperCase()
}

type FoundAmount = {readonly amount: string | number; readonly currency: string | null}

/** `units`: names of fields in the same object which say that an amount counts something else. */
function readingsUnder(
  fields: Fields,
  name: string,
  way: MoneyWay,
  units: readonly string[] = UNIT.beside,
): (FoundAmount | 'unclear')[] {
  const value = fields.get(name) ?? null
  if (value === null) return []
  const children = way.children(value, name)
  if (!children && way.leads.includes(name)) return []
  if (namedTwice.get(fields)?.has(name)) return ['unclear']
  const found: (FoundAmount | 'unclear')[] = []
  for (const child of children ?? []) {
    const inner = fieldsOf(child)
    const innerUnits = [...UNIT.beside, ...UNIT.inside]
    found.push(...way.inside.flatMap(each => readingsUnder(inner, each, way, innerUnits)))
  }
  if (!children) {
    const amount = readAmount(value)
    if (amount) found.push(amount)
    // What names no amount at all is no reading.
    else if (/\d/.test(textOf(value) ?? '')) found.push('unclear')
  }
  if (found.length === 0) return []
  const currency = fields.get('currency')
  const places = isObject(currency) ? [fields, fieldsOf(currency)] : [fields]
  const isMinor = places.some(each => isMarked(each, [...MINOR.always, ...MINOR.besideAmount]))
  const isOther = units.some(unit => UNIT.words.test(asWord(fields.get(unit))))
  return found.map(each => {
    if (each === 'unclear') return 'unclear'
    // Zero is zero in any unit.
    const isCounted = isOther || (isMinor && isWhole(each.amount))
    if (isCounted && Number(each.amount) !== 0) return 'unclear'
    return {...each, currency: each.currency ?? currencyOf(fields, name, way)}
  })
}

/** A number, a decimal string, or both parts in one string: `1250.00 EUR`, `EUR 1250.00`; null with two currencies. */
export function readAmount(value: unknown): FoundAmount | null {
  if (typeof value === 'number') return value >= 0 && value < 1e15 ? {amount: value, currency: null} : null
  const text = value instanceof ExactNumber ? value.digits : value
  if (typeof text !== 'string') return null
  const [, before, amount = '', after] =
    /^(?:([A-Z]{3})\s*)?([\d.]+)(?:\s*([A-Z]{3}))?$/.exec(text.trim()) ?? []
  if (!isAmount(amount) || (before !== undefined && after !== undefined)) return null
  return {amount, currency: before ?? after ?? null}
}

/** Whether one of `names` says that amounts have decimals that are not written. */
function isMarked(fields: Fields, names: readonly string[]): boolean {
  return names.some(name => {
    const value = fields.get(name)
    if (value === true) return true
    const text = textOf(value)?.trim() ?? ''
    return !/^(|0+|false|no|none|null)$/i.test(text) && !(text === '1' && MINOR.factors.includes(name))
  })
}

/** An amount with decimals is not in minor units. */
function isWhole(amount: string | number): boolean {
  return typeof amount === 'number' ? Number.isInteger(amount) : !amount.includes('.')
}

/** The currency in an object: `total_currency` belongs to `total_amount`. */
function currencyOf(fields: Fields, name: string, way: MoneyWay): string | null {
  const prefix = name.replace(/_?(amount|price|rate)$/, '')
  const code = codeIn(fields, [`${name}_currency`, `${prefix}_currency`, ...way.currency])?.trim() ?? null
  return code !== null && /^[A-Za-z]{3}$/.test(code) ? code.toUpperCase() : code
}
