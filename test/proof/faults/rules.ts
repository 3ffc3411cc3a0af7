/**
 * What a command must make of a fault. The rules look at what the request is and at what can be concluded from the fault,
 * never at what the tool was seen to do. Sources: "Exit codes" and "When an answer is lost" of the README; §4.2, §4.4,
 * §4.7, §4.8 for what an operation answers, §5.6 and §7 for 401; and that nothing follows a redirect with credentials or
 * a body.
 */
import {type Conclusion, type Fault, type RedirectTarget, statusOf} from './connections.js'

/**
 * What the request is. `read` changes nothing; `keyed` makes a reservation with an Idempotency-Key (§4.4); `once` changes
 * something without a key; `wait` asks again and again whether a reservation is paid; `token` and `revoke` are the OAuth
 * endpoints (§4.1, §4.2); `link` is the voucher's signed link (§2.6).
 */
export type Nature = 'read' | 'keyed' | 'once' | 'wait' | 'token' | 'revoke' | 'link'

/**
 * Which success is the answer where no answer is shown: `any` JSON (§4.8, §4.9 delete), any JSON `object` (§2, §4.6, §4.9),
 * or `bytes` (`api` prints what came). Otherwise it is known by its content.
 */
export interface Traits {
  readonly takes?: 'any' | 'object' | 'bytes'
  /** Its path is a guess (§4.9), so a local sandbox is looked for first; if that question is lost, there is none. */
  readonly isGuessed?: boolean
  /** A control of the local sandbox; an answer without the sandbox's mark comes from something else, which did nothing. */
  readonly isControl?: boolean
}

export interface Expected {
  readonly exits: readonly number[]
  /** How often the request is sent: fewest and most. */
  readonly sent: readonly [number, number]
  /** Whether the message must name the cause. */
  readonly namesCause: boolean
}

const ONCE = [1, 1] as const
const NEVER = [0, 0] as const
/** At most four attempts; how many fit into the time is random (full jitter). */
const AGAIN = [2, 4] as const
/** Statuses that may be gone a moment later. */
const PASSING: readonly number[] = [429, 500, 502, 503, 504]

/** What may have been made is unknown, exit 10. */
const changes = (nature: Nature) => nature === 'keyed' || nature === 'once'
/** The same bytes may go out again: they change nothing, or have a key. */
const isRepeatable = (nature: Nature) => nature !== 'once' && nature !== 'wait'

