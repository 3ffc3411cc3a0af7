/** JSON objects of others, looked at without trust. */

export type JsonObject = Record<string, unknown>

/** Whether `value` is an object: neither null nor a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An own property, or undefined. */
export function own(value: object, key: string): unknown {
  return Object.hasOwn(value, key) ? (value as JsonObject)[key] : undefined
}
