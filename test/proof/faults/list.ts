/** All faults of the wire. rules.ts says how a command must react to each. */
import {brotliCompressSync, deflateSync, gzipSync} from 'node:zlib'
import {headBytes, type Reply, replyBytes, replyHead, type Step} from '../../support/wire.js'
import {
  CONNECTIONS,
  type Conclusion,
  CUT,
  type Fault,
  faults,
  GOOD,
  LOST,
  REDIRECTS,
  RESET,
  SSH,
  TIMED_OUT,
} from './connections.js'

const STALLED: Conclusion = {kind: 'lost', partial: false, stalls: true}
const CUT_STALLED: Conclusion = {kind: 'lost', partial: true, stalls: true}
const SPOILT: Conclusion = {kind: 'page', saysJson: true, spoilt: true}
const UNREADABLE: Conclusion = {kind: 'unreadable'}
const ENDED = /ended early|cut off|ended without an answer/
const ANY_END = new RegExp(`${RESET.source}|${ENDED.source}`)
const NOT_HTTP = /not HTTP/
const TOO_LARGE = /larger than \d+ bytes/
const LONG_HEADERS = /headers .*too large/
/** Matches the message for a 2xx answer that is not the requested one. */
const NOT_IT =
  /not JSON|not a PDF|cut off|holds no|names no|without (naming|an?) |not a local sandbox|says nothing|no link|no token/
/** Matches the message for an invented refusal: the words of the refusal, or its status. */
const REFUSAL = /fault_of_the_proxy|made up|Bad gateway|status 502|accept the client|not a local sandbox/

const JSON_TYPE = 'application/json'
const bytes = (text: string) => Buffer.from(text)
const half = (body: Buffer) => body.subarray(0, Math.ceil(body.length / 2))
/** Returns the reply with changed headers. The value undefined removes a header. */
const withHeaders = (reply: Reply, changes: Readonly<Record<string, string | undefined>>): Reply => ({
  ...reply,
  headers: JSON.parse(JSON.stringify({...reply.headers, ...changes})),
})
const withType = (reply: Reply, type: string | undefined) =>
  replyBytes(withHeaders(reply, {'content-type': type}))
const withLength = (reply: Reply, length: number | string) =>
  replyBytes(withHeaders(reply, {'content-length': String(length)}))
const withLengths = ({body}: Reply, ...lengths: number[]) => [
  bytes(`HTTP/1.1 200 OK\r\n${lengths.map(length => `content-length: ${length}\r\n`).join('')}\r\n`),
  body,
]
/** Compresses the body as `encoding` says, if every supported Node can; otherwise the body stays as it is. */
function withEncoding(reply: Reply, encoding: string): Buffer {
  const twice = (body: Buffer) => gzipSync(gzipSync(body))
  const compressors = {gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync, 'gzip, gzip': twice}
  const body = compressors[encoding as keyof typeof compressors]?.(reply.body) ?? reply.body
  return replyBytes(withHeaders({...reply, body}, {'content-encoding': encoding}))
}
/** Returns an answer whose end is the end of the connection. */
const unframed = ({status, headers, body}: Reply) => Buffer.concat([headBytes(status, headers), body])
const chunkedHead = ({status, headers}: Reply) =>
  headBytes(status, {...headers, 'transfer-encoding': 'chunked'})
const chunk = (piece: Buffer) =>
  Buffer.concat([bytes(`${piece.length.toString(16)}\r\n`), piece, bytes('\r\n')])
const pieces = (whole: Buffer, size: number) =>
  Array.from({length: Math.ceil(whole.length / size)}, (_, n) => whole.subarray(n * size, (n + 1) * size))
/** Returns pieces of `size` bytes with a pause after each. */
const slowly = (whole: Buffer, size: number, milliseconds: number): Step[] =>
  pieces(whole, size).flatMap(piece => [piece, milliseconds])
