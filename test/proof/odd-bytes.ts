/** Pieces of answers as they should not be. */
import {brotliCompressSync, deflateSync, gzipSync} from 'node:zlib'
import {type Reply, replyBytes, type Step} from '../support/wire.js'

export const bytes = (text: string) => Buffer.from(text)
export const half = (body: Buffer) => body.subarray(0, Math.ceil(body.length / 2))
export const asJson = {'content-type': 'application/json'}

/** With another type, or none. */
export function withType(reply: Reply, type: string | undefined): Reply {
  const {'content-type': _, ...rest} = reply.headers
  return {...reply, headers: type === undefined ? rest : {...rest, 'content-type': type}}
}

export function withLength(reply: Reply, length: number | string): Buffer {
  return replyBytes({...reply, headers: {...reply.headers, 'content-length': String(length)}})
}

/** A head with one header, as often as there are values. */
export function headWith(name: string, ...values: string[]): Buffer {
  return bytes(`HTTP/1.1 200 OK\r\n${values.map(value => `${name}: ${value}\r\n`).join('')}\r\n`)
}

/** An answer that ends where its connection ends. */
export function unframed({status, headers, body}: Reply): Buffer {
  const lines = Object.entries(headers).map(each => `${each.join(': ')}\r\n`)
  return Buffer.concat([bytes(`HTTP/1.1 ${status} OK\r\n${lines.join('')}\r\n`), body])
}

/** With a byte in it that no UTF-8 has. */
export function withBadByte(reply: Reply): Reply {
  const at = reply.body.indexOf('"') + 1
  const body = Buffer.concat([reply.body.subarray(0, at), Buffer.from([0xff]), reply.body.subarray(at)])
  return {...reply, body}
}

/** Compressed as it says, as far as Node can on every version; what it cannot is sent as it is. */
export function withEncoding(reply: Reply, encoding: string): Reply {
  const inner = {gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync}[encoding]
  const body =
    encoding === 'gzip, gzip' ? gzipSync(gzipSync(reply.body)) : (inner?.(reply.body) ?? reply.body)
  return {...reply, body, headers: {...reply.headers, 'content-encoding': encoding}}
}

export function chunkedHead({status, headers}: Reply): Buffer {
  const {'content-length': _, ...rest} = headers
  const lines = Object.entries({...rest, 'transfer-encoding': 'chunked'}).map(
    each => `${each.join(': ')}\r\n`,
  )
  return bytes(`HTTP/1.1 ${status} OK\r\n${lines.join('')}\r\n`)
}

export function chunk(piece: Buffer): Buffer {
  return Buffer.concat([bytes(`${piece.length.toString(16)}\r\n`), piece, bytes('\r\n')])
}

export function* pieces(whole: Buffer, size: number): Iterable<Buffer> {
  for (let at = 0; at < whole.length; at += size) yield whole.subarray(at, at + size)
}

/** One byte at a time, slower than any time limit of the matrix allows, and never the last of them. */
export function* trickle(whole: Buffer): Iterable<Step> {
  for (const piece of pieces(whole.subarray(0, -1), 1)) {
    yield piece
    yield 100
  }
  yield 'hang'
}

export function* endlessHeaders(): Iterable<Step> {
  yield bytes('HTTP/1.1 200 OK\r\n')
  for (let n = 0; ; n++) yield bytes(`x-header-${n}: ${'y'.repeat(1000)}\r\n`)
}

export function* endlessBody(reply: Reply): Iterable<Step> {
  const piece = chunk(Buffer.alloc(256 * 1024, ' '))
  yield chunkedHead(reply)
  for (;;) yield piece
}

/** After a whole body. */
export function* endlessTrailers(reply: Reply): Iterable<Step> {
  yield chunkedHead(reply)
  yield chunk(reply.body)
  yield bytes('0\r\n')
  for (let n = 0; ; n++) yield bytes(`x-trailer-${n}: ${'y'.repeat(1000)}\r\n`)
}

/** Before the first byte of the body, some megabytes a second. */
export function* endlessExtension(reply: Reply): Iterable<Step> {
  yield chunkedHead(reply)
  yield bytes('5;a=')
  for (;;) {
    yield Buffer.alloc(16 * 1024, 'e')
    yield 20
  }
}

/** Interim answers without the answer. */
export function* endlessHints(): Iterable<Step> {
  for (;;) {
    yield bytes('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(20))
    yield 20
  }
}

/** Chunks and writes that end inside characters, and writes that end inside CRLF. */
export function* splitCharacters(reply: Reply): Iterable<Step> {
  const head = chunkedHead(reply).toString('latin1')
  for (const part of head.split(/(?<=\r)/)) {
    yield Buffer.from(part, 'latin1')
    yield 1
  }
  for (const piece of cutInsideCharacters(reply.body)) {
    const whole = chunk(piece)
    yield whole.subarray(0, -1)
    yield whole.subarray(-1)
  }
  yield bytes('0\r\n\r')
  yield bytes('\n')
}

/** Ours: so many pieces, and the rest as it is. */
const MOST_CUTS = 40

function cutInsideCharacters(body: Buffer): Buffer[] {
  const places: number[] = []
  // The first byte of a character of several bytes is the last of a piece.
  for (let at = 0; at < body.length && places.length < MOST_CUTS; at++)
    if ((body[at] ?? 0) >= 0xc2) places.push(at + 1)
  return [0, ...places]
    .map((from, n) => body.subarray(from, places[n] ?? body.length))
    .filter(piece => piece.length > 0)
}

/** 128 MiB of nothing in 130 kB, were it inflated: the smallest deflate stream of zeros, sent as gzip. */
export function* gzipBomb({status}: Reply): Iterable<Step> {
  const head = {status, headers: {...asJson, 'content-encoding': 'gzip'}, body: BOMB}
  yield replyBytes(head)
}

const BOMB = makeBomb()

function makeBomb(): Buffer {
  const mebibyte = gzipSync(Buffer.alloc(1 << 20))
  // Members one after another are one gzip stream.
  return Buffer.concat(Array.from({length: 128}, () => mebibyte))
}
