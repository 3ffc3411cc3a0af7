/**
 * Reads captured webhooks in their usual forms: a raw body, a whole HTTP request, a HAR file, a capture of `webhooks listen`
 * (NDJSON), the JSON of a gateway or a log, a command, a trace, or a text that was pasted. The form is detected from the content.
 * Bodies are streamed and captures are read record by record, but the other forms are read into memory.
 */
import {isObject} from '../../contract/json.js'
import {sizeText} from '../../contract/limits.js'
import {isEventEnvelope} from '../signature/event.js'
import {gatherHeaders, type HeaderMap, headerOf, type WebhookHeaderNames} from '../signature/headers.js'
import {BODY_MISSING, FOREIGN_FORM, HEADERS_CUT, tooLong} from './gaps.js'
import {beginsWithRecord, type LineShortcut, readRecords, requestsOfDocument} from './records.js'
import {
  type Afterwards,
  type CapturedRequest,
  isCutJson,
  parseText,
  type Reading,
  receivedAtOf,
  timeOf,
  unreadable,
} from './request.js'
import {joinedReadings, textReadings} from './wrapped.js'

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
  const head = httpHead(start)
  if (head && (head.isClean || signatureGiven)) return yield [readHttpRequest(source, head)]
  if (signatureGiven) return yield [{body: source.rest()}]
  const text = start.toString('latin1').replace(/^\xef\xbb\xbf/, '')
  if (/^\s*\{\s*"log"\s*:\s*\{/.test(text)) return yield* readHar(source.rest(), options)
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

function holdsSignature(text: string, names: WebhookHeaderNames): boolean {
  return text.toLowerCase().includes(names.signature.toLowerCase()) || /\bv1=[\da-f]{64}/i.test(text)
}

/** A cheap check, so that a long body is not read into memory. UTF-16 has a NUL beside each letter. */
function mayHoldRequest(text: string, names: WebhookHeaderNames): boolean {
  const plain = text.replaceAll('\0', '')
  const forms =
    /(?:^|[^\w.-])curl(?:\.exe)?\s|\b(?:Invoke-(?:WebRequest|RestMethod)|iwr|irm)\s|^\s*(?:[<>|*] )*HTTP\/\d|^\s*[<*] |"\w*headers"|=> Send|^Content-Transfer-Encoding:/im
  return holdsSignature(plain, names) || forms.test(plain)
}

/** Reads bytes that come in pieces. The first bytes can be peeked at before they are taken. */
class ByteSource {
  private readonly iterator: AsyncIterator<Uint8Array>
  private seen: Buffer = Buffer.alloc(0)
  private ended = false

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.iterator = pieces[Symbol.asyncIterator]()
  }

  /** Returns the first `length` bytes without taking them, or fewer if there are no more. */
  async peek(length: number): Promise<Buffer> {
    const pieces = [this.seen]
    let total = this.seen.length
    while (total < length && !this.ended) {
      const {done, value} = await this.iterator.next()
      if (done) this.ended = true
      else {
        pieces.push(Buffer.from(value))
        total += value.length
      }
    }
    this.seen = pieces.length === 1 ? this.seen : Buffer.concat(pieces)
    return this.seen.subarray(0, length)
  }

  /** Reports whether `peek` reached the end within fewer than `length` bytes. */
  isShorterThan(length: number): boolean {
    return this.ended && this.seen.length < length
  }

  /** Drops the first `length` bytes, which must have been peeked at. */
  skip(length: number): void {
    this.seen = this.seen.subarray(length)
  }

  /** Takes the remaining bytes, piece by piece. */
  async *rest(): AsyncGenerator<Uint8Array> {
    const {seen} = this
    this.seen = Buffer.alloc(0)
    if (seen.length > 0) yield seen
    while (!this.ended) {
      const {done, value} = await this.iterator.next()
      if (done) this.ended = true
      else yield value
    }
  }
}

/** The size is limited because parsing takes several times as much memory as the file. */
const MOST_HAR_BYTES = 128 * 1024 * 1024

/** Yields the webhooks in `log.entries` of a HAR file, as browsers and proxies write it. Other requests are only counted. */
async function* readHar(
  pieces: AsyncIterable<Uint8Array>,
  {names, leftOut}: Pick<ReadOptions, 'names' | 'leftOut'>,
): AsyncGenerator<readonly CapturedRequest[]> {
  const kept: Buffer[] = []
  let length = 0
  for await (const piece of pieces) {
    length += piece.length
    if (length <= MOST_HAR_BYTES) kept.push(Buffer.from(piece))
  }
  const text = Buffer.concat(kept)
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
    const place = `#${n + 1}`
    if (request === undefined) continue
    if (!isObject(request)) {
      yield [unreadable('a request of the HAR file cannot be read', place)]
      continue
    }
    const pairs: [string, string][] = []
    for (const header of Array.isArray(request.headers) ? request.headers : []) {
      const {name, value} = isObject(header) ? header : {}
      if (typeof name === 'string' && typeof value === 'string') pairs.push([name, value])
    }
    // Browsers store the body as text, not as bytes.
    const {text: posted, encoding} = isObject(request.postData) ? request.postData : {}
    const text = typeof posted === 'string' ? posted : ''
    const body = Buffer.from(text, encoding === 'base64' ? 'base64' : 'utf8')
    const notes: string[] = []
    if (encoding !== 'base64' && text.includes('\ufffd'))
      notes.push(
        'the HAR file holds U+FFFD where bytes could not be read as text: the body is not the one sent',
      )
    const headers = gatherHeaders(pairs)
    const {method} = request
    // A webhook has a signature, under the expected name or another, or is a POST of an event without one.
    const isWebhook =
      headerOf(headers, names.signature) !== undefined ||
      headerOf(headers, names.eventId) !== undefined ||
      pairs.some(([, value]) => /\bv1=/.test(value)) ||
      ((typeof method !== 'string' || /^post$/i.test(method)) && isEventEnvelope(body))
    if (isWebhook) yield [{headers, body, afterwards: {notes}, place, receivedAt: timeOf(startedDateTime)}]
    else leftOut.count += 1
  }
}

