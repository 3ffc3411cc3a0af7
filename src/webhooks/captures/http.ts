/** A whole HTTP/1 request as text: head and body, lines ended by CRLF or LF, by length or in chunks. */

import {gatherHeaders, type HeaderMap, headerOf} from '../signature/headers.js'
import type {ByteSource} from './byte-source.js'
import {type Afterwards, type CapturedRequest, unreadable} from './request.js'

const REQUEST_LINE = /^[A-Z]{3,16} [^\s]+ HTTP\/\d(?:\.\d)?$/
const HEADER_LINE = /^([!#$%&'*+.^_`|~\w-]+):(.*)$/s
const CONTINUATION = /^[ \t](.*)$/s

const MOST_SURPLUS_BYTES = 4 * 1024 * 1024

/**
 * The request at `start`, the peeked beginning of `source`; undefined unless there is a request line, or headers with a
 * signature and an empty line.
 */
export function readHttpRequest(source: ByteSource, start: Buffer): CapturedRequest | undefined {
  const text = start.toString('latin1')
  const first = /^[^\r\n]*/.exec(text)?.[0] ?? ''
  const hasRequestLine = REQUEST_LINE.test(first)
  if (!hasRequestLine && !HEADER_LINE.test(first)) return undefined
  const end = /\r?\n\r?\n/.exec(text)
  // A request whose end of the headers is missing is read as far as it goes: it may be right, without a body.
  const head = end ? text.slice(0, end.index) : text.replace(/\r?\n$/, '')
  const lines = head.split(/\r?\n/)
  if (!hasRequestLine) {
    const values = lines.map(line => HEADER_LINE.exec(line)?.[2])
    if (!end || values.includes(undefined) || !/(?:^|[\s,])v1=/.test(values.join(','))) return undefined
  }
  source.skip(end ? end.index + end[0].length : text.length)
  const headers = parseHeaders(hasRequestLine ? lines.slice(1) : lines)
  const afterwards: Afterwards = {notes: []}
  if (!end) return {...unreadable('the request is cut off within its headers', ''), headers}
  return {headers, body: bodyOf(source, headers, afterwards), afterwards}
}

/** A line that is no header is ignored, as some tools print remarks; a folded one is joined. */
function parseHeaders(lines: readonly string[]): HeaderMap {
  const pairs: [string, string][] = []
  for (const line of lines) {
    const [, name, value = ''] = HEADER_LINE.exec(line) ?? []
    const last = pairs.at(-1)
    const more = CONTINUATION.exec(line)?.[1]
    if (name !== undefined) pairs.push([name, trimmed(value)])
    else if (more !== undefined && last) last[1] += ` ${trimmed(more)}`
  }
  return gatherHeaders(pairs)
}

/** Without spaces and tabs around it: they are no part of a value. */
function trimmed(value: string): string {
  return /[^ \t](?:.*[^ \t])?/s.exec(value)?.[0] ?? ''
}

async function* bodyOf(
  source: ByteSource,
  headers: HeaderMap,
  afterwards: Afterwards,
): AsyncGenerator<Uint8Array> {
  const coding = headerOf(headers, 'transfer-encoding')
  if (typeof coding === 'string' && /\bchunked$/i.test(coding) && (await chunkSizeIn(source)))
    return yield* dechunk(source, afterwards)
  const length = headerOf(headers, 'content-length')
  if (typeof length !== 'string' || !/^\d{1,15}$/.test(length)) return yield* source.rest()
  yield* upTo(source, Number(length), afterwards)
}

/** The first `length` bytes; what follows is set aside, for an editor may have changed the body's length. */
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
  if (left > 0)
    afterwards.notes.push(`the body is shorter than its Content-Length says; bytes missing: ${left}`)
  if (surplusBytes === 0) return
  const more = Buffer.concat(surplus)
  // An editor ends the last line.
  if (!/^\r?\n$/.test(more.toString('latin1', 0, 3)))
    afterwards.notes.push(`after the body, beyond its Content-Length, there is more; bytes: ${surplusBytes}`)
  if (surplusBytes <= MOST_SURPLUS_BYTES) afterwards.surplus = more
}

const CHUNK_SIZE = /^([0-9a-f]{1,12})[ \t]*(?:;[^\r\n]*)?\r?\n/i

async function chunkSizeIn(source: ByteSource): Promise<RegExpExecArray | null> {
  return CHUNK_SIZE.exec((await source.peek(1024)).toString('latin1'))
}

/** The data of the chunks; from where they break off, the bytes as they are. */
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
