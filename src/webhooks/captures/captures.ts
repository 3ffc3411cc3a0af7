/**
 * Captured webhooks, in the forms people have them: a raw body, a whole HTTP request, a HAR file, our own capture
 * (NDJSON of `webhooks listen`). Which it is, is told from the content. Bodies stream; nothing is kept whole but one
 * record of a HAR file or capture.
 */

import {type EventSummary, isEventEnvelope} from '../signature/event.js'
import {type HeaderMap, headerOf, type WebhookHeaderNames} from '../signature/headers.js'
import {ByteSource} from './byte-source.js'
import {readHar} from './har.js'
import {looksLikeHttp, readHttpRequest} from './http.js'
import {beginsWithRecord, readRecords, recordsOfDocument, requestsOfDocument} from './records.js'

export type CaptureFormat = 'raw' | 'http' | 'har' | 'capture'

/** What is only known when the body has been read to its end. */
export interface Afterwards {
  /** What stood after the body by its Content-Length, up to 4 MiB. */
  surplus: Uint8Array | undefined
  /** Things a person should know about this capture. */
  readonly notes: string[]
}

/** One webhook request as somebody captured it. */
export interface CapturedRequest {
  readonly format: CaptureFormat
  /** Where the capture says it. */
  readonly method?: string
  /** Undefined for a raw body, which has none. */
  readonly headers: HeaderMap | undefined
  /** The value of one header, by its name in lower case, where that is quicker than all of `headers`. */
  header?(key: string): string | undefined
  /** Unix seconds, by the capture itself. */
  readonly receivedAt: number | undefined
  /** The raw body, whole, or in pieces to be read once, before the next request is asked for. */
  readonly body: Uint8Array | AsyncIterable<Uint8Array>
  /** What the body says, where it was read already. */
  readonly event?: EventSummary
  readonly afterwards: Afterwards
  /** Where in its file it stands, to be put after the file's name: `#2` (entry, from 1) or `:17` (line). */
  readonly place?: string
  /** Why nothing could be read here: a broken line, a record that is too long. */
  readonly problem?: string
}

export interface ReadOptions {
  /** The signature is given apart, so that only a raw body or an HTTP request can be meant. */
  readonly signatureGiven: boolean
  readonly names: WebhookHeaderNames
  /** How many requests and records were passed over, being no webhooks; counted here while they are read. */
  readonly leftOut: {count: number}
}

/** Ours: enough of a file to tell what it is; the first record of a capture fits in. */
const LOOK_BYTES = 16 * 1024 * 1024
const FIRST_LOOK_BYTES = 64 * 1024

/**
 * The requests in `bytes`, in their order, as many at once as were read together: one hand-over for each of a million
 * lines would take as long as checking them. Throws what reading `bytes` throws, and nothing else.
 */
export async function* readCaptures(
  bytes: AsyncIterable<Uint8Array>,
  options: ReadOptions,
): AsyncGenerator<readonly CapturedRequest[]> {
  const source = new ByteSource(bytes)
  const start = await source.peek(FIRST_LOOK_BYTES)
  // An empty file is an empty capture; only beside a signature is it an empty body.
  if (start.length === 0 && !options.signatureGiven) return
  if (looksLikeHttp(start)) return yield [readHttpRequest(source, start)]
  if (!options.signatureGiven) {
    if (looksLikeHar(start)) return yield* onlyWebhooks(readHar(source.rest()), options)
    if (beginsWithRecord(start)) return yield* readRecords(source, options.leftOut)
    if (mayBeRecords(start)) {
      const look = await source.peek(LOOK_BYTES)
      if (beginsWithRecord(look)) return yield* readRecords(source, options.leftOut)
      const records = source.isShorterThan(LOOK_BYTES) ? recordsOfDocument(look) : undefined
      if (records) return yield requestsOfDocument(records)
    }
  }
  yield [rawBody(source.rest())]
}

/** A body with nothing around it. */
export function rawBody(body: AsyncIterable<Uint8Array>): CapturedRequest {
  return {format: 'raw', headers: undefined, receivedAt: undefined, body, afterwards: nothingAfterwards()}
}

export function nothingAfterwards(): Afterwards {
  return {surplus: undefined, notes: []}
}

function looksLikeHar(start: Buffer): boolean {
  return /^(?:\xef\xbb\xbf)?\s*\{\s*"log"\s*:\s*\{/.test(start.toString('latin1', 0, 4096))
}

/** Cheap: a file that is not one of ours is not held back to be looked at further. */
function mayBeRecords(start: Buffer): boolean {
  const text = start.toString('latin1')
  return /^(?:\xef\xbb\xbf)?\s*[[{]/.test(text) && /"body_base64"|"type"\s*:\s*"(?:ready|event)"/.test(text)
}

/** Of all a browser or proxy recorded, the requests that are webhooks; the others are counted. */
async function* onlyWebhooks(
  requests: AsyncIterable<CapturedRequest>,
  {names, leftOut}: ReadOptions,
): AsyncGenerator<readonly CapturedRequest[]> {
  for await (const request of requests) {
    if (request.problem !== undefined || isWebhook(request, names)) yield [request]
    else leftOut.count += 1
  }
}

/** Whether a request carries a signature, under the expected name or another, or posts an event without one. */
function isWebhook(
  {method = 'POST', headers = {}, body}: CapturedRequest,
  names: WebhookHeaderNames,
): boolean {
  return (
    headerOf(headers, names.signature) !== undefined ||
    headerOf(headers, names.eventId) !== undefined ||
    Object.values(headers).some(values => [values].flat().some(value => /\bv1=/.test(value))) ||
    (/^post$/i.test(method) && body instanceof Uint8Array && isEventEnvelope(body))
  )
}
