/** Finds facts in a service's record by the field names in the vocabulary. A missing fact is null. */
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

/** Returns the first value under one of `names` for which `read` returns something, or null. */
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

/**
 * Reads a text, or a number as a text. From an object with several languages, reads the English text, else the first
 * one.
 */
function textFrom(value: unknown): string | undefined {
  return isObject(value)
    ? (textOf(value.en, value.content, value.name) ?? firstText(Object.values(value)))
    : textOf(value)
}

/** Returns the first text under one of `names`, or null. */
export function textIn(fields: Fields, names: readonly string[]): string | null {
  return factIn(fields, names, textFrom)
}

/** Returns a text as one lower-case word, such as `not_cancelled`. Returns '' for anything other than a text. */
export function asWord(value: unknown): string {
  const text = typeof value === 'string' ? value : ''
  return text
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
}

/** Like `textIn`, but if the value is an object, returns its code. */
export function codeIn(fields: Fields, names: readonly string[]): string | null {
  return factIn(fields, names, value =>
    isObject(value) ? textOf(value.code, value.iso_code, value.iso2, value.iso) : textOf(value),
  )
}

/** Returns the first number under one of `names`, including a number written as text. */
export function numberIn(fields: Fields, names: readonly string[]): number | null {
  return factIn(fields, names, value => {
    const number = typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value
    return typeof number === 'number' && Number.isFinite(number) ? number : undefined
  })
}

/** Like `numberIn`, but returns only safe integers, because larger ones lose digits. */
export function integerIn(fields: Fields, names: readonly string[]): number | null {
  const found = numberIn(fields, names)
  return Number.isSafeInteger(found) ? found : null
}

/** Returns the texts of the first list under one of `names`. A single text counts as a list of one. */
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

/** A record with our field names. A field is null if the answer does not state it. */
export type Found<Of extends Names, By extends Readers<Of>> = {
  readonly [Name in keyof Of]: By[Name] extends (...parameters: never) => infer Read ? Read : string | null
} & {
  /** The unchanged object that the service sent. */
  readonly raw: JsonObject
}

/** Builds a record with our field names. Each field is read by its reader, or as a text if it has none. */
export function readRecord<Of extends Names, By extends Readers<Of>>(
  raw: JsonObject,
  names: Of,
  readers: By,
): Found<Of, By> {
  const fields = fieldsOf(raw)
  const read = Object.entries(names).map(([name, under]) => [name, (readers[name] ?? textIn)(fields, under)])
  return {...Object.fromEntries(read), raw}
}

/** Returns the content of the `data` envelope, or the whole answer if there is no envelope. */
export function unwrap(json: unknown): unknown {
  return (isObject(json) ? own(json, 'data') : undefined) ?? json
}

/**
 * Returns the object under `name`, or the only object under another name, as in `{acct: {…}, meta: {…}}`. Returns undefined if
 * the answer has no content, as in `{"success": true}`.
 */
export function findNamed(json: unknown, name: string): JsonObject | undefined {
  const data = unwrap(json)
  if (!isObject(data)) return undefined
  const isNotNull = (value: unknown) => value !== null
  const named = own(data, name)
  if (isObject(named)) return Object.values(named).some(isNotNull) ? named : undefined
  const members = Object.entries(data).filter(([key]) => !BESIDE.includes(key))
  const values = members.map(([, value]) => value)
  // Inside `data`, a field such as `status` belongs to the record; at the top level it belongs to the answer.
  if (!(data === json ? values : Object.values(data)).some(isNotNull)) return undefined
  const [only] = values
  return values.length === 1 && isObject(only) ? only : data
}
