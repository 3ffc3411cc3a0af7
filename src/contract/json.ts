/** Foreign JSON, parsed and read without trust. */

export type JsonObject = Record<string, unknown>

/** Whether `value` is an object: neither null nor a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An own property, or undefined. */
export function own(value: object, key: string): unknown {
  return Object.hasOwn(value, key) ? (value as JsonObject)[key] : undefined
}

/** Not in the interface: code that walks through JSON or prints it could overflow the stack. */
export const MAX_NESTING = 256

/** Whether a JSON text is nested deeper; brackets inside strings do not count. */
export function isTooDeep(body: Uint8Array): boolean {
  let depth = 0
  for (let index = 0; index < body.length; index++) {
    const byte = body[index]
    if (byte === QUOTE) index = endOfString(body, index)
    else if (byte === 0x5b || byte === 0x7b) {
      if (++depth > MAX_NESTING) return true
    } else if (byte === 0x5d || byte === 0x7d) depth--
  }
  return false
}

/** The index of the closing quote of the string at `start`, or the end of the body. */
function endOfString(body: Uint8Array, start: number): number {
  let index = start + 1
  while (index < body.length && body[index] !== QUOTE) index += body[index] === BACKSLASH ? 2 : 1
  return index
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** The trace, its summary and the caller each parse an answer; a long one is parsed once. */
const parsed = new WeakMap<Uint8Array, {readonly json: unknown}>()

/** The parsed body, or undefined when it is empty, not UTF-8, not JSON, or nested absurdly deep. */
export function parseJson(body: Uint8Array): unknown {
  const before = parsed.get(body)
  if (before) return before.json
  const json = parse(body)
  parsed.set(body, {json})
  return json
}

function parse(body: Uint8Array): unknown {
  if (isTooDeep(body)) return undefined
  try {
    return JSON.parse(new TextDecoder('utf-8', {fatal: true}).decode(body))
  } catch {
    return undefined
  }
}

/** Why `parseJson` finds nothing in a body. */
export function whyNotJson(body: Uint8Array): string {
  return isTooDeep(body) ? 'it is nested too deeply' : 'it is not JSON'
}
