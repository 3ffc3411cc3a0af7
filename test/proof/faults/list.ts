/** All faults of the wire; rules.ts says what a command must make of each. */
import {type Place, type Reply, replyBytes, replyHead} from '../../support/wire.js'
import {
  asJson,
  BOMB,
  bytes,
  chunk,
  chunkedHead,
  endless,
  half,
  pieces,
  slowly,
  splitCharacters,
  trickle,
  unframed,
  withBadByte,
  withEncoding,
  withHeaders,
  withLength,
  withLengths,
} from './bytes.js'
import {CONNECTIONS, SSH} from './connections.js'
import {
  ANY_END,
  after,
  before,
  type Conclusion,
  CUT,
  CUT_STALLED,
  ENDED,
  type Fault,
  GOOD,
  harmless,
  LONG_HEADERS,
  LOST,
  NOT_HTTP,
  NOT_IT,
  type Play,
  REFUSAL,
  RESET,
  type RedirectTarget,
  SPOILT,
  STALLED,
  TIMED_OUT,
  TOO_LARGE,
  table,
  UNREADABLE,
} from './fault.js'

const UPGRADE = bytes('HTTP/1.1 101 X\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n')
const HINT = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'
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

/** Cut at every sort of place, in each way a connection ends. */
const CUTS: readonly Fault[] = [
  ...after(LOST, RESET, {
    'reset-after-service': () => ['reset'],
    'fin-after-service': () => ['end'],
    // An unexpected 100 Continue ends the connection (undici).
    'continue-1': reply => [bytes(CONTINUE), 20, replyBytes(reply)],
    'continue-3': reply => [bytes(CONTINUE.repeat(3)), 20, replyBytes(reply)],
  }),
  ...after(STALLED, TIMED_OUT, {
    'stall-after-service': () => ['hang'],
    'endless-hints': () => endless([], () => bytes(HINT.repeat(20)), 20),
  }),
  ...after(CUT, RESET, {
    'reset-in-status-line': () => [bytes('HTTP/1'), 'reset'],
    'reset-in-headers': reply => [halfHead(reply), 'reset'],
  }),
  ...after(CUT, ENDED, {
    'reset-in-body': reply => [...halfBody(reply), 'reset'],
    'fin-in-headers': reply => [halfHead(reply), 'end'],
    'fin-in-body': reply => [...halfBody(reply), 'end'],
    'fin-in-chunk': reply => [
      chunkedHead(reply),
      bytes(`${reply.body.length.toString(16)}\r\n`),
      half(reply.body),
      'end',
    ],
    'fin-before-last-chunk': reply => [chunkedHead(reply), chunk(reply.body), 'end'],
    'length-too-long': reply => [withLength(reply, reply.body.length + 100), 'end'],
  }),
  ...after(CUT, ENDED, {'tls-fin-in-body': reply => [...halfBody(reply), 'end']}, GOOD),
  ...after(CUT, ANY_END, {
    'reset-at-last-byte': reply => [allButOne(reply), 'reset'],
    'fin-before-body': reply => [withLength({...reply, body: bytes('')}, 7), 'end'],
    'fin-at-last-byte': reply => [allButOne(reply), 'end'],
  }),
  ...after(CUT_STALLED, TIMED_OUT, {
    'stall-in-headers': reply => [halfHead(reply), 'hang'],
    'stall-in-body': reply => [...halfBody(reply), 'hang'],
    'stall-at-last-byte': reply => [allButOne(reply), 'hang'],
    trickle: reply => trickle(replyBytes(reply)),
    'trickle-in-body': reply => [replyHead(reply), ...trickle(reply.body)],
    'endless-chunk-extension': reply =>
      endless([chunkedHead(reply), bytes('5;a=')], () => Buffer.alloc(16 * 1024, 'e'), 20),
  }),
]

