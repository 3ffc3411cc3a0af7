/**
 * Foreign JSON, parsed, read and walked without trust: own properties only, no recursion, no deeper than MOST_DEPTH; and its
 * names.
 */
import {isSafeNumber, parse, stringify as stringifyExactly} from 'lossless-json'

export type JsonObject = Record<string, unknown>

/** Whether `value` is an object: neither null nor a list, nor a long number. */
export function isObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
  )
}

/** A number that JavaScript would change, such as an identifier beyond 2^53: its digits, as the service wrote them. */
export class ExactNumber {
  constructor(readonly digits: string) {
    hasExactNumbers = true
  }

  toString(): string {
    return this.digits
  }
}

/** Without any, printing is left to JSON.stringify, which is faster. */
let hasExactNumbers = false

/** A number of more than fifteen digits, or one too large or small; a text may match as well, which only takes longer. */
const LONG_NUMBER = /(?:^|[[:,\s])-?(?:[\d.]{16,}|\d[\d.]*[eE][+-]?\d{3})/

/**
 * The value of a JSON text, as JSON.parse reads it, but for an ExactNumber where that would change digits. Throws SyntaxError.
 */
export function parseExactly(text: string): unknown {
  const plain: unknown = JSON.parse(text)
  if (!LONG_NUMBER.test(text)) return plain
  try {
    const parseNumber = (digits: string) => (isSafeNumber(digits) ? Number(digits) : new ExactNumber(digits))
    return parse(text, undefined, {parseNumber, onDuplicateKey: ({newValue}) => newValue})
  } catch {
    // It is nested too deeply for a parser that recurses.
    return plain
  }
}

/** Where a text ends or stops being JSON; 0 where it is nested too deeply for a parser that recurses. */
export function endOfJson(text: string): number {
  try {
    parse(text, undefined, {onDuplicateKey: ({newValue}) => newValue})
    return text.length
  } catch (error) {
    return Number(/ at position (\d+)$/.exec((error as Error).message)?.[1] ?? 0)
  }
}

const DIGITS = [
  {
    test: (value: unknown) => value instanceof ExactNumber,
    stringify: (value: unknown) => (value as ExactNumber).digits,
  },
]

/** As JSON.stringify, with every digit of an ExactNumber; undefined for what is no JSON. */
export function stringify(value: unknown, indent = 0): string | undefined {
  if (!hasExactNumbers) return JSON.stringify(value, null, indent)
  return stringifyExactly(value, undefined, indent, DIGITS)
}

/** JSON with the members of every object sorted: values that mean the same have the same text. */
export function canonicalJson(value: unknown): string {
  const sorted = (_: string, inner: unknown) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner
  return JSON.stringify(value, sorted)
}

/** Each code unit of `text` as an escape of JSON: `\u00e7`. */
export function jsonEscapes(text: string): string {
  return text.replace(/./gs, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** An own property, or undefined. */
export function own<Value>(value: Readonly<Record<string, Value>>, key: string): Value | undefined
export function own(value: object, key: string): unknown
export function own(value: object, key: string): unknown {
  return Object.hasOwn(value, key) ? (value as JsonObject)[key] : undefined
}

/** Not in the interface: code that walks through JSON or prints it could overflow the stack. */
export const MOST_NESTING = 256

/** Whether a JSON text is nested deeper; brackets inside strings do not count. */
export function isTooDeep(body: Uint8Array): boolean {
  let depth = 0
  for (let index = 0; index < body.length; index++) {
    const byte = body[index]
    if (byte === QUOTE) {
      do index += body[index] === BACKSLASH ? 2 : 1
      while (index < body.length && body[index] !== QUOTE)
    } else if (byte === 0x5b || byte === 0x7b) {
      if (++depth > MOST_NESTING) return true
    } else if (byte === 0x5d || byte === 0x7d) depth--
  }
  return false
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** The trace, its summary and the caller each parse an answer; a long one is parsed once. */
const parsed = new WeakMap<Uint8Array, unknown>()

/** The parsed body, or undefined when it is empty, not UTF-8, not JSON, or nested absurdly deep. */
export function parseJson(body: Uint8Array): unknown {
  if (parsed.has(body)) return parsed.get(body)
  let json: unknown
  try {
    if (!isTooDeep(body)) json = parseExactly(new TextDecoder('utf-8', {fatal: true}).decode(body))
  } catch {
    // It is no JSON.
  }
  parsed.set(body, json)
  return json
}

/** Why `parseJson` finds nothing in a body. */
export function whyNotJson(body: Uint8Array): string {
  return isTooDeep(body) ? 'it is nested too deeply' : 'it is not JSON'
}

/** One object of the answer and the way to it. */
export interface Node {
  readonly value: JsonObject
  readonly parent: Node | undefined
  /** Name of the property it is under, skipping arrays; '' for the outermost. */
  readonly key: string
  /** Whether an array lies between it and its parent. */
  readonly inArray: boolean
}

/** The node and those around it, the innermost first. */
export function outwards(node: Node | undefined): Node[] {
  return node ? [node, ...outwards(node.parent)] : []
}

const MOST_DEPTH = 100

/** As `firstText`, of a few values; a list that a service sends may be too long to be spread. */
export const textOf = (...values: unknown[]): string | undefined => firstText(values)

/** The first value that is a string with something in it, or a finite number written as a string. */
export function firstText(values: readonly unknown[]): string | undefined {
  for (const value of values) {
    if (typeof value === 'string' && value.trim() !== '') return value
    if (typeof value === 'number' && Number.isFinite(value)) return String(value)
    if (value instanceof ExactNumber) return value.digits
  }
  return undefined
}

/** Says of objects that they are passed over, with all that is in them. */
type LeftOut = (node: Node) => boolean

/** All objects, outermost first: what lies nearest to the top comes first. */
export function* breadthFirst(json: unknown, isLeftOut?: LeftOut): Generator<Node> {
  const queue = placesIn(outside(json))
  for (const place of queue) {
    if (place.node && isLeftOut?.(place.node)) continue
    if (place.node) yield place.node
    for (const inner of placesIn(place)) queue.push(inner)
  }
}

/** All objects, in the order of the document. */
export function* inDocumentOrder(json: unknown, isLeftOut?: LeftOut): Generator<Node> {
  const stack = placesIn(outside(json))
  for (let place = stack.pop(); place; place = stack.pop()) {
    if (place.node && isLeftOut?.(place.node)) continue
    if (place.node) yield place.node
    for (const inner of placesIn(place).reverse()) stack.push(inner)
  }
}

/** An object or array. Members of an array belong to the nearest object around it, which is the `holder`. */
interface Place {
  readonly value: object
  readonly node: Node | undefined
  readonly holder: Node | undefined
  readonly key: string
  readonly depth: number
}

/** Around the whole answer. */
const outside = (json: unknown): Place => {
  return {value: {'': json}, node: undefined, holder: undefined, key: '', depth: -1}
}

function placesIn({value, holder, key, depth}: Place): Place[] {
  const places: Place[] = []
  if (depth >= MOST_DEPTH) return places
  const inArray = Array.isArray(value)
  for (const [name, inner] of Object.entries(value)) {
    if (typeof inner !== 'object' || inner === null) continue
    const innerKey = inArray ? key : name
    const node = isObject(inner) ? {value: inner, parent: holder, key: innerKey, inArray} : undefined
    places.push({value: inner, node, holder: node ?? holder, key: innerKey, depth: depth + 1})
  }
  return places
}

/** The own fields of an object by snake_case name; of two spellings the first wins. */
export type Fields = ReadonlyMap<string, unknown>

/** Not in the interface. */
const CACHE_LIMITS = {
  /** An answer with more of them uses data for names. */
  names: 4096,
  objects: 1000,
  /** Objects with more fields are kept as long as the answer, because they are around many others. */
  fieldsOfRecent: 50,
} as const

/** Caches `read` for each name: a long answer has few names, and each of them in every record. */
export function onceForEachName<T>(read: (name: string) => T): (name: string) => T {
  const known = new Map<string, T>()
  return name => {
    const before = known.get(name)
    if (before !== undefined) return before
    const result = read(name)
    if (known.size >= CACHE_LIMITS.names) known.clear()
    known.set(name, result)
    return result
  }
}

/** `hotelName` → `hotel_name`, `offerRetailRate` → `offer_retail_rate`, `OfferID` → `offer_id`. */
export const snakeCase: (name: string) => string = onceForEachName(name =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .replace(/[\s.-]+/g, '_')
    .toLowerCase(),
)

/** The names that an object has in two spellings, with different values: `totalPrice` beside `total_price`. */
export const namedTwice = new WeakMap<Fields, Set<string>>()

const NO_FIELDS: Fields = new Map()
const large = new WeakMap<JsonObject, Fields>()
let recent = new Map<JsonObject, Fields>()

/**
 * The fields of an object; none for anything else. Recent ones are cached; caching every object would take more memory than a
 * long answer.
 */
export function fieldsOf(value: unknown): Fields {
  if (!isObject(value)) return NO_FIELDS
  const before = recent.get(value) ?? large.get(value)
  if (before) return before
  const fields = new Map<string, unknown>()
  for (const key of Object.keys(value)) {
    const name = snakeCase(key)
    if (!fields.has(name)) fields.set(name, value[key])
    else if (fields.get(name) !== value[key])
      namedTwice.set(fields, new Set(namedTwice.get(fields)).add(name))
  }
  if (fields.size > CACHE_LIMITS.fieldsOfRecent) large.set(value, fields)
  else {
    if (recent.size >= CACHE_LIMITS.objects) recent = new Map()
    recent.set(value, fields)
  }
  return fields
}

/** An object, or the first item of an array when that is one. */
export function firstObject(value: unknown): JsonObject | undefined {
  const first = Array.isArray(value) ? value[0] : value
  return isObject(first) ? first : undefined
}
