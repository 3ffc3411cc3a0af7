/** Faults of the wire: what happens on the connection, and what a client, which sees only its own end, can conclude. */
import {DEFAULT_CIPHERS, type TlsOptions} from 'node:tls'
import {certificateFile, tlsIdentity} from '../../support/tls.js'
import {
  type ConnectionFault,
  type Place,
  type Reply,
  replyBytes,
  type Step,
  type Wire,
  type WireFault,
} from '../../support/wire.js'

export type Conclusion =
  /** The complete and correct answer arrived, in an unusual way. */
  | {readonly kind: 'answered'}
  /** The request did not reach the service. `isSure`: the client can tell that. `isAway`: the service is on another machine. */
  | {readonly kind: 'unreached'; readonly isSure: boolean; readonly isAway?: boolean}
  /**
   * The request was sent and no complete answer came. `partial`: some bytes of one came. `stalls`: the time limit ended the wait.
   * `laterStatus`: the status that a repeat is answered with.
   */
  | {
      readonly kind: 'lost'
      readonly partial: boolean
      readonly stalls: boolean
      readonly laterStatus?: number
    }
  /** The answer can never be read, however often the request is repeated. */
  | {readonly kind: 'unreadable'}
  | {readonly kind: 'status'; readonly status: number}
  | {readonly kind: 'redirect'; readonly status: number; readonly to: RedirectTarget}
  /**
   * The status is 2xx and the body is not JSON. `saysJson`: the content type says it is. `spoilt`: the service's own answer was
   * damaged.
   */
  | {readonly kind: 'page'; readonly saysJson: boolean; readonly spoilt?: boolean}
  /** The status is 2xx, and the body is JSON of another kind: an object, or a list. */
  | {readonly kind: 'shape'; readonly isObject: boolean}

/** `weaker`: from https to plain http. `loop`: to itself. `nowhere`: without Location. `odd`: not an http or https URL. */
export type RedirectTarget = 'same' | 'relative' | 'other' | 'weaker' | 'loop' | 'nowhere' | 'odd'

export interface Fault {
  readonly name: string
  readonly conclusion: Conclusion
  /** Matches what the error must say about the cause. */
  readonly names?: RegExp
  readonly wire?: WireFault
  /** A fault of every connection, used instead of `wire`. `refused`: nothing listens. */
  readonly connection?: ConnectionFault | 'refused'
  /** The certificate of the service (default: plain HTTP), and other options of its TLS. */
  readonly identity?: 'good' | 'expired' | 'not-yet-valid' | 'self-signed' | 'other-host'
  readonly tls?: TlsOptions
  /** Whether --ca-file contains the authority that signed the certificate. */
  readonly isTrusted?: boolean
  /** The service has the name of another machine. `proxy` gives the behaviour of the proxy in front of it, if one is set. */
  readonly away?: {readonly proxy?: readonly Step[] | 'refused' | undefined}
  /** The fault concerns the encoding of text, so it has no meaning for a request that asks for bytes. */
  readonly isOfText?: boolean
}

export type Play = (reply: Reply, place: Place) => Iterable<Step>

export const LOST: Conclusion = {kind: 'lost', partial: false, stalls: false}
export const CUT: Conclusion = {kind: 'lost', partial: true, stalls: false}
export const TIMED_OUT = /timed out/
export const RESET = /ECONNRESET|ended without an answer|connection closed|UND_ERR_SOCKET|before the request/

/** Returns faults by name. They apply after the service has acted, unless `more` says otherwise. */
export const faults = (
  conclusion: Conclusion,
  names: RegExp | undefined,
  plays: Readonly<Record<string, Play>>,
  {isBefore = false, ...more}: Partial<Fault> & {readonly isBefore?: boolean} = {},
): Fault[] =>
  Object.entries(plays).map(([name, play]) => ({
    name,
    conclusion,
    ...(names && {names}),
    wire: {forwards: !isBefore, play},
    ...more,
  }))

export const GOOD = {identity: 'good', isTrusted: true} as const

/** Returns the status of the last answer, if it is a refusal. */
export function statusOf(conclusion: Conclusion): number | undefined {
  if (conclusion.kind === 'status') return conclusion.status
  return conclusion.kind === 'lost' ? conclusion.laterStatus : undefined
}

/** Reports whether only a time limit ends the fault. */
export function stalls({connection, away, conclusion}: Fault): boolean {
  if (connection === 'hang' || connection === 'deaf' || away?.proxy?.includes('hang')) return true
  return conclusion.kind === 'lost' && conclusion.stalls
}

export const isRefused = ({connection, away}: Fault) => connection === 'refused' || away?.proxy === 'refused'

/** Returns the TLS options of the server for `fault`. */
export const identityOf = ({identity, tls}: Fault): TlsOptions | undefined =>
  identity && {...tlsIdentity(identity), ...tls}

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
  identity,
  isTrusted,
  conclusion: SURE,
  names,
})
// OpenSSL itself would otherwise refuse old versions.
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
  // Since TLS 1.3, a client learns only after its request that a certificate was required.
  {name: 'tls-wants-a-client-certificate', ...GOOD, tls: WANTS_CERTIFICATE, conclusion: UNSURE, names: RESET},
]

/**
 * Returns a fault of a service on another machine. The service is never reached, and with a proxy its name is not resolved
 * either.
 */
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
  away('proxy-407', /status 407 \(it requires a user name and password/, [
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
    name: `redirect-${status}-${to}`,
    conclusion: {kind: 'redirect', status, to},
    names: new RegExp(`\\b${status}\\b`),
    wire: {forwards: false, play},
    ...(to === 'weaker' && GOOD),
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

/** Applies `fault` to requests to `where` from now on. Returns variables that the command needs for it. */
export async function strike(
  wire: Wire,
  {method, path}: {readonly method: string; readonly path: RegExp},
  fault: Fault,
): Promise<Record<string, string>> {
  const identity = identityOf(fault)
  if (identity) wire.showInstead(identity)
  if (fault.wire) wire.strike = {fault: fault.wire, ...(fault.away ? {method: 'CONNECT'} : {method, path})}
  if (isRefused(fault)) await wire.close()
  else wire.connection = fault.connection as Exclude<Fault['connection'], 'refused'>
  if (!fault.away) return {}
  // This host name never exists (RFC 6761). The wire acts as the proxy in front of it.
  const proxy = fault.away.proxy === undefined ? {} : {HTTPS_PROXY: wire.origin}
  return {BOOKCTL_BASE_URL: 'https://service.invalid/partner-api/v1', ...proxy}
}

/**
 * Reports whether the message must say that time ran out. For some stalling faults, the message is about the bytes that came
 * before.
 */
export const timesOut = (fault: Fault) => stalls(fault) && fault.names?.source.includes('timed out') === true

export const trustOf = ({isTrusted}: Pick<Fault, 'isTrusted'>) =>
  isTrusted ? ['--ca-file', certificateFile('ca')] : []
