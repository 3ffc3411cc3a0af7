/** Finds the facts of a foreign record under the names of the vocabulary. What is not found is null. */
import {
  type Fields,
  fieldsOf,
  firstText,
  isObject,
  type JsonObject,
  own,
  textOf,
} from '../../contract/json.js'
import {BESIDE} from './vocabulary.js'

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
    ? (textOf(value.en, value.content, value.name) ?? firstText(Object.values(value)))
    : textOf(value)
}

/** The first text under one of `names`. */
export function textIn(fields: Fields, names: readonly string[]): string | null {
  return factIn(fields, names, textFrom)
}

/** A text as one word, such as `not_cancelled`; '' for anything else. */
export function asWord(value: unknown): string {
  const text = typeof value === 'string' ? value : ''
  return text
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
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

/** The content of the envelope's `data`, or the whole without an envelope. */
export function unwrap(json: unknown): unknown {
  return (isObject(json) ? own(json, 'data') : undefined) ?? json
}

/** The record under its `name`, or the one object under another: `{acct: {…}, meta: {…}}`; undefined in `{"success": true}`. */
export function findNamed(json: unknown, name: string): JsonObject | undefined {
  const data = unwrap(json)
  if (!isObject(data)) return undefined
  const isNotNull = (value: unknown) => value !== null
  const named = own(data, name)
  if (isObject(named)) return Object.values(named).some(isNotNull) ? named : undefined
  const members = Object.entries(data).filter(([key]) => !BESIDE.includes(key))
  const values = members.map(([, value]) => value)
  // In an envelope a status is the record's own; beside one it is the answer's.
  if (!(data === json ? values : Object.values(data)).some(isNotNull)) return undefined
  const [only] = values
  return values.length === 1 && isObject(only) ? only : data
}
