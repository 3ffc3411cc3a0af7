/**
 * The faults of the matrix. Each says what it does on the wire, and what can be concluded from it by whoever sees only
 * the client's end of the connection; what a command must make of that is in fault-rules.ts.
 */

import {type Reply, replyBytes} from '../support/wire.js'
import {after, answered, type Fault, harmless, lostThen, RESET, redirect, SPOILT} from './fault.js'
import {BEFORE, COMPRESSED, CUTS, ENDLESS, INTERIM, LENGTHS} from './faults-answer.js'
import {AWAY, CONNECTION, TLS} from './faults-connection.js'
import {
  asJson,
  bytes,
  chunk,
  chunkedHead,
  half,
  pieces,
  splitCharacters,
  unframed,
  withBadByte,
  withType,
} from './odd-bytes.js'

/** What an answer says that is a success by its status, and not what was asked for. */
const NOT_IT =
  /not JSON|not a PDF|cut off|holds no|names no|without naming|without an id|not a local sandbox|says nothing|no link|no token/

const PAGES: readonly Fault[] = [
  answered('html-200', {kind: 'page', saysJson: false}, NOT_IT, {
    ...{status: 200, headers: {'content-type': 'text/html'}},
    body: bytes('<html><title>Sign in to the network</title></html>'),
  }),
  answered('not-json', {kind: 'page', saysJson: true}, NOT_IT, {
    ...{status: 200, headers: asJson, body: bytes('{"data": {"a": OK}}')},
  }),
  answered('pdf-200', {kind: 'page', saysJson: false}, NOT_IT, {
    ...{status: 200, headers: {'content-type': 'application/pdf'}, body: bytes('%PDF-1.4 %%not')},
  }),
  answered('shape', {kind: 'shape', isObject: true}, NOT_IT, {
    ...{status: 200, headers: asJson, body: bytes('{"data":{"colour":"green"}}')},
  }),
  answered('shape-list', {kind: 'shape', isObject: false}, NOT_IT, {
    ...{status: 200, headers: asJson, body: bytes('[7,null,[]]')},
  }),
  after('unframed-cut', SPOILT, NOT_IT, reply => [unframed({...reply, body: half(reply.body)}), 'end']),
  {
    ...after('not-utf-8', SPOILT, NOT_IT, reply => [replyBytes(withBadByte(reply))]),
    isOfText: true,
  },
  {
    ...after('utf-16', SPOILT, NOT_IT, reply => [
      replyBytes({
        ...withType(reply, 'application/json; charset=utf-16'),
        body: Buffer.from(String(reply.body), 'utf16le'),
      }),
    ]),
    isOfText: true,
  },
]

/** What a made-up refusal must be told with: its own words, or its status. */
const SAID = /fault_of_the_proxy|made up|Bad gateway|status 502|accept the client|not a local sandbox/

const refusal = (status: number): Reply => ({
  ...{status, headers: asJson},
  body: bytes('{"error":{"code":"fault_of_the_proxy","message":"made up"}}'),
})
const STATUSES: readonly Fault[] = [
  ...[400, 401, 403, 404, 410, 418, 429, 500, 503, 504].map(status =>
    answered(`status-${status}`, {kind: 'status', status}, SAID, refusal(status)),
  ),
  answered('html-502', {kind: 'status', status: 502}, SAID, {
    ...{status: 502, headers: {'content-type': 'text/html'}},
    body: bytes('<html><title>Bad gateway</title><h1>fault_of_the_proxy</h1></html>'),
  }),
]

const REDIRECTS: readonly Fault[] = [
  ...[301, 302, 303, 307, 308].flatMap(status =>
    (['same', 'other', 'weaker'] as const).map(to => redirect(status, to)),
  ),
  ...[302, 307].flatMap(status =>
    (['loop', 'relative', 'nowhere', 'odd'] as const).map(to => redirect(status, to)),
  ),
  redirect(300, 'nowhere'),
  redirect(304, 'nowhere'),
]

/** What comes whole, if oddly. */
const HARMLESS: readonly Fault[] = [
  harmless('latency', reply => [300, replyBytes(reply)]),
  harmless('byte-by-byte', reply => [...pieces(replyBytes(reply), 60)].flatMap(piece => [piece, 2])),
  // Some 40 kB a second.
  harmless('throttled', reply => [...pieces(replyBytes(reply), 400)].flatMap(piece => [piece, 10])),
  harmless('burst', reply => [
    half(replyBytes(reply)),
    400,
    replyBytes(reply).subarray(half(replyBytes(reply)).length),
  ]),
  harmless('split-characters', splitCharacters),
  harmless('reset-after-answer', reply => [replyBytes(reply), 100, 'reset']),
  harmless('unframed', reply => [unframed(reply), 'end']),
  harmless('wrong-type', reply => [replyBytes(withType(reply, 'image/png'))]),
  harmless('wrong-charset', reply => [replyBytes(withType(reply, 'application/json; charset=iso-8859-1'))]),
  harmless('no-type', reply => [replyBytes(withType(reply, undefined))]),
  {
    ...harmless('byte-order-mark', reply => [
      replyBytes({...reply, body: Buffer.concat([Buffer.from('\ufeff'), reply.body])}),
    ]),
    isOfText: true,
  },
  harmless('early-hints', reply => [
    bytes('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(50)),
    replyBytes(reply),
  ]),
  harmless('chunks', reply => [
    chunkedHead(reply),
    ...[...pieces(reply.body, 500)].map(piece => chunk(piece)),
    bytes('0\r\nx-trailer: y\r\n\r\n'),
  ]),
]

/** Of what is not sent again only the loss is known. */
const SAID_OR_RESET = new RegExp(`${SAID.source}|${RESET.source}`)

const REFUSED_LATER = [400, 401].map(status => lostThen(status, SAID_OR_RESET, refusal(status)))

export const FAULTS: readonly Fault[] = [
  ...[...CONNECTION, ...TLS, ...AWAY],
  ...[...BEFORE, ...INTERIM, ...CUTS, ...LENGTHS, ...ENDLESS, ...COMPRESSED],
  ...[...PAGES, ...STATUSES, ...REDIRECTS, ...HARMLESS, ...REFUSED_LATER],
]
