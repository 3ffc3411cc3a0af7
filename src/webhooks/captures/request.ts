/** One captured webhook request, whatever the form of the capture. */
import type {HeaderMap} from '../signature/headers.js'

/** Known once the body was read to its end. */
export interface Afterwards {
  /** The bytes after the body, by its Content-Length, up to 4 MiB. */
  surplus?: Uint8Array
  /** Things a person should know about this capture. */
  readonly notes: string[]
}

export interface CapturedRequest {
  /** A raw body has none. */
  readonly headers?: HeaderMap | undefined
  /** Unix seconds, as the capture says. */
  readonly receivedAt?: number | undefined
  /** The raw body: whole, or in pieces that can be read once, before the next request. */
  readonly body: Uint8Array | AsyncIterable<Uint8Array>
  readonly afterwards?: Afterwards
  /** The suffix of the file's name in results: `#2` (entry, from 1) or `:17` (line). */
  readonly place?: string
  /** Why nothing could be read here: a broken line, a record that is too long. */
  readonly problem?: string
}

/** A request that could not be read, and why. */
export function unreadable(problem: string, place: string): CapturedRequest {
  return {body: new Uint8Array(), place, problem}
}

/** The value in JSON `text`; undefined when it is not JSON. */
export function parseText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whether `text`, which is not JSON, is the beginning of an object or a list. A loop: a RegExp overflows on long strings. */
export function isCutJson(text: string): boolean {
  if (!/^\s*[{[]/.test(text)) return false
  let depth = 0
  let isInString = false
  for (let at = 0; at < text.length; at += 1) {
    const mark = text[at]
    if (mark === '"') isInString = !isInString
    else if (isInString) at += mark === '\\' ? 1 : 0
    else if (mark === '{' || mark === '[') depth += 1
    else if (mark === '}' || mark === ']') depth -= 1
  }
  return isInString || depth > 0
}

/** Unix seconds of an ISO 8601 text. */
export function timeOf(text: unknown): number | undefined {
  const milliseconds = typeof text === 'string' ? Date.parse(text) : Number.NaN
  return Number.isNaN(milliseconds) ? undefined : milliseconds / 1000
}
