/** What a fault is, and how each sort of them is made. */
import type {TlsOptions} from 'node:tls'
import {tlsIdentity} from '../support/tls.js'
import {
  type ConnectionFault,
  type Place,
  type Reply,
  replyBytes,
  type Step,
  type WireFault,
} from '../support/wire.js'

export type Conclusion =
  /** There is a whole, true answer; it only came in an odd way. */
  | {readonly kind: 'answered'}
  /**
   * Nothing was asked of anybody. `isSure`: the client can tell, too, that no byte of a request left. `isAway`: the service
   * is not of this machine.
   */
  | {readonly kind: 'unreached'; readonly isSure: boolean; readonly isAway?: boolean}
  /**
   * Something was sent and no whole answer came. `begun`: bytes of one did; `stalls`: time ran out; `laterStatus`: whoever
   * sends it again is answered with that status.
   */
  | {readonly kind: 'lost'; readonly begun: boolean; readonly stalls: boolean; readonly laterStatus?: number}
  /** What came can never be read, however often it is asked for. */
  | {readonly kind: 'unreadable'}
  | {readonly kind: 'status'; readonly status: number}
  | {readonly kind: 'redirect'; readonly status: number; readonly to: RedirectTarget}
  /** A success by its status, and no JSON; `saysJson`: though its type says so. `spoilt`: the service's own answer was. */
  | {readonly kind: 'page'; readonly saysJson: boolean; readonly spoilt?: boolean}
  /** A success by its status, and JSON of nothing that was asked for: an object, or a list. */
  | {readonly kind: 'shape'; readonly isObject: boolean}

/**
 * Where a redirect leads: another path of the service, written whole or `relative`; to `other` servers, to a `weaker`
 * connection; back to itself (`loop`); to `nowhere`, for want of a Location; to what is no address of the web (`odd`).
 */
export type RedirectTarget = 'same' | 'relative' | 'other' | 'weaker' | 'loop' | 'nowhere' | 'odd'

export interface Fault {
  readonly name: string
  readonly conclusion: Conclusion
  /** What the error must say of its cause, where it is the error that ended the command. */
  readonly names?: RegExp
  readonly wire?: WireFault
  /** In place of `wire`: strikes every connection. `refused`: nobody listens. */
  readonly connection?: ConnectionFault | 'refused'
  /** The certificate the service shows; plain HTTP without. */
  readonly identity?: 'good' | 'expired' | 'not-yet-valid' | 'self-signed' | 'other-host'
  /** What else the service's TLS does. */
  readonly tls?: TlsOptions
  /** Whether the client's --ca-file holds the authority of that certificate. */
  readonly isTrusted?: boolean
  /** The service is a name that is not of this machine; `proxy`: what the proxy on the way there does, if one is set. */
  readonly away?: {readonly proxy?: readonly Step[] | 'refused' | undefined}
  /** Of the spelling of text, so it means nothing where bytes are asked for. */
  readonly isOfText?: boolean
}

export const LOST = {kind: 'lost', begun: false, stalls: false} as const
export const CUT = {kind: 'lost', begun: true, stalls: false} as const
export const STALLED = {kind: 'lost', begun: false, stalls: true} as const
export const CUT_STALLED = {kind: 'lost', begun: true, stalls: true} as const
export const SPOILT = {kind: 'page', saysJson: true, spoilt: true} as const
export const UNREADABLE = {kind: 'unreadable'} as const
export const UNSURE = {kind: 'unreached', isSure: false} as const
export const RESET = /ECONNRESET|ended without an answer|connection closed|UND_ERR_SOCKET|before the request/
export const ENDED = /ended early|cut off|ended without an answer/
export const TIMED_OUT = /timed out/

/** Whether it is told that time ran out: some end by what came before they stall. */
export function timesOut(fault: Fault): boolean {
  return stalls(fault) && fault.names?.source.includes('timed out') === true
}

/** The status of the last answer, where there is one that refuses. */
export function statusOf(conclusion: Conclusion): number | undefined {
  if (conclusion.kind === 'status') return conclusion.status
  return conclusion.kind === 'lost' ? conclusion.laterStatus : undefined
}

/** Whether only the clock ends it. */
export function stalls({connection, away, conclusion}: Fault): boolean {
  if (connection === 'hang' || connection === 'deaf') return true
  if (away?.proxy?.includes('hang')) return true
  return conclusion.kind === 'lost' && conclusion.stalls
}

export function before(name: string, conclusion: Conclusion, names: RegExp, ...steps: Step[]): Fault {
  return {name, conclusion, names, wire: {forwards: false, play: () => steps}}
}

export function after(
  name: string,
  conclusion: Conclusion,
  names: RegExp,
  play: (reply: Reply) => Iterable<Step>,
): Fault {
  return {name, conclusion, names, wire: {forwards: true, play}}
}

export function tls(identity: NonNullable<Fault['identity']>, isTrusted: boolean, names: RegExp): Fault {
  const name = identity === 'good' ? 'tls-unknown-authority' : `tls-${identity}`
  return {name, identity, isTrusted, conclusion: {kind: 'unreached', isSure: true}, names}
}

/** A service of another machine. It is never reached, and with a proxy not even its name is asked for. */
export function away(name: string, names: RegExp, proxy?: readonly Step[] | 'refused'): Fault {
  const wire = Array.isArray(proxy) ? {forwards: false, play: () => proxy as readonly Step[]} : undefined
  const conclusion = {kind: 'unreached', isSure: true, isAway: true} as const
  return {name, conclusion, names, away: {proxy}, ...(wire ? {wire} : {})}
}

export function answered(name: string, conclusion: Conclusion, names: RegExp, reply: Reply): Fault {
  return {name, conclusion, names, wire: {forwards: false, play: () => [replyBytes(reply)]}}
}

/** The first is done, and its answer lost; another like it is refused. */
export function lostThen(status: number, names: RegExp, refusal: Reply): Fault {
  return {
    ...{name: `lost-then-${status}`, conclusion: {...LOST, laterStatus: status}, names},
    wire: {
      forwards: true,
      play: () => ['reset'],
      afterwards: {forwards: false, play: () => [replyBytes(refusal)]},
    },
  }
}

export function redirect(status: number, to: RedirectTarget): Fault {
  return {
    name: `redirect-${status}-${to}`,
    conclusion: {kind: 'redirect', status, to},
    names: new RegExp(`\\b${status}\\b`),
    ...(to === 'weaker' ? {identity: 'good', isTrusted: true} : {}),
    wire: {
      forwards: false,
      play: (_, place) => {
        const location = locationOf(to, place)
        const headers: Record<string, string> = location === undefined ? {} : {location}
        return [replyBytes({status, headers, body: Buffer.alloc(0)})]
      },
    },
  }
}

function locationOf(to: RedirectTarget, {origin, other, request}: Place): string | undefined {
  const account = '/partner-api/v1/account'
  switch (to) {
    case 'same':
      return origin + account
    case 'relative':
      return account
    case 'loop':
      return origin + request.path
    case 'nowhere':
      return undefined
    case 'odd':
      return 'javascript:alert(1)'
    default:
      return other + account
  }
}

export function harmless(name: string, play: (reply: Reply) => Iterable<Step>): Fault {
  return {name, conclusion: {kind: 'answered'}, wire: {forwards: true, play}}
}

/** What a TLS server of `fault` shows. */
export function identityOf({identity, tls: options}: Fault): TlsOptions | undefined {
  return identity === undefined ? undefined : {...tlsIdentity(identity), ...options}
}