/** Answers that are not HTTP, or end by a limit of ours, which the message names. */
const UNREADABLES: readonly Fault[] = [
  ...after(UNREADABLE, NOT_HTTP, {
    'length-negative': reply => [withLength(reply, -5), 'end'],
    'length-in-words': reply => [withLength(reply, 'many'), 'end'],
    'length-beyond-numbers': reply => [withLength(reply, '9'.repeat(30)), 'hang'],
    'two-lengths': reply => withLengths(reply, 5, reply.body.length),
    'same-length-twice': reply => withLengths(reply, reply.body.length, reply.body.length),
    'length-and-chunks': reply => [replyBytes(withHeaders(reply, {'transfer-encoding': 'chunked'}))],
    'bad-chunk': reply => [chunkedHead(reply), bytes('zz\r\n'), 'hang'],
    'chunk-beyond-numbers': reply => [chunkedHead(reply), bytes(`${'f'.repeat(40)}\r\n`), 'hang'],
  }),
  ...after(UNREADABLE, TOO_LARGE, {
    'length-too-large': reply => [withLength(reply, 2 ** 40), 'hang'],
    'endless-body': reply => endless([chunkedHead(reply)], () => chunk(Buffer.alloc(256 * 1024, ' '))),
  }),
  ...after(UNREADABLE, LONG_HEADERS, {
    'endless-headers': () =>
      endless([bytes('HTTP/1.1 200 OK\r\n')], n => bytes(`x-header-${n}: ${'y'.repeat(1000)}\r\n`)),
    'huge-header': reply => [replyBytes(withHeaders(reply, {'x-big': 'x'.repeat(200_000)}))],
    'endless-trailers': reply => {
      const start = [chunkedHead(reply), chunk(reply.body), bytes('0\r\n')]
      return endless(start, n => bytes(`x-trailer-${n}: ${'y'.repeat(1000)}\r\n`))
    },
  }),
  ...after(UNREADABLE, /compressed/, {
    'gzip-bomb': ({status}) => [
      replyBytes({status, headers: {...asJson, 'content-encoding': 'gzip'}, body: BOMB}),
    ],
    ...Object.fromEntries(
      ['gzip', 'deflate', 'br', 'zstd', 'gzip, gzip', 'x-unheard-of'].map(encoding => [
        `encoding-${encoding.replace(', ', '-in-')}`,
        (reply: Reply) => [replyBytes(withEncoding(reply, encoding))],
      ]),
    ),
  }),
]

/** A made-up answer. */
function answered(name: string, conclusion: Conclusion, status: number, type: string, text: string): Fault {
  const reply = {status, headers: {'content-type': type}, body: bytes(text)}
  const names = conclusion.kind === 'status' ? REFUSAL : NOT_IT
  return {name, conclusion, names, wire: {forwards: false, play: () => [replyBytes(reply)]}}
}

const JSON_TYPE = 'application/json'
const REFUSED = '{"error":{"code":"fault_of_the_proxy","message":"made up"}}'
const SIGN_IN = '<html><title>Sign in to the network</title></html>'
const BAD_GATEWAY = '<html><title>Bad gateway</title><h1>fault_of_the_proxy</h1></html>'
const SPOILT_WORDS =
  /cannot be understood|not JSON|not a local sandbox|ended early|not HTTP|PDF|cut off|without/
const asUtf16 = ({body}: Reply) => Buffer.from(String(body), 'utf16le')

const PAGES: readonly Fault[] = [
  answered('html-200', {kind: 'page', saysJson: false}, 200, 'text/html', SIGN_IN),
  answered('not-json', {kind: 'page', saysJson: true}, 200, JSON_TYPE, '{"data": {"a": OK}}'),
  answered('pdf-200', {kind: 'page', saysJson: false}, 200, 'application/pdf', '%PDF-1.4 %%not'),
  answered('shape', {kind: 'shape', isObject: true}, 200, JSON_TYPE, '{"data":{"colour":"green"}}'),
  answered('shape-list', {kind: 'shape', isObject: false}, 200, JSON_TYPE, '[7,null,[]]'),
  ...after(SPOILT, NOT_IT, {'unframed-cut': reply => [unframed({...reply, body: half(reply.body)}), 'end']}),
  ...after(SPOILT, SPOILT_WORDS, {
    'length-too-short': reply => [withLength(reply, Math.floor(reply.body.length / 2)), 'end'],
  }),
  ...after(
    SPOILT,
    NOT_IT,
    {
      'not-utf-8': reply => [replyBytes(withBadByte(reply))],
      'utf-16': reply => [
        replyBytes(
          withHeaders({...reply, body: asUtf16(reply)}, {'content-type': `${JSON_TYPE}; charset=utf-16`}),
        ),
      ],
    },
    {isOfText: true},
  ),
  ...[400, 401, 403, 404, 410, 418, 429, 500, 503, 504].map(status =>
    answered(`status-${status}`, {kind: 'status', status}, status, JSON_TYPE, REFUSED),
  ),
  answered('html-502', {kind: 'status', status: 502}, 502, 'text/html', BAD_GATEWAY),
]

