/** Field names as services write them (`hotelName`, `hotel-name`, `HotelName`), brought to the wire's snake_case. */
import {isObject, type JsonObject} from './json.js'

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
const namedTwice = new WeakMap<Fields, Set<string>>()

export function isNamedTwice(fields: Fields, name: string): boolean {
  return namedTwice.get(fields)?.has(name) === true
}

const large = new WeakMap<JsonObject, Fields>()
let recent = new Map<JsonObject, Fields>()

/** The fields of an object. Recent ones are cached; caching every object would take more memory than a long answer. */
export function fieldsOf(value: JsonObject): Fields {
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
