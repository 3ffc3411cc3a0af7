/** Pieces of answers as they should not be. */
import {gzipSync} from 'node:zlib'
import {type Reply, replyBytes, type Step} from './fault-proxy.js'

export const bytes = (text: string) => Buffer.from(text)
export const half = (body: Buffer) => body.subarray(0, Math.ceil(body.length / 2))
export const asJson = {'content-type': 'application/json'}

export function withoutType({headers}: Reply): Reply['headers'] {
  const {'content-type': _, ...rest} = headers
  return rest
}

export function withLength(reply: Reply, length: number): Buffer {
  return replyBytes({...reply, headers: {...reply.headers, 'content-length': String(length)}})
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

/** One byte at a time, slower than any time limit of the matrix allows and never standing still. */
export function* trickle(whole: Buffer): Iterable<Step> {
  for (const piece of pieces(whole, 1)) {
    yield piece
    yield 100
  }
}

export function* endlessHeaders(): Iterable<Step> {
  yield bytes('HTTP/1.1 200 OK\r\n')
  for (let n = 0; ; n++) yield bytes(`x-header-${n}: ${'y'.repeat(1000)}\r\n`)
}

/** 128 MiB of nothing in 130 kB, were it inflated: the smallest deflate stream of zeros, sent as gzip. */
export function* gzipBomb(): Iterable<Step> {
  const head = {status: 200, headers: {...asJson, 'content-encoding': 'gzip'}, body: BOMB}
  yield replyBytes(head)
}

const BOMB = makeBomb()

function makeBomb(): Buffer {
  const mebibyte = gzipSync(Buffer.alloc(1 << 20))
  // Members one after another are one gzip stream.
  return Buffer.concat(Array.from({length: 128}, () => mebibyte))
}
