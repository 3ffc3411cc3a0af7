/** Reads an HTTP/1 request, head and body. */
import {gatherHeaders, type HeaderMap, headerOf, type WebhookHeaderNames} from '../signature/headers.js'
import type {ByteSource} from './byte-source.js'
import {chunkSizeIn, dechunk} from './chunks.js'
import {BODY_MISSING, HEADERS_CUT} from './gaps.js'
import {HEADER_LINE, HIDDEN_BODY, isSignature, REQUEST_LINE} from './lines.js'
import {type Afterwards, bytesText, type CapturedRequest, type Reading, receivedAtOf} from './request.js'
import {joinedReadings, readingsWithoutWords, textReadings} from './wrapped.js'

const MOST_SURPLUS_BYTES = 4 * 1024 * 1024

/** The head of an HTTP/1 request. */
export interface HttpHead {
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
export function httpHead(start: Buffer, names: WebhookHeaderNames): HttpHead | undefined {
  const text = start.toString('latin1')
  const end = /\r?\n\r?\n/.exec(text)
  // Without an empty line, everything is headers.
  const head = end ? text.slice(0, end.index) : text.replace(/\r?\n$/, '')
  // A line that starts with white space continues the previous header.
  const lines = head.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)
  const hasRequestLine = REQUEST_LINE.test(head.split(/\r?\n/, 1)[0] ?? '')
  const fields = lines.slice(hasRequestLine ? 1 : 0).map(line => HEADER_LINE.exec(line))
  const isSigned = fields.some(field => isSignature([field?.[1] ?? '', field?.[2] ?? ''], names))
  if (!hasRequestLine && (!end || !isSigned || fields.includes(null))) return undefined
  // Other lines are ignored, because some tools print remarks.
  const found = fields.filter(field => field !== null)
  // Spaces and tabs around a value are not part of it.
  const trimmed = (value: string) => /[^ \t](?:.*[^ \t])?/s.exec(value)?.[0] ?? ''
  // Below headers that were pasted there may be more of them, or a line that says that the body follows.
  const isFollowed = !hasRequestLine && end && /^\s*[\w -]{1,40}:/.test(text.slice(end.index))
  const isLabelled = !hasRequestLine && lines.some(line => HIDDEN_BODY.test(line))
  return {
    pairs: found.map(([, name = '', value = '']) => [name, trimmed(value)]),
    hasRequestLine,
    length: end ? end.index + end[0].length : undefined,
    isClean: end !== null && !fields.includes(null) && !isFollowed && !isLabelled,
  }
}

/** Reads the HTTP/1 request with `head`. The body has a Content-Length, is chunked, or ends with the file. */
export function readHttpRequest(
  source: ByteSource,
  {pairs, length, hasRequestLine}: HttpHead,
): CapturedRequest {
  const headers = gatherHeaders(pairs)
  if (length === undefined) return {headers, body: new Uint8Array(), gap: HEADERS_CUT}
  source.skip(length)
  const afterwards: Afterwards = {notes: []}
  const receivedAt = receivedAtOf(pairs)
  const otherReadings = (body: Uint8Array) => httpReadings(body, headers, afterwards, hasRequestLine)
  return {headers, body: httpBody(source, headers, afterwards), afterwards, receivedAt, otherReadings}
}

/**
 * Yields the other bodies that the text of a request may mean. If a request has a request line and no length, only words below
 * its JSON are dropped and broken lines are joined. Without a request line it is a pasted text, and an editor may have ended its
 * last line.
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
  } else if (hasRequestLine) {
    yield* readingsWithoutWords(text)
    yield* joinedReadings(text, whole)
  } else yield* textReadings(text, undefined, whole)
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
