/**
 * How a command must react to a fault. The rules depend on the kind of request and on what a client can conclude from the fault,
 * never on what the tool was seen to do. Sources: "Exit codes" and "When an answer is lost" in the README; §4.2, §4.4, §4.7 and
 * §4.8 for the answers of operations; §5.6 and §7 for 401; and the rule that nothing follows a redirect with credentials or a
 * body.
 */
import {type Conclusion, type Fault, type RedirectTarget, statusOf} from './connections.js'

/**
 * The kind of request. `read` changes nothing; `keyed` makes a reservation with an Idempotency-Key (§4.4); `once` changes
 * something without a key; `wait` asks repeatedly whether a reservation is paid; `token` and `revoke` are the OAuth endpoints
 * (§4.1, §4.2); `link` is the signed voucher link (§2.6).
 */
export type Nature = 'read' | 'keyed' | 'once' | 'wait' | 'token' | 'revoke' | 'link'

/**
 * Which 2xx answer is accepted if the interface shows none: `any` JSON (§4.8, deleting in §4.9), a JSON `object` (§2, §4.6,
 * §4.9), or `bytes` (`api` prints the answer unchanged). Other answers are recognised by their content.
 */
export interface Traits {
  readonly takes?: 'any' | 'object' | 'bytes'
  /**
   * The path is a guess (§4.9), so the client first checks for a local sandbox. If that request is lost, it assumes there is
   * none.
   */
  readonly isGuessed?: boolean
  /** A control of the local sandbox. An answer without the sandbox's header comes from another program, which did nothing. */
  readonly isControl?: boolean
}

export interface Expected {
  readonly exits: readonly number[]
  /** The smallest and the largest number of times that the request is sent. */
  readonly sent: readonly [number, number]
  /** Whether the message must name the cause. */
  readonly namesCause: boolean
}

const ONCE = [1, 1] as const
const NEVER = [0, 0] as const
/** At most four attempts. How many fit into the time limit is random (full jitter). */
const AGAIN = [2, 4] as const
/** Statuses that may be temporary. */
const PASSING: readonly number[] = [429, 500, 502, 503, 504]

/** If a change may have been made, the outcome is unknown: exit 10. */
const changes = (nature: Nature) => nature === 'keyed' || nature === 'once'
/** Reports whether the same bytes may be sent again, because they change nothing or have a key. */
const isRepeatable = (nature: Nature) => nature !== 'once' && nature !== 'wait'

/** Reports whether a complete answer came, whatever it says. */
export const isAnswered = ({kind}: Conclusion) => !['unreached', 'lost', 'unreadable'].includes(kind)

export function expectedOf(nature: Nature, conclusion: Conclusion, traits: Traits): Expected {
  const isSpoilt = conclusion.kind === 'page' && conclusion.spoilt
  const isForeign = ['status', 'redirect', 'page', 'shape'].includes(conclusion.kind) && !isSpoilt
  if (traits.isControl && isForeign) {
    const status = conclusion.kind === 'status' ? conclusion.status : 200
    const isRepeated = status === 429 || (PASSING.includes(status) && !changes(nature))
    return {exits: [6], sent: isRepeated ? AGAIN : ONCE, namesCause: true}
  }
  if (nature === 'wait' && conclusion.kind !== 'unreached') return waitRule(conclusion)
  const unclear = changes(nature) ? 10 : 6
  switch (conclusion.kind) {
    case 'answered':
      return {exits: [0], sent: ONCE, namesCause: false}
    case 'unreached':
      return unreachedRule(nature, conclusion, traits)
    case 'lost':
      return lostRule(nature, conclusion, traits)
    case 'unreadable':
      // A repeat would give the same result.
      return {exits: [unclear], sent: ONCE, namesCause: true}
    case 'status':
      return {...statusRule(nature, conclusion.status), namesCause: true}
    case 'redirect':
      return {...redirectRule(nature, conclusion), namesCause: nature !== 'link'}
    case 'page': {
      // If the answer is printed unchanged, any body is accepted unless it claims to be JSON. §4.2 shows no answer to a
      // revocation.
      const isAnswer = nature === 'revoke' || (traits.takes === 'bytes' && !conclusion.saysJson)
      return {exits: [isAnswer ? 0 : unclear], sent: ONCE, namesCause: true}
    }
    case 'shape': {
      const {takes} = traits
      const isTaken = takes === 'bytes' || takes === 'any' || (takes === 'object' && conclusion.isObject)
      return {exits: [isTaken || nature === 'revoke' ? 0 : unclear], sent: ONCE, namesCause: true}
    }
  }
}

/** Exit 7 means that nothing can have happened at the service, so the client must be sure of that. */
function unreachedRule(
  nature: Nature,
  {isSure, isAway = false}: {isSure: boolean; isAway?: boolean},
  {isGuessed, isControl}: Traits,
): Expected {
  // A guessed path is not called on another service, whether or not it can be reached.
  if (isAway && isGuessed) return {exits: [2], sent: NEVER, namesCause: false}
  if (isSure) return {exits: [7], sent: NEVER, namesCause: true}
  // The request that looks for a sandbox is lost. The client assumes that there is none and does not send the operation.
  if (isGuessed) return {exits: [2, 7], sent: NEVER, namesCause: false}
  // A change that needs no token request may itself have been sent.
  return {exits: changes(nature) && isControl ? [7, 10] : [7], sent: NEVER, namesCause: true}
}