/** Sends one byte at a time, without the last, slower than any time limit of the matrix. */
const trickle = (whole: Buffer): Step[] => [...slowly(whole.subarray(0, -1), 1, 100), 'hang']
/** Yields `start`, then pieces without end. */
function* endless(start: readonly Buffer[], piece: (n: number) => Buffer, pause = 0): Iterable<Step> {
  yield* start
  for (let n = 0; ; n++) yield* pause === 0 ? [piece(n)] : [piece(n), pause]
}
/** Yields chunks and writes that end inside characters, and writes that end inside CRLF. */
function* splitCharacters(reply: Reply): Iterable<Step> {
  const head = chunkedHead(reply)
    .toString('latin1')
    .split(/(?<=\r)/)
  for (const part of head) yield* [Buffer.from(part, 'latin1'), 1]
  // The first byte of a multi-byte character ends a piece. There are at most 40 pieces.
  const places = [...reply.body.entries()].filter(([, byte]) => byte >= 0xc2).map(([at]) => at + 1)
  const cuts = [0, ...places.slice(0, 40), reply.body.length]
  for (const [n, from] of cuts.slice(0, -1).entries()) {
    const whole = chunk(reply.body.subarray(from, cuts[n + 1]))
    if (cuts[n + 1] !== from) yield* [whole.subarray(0, -1), whole.subarray(-1)]
  }
  yield* [bytes('0\r\n\r'), bytes('\n')]
}
/** 128 MiB of zeros in 130 kB: several gzip members in a row are one gzip stream. */
const MEBIBYTE = gzipSync(Buffer.alloc(1 << 20))
const BOMB = Buffer.concat(Array.from({length: 128}, () => MEBIBYTE))

const UPGRADE = bytes('HTTP/1.1 101 X\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n')
const HINT = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'
const before = (conclusion: Conclusion, names: RegExp, plays: Parameters<typeof faults>[2]) =>
  faults(conclusion, names, plays, {isBefore: true})
const BEFORE: readonly Fault[] = [
  ...before(LOST, RESET, {
    'reset-before-service': () => ['reset'],
    'fin-before-service': () => ['end'],
    'switching-protocols': () => [UPGRADE],
  }),
  ...before(STALLED, TIMED_OUT, {'stall-before-service': () => ['hang']}),
  ...before(UNREADABLE, NOT_HTTP, {
    garbage: () => [SSH, 'hang'],
    'http2-preface': () => [Buffer.from('00001204000000000000', 'hex'), 'hang'],
    'status-zero': () => [bytes('HTTP/1.1 0 No\r\n\r\n')],
  }),
]

const allButOne = (reply: Reply) => replyBytes(reply).subarray(0, -1)
const halfHead = (reply: Reply) => half(replyHead(reply))
const halfBody = (reply: Reply) => [replyHead(reply), half(reply.body)]

/** Answers cut at each kind of place, with each ending of the connection. */
const CUTS: readonly Fault[] = [
  ...faults(LOST, RESET, {
    'reset-after-service': () => ['reset'],
    'fin-after-service': () => ['end'],
    'continue-alone': () => [bytes(CONTINUE), 20, 'end'],
    'continue-and-reset': () => [bytes(CONTINUE.repeat(3)), 20, 'reset'],
  }),
  ...faults(STALLED, TIMED_OUT, {
    'stall-after-service': () => ['hang'],
    // Slow enough that the time limit comes before the size limit.
    'endless-hints': () => endless([], () => bytes(HINT), 20),
  }),
  ...faults(CUT, RESET, {
    'reset-in-status-line': () => [bytes('HTTP/1'), 'reset'],
    'reset-in-headers': reply => [halfHead(reply), 'reset'],
  }),
  ...faults(CUT, ENDED, {
    'reset-in-body': reply => [...halfBody(reply), 'reset'],
    'fin-in-headers': reply => [halfHead(reply), 'end'],
    'fin-in-body': reply => [...halfBody(reply), 'end'],
    'fin-in-chunk': reply => [chunkedHead(reply), half(chunk(reply.body)), 'end'],
    'fin-before-last-chunk': reply => [chunkedHead(reply), chunk(reply.body), 'end'],
    'length-too-long': reply => [withLength(reply, reply.body.length + 100), 'end'],
  }),
  ...faults(CUT, ENDED, {'tls-fin-in-body': reply => [...halfBody(reply), 'end']}, GOOD),
  ...faults(CUT, ANY_END, {
    'reset-at-last-byte': reply => [allButOne(reply), 'reset'],
    'fin-before-body': reply => [withLength({...reply, body: bytes('')}, 7), 'end'],
    'fin-at-last-byte': reply => [allButOne(reply), 'end'],
  }),
  ...faults(CUT_STALLED, TIMED_OUT, {
    'stall-in-headers': reply => [halfHead(reply), 'hang'],
    'stall-in-body': reply => [...halfBody(reply), 'hang'],
    'stall-at-last-byte': reply => [allButOne(reply), 'hang'],
    trickle: reply => trickle(replyBytes(reply)),
    'trickle-in-body': reply => [replyHead(reply), ...trickle(reply.body)],
    'endless-chunk-extension': reply =>
      endless([chunkedHead(reply), bytes('5;a=')], () => Buffer.alloc(16 * 1024, 'e'), 20),
  }),
]

