/**
 * The faults of the matrix. Each says what it does on the wire, and what can be concluded from it by whoever sees only
 * the client's end of the connection; what a command must make of that is in rules.ts.
 */
import {after, answered, before, type Fault, harmless, redirect, tls} from './fault.js'
import {replyBytes, replyHead} from './fault-proxy.js'
import {
  asJson,
  bytes,
  chunk,
  chunkedHead,
  endlessHeaders,
  gzipBomb,
  half,
  pieces,
  trickle,
  withLength,
  withoutType,
} from './odd-bytes.js'

const LOST = {kind: 'lost', begun: false, stalls: false} as const
const CUT = {kind: 'lost', begun: true, stalls: false} as const
const STALLED = {kind: 'lost', begun: false, stalls: true} as const
const CUT_STALLED = {kind: 'lost', begun: true, stalls: true} as const
const UNREADABLE = {kind: 'unreadable'} as const
const RESET = /ECONNRESET|closed the connection without an answer|connection closed|UND_ERR_SOCKET/
const ENDED = /ended early|cut off|closed the connection/
const TIMED_OUT = /timed out/

const CONNECTION: readonly Fault[] = [
  {
    name: 'refused',
    connection: 'refused',
    conclusion: {kind: 'unreached', isSure: true},
    names: /ECONNREFUSED/,
  },
  {
    name: 'reset-at-accept',
    connection: 'reset',
    conclusion: {kind: 'unreached', isSure: false},
    names: RESET,
  },
  ...(['reset', 'hold'] as const).map(connection => ({
    name: `tls-${connection}-in-handshake`,
    ...{connection, identity: 'good' as const, isTrusted: true},
    conclusion: {kind: 'unreached', isSure: true} as const,
    names: connection === 'hold' ? TIMED_OUT : /before the request|ECONNRESET/,
  })),
  tls('expired', true, /certificate .*expired/),
  tls('self-signed', false, /certificate .*self-signed/),
  tls('other-host', true, /certificate .*another host name/),
  tls('good', false, /certificate .*not signed by a known authority/),
]

const BEFORE: readonly Fault[] = [
  before('reset-before-service', LOST, RESET, 'reset'),
  before('fin-before-service', LOST, RESET, 'end'),
  before('stall-before-service', STALLED, TIMED_OUT, 'hold'),
  before('garbage', UNREADABLE, /not HTTP/, bytes('SSH-2.0-OpenSSH_9.6\r\n'), 'hold'),
  before('http2-preface', UNREADABLE, /not HTTP/, Buffer.from('00001204000000000000', 'hex'), 'hold'),
  before('status-zero', UNREADABLE, /not HTTP/, bytes('HTTP/1.1 0 No\r\n\r\n')),
]

const AFTER: readonly Fault[] = [
  after('reset-after-service', LOST, RESET, () => ['reset']),
  after('fin-after-service', LOST, RESET, () => ['end']),
  after('stall-after-service', STALLED, TIMED_OUT, () => ['hold']),
  after('reset-in-status-line', CUT, RESET, () => [bytes('HTTP/1'), 'reset']),
  after('reset-in-headers', CUT, RESET, reply => [half(replyHead(reply)), 'reset']),
  after('reset-in-body', CUT, ENDED, reply => [replyHead(reply), half(reply.body), 'reset']),
  after('fin-in-headers', CUT, ENDED, reply => [half(replyHead(reply)), 'end']),
  after('fin-in-body', CUT, ENDED, reply => [replyHead(reply), half(reply.body), 'end']),
  after('fin-in-chunk', CUT, ENDED, reply => [
    chunkedHead(reply),
    bytes(`${reply.body.length.toString(16)}\r\n`),
    ...[half(reply.body), 'end' as const],
  ]),
  after('stall-in-headers', CUT_STALLED, TIMED_OUT, reply => [half(replyHead(reply)), 'hold']),
  after('stall-in-body', CUT_STALLED, TIMED_OUT, reply => [replyHead(reply), half(reply.body), 'hold']),
  after('trickle', CUT_STALLED, TIMED_OUT, reply => trickle(replyBytes(reply))),
  after('length-too-long', CUT, ENDED, reply => [withLength(reply, reply.body.length + 100), 'end']),
  after(
    'length-too-short',
    {kind: 'page'},
    /cannot be understood|not JSON|not a local sandbox|ended early|not HTTP|PDF/,
    reply => [withLength(reply, Math.floor(reply.body.length / 2)), 'end'],
  ),
  after('bad-chunk', UNREADABLE, /not HTTP/, reply => [chunkedHead(reply), bytes('zz\r\n'), 'hold']),
  after('two-lengths', CUT, ENDED, reply => [
    bytes(`HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: ${reply.body.length}\r\n\r\n`),
    reply.body,
  ]),
  after('endless-headers', UNREADABLE, /headers .*too large/, endlessHeaders),
  after('huge-header', UNREADABLE, /headers .*too large/, reply => [
    replyBytes({...reply, headers: {...reply.headers, 'x-big': 'x'.repeat(200_000)}}),
  ]),
  after('gzip-bomb', UNREADABLE, /compressed/, gzipBomb),
  after('huge-length', UNREADABLE, /larger than/, reply => [withLength(reply, 2 ** 40), 'hold']),
]