/** Whether a whole answer came, whatever it says. */
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
      // Asking again brings the same.
      return {exits: [unclear], sent: ONCE, namesCause: true}
    case 'status':
      return {...statusRule(nature, conclusion.status), namesCause: true}
    case 'redirect':
      return {...redirectRule(nature, conclusion), namesCause: nature !== 'link'}
    case 'page': {
      // What is printed as it came is an answer, unless it calls itself JSON. §4.2 shows no answer to a revocation.
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

/** 7 means "nothing can have happened there", but only if the client can be sure. */
function unreachedRule(
  nature: Nature,
  {isSure, isAway = false}: {isSure: boolean; isAway?: boolean},
  {isGuessed, isControl}: Traits,
): Expected {
  // A guessed path is not called there, reachable or not.
  if (isAway && isGuessed) return {exits: [2], sent: NEVER, namesCause: false}
  if (isSure) return {exits: [7], sent: NEVER, namesCause: true}
  // The question whether there is a sandbox is lost: then there is none, and the operation is not sent.
  if (isGuessed) return {exits: [2, 7], sent: NEVER, namesCause: false}
  // A change without a token request before it may itself have gone out.
  return {exits: changes(nature) && isControl ? [7, 10] : [7], sent: NEVER, namesCause: true}
}

function lostRule(
  nature: Nature,
  {partial, stalls, laterStatus}: {partial: boolean; stalls: boolean; laterStatus?: number},
  traits: Traits,
): Expected {
  if (laterStatus !== undefined && isRepeatable(nature)) {
    // The refusal is of the repeat; what the first may have made stays unknown.
    const later = expectedOf(nature, {kind: 'status', status: laterStatus}, traits)
    const [fewest, most] = later.sent
    return {...later, exits: changes(nature) ? [10] : later.exits, sent: [fewest + 1, most + 1]}
  }
  // Before any byte of an answer it is "unreachable" (7); after some it "cannot be understood" (6), which a reset inside
  // the head does not show.
  const exits = changes(nature) ? [10] : partial && !stalls ? [6, 7] : [7]
  if (!isRepeatable(nature)) return {exits, sent: ONCE, namesCause: true}
  // One attempt of a reading request may take all the time; a reservation keeps time for a repeat.
  const sent = !stalls ? AGAIN : nature === 'keyed' ? ([1, 4] as const) : ONCE
  return {exits, sent, namesCause: true}
}

/** A service that fails is waited for; only missing rights end the wait early. So many requests fit into it. */
function waitRule(conclusion: Conclusion): Expected {
  const status = statusOf(conclusion)
  if (status !== 401 && status !== 403) return {exits: [8], sent: [1, 12], namesCause: false}
  const count = (conclusion.kind === 'lost' ? 1 : 0) + (status === 401 ? 2 : 1)
  return {exits: [4], sent: [count, count], namesCause: true}
}

function statusRule(nature: Nature, status: number): Pick<Expected, 'exits' | 'sent'> {
  // 429 says that it was not taken. A link that has ended is asked for again, once (§2.6: valid 1 hour).
  const isAgain = PASSING.includes(status) && (isRepeatable(nature) || status === 429)
  const isEnded = nature === 'link' && (status === 403 || status === 410)
  const sent = isEnded ? ([2, 2] as const) : isAgain ? AGAIN : ONCE
  const isDenied = status === 401 || status === 403
  // A link carries no credentials, so it is refused like anything else.
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
  // After 301 to 303 a browser goes on with a GET, so the request may have been done; after 307 and 308 not.
  if (nature !== 'link') return {exits: [changes(nature) && status < 307 ? 10 : 6], sent: ONCE}
  // A link has no credentials: at most three redirects are followed, to nothing weaker and to no other sort of address.
  if (to === 'loop') return {exits: [6], sent: [4, 4]}
  // What is at the target refuses.
  return {exits: [['same', 'relative', 'other'].includes(to) && status > 300 ? 5 : 6], sent: ONCE}
}

/** Faults of an answer whose head was whole, so that a sender of events knows the status, which is all it needs (§6.4). */
const AFTER_THE_HEAD =
  /^((reset|fin|stall|trickle|tls-fin)-(in|at|before)-(body|last-byte|chunk|last-chunk)|length-too-(large|long)|bad-chunk|chunk-beyond-numbers|endless-(body|trailers|chunk-extension)|gzip-bomb|encoding-.*)$/

/** The status that a sender of events sees, where the receiver itself answers `own`; null if none. */
export function statusSeen({name, conclusion}: Fault, own: number): number | null {
  if (conclusion.kind === 'status' || conclusion.kind === 'redirect') return conclusion.status
  if (conclusion.kind === 'shape' || (conclusion.kind === 'page' && !conclusion.spoilt)) return 200
  if (conclusion.kind === 'answered' || conclusion.kind === 'page') return own
  if (name === 'switching-protocols') return 101
  return AFTER_THE_HEAD.test(name) ? own : null
}

/** What `error` says of an event without a status. */
export function eventErrorOf({conclusion, connection, identity}: Fault, timesOut: boolean): RegExp {
  if (timesOut) return /^timeout$/
  if (connection === 'refused') return /^ECONNREFUSED$/
  if (conclusion.kind === 'unreached' && identity !== undefined)
    return /^(the certificate of|TLS with) \S+ |ECONNRESET|EPIPE/
  const unreadable = /^the answer from \S+ is not HTTP|^the answer's headers from \S+ are too large/
  return conclusion.kind === 'unreadable' ? unreadable : /ECONNRESET|^the answer from |EPIPE|socket hang up/
}

/** The exit of `webhooks events replay`. */
export function replayExit(status: number | null): number {
  if (status === null) return 7
  if (status >= 200 && status < 300) return 0
  if (status === 401 || status === 403) return 4
  return status >= 400 && status < 500 ? 5 : 6
}

/** The exit of `webhooks probe`: a receiver that answers everything alike does not check signatures. */
export function probeExit(fault: Fault): number {
  if (statusSeen(fault, 200) === null) return 7
  return statusSeen(fault, 401) === 401 && statusSeen(fault, 200) === 200 ? 0 : 5
}
