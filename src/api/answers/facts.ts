/** Finds the facts of a foreign record under the names of the vocabulary. What is not found is null. */
import {type Fields, fieldsOf} from '../../contract/field-names.js'
import {isObject, type JsonObject, type Node, outwards, own, textOf} from '../../contract/json.js'
import {isAmount, minorUnits} from '../../contract/money.js'
import {AMOUNT, BESIDE, CURRENCY} from './vocabulary.js'

export interface Money {
  /** Decimal string: as the service wrote it, or made from its number. */
  readonly amount: string
  /** ISO 4217, when the answer says which. */
  readonly currency: string | null
}

/** The first value under one of `names` that `read` understands. */
export function factIn<T>(
  fields: Fields,
  names: readonly string[],
  read: (value: unknown, name: string) => T | null | undefined,
): T | null {
  for (const name of names) {
    const found = read(fields.get(name), name) ?? null
    if (found !== null) return found
  }
  return null
}

/** A text (or number, as text); of one in several languages, the English or first. */
function textFrom(value: unknown): string | undefined {
  return isObject(value)
    ? textOf(value.en, value.content, value.name, ...Object.values(value))
    : textOf(value)
}

/** The first text under one of `names`. */
export function textIn(fields: Fields, names: readonly string[]): string | null {
  return factIn(fields, names, textFrom)
}

/** As `textIn`, for codes: of an object the code is taken, not the name. */
export function codeIn(fields: Fields, names: readonly string[]): string | null {
  return factIn(fields, names, value =>
    isObject(value) ? textOf(value.code, value.iso_code, value.iso2, value.iso) : textOf(value),
  )
}

/** The first number under one of `names`, also one written as text. */
export function numberIn(fields: Fields, names: readonly string[]): number | null {
  return factIn(fields, names, value => {
    const number = typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value
    return typeof number === 'number' && Number.isFinite(number) ? number : undefined
  })
}

/** As `numberIn`, for whole numbers that differ from their neighbours. */
export function integerIn(fields: Fields, names: readonly string[]): number | null {
  const found = numberIn(fields, names)
  return Number.isSafeInteger(found) ? found : null
}

/** The texts of a list. */
export function wordsIn(fields: Fields, names: readonly string[]): string[] | null {
  return factIn(fields, names, value => {
    if (typeof value === 'string' && value !== '') return [value]
    return Array.isArray(value) ? value.flatMap(item => textFrom(item) ?? []) : undefined
  })
}

type Names = Readonly<Record<string, readonly string[]>>
type Readers<Of extends Names> = Partial<
  Record<keyof Of, (fields: Fields, names: readonly string[]) => unknown>
>

/** A record under our names; null where the answer does not say. */
export type Found<Of extends Names, By extends Readers<Of>> = {
  readonly [Name in keyof Of]: By[Name] extends (...parameters: never) => infer Read ? Read : string | null
} & {
  /** The service's own object, untouched. */
  readonly raw: JsonObject
}

/** Reads each field of a record under the names that services have for it: as a text, or as its reader does. */
export function readRecord<Of extends Names, By extends Readers<Of>>(
  raw: JsonObject,
  names: Of,
  readers: By,
): Found<Of, By> {
  const fields = fieldsOf(raw)
  const read = Object.entries(names).map(([name, under]) => [name, (readers[name] ?? textIn)(fields, under)])
  return {...Object.fromEntries(read), raw}
}

/** How to find an amount in the objects under a name. */
export interface MoneyWay {
  /** The names of amounts inside an object. */
  readonly inside: readonly string[]
  /** The object under a name that may hold the amount. */
  readonly child: (value: unknown, name: string) => JsonObject | undefined
  /** Names of objects only: a bare amount under one of them is no price. */
  readonly leads: readonly string[]
  readonly currency: readonly string[]
}

const OBJECTS: MoneyWay = {
  inside: AMOUNT,
  child: value => (isObject(value) ? value : undefined),
  leads: [],
  currency: CURRENCY,
}

