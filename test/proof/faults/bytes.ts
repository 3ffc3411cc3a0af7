/** Pieces of answers as they should not be. */
import {brotliCompressSync, deflateSync, gzipSync} from 'node:zlib'
import {headBytes, type Reply, replyBytes, type Step} from '../../support/wire.js'

export const bytes = (text: string) => Buffer.from(text)
export const half = (body: Buffer) => body.subarray(0, Math.ceil(body.length / 2))
export const asJson = {'content-type': 'application/json'}

/** With these headers besides; undefined removes one. */
export function withHeaders(reply: Reply, changes: Readonly<Record<string, string | undefined>>): Reply {
  const all = Object.entries({...reply.headers, ...changes}).filter(([, value]) => value !== undefined)
  return {...reply, headers: Object.fromEntries(all) as Record<string, string>}
}

export const withLength = (reply: Reply, length: number | string) =>
  replyBytes(withHeaders(reply, {'content-length': String(length)}))

/** An answer whose length is given twice. */
export const withLengths = ({body}: Reply, ...lengths: number[]) => [
  bytes(`HTTP/1.1 200 OK\r\n${lengths.map(length => `content-length: ${length}\r\n`).join('')}\r\n`),
  body,
]

/** An answer that ends where its connection ends. */
export const unframed = ({status, headers, body}: Reply) => Buffer.concat([headBytes(status, headers), body])

/** With a byte that no UTF-8 has. */
export function withBadByte(reply: Reply): Reply {
  const at = reply.body.indexOf('"') + 1
  return {
    ...reply,
    body: Buffer.concat([reply.body.subarray(0, at), Buffer.from([0xff]), reply.body.subarray(at)]),
  }
}

/** Compressed as it says, if every Node can; otherwise as it is. */
export function withEncoding(reply: Reply, encoding: string): Reply {
  const twice = (body: Buffer) => gzipSync(gzipSync(body))
  const compress = {gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync, 'gzip, gzip': twice}[
    encoding
  ]
  return withHeaders({...reply, body: compress?.(reply.body) ?? reply.body}, {'content-encoding': encoding})
}

export const chunkedHead = ({status, headers}: Reply) =>
  headBytes(status, {...headers, 'transfer-encoding': 'chunked'})

export const chunk = (piece: Buffer) =>
  Buffer.concat([bytes(`${piece.length.toString(16)}\r\n`), piece, bytes('\r\n')])

export function* pieces(whole: Buffer, size: number): Iterable<Buffer> {
  for (let at = 0; at < whole.length; at += size) yield whole.subarray(at, at + size)
}

/** Pieces of `size` with a pause after each. */
export const slowly = (whole: Buffer, size: number, milliseconds: number): Step[] =>
  [...pieces(whole, size)].flatMap(piece => [piece, milliseconds])

/** One byte at a time, slower than any time limit of the matrix, and never the last. */
export function* trickle(whole: Buffer): Iterable<Step> {
  yield* slowly(whole.subarray(0, -1), 1, 100)
  yield 'hang'
}

/** `start`, then pieces without end. */
export function* endless(
  start: readonly Buffer[],
  piece: (n: number) => Buffer,
  pause?: number,
): Iterable<Step> {
  yield* start
  for (let n = 0; ; n++) {
    yield piece(n)
    if (pause !== undefined) yield pause
  }
}

/** Chunks and writes that end inside characters, and writes that end inside CRLF. */
export function* splitCharacters(reply: Reply): Iterable<Step> {
  for (const part of chunkedHead(reply)
    .toString('latin1')
    .split(/(?<=\r)/))
    yield* [Buffer.from(part, 'latin1'), 1]
  // The first byte of a character of several bytes is the last of a piece; at most 40 pieces.
  const places = [...reply.body.entries()].filter(([, byte]) => byte >= 0xc2).map(([at]) => at + 1)
  const cuts = [0, ...places.slice(0, 40), reply.body.length]
  for (const [n, from] of cuts.slice(0, -1).entries()) {
    const whole = chunk(reply.body.subarray(from, cuts[n + 1]))
    if (cuts[n + 1] !== from) yield* [whole.subarray(0, -1), whole.subarray(-1)]
  }
  yield* [bytes('0\r\n\r'), bytes('\n')]
}

/** 128 MiB of zeros in 130 kB: members one after another are one gzip stream. */
const MEBIBYTE = gzipSync(Buffer.alloc(1 << 20))
export const BOMB = Buffer.concat(Array.from({length: 128}, () => MEBIBYTE))
