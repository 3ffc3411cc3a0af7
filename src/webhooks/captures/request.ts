/** A captured webhook request, independent of the form of the capture. */
import {type HeaderMap, headerOf, type WebhookHeaderNames} from '../signature/headers.js'

/** The reason why a capture is not a whole request, so that its signature cannot be checked. */
export interface Gap {
  /** A stable word for scripts. */
  readonly code:
    | 'body_missing'
    | 'body_unclear'
    | 'request_missing'
    | 'form_unknown'
    | 'no_request'
    | 'signature_masked'
  /** What is missing, as a whole sentence. */
  readonly explanation: string
  /** What to ask the sender of the capture for, as a whole sentence. */
  readonly fix: string
}

/** Facts that are complete once the body was read to its end. */
export interface Afterwards {
  /** The bytes after the end of the body according to its Content-Length, up to 4 MiB. */
  surplus?: Uint8Array
  /** The number of bytes that the body is shorter than its Content-Length says. */
  missingBytes?: number
  gap?: Gap
  /** Remarks about the capture for the user. */
  readonly notes: string[]
}

/** Another body that the text of a capture may mean, with a remark for the user if it is the signed one. */
export interface Reading {
  readonly body: Uint8Array
  readonly note?: string | undefined
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
  /** Set if the capture is not a whole request. Then it is not checked. */
  readonly gap?: Gap | undefined
  /** The reason why the body may differ from the one sent. Then a mismatch without a proved cause proves nothing. */
  readonly doubt?: Gap | undefined
  /**
   * Yields the other bodies that the capture may mean, given the body as it was read: a mail breaks lines, and a command means
   * something else in each shell. The one that was signed is the right one.
   */
  readonly otherReadings?: ((body: Uint8Array) => Iterable<Reading>) | undefined
}

/** Returns a number of bytes in words, such as "1 byte". */
export function bytesText(count: number): string {
  return count === 1 ? '1 byte' : `${count} bytes`
}

/** Returns a request that could not be read, with the reason. */
export function unreadable(problem: string, place: string): CapturedRequest {
  return {body: new Uint8Array(), place, problem}
}

/** Reports whether `request` has a header with the name of the signature. */
export function hasSignature({headers = {}}: CapturedRequest, names: WebhookHeaderNames): boolean {
  return headerOf(headers, names.signature) !== undefined
}

/** Returns the requests that have a signature, or the first one if none has. Several are numbered. */
export function signedOrFirst(
  requests: readonly CapturedRequest[],
  names: WebhookHeaderNames,
): CapturedRequest[] {
  const signed = requests.filter(request => hasSignature(request, names))
  return numbered(signed.length > 0 ? signed : requests.slice(0, 1))
}

/** Returns `requests`, each with its number as its place if there are several. */
export function numbered(requests: readonly CapturedRequest[]): CapturedRequest[] {
  return requests.map((request, n) => (requests.length > 1 ? {...request, place: `#${n + 1}`} : request))
}

/** Parses JSON. Returns undefined when `text` is not JSON. */
export function parseText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Parses an ISO 8601 time into Unix seconds. Returns undefined if it is invalid. */
export function timeOf(text: unknown): number | undefined {
  const milliseconds = typeof text === 'string' ? Date.parse(text) : Number.NaN
  return Number.isNaN(milliseconds) ? undefined : milliseconds / 1000
}

/** The header in which `webhooks events show` writes when an event came. */
export const RECEIVED_AT_HEADER = 'X-Bookctl-Received-At'

/** Returns the time in that header as Unix seconds, or undefined if it is missing. */
export function receivedAtOf(pairs: readonly (readonly [string, string])[]): number | undefined {
  const found = pairs.find(([name]) => name.toLowerCase() === RECEIVED_AT_HEADER.toLowerCase())
  return timeOf(found?.[1])
}
