/** A captured webhook request, independent of the form of the capture. */
import type {HeaderMap} from '../signature/headers.js'

/** Facts that are complete once the body was read to its end. */
export interface Afterwards {
  /** The bytes after the end of the body according to its Content-Length, up to 4 MiB. */
  surplus?: Uint8Array
  /** Remarks about the capture for the user. */
  readonly notes: string[]
}

export interface CapturedRequest {
  /** Undefined for a raw body. */
  readonly headers?: HeaderMap | undefined
  /** The time in the capture, in Unix seconds. */
  readonly receivedAt?: number | undefined
  /** The raw body: complete, or in pieces that can be read once, before the next request. */
  readonly body: Uint8Array | AsyncIterable<Uint8Array>
  readonly afterwards?: Afterwards
  /** The suffix of the file name in results: `#2` for an entry (from 1), `:17` for a line. */
  readonly place?: string
  /** The reason why this request could not be read, such as a broken line or a record that is too long. */
  readonly problem?: string
}

/** Returns a request that could not be read, with the reason. */
export function unreadable(problem: string, place: string): CapturedRequest {
  return {body: new Uint8Array(), place, problem}
}

/** Parses JSON. Returns undefined when `text` is not JSON. */
export function parseText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Reports whether `text`, which is not JSON, is the start of an object or a list. It uses a loop, because a RegExp overflows on
 * long strings.
 */
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

/** Parses an ISO 8601 time into Unix seconds. Returns undefined if it is invalid. */
export function timeOf(text: unknown): number | undefined {
  const milliseconds = typeof text === 'string' ? Date.parse(text) : Number.NaN
  return Number.isNaN(milliseconds) ? undefined : milliseconds / 1000
}
