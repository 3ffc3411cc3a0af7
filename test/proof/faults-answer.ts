/** Faults of an answer: none, half of one, one that cannot be one, and one that never ends. */

import {replyBytes, replyHead} from '../support/wire.js'
import {
  after,
  before,
  CUT,
  CUT_STALLED,
  ENDED,
  type Fault,
  LOST,
  RESET,
  SPOILT,
  STALLED,
  TIMED_OUT,
  UNREADABLE,
} from './fault.js'
import {
  bytes,
  chunk,
  chunkedHead,
  endlessBody,
  endlessExtension,
  endlessHeaders,
  endlessHints,
  endlessTrailers,
  gzipBomb,
  half,
  headWith,
  trickle,
  withEncoding,
  withLength,
} from './odd-bytes.js'

const ANY_END = new RegExp(`${RESET.source}|${ENDED.source}`)
const NOT_HTTP = /not HTTP/
const allButOne = (all: Buffer) => all.subarray(0, -1)

export const BEFORE: readonly Fault[] = [
  before('reset-before-service', LOST, RESET, 'reset'),
  before('fin-before-service', LOST, RESET, 'end'),
  before('stall-before-service', STALLED, TIMED_OUT, 'hang'),
  before('garbage', UNREADABLE, NOT_HTTP, bytes('SSH-2.0-OpenSSH_9.6\r\n'), 'hang'),
  before('http2-preface', UNREADABLE, NOT_HTTP, Buffer.from('00001204000000000000', 'hex'), 'hang'),
  before('status-zero', UNREADABLE, NOT_HTTP, bytes('HTTP/1.1 0 No\r\n\r\n')),
  before(
    'switching-protocols',
    LOST,
    RESET,
    bytes('HTTP/1.1 101 X\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
  ),
]

/** The service did it and answers, behind an interim answer that ends the connection: the answer is lost. */
export const INTERIM: readonly Fault[] = [1, 3].map(count =>
  after(`continue-${count}`, LOST, RESET, reply => [
    bytes('HTTP/1.1 100 Continue\r\n\r\n'.repeat(count)),
    20,
    replyBytes(reply),
  ]),
)

/** Cut at every sort of place, in each way a connection ends. */
export const CUTS: readonly Fault[] = [
  after('reset-after-service', LOST, RESET, () => ['reset']),
  after('fin-after-service', LOST, RESET, () => ['end']),
  after('stall-after-service', STALLED, TIMED_OUT, () => ['hang']),
  after('reset-in-status-line', CUT, RESET, () => [bytes('HTTP/1'), 'reset']),
  after('reset-in-headers', CUT, RESET, reply => [half(replyHead(reply)), 'reset']),
  after('reset-in-body', CUT, ENDED, reply => [replyHead(reply), half(reply.body), 'reset']),
  after('reset-at-last-byte', CUT, ANY_END, reply => [allButOne(replyBytes(reply)), 'reset']),
  after('fin-in-headers', CUT, ENDED, reply => [half(replyHead(reply)), 'end']),
  after('fin-before-body', CUT, ANY_END, reply => [withLength({...reply, body: bytes('')}, 7), 'end']),
  after('fin-in-body', CUT, ENDED, reply => [replyHead(reply), half(reply.body), 'end']),
  after('fin-at-last-byte', CUT, ANY_END, reply => [allButOne(replyBytes(reply)), 'end']),
  after('fin-in-chunk', CUT, ENDED, reply => [
    chunkedHead(reply),
    bytes(`${reply.body.length.toString(16)}\r\n`),
    ...[half(reply.body), 'end' as const],
  ]),
  after('fin-before-last-chunk', CUT, ENDED, reply => [chunkedHead(reply), chunk(reply.body), 'end']),
  after('stall-in-headers', CUT_STALLED, TIMED_OUT, reply => [half(replyHead(reply)), 'hang']),
  after('stall-in-body', CUT_STALLED, TIMED_OUT, reply => [replyHead(reply), half(reply.body), 'hang']),
  after('stall-at-last-byte', CUT_STALLED, TIMED_OUT, reply => [allButOne(replyBytes(reply)), 'hang']),
  after('trickle', CUT_STALLED, TIMED_OUT, reply => trickle(replyBytes(reply))),
  after('trickle-in-body', CUT_STALLED, TIMED_OUT, reply => [replyHead(reply), ...trickle(reply.body)]),
  {
    ...after('tls-fin-in-body', CUT, ENDED, reply => [replyHead(reply), half(reply.body), 'end']),
    ...{identity: 'good', isTrusted: true},
  },
]

export const LENGTHS: readonly Fault[] = [
  after('length-too-long', CUT, ENDED, reply => [withLength(reply, reply.body.length + 100), 'end']),
  after(
    'length-too-short',
    SPOILT,
    /cannot be understood|not JSON|not a local sandbox|ended early|not HTTP|PDF|cut off|without/,
    reply => [withLength(reply, Math.floor(reply.body.length / 2)), 'end'],
  ),
  after('length-negative', UNREADABLE, NOT_HTTP, reply => [withLength(reply, -5), 'end']),
  after('length-in-words', UNREADABLE, NOT_HTTP, reply => [withLength(reply, 'many'), 'end']),
  after('length-too-large', UNREADABLE, /larger than \d+ bytes/, reply => [
    withLength(reply, 2 ** 40),
    'hang',
  ]),
  after('length-beyond-numbers', UNREADABLE, NOT_HTTP, reply => [withLength(reply, '9'.repeat(30)), 'hang']),
  after('two-lengths', UNREADABLE, NOT_HTTP, ({body}) => [
    headWith('content-length', '5', String(body.length)),
    body,
  ]),
  after('same-length-twice', UNREADABLE, NOT_HTTP, ({body}) => [
    headWith('content-length', String(body.length), String(body.length)),
    body,
  ]),
  after('length-and-chunks', UNREADABLE, NOT_HTTP, reply => [
    replyBytes({...reply, headers: {...reply.headers, 'transfer-encoding': 'chunked'}}),
  ]),
  after('bad-chunk', UNREADABLE, NOT_HTTP, reply => [chunkedHead(reply), bytes('zz\r\n'), 'hang']),
  after('chunk-beyond-numbers', UNREADABLE, NOT_HTTP, reply => [
    chunkedHead(reply),
    ...[bytes(`${'f'.repeat(40)}\r\n`), 'hang' as const],
  ]),
]

/** Each ends by a limit of ours, which the message names, not by what the machine can bear. */
export const ENDLESS: readonly Fault[] = [
  after('endless-headers', UNREADABLE, /headers .*too large/, endlessHeaders),
  after('huge-header', UNREADABLE, /headers .*too large/, reply => [
    replyBytes({...reply, headers: {...reply.headers, 'x-big': 'x'.repeat(200_000)}}),
  ]),
  after('endless-body', UNREADABLE, /larger than \d+ bytes/, endlessBody),
  after('endless-trailers', UNREADABLE, /headers .*too large/, endlessTrailers),
  after('endless-chunk-extension', CUT_STALLED, TIMED_OUT, endlessExtension),
  after('endless-hints', STALLED, TIMED_OUT, endlessHints),
]

export const COMPRESSED: readonly Fault[] = [
  after('gzip-bomb', UNREADABLE, /compressed/, gzipBomb),
  ...['gzip', 'deflate', 'br', 'zstd', 'gzip, gzip', 'x-unheard-of'].map(encoding =>
    after(`encoding-${encoding.replace(', ', '-in-')}`, UNREADABLE, /compressed/, reply => [
      replyBytes(withEncoding(reply, encoding)),
    ]),
  ),
]
