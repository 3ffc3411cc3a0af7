/**
 * Parses, reads and walks untrusted JSON: only own properties are read, walking does not recurse, and depth is limited.
 * Also converts field names to snake_case.
 */
import {isSafeNumber, parse, stringify as stringifyExactly} from 'lossless-json'

export type JsonObject = Record<string, unknown>

/** Reports whether `value` is a JSON object. Null, arrays and ExactNumbers are not. */
export function isObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
  )
}

/** A number that JavaScript would change, such as an id beyond 2^53. It keeps the digits as the service wrote them. */
export class ExactNumber {
  constructor(readonly digits: string) {
    hasExactNumbers = true
  }

  toString(): string {
    return this.digits
  }
}

/** True once the first ExactNumber exists. Until then `stringify` uses JSON.stringify, which is faster. */
let hasExactNumbers = false

/**
 * Matches a number of more than fifteen digits, or with an exponent of at least three digits. It may also match inside
 * a string, which only costs time.
 */
const LONG_NUMBER = /(?:^|[[:,\s])-?(?:[\d.]{16,}|\d[\d.]*[eE][+-]?\d{3})/

/** Parses JSON like JSON.parse, but returns an ExactNumber where JavaScript would change the digits. Throws a SyntaxError. */
export function parseExactly(text: string): unknown {
  const plain: unknown = JSON.parse(text)
  if (!LONG_NUMBER.test(text)) return plain
  try {
    const parseNumber = (digits: string) => (isSafeNumber(digits) ? Number(digits) : new ExactNumber(digits))
    return parse(text, undefined, {parseNumber, onDuplicateKey: ({newValue}) => newValue})
  } catch {
    // The text is nested too deeply for the parser, which recurses.
    return plain
  }
}

/**
 * Returns the index where a text stops being JSON, or its length. Returns 0 if the text is nested too deeply for the parser,
 * which recurses.
 */
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

/** Like JSON.stringify, but writes every digit of an ExactNumber. Returns undefined for a value that JSON cannot represent. */
export function stringify(value: unknown, indent = 0): string | undefined {
  if (!hasExactNumbers) return JSON.stringify(value, null, indent)
  return stringifyExactly(value, undefined, indent, DIGITS)
}

/** Returns JSON with the keys of every object sorted, so that equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  const sorted = (_: string, inner: unknown) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner
  return JSON.stringify(value, sorted)
}

/** Replaces each UTF-16 unit of `text` by its JSON escape: `ç` becomes `\u00e7`. */
export function jsonEscapes(text: string): string {
  return text.replace(/./gs, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Returns the value of an own property, or undefined. */
export function own<Value>(value: Readonly<Record<string, Value>>, key: string): Value | undefined
export function own(value: object, key: string): unknown
export function own(value: object, key: string): unknown {
  return Object.hasOwn(value, key) ? (value as JsonObject)[key] : undefined
}

/** Maximum depth of nesting, because code that recurses through JSON could overflow the stack. Not in the interface. */
export const MOST_NESTING = 256

/** Reports whether a JSON text is nested deeper than MOST_NESTING. Brackets inside strings do not count. */
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

/** Caches each parsed body, because the trace, its summary and the caller parse the same answer. */
const parsed = new WeakMap<Uint8Array, unknown>()

/** Parses a body as JSON. Returns undefined when it is empty, not UTF-8, not JSON, or nested too deeply. */
export function parseJson(body: Uint8Array): unknown {
  if (parsed.has(body)) return parsed.get(body)
  let json: unknown
  try {
    if (!isTooDeep(body)) json = parseExactly(new TextDecoder('utf-8', {fatal: true}).decode(body))
  } catch {
    // The body is not JSON.
  }
  parsed.set(body, json)
  return json
}

/** Returns why `parseJson` cannot parse a body, to complete a message. */
export function whyNotJson(body: Uint8Array): string {
  return isTooDeep(body) ? 'it is nested too deeply' : 'it is not JSON'
}

/** An object in a JSON value, and where it is. */
export interface Node {
  readonly value: JsonObject
  readonly parent: Node | undefined
  /** The name of the property that contains the object, skipping arrays; '' for the outermost object. */
  readonly key: string
  /** Whether there is an array between the object and its parent. */
  readonly inArray: boolean
}

/** Returns the node and the nodes around it, innermost first. */
export function outwards(node: Node | undefined): Node[] {
  return node ? [node, ...outwards(node.parent)] : []
}

const MOST_DEPTH = 100

/**
 * Returns the first of the values that is a non-empty string or a finite number, as a string. Use `firstText` for a
 * list from a service, which may be too long for spread arguments.
 */
export const textOf = (...values: unknown[]): string | undefined => firstText(values)

/** Like `textOf`, for a list of any length. */
export function firstText(values: readonly unknown[]): string | undefined {
  for (const value of values) {
    if (typeof value === 'string' && value.trim() !== '') return value
    if (typeof value === 'number' && Number.isFinite(value)) return String(value)
    if (value instanceof ExactNumber) return value.digits
  }
  return undefined
}

/** Returns true for objects to skip, with everything inside them. */
type LeftOut = (node: Node) => boolean

/** Yields all objects in `json` breadth first, outermost first, to a depth of MOST_DEPTH. */
export function* breadthFirst(json: unknown, isLeftOut?: LeftOut): Generator<Node> {
  const queue = placesIn(outside(json))
  for (const place of queue) {
    if (place.node && isLeftOut?.(place.node)) continue
    if (place.node) yield place.node
    for (const inner of placesIn(place)) queue.push(inner)
  }
}

/** Yields all objects in `json` in the order of the document, to a depth of MOST_DEPTH. */
export function* inDocumentOrder(json: unknown, isLeftOut?: LeftOut): Generator<Node> {
  const stack = placesIn(outside(json))
  for (let place = stack.pop(); place; place = stack.pop()) {
    if (place.node && isLeftOut?.(place.node)) continue
    if (place.node) yield place.node
    for (const inner of placesIn(place).reverse()) stack.push(inner)
  }
}

/**
 * An object or array to visit. `holder` is the nearest object that contains its members: the object itself, or the one
 * around an array.
 */
interface Place {
  readonly value: object
  readonly node: Node | undefined
  readonly holder: Node | undefined
  readonly key: string
  readonly depth: number
}

/** Returns a place that encloses the whole JSON value. */
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

/** The own fields of an object by snake_case name. If two spellings give the same name, the first wins. */
export type Fields = ReadonlyMap<string, unknown>

/** Limits on the caches below. Not in the interface. */
const CACHE_LIMITS = {
  /** More different names than this mean that an answer uses data as names, such as ids. */
  names: 4096,
  objects: 1000,
  /** Objects with more fields are cached for as long as the answer exists, because they usually contain many others. */
  fieldsOfRecent: 50,
} as const

/** Returns `read` with its results cached by name. Even a long answer has few different names. */
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

/**
 * Converts a name to snake_case: `hotelName` → `hotel_name`, `offerRetailRate` → `offer_retail_rate`, `OfferID` → `offer_id`.
 */
export const snakeCase: (name: string) => string = onceForEachName(name =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .replace(/[\s.-]+/g, '_')
    .toLowerCase(),
)

/**
 * For each Fields, the names that the object has in two spellings with different values, such as `totalPrice` and
 * `total_price`.
 */
export const namedTwice = new WeakMap<Fields, Set<string>>()

const NO_FIELDS: Fields = new Map()
const large = new WeakMap<JsonObject, Fields>()
let recent = new Map<JsonObject, Fields>()

/**
 * Returns the fields of an object by snake_case name, or no fields for any other value. Small objects stay cached only
 * until many others were read, because caching all would take more memory than a long answer.
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

/** Returns the value if it is an object, or the first item if it is an array that starts with an object. */
export function firstObject(value: unknown): JsonObject | undefined {
  const first = Array.isArray(value) ? value[0] : value
  return isObject(first) ? first : undefined
}