function lostRule(
  nature: Nature,
  {partial, stalls, laterStatus}: {partial: boolean; stalls: boolean; laterStatus?: number},
  traits: Traits,
): Expected {
  if (laterStatus !== undefined && isRepeatable(nature)) {
    // Only the repeat was refused. Whether the first request was done stays unknown.
    const later = expectedOf(nature, {kind: 'status', status: laterStatus}, traits)
    const [fewest, most] = later.sent
    return {...later, exits: changes(nature) ? [10] : later.exits, sent: [fewest + 1, most + 1]}
  }
  // Before any byte of an answer the service is "unreachable" (7); after some bytes the answer "cannot be understood" (6). A
  // reset inside the head can look like either.
  const exits = changes(nature) ? [10] : partial && !stalls ? [6, 7] : [7]
  if (!isRepeatable(nature)) return {exits, sent: ONCE, namesCause: true}
  // One attempt of a request that reads may use all the time; a reservation keeps time for a repeat.
  const sent = !stalls ? AGAIN : nature === 'keyed' ? ([1, 4] as const) : ONCE
  return {exits, sent, namesCause: true}
}

/** The wait goes on while the service fails, and only missing rights end it early. That is how many requests fit into it. */
function waitRule(conclusion: Conclusion): Expected {
  const status = statusOf(conclusion)
  if (status !== 401 && status !== 403) return {exits: [8], sent: [1, 12], namesCause: false}
  const count = (conclusion.kind === 'lost' ? 1 : 0) + (status === 401 ? 2 : 1)
  return {exits: [4], sent: [count, count], namesCause: true}
}

function statusRule(nature: Nature, status: number): Pick<Expected, 'exits' | 'sent'> {
  // A 429 says that the request was not processed. An expired voucher link is requested again, once (§2.6: valid for 1 hour).
  const isAgain = PASSING.includes(status) && (isRepeatable(nature) || status === 429)
  const isEnded = nature === 'link' && (status === 403 || status === 410)
  const sent = isEnded ? ([2, 2] as const) : isAgain ? AGAIN : ONCE
  const isDenied = status === 401 || status === 403
  // A link has no credentials, so a 401 is handled like any other refusal.
  if (isDenied && nature === 'link') return {exits: [4, 5], sent}
  const isSignedIn = nature !== 'token' && nature !== 'revoke'
  if (isDenied) return {exits: [4], sent: status === 401 && isSignedIn ? [2, 2] : sent}
  if (status < 500) return {exits: [5], sent}
  // A failing service may have acted.
  return {exits: [changes(nature) ? 10 : 6], sent}
}

function redirectRule(
  nature: Nature,
  {status, to}: {status: number; to: RedirectTarget},
): Pick<Expected, 'exits' | 'sent'> {
  // After 301 to 303 a browser continues with a GET, so the request may have been processed; after 307 and 308 it was not.
  if (nature !== 'link') return {exits: [changes(nature) && status < 307 ? 10 : 6], sent: ONCE}
  // A link has no credentials, so at most three redirects are followed, but none from https to http or to another scheme.
  if (to === 'loop') return {exits: [6], sent: [4, 4]}
  // The target of the redirect refuses.
  return {exits: [['same', 'relative', 'other'].includes(to) && status > 300 ? 5 : 6], sent: ONCE}
}

/** Faults after a complete head. A sender of events then knows the status, and needs nothing else (§6.4). */
const AFTER_THE_HEAD =
  /^((reset|fin|stall|trickle|tls-fin)-(in|at|before)-(body|last-byte|chunk|last-chunk)|length-too-(large|long)|bad-chunk|chunk-beyond-numbers|endless-(body|trailers|chunk-extension)|gzip-bomb|encoding-.*)$/

/** Returns the status that a sender of events sees if the receiver's own answer is `own`; null if the sender sees none. */
export function statusSeen({name, conclusion}: Fault, own: number): number | null {
  if (conclusion.kind === 'status' || conclusion.kind === 'redirect') return conclusion.status
  if (conclusion.kind === 'shape' || (conclusion.kind === 'page' && !conclusion.spoilt)) return 200
  if (conclusion.kind === 'answered' || conclusion.kind === 'page') return own
  if (name === 'switching-protocols') return 101
  return AFTER_THE_HEAD.test(name) ? own : null
}

/** Returns what `error` must say for an event without a status. */
export function eventErrorOf({conclusion, connection, identity}: Fault, timesOut: boolean): RegExp {
  if (timesOut) return /^timeout$/
  if (connection === 'refused') return /^ECONNREFUSED$/
  if (conclusion.kind === 'unreached' && identity !== undefined)
    return /^(the certificate of|TLS with) \S+ |ECONNRESET|EPIPE/
  const unreadable = /^the answer from \S+ is not HTTP|^the answer's headers from \S+ are too large/
  return conclusion.kind === 'unreadable' ? unreadable : /ECONNRESET|^the answer from |EPIPE|socket hang up/
}

/** Returns the exit code of `webhooks events replay`. */
export function replayExit(status: number | null): number {
  if (status === null) return 7
  if (status >= 200 && status < 300) return 0
  if (status === 401 || status === 403) return 4
  return status >= 400 && status < 500 ? 5 : 6
}

/** Returns the exit code of `webhooks probe`. A receiver that gives every request the same answer does not check signatures. */
export function probeExit(fault: Fault): number {
  if (statusSeen(fault, 200) === null) return 7
  return statusSeen(fault, 401) === 401 && statusSeen(fault, 200) === 200 ? 0 : 5
}
