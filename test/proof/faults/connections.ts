/** A fault of the wire: what it does there, and what a client that sees only its own end of the connection can conclude. */
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
  /** The whole, true answer; it only came in an odd way. */
  | {readonly kind: 'answered'}
  /** No request got there. `isSure`: the client can tell. `isAway`: the service is not on this machine. */
  | {readonly kind: 'unreached'; readonly isSure: boolean; readonly isAway?: boolean}
  /**
   * Something was sent and no whole answer came. `partial`: bytes of one did come; `stalls`: time ran out; `laterStatus`: what a
   * repeat is answered with.
   */
  | {
      readonly kind: 'lost'
      readonly partial: boolean
      readonly stalls: boolean
      readonly laterStatus?: number
    }
  /** The answer can never be read, however often it is asked for. */
  | {readonly kind: 'unreadable'}
  | {readonly kind: 'status'; readonly status: number}
  | {readonly kind: 'redirect'; readonly status: number; readonly to: RedirectTarget}
  /** A success by its status, and no JSON. `saysJson`: though its type says so. `spoilt`: the service's own answer was. */
  | {readonly kind: 'page'; readonly saysJson: boolean; readonly spoilt?: boolean}
  /** A success by its status, and JSON of something else: an object, or a list. */
  | {readonly kind: 'shape'; readonly isObject: boolean}

/** `weaker`: plain http after https; `loop`: itself; `nowhere`: no Location; `odd`: no address of the web. */
export type RedirectTarget = 'same' | 'relative' | 'other' | 'weaker' | 'loop' | 'nowhere' | 'odd'

export interface Fault {
  readonly name: string
  readonly conclusion: Conclusion
  /** What the error must say of its cause. */
  readonly names?: RegExp
  readonly wire?: WireFault
  /** In place of `wire`: strikes every connection. `refused`: nothing listens. */
  readonly connection?: ConnectionFault | 'refused'
  /** The certificate the service shows (default plain HTTP), and what else its TLS does. */
  readonly identity?: 'good' | 'expired' | 'not-yet-valid' | 'self-signed' | 'other-host'
  readonly tls?: TlsOptions
  /** Whether the client's --ca-file has the authority of that certificate. */
  readonly isTrusted?: boolean
  /** The service is the name of another machine; `proxy` is what the proxy in front of it does, if one is set. */
  readonly away?: {readonly proxy?: readonly Step[] | 'refused' | undefined}
  /** About the spelling of text, so it means nothing where bytes are asked for. */
  readonly isOfText?: boolean
}

export type Play = (reply: Reply, place: Place) => Iterable<Step>

export const LOST: Conclusion = {kind: 'lost', partial: false, stalls: false}
export const CUT: Conclusion = {kind: 'lost', partial: true, stalls: false}
export const TIMED_OUT = /timed out/
export const RESET = /ECONNRESET|ended without an answer|connection closed|UND_ERR_SOCKET|before the request/

/** Faults by name; they strike after the service has acted, unless `more` says otherwise. */
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

/** The status of the last answer, if it refuses. */
export function statusOf(conclusion: Conclusion): number | undefined {
  if (conclusion.kind === 'status') return conclusion.status
  return conclusion.kind === 'lost' ? conclusion.laterStatus : undefined
}

/** Whether only the clock ends it. */
export function stalls({connection, away, conclusion}: Fault): boolean {
  if (connection === 'hang' || connection === 'deaf' || away?.proxy?.includes('hang')) return true
  return conclusion.kind === 'lost' && conclusion.stalls
}

export const isRefused = ({connection, away}: Fault) => connection === 'refused' || away?.proxy === 'refused'

/** What the TLS server of `fault` shows. */
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

/** From now on the requests to `where` meet `fault`; returns variables that the command needs for it. */
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
  // The name of no machine at all (RFC 6761), and the wire as the proxy in front of it.
  const proxy = fault.away.proxy === undefined ? {} : {HTTPS_PROXY: wire.origin}
  return {BOOKCTL_BASE_URL: 'https://service.invalid/partner-api/v1', ...proxy}
}

/** Whether the message says that time ran out: some faults end by what came before they stall. */
export const timesOut = (fault: Fault) => stalls(fault) && fault.names?.source.includes('timed out') === true

export const trustOf = ({isTrusted}: Pick<Fault, 'isTrusted'>) =>
  isTrusted ? ['--ca-file', certificateFile('ca')] : []