/** Answers that are not HTTP, or that exceed one of our limits, which the message must name. */
const UNREADABLES: readonly Fault[] = [
  ...faults(UNREADABLE, NOT_HTTP, {
    'length-negative': reply => [withLength(reply, -5), 'end'],
    'length-in-words': reply => [withLength(reply, 'many'), 'end'],
    'length-beyond-numbers': reply => [withLength(reply, '9'.repeat(30)), 'hang'],
    'two-lengths': reply => withLengths(reply, 5, reply.body.length),
    'same-length-twice': reply => withLengths(reply, reply.body.length, reply.body.length),
    'length-and-chunks': reply => [replyBytes(withHeaders(reply, {'transfer-encoding': 'chunked'}))],
    'bad-chunk': reply => [chunkedHead(reply), bytes('zz\r\n'), 'hang'],
    'chunk-beyond-numbers': reply => [chunkedHead(reply), bytes(`${'f'.repeat(40)}\r\n`), 'hang'],
  }),
  ...faults(UNREADABLE, TOO_LARGE, {
    'length-too-large': reply => [withLength(reply, 2 ** 40), 'hang'],
    'endless-body': reply => endless([chunkedHead(reply)], () => chunk(Buffer.alloc(256 * 1024, ' '))),
  }),
  ...faults(UNREADABLE, LONG_HEADERS, {
    'endless-headers': () =>
      endless([bytes('HTTP/1.1 200 OK\r\n')], n => bytes(`x-header-${n}: ${'y'.repeat(1000)}\r\n`)),
    'huge-header': reply => [replyBytes(withHeaders(reply, {'x-big': 'x'.repeat(200_000)}))],
    'endless-trailers': reply => {
      const start = [chunkedHead(reply), chunk(reply.body), bytes('0\r\n')]
      return endless(start, n => bytes(`x-trailer-${n}: ${'y'.repeat(1000)}\r\n`))
    },
  }),
  ...faults(UNREADABLE, /compressed/, {
    'gzip-bomb': reply => [replyBytes(withHeaders({...reply, body: BOMB}, {'content-encoding': 'gzip'}))],
    ...Object.fromEntries(
      ['gzip', 'deflate', 'br', 'zstd', 'gzip, gzip', 'x-unheard-of'].map(encoding => [
        `encoding-${encoding.replace(', ', '-in-')}`,
        (reply: Reply) => [withEncoding(reply, encoding)],
      ]),
    ),
  }),
]

/** Returns a fault with an invented answer. */
function answered(name: string, conclusion: Conclusion, status: number, type: string, text: string): Fault {
  const reply = {status, headers: {'content-type': type}, body: bytes(text)}
  const names = conclusion.kind === 'status' ? REFUSAL : NOT_IT
  return {name, conclusion, names, wire: {forwards: false, play: () => [replyBytes(reply)]}}
}

const REFUSED = '{"error":{"code":"fault_of_the_proxy","message":"made up"}}'
const SIGN_IN = '<html><title>Sign in to the network</title></html>'
const BAD_GATEWAY = '<html><title>Bad gateway</title><h1>fault_of_the_proxy</h1></html>'
const SPOILT_WORDS =
  /cannot be understood|not JSON|not a local sandbox|ended early|not HTTP|PDF|cut off|without/

