/** Field names as services write them (`hotelName`, `hotel-name`, `HotelName`), brought to the wire's snake_case. */
import {isObject, type JsonObject} from './json-walk.js'

/** The own fields of an object by snake_case name; of two spellings the first wins. */
export type Fields = ReadonlyMap<string, unknown>

/** `hotelName` → `hotel_name`, `offerRetailRate` → `offer_retail_rate`, `OfferID` → `offer_id`. */
export function snakeCase(name: string): string {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .replace(/[\s.-]+/g, '_')
    .toLowerCase()
}

export type FieldReader = (value: JsonObject) => Fields

/** Reads each object once, however many offers ask about it. */
export function createFieldReader(): FieldReader {
  const read = new WeakMap<JsonObject, Fields>()
  return value => {
    const fields = read.get(value) ?? fieldsOf(value)
    read.set(value, fields)
    return fields
  }
}

function fieldsOf(value: JsonObject): Fields {
  const fields = new Map<string, unknown>()
  for (const [key, inner] of Object.entries(value)) {
    const name = snakeCase(key)
    if (!fields.has(name)) fields.set(name, inner)
  }
  return fields
}

/** An object, or the first item of an array when that is one. */
export function firstObject(value: unknown): JsonObject | undefined {
  const first = Array.isArray(value) ? value[0] : value
  return isObject(first) ? first : undefined
}
