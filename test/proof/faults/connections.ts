/** Faults of the way to an answer: names, connections, TLS, the proxy in front of the service, and redirects. */
import {DEFAULT_CIPHERS} from 'node:tls'
import {tlsIdentity} from '../../support/tls.js'
import {type Place, type Reply, replyBytes, type Step} from '../../support/wire.js'
import {type Conclusion, type Fault, GOOD, RESET, type RedirectTarget, TIMED_OUT} from './fault.js'

const UNSURE: Conclusion = {kind: 'unreached', isSure: false}
const SURE: Conclusion = {kind: 'unreached', isSure: true}
const bytes = (text: string) => Buffer.from(text)

const CONNECTION: readonly Fault[] = [
  {name: 'refused', connection: 'refused', conclusion: SURE, names: /ECONNREFUSED/},
  {name: 'reset-at-accept', connection: 'reset', conclusion: UNSURE, names: RESET},
  {name: 'fin-at-accept', connection: 'end', conclusion: UNSURE, names: RESET},
  {name: 'never-answers', connection: 'hang', conclusion: UNSURE, names: TIMED_OUT},
  {name: 'never-reads', connection: 'deaf', conclusion: UNSURE, names: TIMED_OUT},
]

const certificate = (identity: NonNullable<Fault['identity']>, isTrusted: boolean, names: RegExp): Fault => ({
  name: identity === 'good' ? 'tls-unknown-authority' : `tls-${identity}`,
  ...{identity, isTrusted, conclusion: SURE, names},
})
// OpenSSL itself refuses old versions otherwise.
const OLD = {minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: `${DEFAULT_CIPHERS}:@SECLEVEL=0`} as const
const WANTS_CERTIFICATE = {requestCert: true, rejectUnauthorized: true, ca: [tlsIdentity('good').cert]}
const IN_HANDSHAKE = /before the request|ECONNRESET/
const TLS_FAILED = /TLS with .* failed/

const TLS: readonly Fault[] = [
  {name: 'tls-reset-in-handshake', connection: 'reset', ...GOOD, conclusion: SURE, names: IN_HANDSHAKE},
  {name: 'tls-fin-in-handshake', connection: 'end', ...GOOD, conclusion: SURE, names: IN_HANDSHAKE},
  {name: 'tls-stall-in-handshake', connection: 'hang', ...GOOD, conclusion: SURE, names: TIMED_OUT},
  {name: 'tls-plain-http', connection: 'plain', ...GOOD, conclusion: SURE, names: TLS_FAILED},
  certificate('expired', true, /certificate .*expired/),
  certificate('not-yet-valid', true, /certificate .*not valid yet/),
  certificate('self-signed', false, /certificate .*self-signed/),
  certificate('other-host', true, /certificate .*another host name/),
  certificate('good', false, /certificate .*not signed by a known authority/),
  {name: 'tls-too-old', ...GOOD, tls: OLD, conclusion: SURE, names: TLS_FAILED},
  // From TLS 1.3 on a client hears of it only after it has sent its request.
  {name: 'tls-wants-a-client-certificate', ...GOOD, tls: WANTS_CERTIFICATE, conclusion: UNSURE, names: RESET},
]

/** A service on another machine is never reached, and with a proxy its name is not looked up either. */
function away(name: string, names: RegExp, proxy?: readonly Step[] | 'refused'): Fault {
  const conclusion = {kind: 'unreached', isSure: true, isAway: true} as const
  const known = {name, conclusion, names, away: {proxy}}
  return Array.isArray(proxy) ? {...known, wire: {forwards: false, play: () => proxy}} : known
}
const connectAnswer = (status: number, headers = '') =>
  bytes(`HTTP/1.1 ${status} No\r\n${headers}content-length: 0\r\n\r\n`)
export const SSH = bytes('SSH-2.0-OpenSSH_9.6\r\n')
const TUNNEL = bytes('HTTP/1.1 200 Connection established\r\n\r\n')

const AWAY: readonly Fault[] = [
  away('dns', /no such host name, or no name service/),
  away('proxy-refused', /proxy http:.* cannot be reached \(ECONNREFUSED\)/, 'refused'),
  away('proxy-reset', /proxy http:.* cannot be reached/, ['reset']),
  away('proxy-stall', /timed out (connecting to|shaking hands with) .* through proxy/, ['hang']),
  away('proxy-403', /proxy http:.* refused the connection with status 403/, [connectAnswer(403)]),
  away('proxy-407', /status 407 \(it wants a user name and password/, [
    connectAnswer(407, 'proxy-authenticate: Basic realm="x"\r\n'),
  ]),
  away('proxy-502', /proxy http:.* refused the connection with status 502/, [connectAnswer(502)]),
  away('proxy-redirect', /proxy http:.* refused the connection with status 302/, [
    connectAnswer(302, 'location: http://127.0.0.1/\r\n'),
  ]),
  away('proxy-garbage', /proxy http:.* cannot be reached/, [SSH, 'hang']),
  away('proxy-tunnels-to-nothing', /TLS with .*through proxy|before the request|cannot be reached/, [
    TUNNEL,
    bytes('this is not TLS\r\n'),
    'end',
  ]),
]

export const CONNECTIONS: readonly Fault[] = [...CONNECTION, ...TLS, ...AWAY]

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

function redirect(status: number, to: RedirectTarget): Fault {
  const play = (_: Reply, place: Place) => {
    const location = LOCATIONS[to](place)
    return [replyBytes({status, headers: location === undefined ? {} : {location}, body: bytes('')})]
  }
  return {
    ...{name: `redirect-${status}-${to}`, conclusion: {kind: 'redirect', status, to}},
    ...{names: new RegExp(`\\b${status}\\b`), wire: {forwards: false, play}, ...(to === 'weaker' && GOOD)},
  }
}

export const REDIRECTS: readonly Fault[] = [
  ...[301, 302, 303, 307, 308].flatMap(status =>
    (['same', 'other', 'weaker'] as const).map(to => redirect(status, to)),
  ),
  ...[302, 307].flatMap(status =>
    (['loop', 'relative', 'nowhere', 'odd'] as const).map(to => redirect(status, to)),
  ),
  ...[300, 304].map(status => redirect(status, 'nowhere')),
]