const PAGES: readonly Fault[] = [
  answered('html-200', {kind: 'page', saysJson: false}, 200, 'text/html', SIGN_IN),
  answered('not-json', {kind: 'page', saysJson: true}, 200, JSON_TYPE, '{"data": {"a": OK}}'),
  answered('pdf-200', {kind: 'page', saysJson: false}, 200, 'application/pdf', '%PDF-1.4 %%not'),
  answered('shape', {kind: 'shape', isObject: true}, 200, JSON_TYPE, '{"data":{"colour":"green"}}'),
  answered('shape-list', {kind: 'shape', isObject: false}, 200, JSON_TYPE, '[7,null,[]]'),
  ...faults(SPOILT, NOT_IT, {'unframed-cut': reply => [unframed({...reply, body: half(reply.body)}), 'end']}),
  ...faults(SPOILT, SPOILT_WORDS, {
    'length-too-short': reply => [withLength(reply, Math.floor(reply.body.length / 2)), 'end'],
  }),
  ...faults(
    SPOILT,
    NOT_IT,
    {
      // This byte never occurs in UTF-8.
      'not-utf-8': ({body, ...reply}) => [
        replyBytes({...reply, body: Buffer.from(body.toString('latin1').replace('"', '"\xff'), 'latin1')}),
      ],
      'utf-16'(reply) {
        const body = Buffer.from(String(reply.body), 'utf16le')
        return [withType({...reply, body}, `${JSON_TYPE}; charset=utf-16`)]
      },
    },
    {isOfText: true},
  ),
  ...[400, 401, 403, 404, 410, 418, 429, 500, 503, 504].map(status =>
    answered(`status-${status}`, {kind: 'status', status}, status, JSON_TYPE, REFUSED),
  ),
  answered('html-502', {kind: 'status', status: 502}, 502, 'text/html', BAD_GATEWAY),
]

/** Complete answers that arrive in unusual ways. */
const WHOLE: Conclusion = {kind: 'answered'}
const HARMLESS: readonly Fault[] = [
  ...faults(WHOLE, undefined, {
    latency: reply => [300, replyBytes(reply)],
    'byte-by-byte': reply => slowly(replyBytes(reply), 60, 2),
    // About 40 kB a second.
    throttled: reply => slowly(replyBytes(reply), 400, 10),
    burst(reply) {
      const whole = replyBytes(reply)
      return [half(whole), 400, whole.subarray(half(whole).length)]
    },
    'split-characters': splitCharacters,
    'reset-after-answer': reply => [replyBytes(reply), 100, 'reset'],
    unframed: reply => [unframed(reply), 'end'],
    'wrong-type': reply => [withType(reply, 'image/png')],
    'wrong-charset': reply => [withType(reply, `${JSON_TYPE}; charset=iso-8859-1`)],
    'no-type': reply => [withType(reply, undefined)],
    'continue-1': reply => [bytes(CONTINUE), 20, replyBytes(reply)],
    'continue-3': reply => [bytes(CONTINUE.repeat(3)), replyBytes(reply)],
    'continue-in-pieces': reply => [...slowly(bytes(CONTINUE + HINT + CONTINUE), 1, 2), replyBytes(reply)],
    'early-hints': reply => [bytes(HINT.repeat(50)), replyBytes(reply)],
    chunks: reply => [chunkedHead(reply), ...pieces(reply.body, 500).map(chunk), bytes('0\r\nx: z\r\n\r\n')],
  }),
  ...faults(
    WHOLE,
    undefined,
    {'byte-order-mark': reply => [replyBytes({...reply, body: bytes(`\ufeff${reply.body}`)})]},
    {isOfText: true},
  ),
]

/** The first request is done but its answer is lost, and a repeat is refused. If nothing is repeated, only the loss is known. */
const REFUSED_LATER = [400, 401].map((status): Fault => {
  const refusal = replyBytes({status, headers: {'content-type': JSON_TYPE}, body: bytes(REFUSED)})
  return {
    name: `lost-then-${status}`,
    conclusion: {kind: 'lost', partial: false, stalls: false, laterStatus: status},
    names: new RegExp(`${REFUSAL.source}|${RESET.source}`),
    wire: {forwards: true, play: () => ['reset'], afterwards: {forwards: false, play: () => [refusal]}},
  }
})

export const FAULTS: readonly Fault[] = [
  ...[CONNECTIONS, BEFORE, CUTS, UNREADABLES, PAGES, REDIRECTS, HARMLESS, REFUSED_LATER].flat(),
]
