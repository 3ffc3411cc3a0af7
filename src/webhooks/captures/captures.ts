/**
 * Captured webhooks in the forms that people have: a raw body, a whole HTTP request, a HAR file, a capture of `webhooks
 * listen` (NDJSON). The content says which it is. Bodies stream, and captures by records; a HAR file is held.
 */
import {isObject} from '../../contract/json.js'
import {sizeText} from '../../contract/limits.js'
import {isEventEnvelope} from '../signature/event.js'
import {gatherHeaders, type HeaderMap, headerOf, type WebhookHeaderNames} from '../signature/headers.js'
import {ByteSource} from './byte-source.js'
import {readHttpRequest} from './http.js'
import {beginsWithRecord, type LineShortcut, readRecords, requestsOfDocument} from './records.js'
import {type CapturedRequest, isCutJson, parseText, timeOf, unreadable} from './request.js'

export interface ReadOptions<T = never> {
  /** Whether --signature is given: then only a raw body or an HTTP request is expected. */
  readonly signatureGiven: boolean
  readonly names: WebhookHeaderNames
  /** Requests and records skipped because they are no webhooks; counted while they are read. */
  readonly leftOut: {count: number}
  /** For the lines of a capture. */
  readonly shortcut?: LineShortcut<T> | undefined
}

/** Enough of a file to see what it is; the first record of a capture fits in. */
const HEAD_BYTES = 16 * 1024 * 1024
const FIRST_HEAD_BYTES = 64 * 1024

const FOREIGN_FORM =
  'its signature is in a form that is not read, such as a curl command or the output of curl -v: pass the raw body with --signature, or the request without "> "'

/**
 * The requests in `bytes`, in their order, as many at once as were read together: one hand-over for each of a million
 * lines would take as long as checking them. Throws what reading `bytes` throws, and nothing else.
 */
export async function* readCaptures<T = never>(
  bytes: AsyncIterable<Uint8Array>,
  options: ReadOptions<T>,
): AsyncGenerator<readonly (CapturedRequest | T)[]> {
  const {leftOut, shortcut} = options
  const source = new ByteSource(bytes)
  const start = await source.peek(FIRST_HEAD_BYTES)
  // An empty file is an empty capture; only beside a signature is it an empty body.
  if (start.length === 0 && !options.signatureGiven) return
  const request = readHttpRequest(source, start)
  if (request) return yield [request]
  if (!options.signatureGiven) {
    if (looksLikeHar(start)) return yield* readHar(source.rest(), options)
    if (beginsWithRecord(start)) return yield* readRecords(source, leftOut, shortcut)
    if (mayBeRecords(start)) {
      const head = await source.peek(HEAD_BYTES)
      if (beginsWithRecord(head)) return yield* readRecords(source, leftOut, shortcut)
      const requests = source.isShorterThan(HEAD_BYTES) ? requestsOfDocument(head) : undefined
      if (requests) return yield requests
    }
    const text = start.toString('latin1').toLowerCase()
    if (text.includes(options.names.signature.toLowerCase()) || /\bv1=[\da-f]{64}/.test(text))
      return yield [unreadable(FOREIGN_FORM, '')]
  }
  yield [{body: source.rest()}]
}

function looksLikeHar(start: Buffer): boolean {
  return /^(?:\xef\xbb\xbf)?\s*\{\s*"log"\s*:\s*\{/.test(start.toString('latin1', 0, 4096))
}

/** A cheap check first: other files are not held in memory. */
function mayBeRecords(start: Buffer): boolean {
  const text = start.toString('latin1')
  return /^(?:\xef\xbb\xbf)?\s*[[{]/.test(text) && /"body_base64"|"type"\s*:\s*"(?:ready|event)"/.test(text)
}

/** Parsing takes several times as much memory. */
const MOST_HAR_BYTES = 128 * 1024 * 1024

/** The webhooks among the requests in `log.entries` of a HAR file, as browsers and proxies write it; others are counted. */
async function* readHar(
  pieces: AsyncIterable<Uint8Array>,
  {names, leftOut}: Pick<ReadOptions, 'names' | 'leftOut'>,
): AsyncGenerator<readonly CapturedRequest[]> {
  const parts: Buffer[] = []
  let length = 0
  for await (const piece of pieces) {
    length += piece.length
    if (length <= MOST_HAR_BYTES) parts.push(Buffer.from(piece))
  }
  const text = Buffer.concat(parts)
    .toString('utf8')
    .replace(/^\ufeff/, '')
  const har = parseText(text) as {log?: {entries?: unknown} | null} | undefined
  if (har === undefined) {
    const why = isCutJson(text) ? 'cut off' : 'not JSON'
    const what = length > MOST_HAR_BYTES ? `longer than ${sizeText(MOST_HAR_BYTES)}` : why
    return yield [unreadable(`the HAR file is ${what}`, '')]
  }
  const entries = har.log?.entries
  for (const [n, entry] of (Array.isArray(entries) ? entries : []).entries()) {
    const {request, startedDateTime} = isObject(entry) ? entry : {}
    const {method, headers, postData} = isObject(request) ? request : {}
    const received = {headers: harHeaders(headers), ...harBody(postData)}
    if (isWebhook(received, method, names))
      yield [{...received, place: `#${n + 1}`, receivedAt: timeOf(startedDateTime)}]
    else leftOut.count += 1
  }
}

/** The body; a browser keeps text, not bytes. */
function harBody(postData: unknown) {
  const {text, encoding} = isObject(postData) ? postData : {}
  if (typeof text !== 'string') return {body: Buffer.alloc(0)}
  if (encoding === 'base64') return {body: Buffer.from(text, 'base64')}
  const lossy =
    'the HAR file holds U+FFFD where bytes could not be read as text: the body is not the one sent'
  return {body: Buffer.from(text), afterwards: {notes: text.includes('\ufffd') ? [lossy] : []}}
}

function harHeaders(headers: unknown): HeaderMap {
  const pairs = (Array.isArray(headers) ? headers : []).filter(isObject).map(({name, value}) => [name, value])
  return gatherHeaders(
    pairs.filter((pair): pair is [string, string] => pair.every(one => typeof one === 'string')),
  )
}

/** Whether a request carries a signature, under the expected name or another, or posts an event without one. */
function isWebhook(
  {headers, body}: {headers: HeaderMap; body: Uint8Array},
  method: unknown,
  names: WebhookHeaderNames,
): boolean {
  return (
    headerOf(headers, names.signature) !== undefined ||
    headerOf(headers, names.eventId) !== undefined ||
    Object.values(headers).some(values => [values].flat().some(value => /\bv1=/.test(value))) ||
    ((typeof method !== 'string' || /^post$/i.test(method)) && isEventEnvelope(body))
  )
}