const PAGES: readonly Fault[] = [
  answered(
    'html-200',
    {kind: 'page'},
    {
      status: 200,
      headers: {'content-type': 'text/html'},
      body: bytes('<html><title>Sign in to the network</title></html>'),
    },
  ),
  answered('not-json', {kind: 'page'}, {status: 200, headers: asJson, body: bytes('{"data": {"a": OK}}')}),
  answered(
    'pdf-200',
    {kind: 'page'},
    {
      status: 200,
      headers: {'content-type': 'application/pdf'},
      body: bytes('%PDF-1.4 %%not'),
    },
  ),
  answered(
    'shape',
    {kind: 'shape'},
    {status: 200, headers: asJson, body: bytes('{"data":{"colour":"green"}}')},
  ),
  answered('shape-list', {kind: 'shape'}, {status: 200, headers: asJson, body: bytes('[7,null,[]]')}),
]

const STATUSES: readonly Fault[] = [
  ...[400, 401, 403, 404, 410, 418, 429, 500, 503, 504].map(status =>
    answered(
      `status-${status}`,
      {kind: 'status', status},
      {
        status,
        headers: asJson,
        body: bytes('{"error":{"code":"fault_of_the_proxy","message":"made up"}}'),
      },
    ),
  ),
  answered(
    'html-502',
    {kind: 'status', status: 502},
    {
      status: 502,
      headers: {'content-type': 'text/html'},
      body: bytes('<html><title>Bad gateway</title><h1>fault_of_the_proxy</h1></html>'),
    },
  ),
]

const REDIRECTS: readonly Fault[] = [301, 302, 303, 307, 308].flatMap(status => [
  redirect(status, 'same'),
  redirect(status, 'other'),
  redirect(status, 'weaker'),
])

/** What comes whole, if oddly. */
const HARMLESS: readonly Fault[] = [
  harmless('latency', reply => [300, replyBytes(reply)]),
  harmless('byte-by-byte', reply => [...pieces(replyBytes(reply), 60)].flatMap(piece => [piece, 2])),
  harmless('wrong-type', reply => [
    replyBytes({...reply, headers: {...reply.headers, 'content-type': 'image/png'}}),
  ]),
  harmless('no-type', reply => [replyBytes({...reply, headers: withoutType(reply)})]),
  harmless('early-hints', reply => [
    bytes('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(50)),
    replyBytes(reply),
  ]),
  harmless('chunks', reply => [
    chunkedHead(reply),
    ...[...pieces(reply.body, 500)].map(piece => chunk(piece)),
    bytes('0\r\n\r\n'),
  ]),
]

export const FAULTS: readonly Fault[] = [
  ...[...CONNECTION, ...BEFORE, ...AFTER, ...PAGES, ...STATUSES, ...REDIRECTS, ...HARMLESS],
]
