/** One captured webhook request, whatever the form of the capture. */
import type {HeaderMap} from '../signature/headers.js'

/** Known only after the body was read to its end. */
export interface Afterwards {
  /** The bytes after the body, by its Content-Length, up to 4 MiB. */
  surplus?: Uint8Array
  /** Things a person should know about this capture. */
  readonly notes: string[]
}

/** One captured webhook request. */
export interface CapturedRequest {
  /** A raw body has none. */
  readonly headers?: HeaderMap | undefined
  /** Unix seconds, by the capture itself. */
  readonly receivedAt?: number | undefined
  /** The raw body, whole, or in pieces to be read once, before the next request is asked for. */
  readonly body: Uint8Array | AsyncIterable<Uint8Array>
  readonly afterwards?: Afterwards
  /** Its place in the file, to follow the file's name: `#2` (entry, from 1) or `:17` (line). */
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

/** Whether `text`, which is not JSON, is the beginning of an object or a list: it does not end with a bracket. */
export function isCutJson(text: string): boolean {
  return /^\s*[{[]/.test(text) && !/[\]}]$/.test(text.slice(-100).trimEnd())
}

/** Unix seconds of an ISO 8601 text. */
export function timeOf(text: unknown): number | undefined {
  const milliseconds = typeof text === 'string' ? Date.parse(text) : Number.NaN
  return Number.isNaN(milliseconds) ? undefined : milliseconds / 1000
}
