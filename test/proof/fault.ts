/** What a fault is, and how each sort of them is made. */
import {tlsIdentity} from '../support/tls.js'
import {type ConnectionFault, type Reply, replyBytes, type Step, type WireFault} from './fault-proxy.js'

export type Conclusion =
  /** There is a whole, true answer; it only came in an odd way. */
  | {readonly kind: 'answered'}
  /** Nothing was asked of anybody. `isSure`: the client can tell, too, that no byte of a request left. */
  | {readonly kind: 'unreached'; readonly isSure: boolean}
  /** Something was sent and no whole answer came. `begun`: bytes of one did; `stalls`: time ran out. */
  | {readonly kind: 'lost'; readonly begun: boolean; readonly stalls: boolean}
  /** What came can never be read, however often it is asked for. */
  | {readonly kind: 'unreadable'}
  | {readonly kind: 'status'; readonly status: number}
  | {readonly kind: 'redirect'; readonly status: number; readonly elsewhere: boolean}
  /** A success by its status, and no JSON. */
  | {readonly kind: 'page'}
  /** A success by its status, and JSON of nothing that was asked for. */
  | {readonly kind: 'shape'}

export interface Fault {
  readonly name: string
  readonly conclusion: Conclusion
  /** What the error must say of its cause, where it is the error that ended the command. */
  readonly names?: RegExp
  readonly wire?: WireFault
  /** In place of `wire`: strikes every connection. `refused`: nobody listens. */
  readonly connection?: ConnectionFault | 'refused'
  /** The certificate the service shows; plain HTTP without. */
  readonly identity?: 'good' | 'expired' | 'self-signed' | 'other-host'
  /** Whether the client's --ca-file holds the authority of that certificate. */
  readonly isTrusted?: boolean
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

export function answered(name: string, conclusion: Conclusion, reply: Reply): Fault {
  const names =
    conclusion.kind === 'status'
      ? /fault_of_the_proxy|made up|Bad gateway|status 502|accept the client|not a local sandbox/
      : undefined
  return {
    name,
    conclusion,
    ...(names ? {names} : {}),
    wire: {forwards: false, play: () => [replyBytes(reply)]},
  }
}

export function redirect(status: number, to: 'same' | 'other' | 'weaker'): Fault {
  const isTls = to === 'weaker'
  return {
    name: `redirect-${status}-${to}`,
    conclusion: {kind: 'redirect', status, elsewhere: to !== 'same'},
    names: new RegExp(`\\b${status}\\b`),
    ...(isTls ? {identity: 'good' as const, isTrusted: true} : {}),
    wire: {
      forwards: false,
      play: (_, {origin, other}) => [
        replyBytes({
          status,
          headers: {location: `${to === 'same' ? origin : other}/partner-api/v1/account`},
          body: Buffer.alloc(0),
        }),
      ],
    },
  }
}

export function harmless(name: string, play: (reply: Reply) => Iterable<Step>): Fault {
  return {name, conclusion: {kind: 'answered'}, wire: {forwards: true, play}}
}

/** What a TLS server of `fault` shows. */
export function identityOf({identity}: Fault) {
  return identity === undefined ? undefined : tlsIdentity(identity)
}
