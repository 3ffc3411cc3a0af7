/**
 * Reads captured webhooks in their usual forms: a raw body, a whole HTTP request, a HAR file, a capture of `webhooks listen`
 * (NDJSON), the JSON of a gateway or a log, a command, a trace, or a text that was pasted. The form is detected from the content.
 * Bodies are streamed and captures are read record by record, but the other forms are read into memory.
 */
import {sizeText} from '../../contract/limits.js'
import type {WebhookHeaderNames} from '../signature/headers.js'
import {ByteSource} from './byte-source.js'
import {FOREIGN_FORM, tooLong} from './gaps.js'
import {readHar} from './har.js'
import {httpHead, readHttpRequest} from './http.js'
import {holdsSignature} from './lines.js'
import {beginsWithRecord, type LineShortcut, readRecords, requestsOfDocument} from './records.js'
import type {CapturedRequest} from './request.js'

export interface ReadOptions<T = never> {
  /** Whether --signature is given. Then the file is a raw body or an HTTP request. */
  readonly signatureGiven: boolean
  readonly names: WebhookHeaderNames
  /** Counts requests and records that are skipped because they are not webhooks. The count grows while the file is read. */
  readonly leftOut: {count: number}
  /** The fast path for lines of a capture. */
  readonly shortcut?: LineShortcut<T> | undefined
}

/** How much of a file is read to detect its form. The first record of a capture fits. */
const HEAD_BYTES = 16 * 1024 * 1024
const FIRST_HEAD_BYTES = 64 * 1024

/**
 * Yields the requests in `bytes`, in order. They come in groups that were read together, because yielding a million lines one
 * by one would take as long as checking them. Only throws errors of reading `bytes`.
 */
export async function* readCaptures<T = never>(
  bytes: AsyncIterable<Uint8Array>,
  options: ReadOptions<T>,
): AsyncGenerator<readonly (CapturedRequest | T)[]> {
  const {leftOut, shortcut, names, signatureGiven} = options
  const source = new ByteSource(bytes)
  const start = await source.peek(FIRST_HEAD_BYTES)
  // An empty file is an empty capture, or with --signature an empty body.
  if (start.length === 0 && !signatureGiven) return
  const head = httpHead(start, names)
  if (head && (head.isClean || signatureGiven)) return yield [readHttpRequest(source, head)]
  if (signatureGiven) return yield [{body: source.rest()}]
  const text = start.toString('latin1').replace(/^\xef\xbb\xbf/, '')
  if (/^\s*\{\s*"log"\s*:\s*\{/.test(text)) return yield* readHar(source.rest(), names, leftOut)
  if (beginsWithRecord(start)) return yield* readRecords(source.rest(), leftOut, shortcut)
  // A cheap check first, so that other files are not read into memory.
  if (/^\s*[[{]/.test(text) && /"body_base64"|"type"\s*:\s*"(?:ready|event)"/.test(text)) {
    const head = await source.peek(HEAD_BYTES)
    if (beginsWithRecord(head)) return yield* readRecords(source.rest(), leftOut, shortcut)
    const requests = source.isShorterThan(HEAD_BYTES) ? requestsOfDocument(head) : undefined
    if (requests) return yield requests
  }
  if (!head && !mayHoldRequest(text, names)) return yield [{body: source.rest()}]
  const whole = await source.peek(HEAD_BYTES)
  const {readText} = await import('./texts.js')
  const requests = source.isShorterThan(HEAD_BYTES) ? readText(whole, names, leftOut) : undefined
  // What is a request from its first line on lacks only the part that was cut off.
  if (head && !requests?.some(({gap}) => gap === undefined)) return yield [readHttpRequest(source, head)]
  if (requests) return yield requests
  const gap = source.isShorterThan(HEAD_BYTES) ? FOREIGN_FORM : tooLong(sizeText(HEAD_BYTES))
  yield [holdsSignature(text, names) ? {body: source.rest(), gap} : {body: source.rest()}]
}

/** A cheap check, so that a long body is not read into memory. UTF-16 has a NUL beside each letter. */
function mayHoldRequest(text: string, names: WebhookHeaderNames): boolean {
  const plain = text.replaceAll('\0', '')
  const forms =
    /(?:^|[^\w.-])curl(?:\.exe)?\s|\b(?:Invoke-(?:WebRequest|RestMethod)|iwr|irm)\s|^\s*(?:[<>|*] )*HTTP\/\d|^\s*[<*] |"\w*headers"|=> Send|^Content-Transfer-Encoding:/im
  return holdsSignature(plain, names) || forms.test(plain)
}
