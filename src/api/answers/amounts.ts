/**
 * Reads amounts of money from answers of any shape. An amount that can be read in two different ways is `unclear`: a
 * price that was read wrongly would be paid.
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
  /** A decimal string: the service's own text, or the text of the number that it sent. */
  readonly amount: string
  /**
   * The currency as the answer states it: an ISO 4217 code in upper case, or another text. Null when the answer states none.
   */
  readonly currency: string | null
}

export type MoneyReading = Money | 'unclear'

/** The names and places in which `priceIn` looks for an amount. */
export interface MoneyWay {
  /** The field names of an amount inside an object. */
  readonly inside: readonly string[]
  /**
   * Returns the objects in `value` that may contain the amount, or undefined if there are none. `name` is the name of
   * the field.
   */
  readonly children: (value: unknown, name: string) => readonly JsonObject[] | undefined
  /** Names of fields that are a price only if they are objects. A number there is something else, such as a count. */
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
 * Returns the amount under the first of `names` that has one: `12.5`, `"12.50 EUR"` or an object. Returns null if no name has
 * an amount, or if the first amount is unclear.
 */
export function moneyIn(fields: Fields, names: readonly string[], node?: Node): Money | null {
  for (const name of names) {
    const found = priceIn(fields, [name], node)
    if (found !== null) return found === 'unclear' ? null : found
  }
  return null
}

/**
 * Returns the amount on which all of `names` agree, or null if none of them has one. If the amount has no currency, the
 * objects around `node` may supply it.
 */
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
      // The text of a number gets as many decimals as its currency has.
      const decimals = known === null ? 0 : minorUnits(known)
      const text = String(each.amount)
      const fraction = text.split('.')[1] ?? ''
      // Floating-point arithmetic leaves exponents and long fractions; no price has more than six decimals.
      if (text.includes('e') || fraction.length > 6)
        return {amount: each.amount.toFixed(known === null ? 2 : decimals), currency: known}
      return {amount: fraction.length < decimals ? each.amount.toFixed(decimals) : text, currency: known}
    }),
  )
}

/**
 * Returns the first reading if all agree, `unclear` if any is unclear or two differ, and null if there are none. If the first
 * reading has no currency, another one supplies it.
 */
export function agreed(readings: readonly MoneyReading[]): MoneyReading | null {
  const [first = null, ...others] = readings
  if (first === null || first === 'unclear') return first
  if (!others.every(other => other !== 'unclear' && isSameMoney(first, other))) return 'unclear'
  const named = [first, ...others].find(each => each !== 'unclear' && each.currency !== null)
  return named && named !== 'unclear' ? {...first, currency: named.currency} : first
}

/** Reports whether both amounts are equal. A missing currency matches any other. */
export function isSameMoney(left: Money, right: Money): boolean {
  return compareAmounts(left.amount, right.amount) === 0 && isSameCurrency(left, right)
}

/** Reports whether both amounts have the same currency. A missing currency matches any other. */
export function isSameCurrency(left: Money, right: Money): boolean {
  if (left.currency === null || right.currency === null) return true
  return left.currency.toUpperCase() === right.currency.toUpperCase()
}

type FoundAmount = {readonly amount: string | number; readonly currency: string | null}

/**
 * Returns every amount under `name`. `units` are the names of neighbouring fields that can say that the amount is not
 * the whole price, for example that it is per night.
 */
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
    // A value without any digit, such as "on request", is not an amount.
    else if (/\d/.test(textOf(value) ?? '')) found.push('unclear')
  }
  if (found.length === 0) return []
  const currency = fields.get('currency')
  const places = isObject(currency) ? [fields, fieldsOf(currency)] : [fields]
  const isMinor = places.some(each => isMarked(each, [...MINOR.always, ...MINOR.besideAmount]))
  const isOther = units.some(unit => UNIT.words.test(asWord(fields.get(unit))))
  return found.map(each => {
    if (each === 'unclear') return 'unclear'
    // Zero is the same in every unit.
    const isCounted = isOther || (isMinor && isWhole(each.amount))
    if (isCounted && Number(each.amount) !== 0) return 'unclear'
    return {...each, currency: each.currency ?? currencyOf(fields, name, way)}
  })
}

/**
 * Reads a number, a decimal string, or a string with amount and currency, such as `1250.00 EUR` or `EUR 1250.00`. Returns null
 * for anything else, including a string with two currencies.
 */
export function readAmount(value: unknown): FoundAmount | null {
  if (typeof value === 'number') return value >= 0 && value < 1e15 ? {amount: value, currency: null} : null
  const text = value instanceof ExactNumber ? value.digits : value
  if (typeof text !== 'string') return null
  const [, before, amount = '', after] =
    /^(?:([A-Z]{3})\s*)?([\d.]+)(?:\s*([A-Z]{3}))?$/.exec(text.trim()) ?? []
  if (!isAmount(amount) || (before !== undefined && after !== undefined)) return null
  return {amount, currency: before ?? after ?? null}
}

/** Reports whether one of `names` says that amounts are in minor units, so that `1250` may mean 12.50. */
function isMarked(fields: Fields, names: readonly string[]): boolean {
  return names.some(name => {
    const value = fields.get(name)
    if (value === true) return true
    const text = textOf(value)?.trim() ?? ''
    return !/^(|0+|false|no|none|null)$/i.test(text) && !(text === '1' && MINOR.factors.includes(name))
  })
}

/** Reports whether an amount has no decimals. Only whole amounts can be in minor units. */
function isWhole(amount: string | number): boolean {
  return typeof amount === 'number' ? Number.isInteger(amount) : !amount.includes('.')
}

/**
 * Returns the currency of the amount under `name`, looking first for a field of the amount's own: for `total_amount`,
 * `total_currency`.
 */
function currencyOf(fields: Fields, name: string, way: MoneyWay): string | null {
  const prefix = name.replace(/_?(amount|price|rate)$/, '')
  const code = codeIn(fields, [`${name}_currency`, `${prefix}_currency`, ...way.currency])?.trim() ?? null
  return code !== null && /^[A-Za-z]{3}$/.test(code) ? code.toUpperCase() : code
}