const ACCOUNT = '/partner-api/v1/account'
const LOCATIONS: Readonly<Record<RedirectTarget, (place: Place) => string | undefined>> = {
  same: ({origin}) => origin + ACCOUNT,
  relative: () => ACCOUNT,
  loop: ({origin, request}) => origin + request.path,
  nowhere: () => undefined,
  odd: () => 'javascript:alert(1)',
  other: ({other}) => other + ACCOUNT,
  weaker: ({other}) => other + ACCOUNT,
}

function redirect(status: number, to: RedirectTarget): Fault[] {
  const play: Play = (reply, place) => {
    const moved = {...reply, status, body: bytes('')}
    return [replyBytes(withHeaders(moved, {location: LOCATIONS[to](place)}))]
  }
  const conclusion = {kind: 'redirect', status, to} as const
  const name = `redirect-${status}-${to}`
  return table(false, conclusion, new RegExp(`\\b${status}\\b`), {[name]: play}, to === 'weaker' ? GOOD : {})
}

const REDIRECTS: readonly Fault[] = [
  ...[301, 302, 303, 307, 308].flatMap(status =>
    (['same', 'other', 'weaker'] as const).flatMap(to => redirect(status, to)),
  ),
  ...[302, 307].flatMap(status =>
    (['loop', 'relative', 'nowhere', 'odd'] as const).flatMap(to => redirect(status, to)),
  ),
  ...[300, 304].flatMap(status => redirect(status, 'nowhere')),
]

/** Whole answers that come oddly. */
const HARMLESS: readonly Fault[] = [
  ...harmless({
    latency: reply => [300, replyBytes(reply)],
    'byte-by-byte': reply => slowly(replyBytes(reply), 60, 2),
    // Some 40 kB a second.
    throttled: reply => slowly(replyBytes(reply), 400, 10),
    burst: reply => [
      half(replyBytes(reply)),
      400,
      replyBytes(reply).subarray(half(replyBytes(reply)).length),
    ],
    'split-characters': splitCharacters,
    'reset-after-answer': reply => [replyBytes(reply), 100, 'reset'],
    unframed: reply => [unframed(reply), 'end'],
    'wrong-type': reply => [replyBytes(withHeaders(reply, {'content-type': 'image/png'}))],
    'wrong-charset': reply => [
      replyBytes(withHeaders(reply, {'content-type': `${JSON_TYPE}; charset=iso-8859-1`})),
    ],
    'no-type': reply => [replyBytes(withHeaders(reply, {'content-type': undefined}))],
    'early-hints': reply => [bytes(HINT.repeat(50)), replyBytes(reply)],
    chunks: reply => [
      chunkedHead(reply),
      ...[...pieces(reply.body, 500)].map(chunk),
      bytes('0\r\nx-y: z\r\n\r\n'),
    ],
  }),
  ...harmless(
    {
      'byte-order-mark': reply => [
        replyBytes({...reply, body: Buffer.concat([bytes('\ufeff'), reply.body])}),
      ],
    },
    {isOfText: true},
  ),
]

/** The first is done and its answer lost; a repeat is refused. If nothing is repeated, only the loss is known. */
const REFUSED_LATER = [400, 401].map((status): Fault => {
  const refusal = replyBytes({status, headers: asJson, body: bytes(REFUSED)})
  return {
    name: `lost-then-${status}`,
    conclusion: {kind: 'lost', begun: false, stalls: false, laterStatus: status},
    names: new RegExp(`${REFUSAL.source}|${RESET.source}`),
    wire: {
      forwards: true,
      play: () => ['reset'],
      afterwards: {forwards: false, play: () => [refusal]},
    },
  }
})

export const FAULTS: readonly Fault[] = [
  ...[CONNECTIONS, BEFORE, CUTS, UNREADABLES, PAGES, REDIRECTS, HARMLESS, REFUSED_LATER].flat(),
]
