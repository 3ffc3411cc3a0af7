/** A fault of the wire: what it does there, and what a client that sees only its own end of the connection can conclude. */
import type {TlsOptions} from 'node:tls'
import {tlsIdentity} from '../../support/tls.js'
import type {ConnectionFault, Place, Reply, Step, WireFault} from '../../support/wire.js'

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
    ...{name, conclusion, ...(names && {names}), wire: {forwards: !isBefore, play}},
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