const REQUEST_LINE = /^[A-Z]{3,16} [^\s]+ HTTP\/\d(?:\.\d)?$/
const HEADER_LINE = /^([!#$%&'*+.^_`|~\w-]+):(.*)$/s

const MOST_SURPLUS_BYTES = 4 * 1024 * 1024

/** The head of an HTTP/1 request. */
interface HttpHead {
  readonly pairs: readonly (readonly [string, string])[]
  readonly hasRequestLine: boolean
  /** The length with the empty line, or undefined if there is none. */
  readonly length: number | undefined
  /** Whether each line is a header, so that no mail and no editor has broken one. */
  readonly isClean: boolean
}

/**
 * Reads the head of an HTTP/1 request that starts with `start`. Lines end with CRLF or LF. Returns undefined unless there is a
 * request line, or headers with a signature and an empty line.
 */
function httpHead(start: Buffer): HttpHead | undefined {
  const text = start.toString('latin1')
  const end = /\r?\n\r?\n/.exec(text)
  // Without an empty line, everything is headers.
  const head = end ? text.slice(0, end.index) : text.replace(/\r?\n$/, '')
  // A line that starts with white space continues the previous header.
  const lines = head.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)
  const hasRequestLine = REQUEST_LINE.test(head.split(/\r?\n/, 1)[0] ?? '')
  const fields = lines.slice(hasRequestLine ? 1 : 0).map(line => HEADER_LINE.exec(line))
  const isSigned = fields.some(field => /(?:^|[\s,])v1=/.test(field?.[2] ?? ''))
  if (!hasRequestLine && (!end || !isSigned || fields.includes(null))) return undefined
  // Other lines are ignored, because some tools print remarks.
  const found = fields.filter(field => field !== null)
  // Spaces and tabs around a value are not part of it.
  const trimmed = (value: string) => /[^ \t](?:.*[^ \t])?/s.exec(value)?.[0] ?? ''
  // Below headers that were pasted there may be more of them, or a line that says that the body follows.
  const isFollowed = !hasRequestLine && end && /^\s*[\w -]{1,40}:/.test(text.slice(end.index))
  return {
    pairs: found.map(([, name = '', value = '']) => [name, trimmed(value)]),
    hasRequestLine,
    length: end ? end.index + end[0].length : undefined,
    isClean: end !== null && !fields.includes(null) && !isFollowed,
  }
}

/** Reads the HTTP/1 request with `head`. The body has a Content-Length, is chunked, or ends with the file. */
function readHttpRequest(source: ByteSource, {pairs, length, hasRequestLine}: HttpHead): CapturedRequest {
  const headers = gatherHeaders(pairs)
  if (length === undefined) return {headers, body: new Uint8Array(), gap: HEADERS_CUT}
  source.skip(length)
  const afterwards: Afterwards = {notes: []}
  const receivedAt = receivedAtOf(pairs)
  const otherReadings = (body: Uint8Array) => httpReadings(body, headers, afterwards, hasRequestLine)
  return {headers, body: httpBody(source, headers, afterwards), afterwards, receivedAt, otherReadings}
}

/**
 * Yields the other bodies that the text of a request may mean. A request with a request line and without a length is taken as it
 * is, but for lines that a mail has broken; one without is a text that was pasted, whose last line an editor ends.
 */
function* httpReadings(
  body: Uint8Array,
  headers: HeaderMap,
  {surplus}: Afterwards,
  hasRequestLine: boolean,
): Generator<Reading> {
  const text = Buffer.concat([body, surplus ?? new Uint8Array()]).toString('latin1')
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const whole = [...lines, text].join('\n')
  const declared = lengthIn(headers)
  if (declared !== undefined) {
    if (text.length !== declared) yield* textReadings(text, declared, whole)
  } else if (hasRequestLine) yield* joinedReadings(text, whole)
  else yield* textReadings(text, undefined, whole)
}

function lengthIn(headers: HeaderMap): number | undefined {
  const length = headerOf(headers, 'content-length')
  return typeof length === 'string' && /^\d{1,15}$/.test(length) ? Number(length) : undefined
}

async function* httpBody(
  source: ByteSource,
  headers: HeaderMap,
  afterwards: Afterwards,
): AsyncGenerator<Uint8Array> {
  const coding = headerOf(headers, 'transfer-encoding')
  if (typeof coding === 'string' && /\bchunked$/i.test(coding) && (await chunkSizeIn(source)))
    return yield* dechunk(source, afterwards)
  const length = lengthIn(headers)
  if ((await source.peek(1)).length === 0 && length !== 0) {
    afterwards.gap = BODY_MISSING
    return
  }
  if (length === undefined) return yield* source.rest()
  yield* upTo(source, length, afterwards)
}

/** Yields the first `length` bytes. The rest becomes `surplus`, because an editor may have changed the length of the body. */
async function* upTo(source: ByteSource, length: number, afterwards: Afterwards): AsyncGenerator<Uint8Array> {
  let left = length
  let surplusBytes = 0
  const surplus: Uint8Array[] = []
  for await (const piece of source.rest()) {
    const own = piece.subarray(0, left)
    const more = piece.subarray(left)
    left -= own.length
    if (own.length > 0) yield own
    if (more.length > 0 && surplusBytes < MOST_SURPLUS_BYTES) surplus.push(Buffer.from(more))
    surplusBytes += more.length
  }
  if (left > 0) {
    afterwards.missingBytes = left
    afterwards.notes.push(`the body is ${bytesText(left)} shorter than its Content-Length says`)
  }
  if (surplusBytes === 0) return
  const more = Buffer.concat(surplus)
  // A line break at the end was probably added by an editor.
  if (!/^\r?\n$/.test(more.toString('latin1', 0, 3)))
    afterwards.notes.push(
      `after the body, beyond its Content-Length, the file has ${bytesText(surplusBytes)} more`,
    )
  if (surplusBytes <= MOST_SURPLUS_BYTES) afterwards.surplus = more
}

const bytesText = (count: number) => (count === 1 ? '1 byte' : `${count} bytes`)

const CHUNK_SIZE = /^([0-9a-f]{1,12})[ \t]*(?:;[^\r\n]*)?\r?\n/i

async function chunkSizeIn(source: ByteSource): Promise<RegExpExecArray | null> {
  return CHUNK_SIZE.exec((await source.peek(1024)).toString('latin1'))
}

/** Yields the data of the chunks. From a malformed chunk on, yields the remaining bytes unchanged. */
async function* dechunk(source: ByteSource, afterwards: Afterwards): AsyncGenerator<Uint8Array> {
  for (;;) {
    const size = await chunkSizeIn(source)
    if (!size) {
      afterwards.notes.push('the chunks of the body break off')
      return yield* source.rest()
    }
    source.skip(size[0].length)
    let left = Number.parseInt(size[1] ?? '0', 16)
    if (left === 0) return
    while (left > 0) {
      const piece = await source.peek(Math.min(left, 64 * 1024))
      if (piece.length === 0) return void afterwards.notes.push('the last chunk of the body is cut off')
      source.skip(piece.length)
      left -= piece.length
      yield piece
    }
    const end = /^\r?\n/.exec((await source.peek(2)).toString('latin1'))
    source.skip(end?.[0].length ?? 0)
  }
}