/** The first amount under one of `names`: `12.5`, `"12.50 EUR"` or in an object; its currency may be in those around `node`. */
export function moneyIn(
  fields: Fields,
  names: readonly string[],
  node?: Node,
  way: MoneyWay = OBJECTS,
): Money | null {
  const found = amountIn(fields, names, way)
  if (found === null) return null
  const currencyOf = (around: Node) => currencyBeside(fieldsOf(around.value), '', way)
  const currency = found.currency ?? outwards(node?.parent).map(currencyOf).find(Boolean) ?? null
  const {amount} = found
  return {amount: typeof amount === 'number' ? amountText(amount, currency) : amount, currency}
}

type FoundAmount = {readonly amount: string | number; readonly currency: string | null}

function amountIn(fields: Fields, names: readonly string[], way: MoneyWay): FoundAmount | null {
  return factIn(fields, names, (value, name) => {
    const child = way.child(value, name)
    if (!child && way.leads.includes(name)) return null
    const found = child ? amountIn(fieldsOf(child), way.inside, way) : readAmount(value)
    return found && {...found, currency: found.currency ?? currencyBeside(fields, name, way)}
  })
}

/** A number, a decimal string, or both parts in one string: `1250.00 EUR`, `EUR 1250.00`. */
export function readAmount(value: unknown): FoundAmount | null {
  if (typeof value === 'number') return value >= 0 && value < 1e15 ? {amount: value, currency: null} : null
  if (typeof value !== 'string') return null
  const [, before, amount = '', after] =
    /^(?:([A-Z]{3})\s*)?([\d.]+)(?:\s*([A-Z]{3}))?$/.exec(value.trim()) ?? []
  return isAmount(amount) ? {amount, currency: before ?? after ?? null} : null
}

/** A number is written with the decimals of its currency. */
function amountText(amount: number, currency: string | null): string {
  const decimals = currency === null ? 0 : minorUnits(currency)
  const text = String(amount)
  const fraction = text.split('.')[1] ?? ''
  // An exponent, or more decimals than any price has, is an artefact of floating point.
  if (/e/.test(text) || fraction.length > 6) return amount.toFixed(currency === null ? 2 : decimals)
  return fraction.length >= decimals ? text : amount.toFixed(decimals)
}

/** The currency in an object: `total_currency` belongs to `total_amount`. */
function currencyBeside(fields: Fields, name: string, way: MoneyWay): string | null {
  const prefix = name.replace(/_?(amount|price|rate)$/, '')
  const code = codeIn(fields, [`${name}_currency`, `${prefix}_currency`, ...way.currency])?.trim() ?? null
  return code !== null && /^[A-Za-z]{3}$/.test(code) ? code.toUpperCase() : code
}

/** The content of the envelope's `data`, or the whole without an envelope. */
export function unwrap(json: unknown): unknown {
  return (isObject(json) ? own(json, 'data') : undefined) ?? json
}

/** The record under its `name`, or the one object under another: `{acct: {…}, meta: {…}}`; undefined in `{"success": true}`. */
export function findNamed(json: unknown, name: string): JsonObject | undefined {
  const data = unwrap(json)
  if (!isObject(data)) return undefined
  const named = own(data, name)
  if (isObject(named)) return isSaid(Object.entries(named)) ? named : undefined
  const members = Object.entries(data).filter(([key]) => !BESIDE.includes(key))
  // In an envelope a status is the record's own; beside one it is the answer's.
  if (!isSaid(data === json ? members : Object.entries(data))) return undefined
  const [only] = members.map(([, value]) => value)
  return members.length === 1 && isObject(only) ? only : data
}

/** As `findNamed`, with the facts beside the record: the balance beside the account. */
export function findNamedWithFacts(json: unknown, name: string): JsonObject | undefined {
  const record = findNamed(json, name)
  const data = unwrap(json)
  if (record === undefined || !isObject(data) || own(data, name) !== record) return record
  const isFact = ([key, value]: [string, unknown]) => key !== name && value !== null && !BESIDE.includes(key)
  return {...Object.fromEntries(Object.entries(data).filter(isFact)), ...record}
}

function isSaid(members: [string, unknown][]): boolean {
  return members.some(([, value]) => value !== null)
}
