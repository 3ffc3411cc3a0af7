/**
 * What a command must make of a fault: the rules, each with where it comes from. They look at what the request is and at
 * what can be concluded from the fault, never at what the tool was seen to do.
 *
 * Sources: the exit table and "Everywhere" of the surface (README, "Exit codes" and "When an answer is lost"); §4.2, §4.4,
 * §4.7, §4.8 of the interface for what an operation answers, §5.6 and §7 for 401; and the promise that nothing follows a
 * redirect with credentials or a body.
 */
import type {Conclusion} from './fault.js'

/**
 * What the request that is struck is.
 * `read`: changes nothing. `keyed`: makes a reservation, with an Idempotency-Key (§4.4). `once`: makes or changes
 * something, without a key. `settable`: changes something, and the same change made by hand once more would do no harm.
 * `token`, `revoke`: the OAuth endpoints (§4.1, §4.2). `link`: the voucher's signed link (§2.6).
 */
export type Nature = 'read' | 'keyed' | 'once' | 'settable' | 'token' | 'revoke' | 'link'

export interface Expected {
  readonly exits: readonly number[]
  /** How often the request is sent: fewest and most. */
  readonly sent: readonly [number, number]
  /** Whether the message must name the cause; where only an answer was odd, there is no cause but the answer. */
  readonly namesCause: boolean
}

const ONCE = [1, 1] as const
const NEVER = [0, 0] as const
/** At most four attempts; how many fit into the time is for chance to say (full jitter). */
const AGAIN = [2, 4] as const

/** Changes whose answer was lost may have been made: exit 10, and never a second time by itself. */
const CHANGES: ReadonlySet<Nature> = new Set(['keyed', 'once', 'settable'])
/** The same bytes may go out again: nothing changes by it, or the key sees to it. */
const REPEATABLE: ReadonlySet<Nature> = new Set(['read', 'keyed', 'token', 'revoke', 'link'])
/** Statuses that may be gone a moment later. */
const PASSING: ReadonlySet<number> = new Set([429, 500, 502, 503, 504])

export interface Traits {
  /** What any success is the answer, since none is shown: `json` (§4.8), or `bytes` (`api`, which prints what came). */
  readonly takes?: 'json' | 'bytes'
  /** Its path is a guess (§4.9), so a local sandbox is looked for first; where that question is lost, there is none. */
  readonly isGuessed?: boolean
  /** One of the local sandbox's own controls; what answers without their mark is no sandbox, and did nothing. */
  readonly isControl?: boolean
}

export function expectedOf(nature: Nature, conclusion: Conclusion, traits: Traits): Expected {
  const changes = CHANGES.has(nature)
  if (traits.isControl && ['status', 'redirect', 'page', 'shape'].includes(conclusion.kind)) {
    const status = conclusion.kind === 'status' ? conclusion.status : 200
    const isRepeated = status === 429 || (PASSING.has(status) && !changes)
    return {exits: [6], sent: isRepeated ? AGAIN : ONCE, namesCause: true}
  }
  switch (conclusion.kind) {
    case 'answered':
      return {exits: [0], sent: ONCE, namesCause: false}
    case 'unreached':
      return unreachedRule(conclusion.isSure, changes, traits)
    case 'lost':
      return {
        exits: changes ? [10] : lostRead(conclusion),
        sent: sentWhenLost(nature, conclusion.stalls),
        namesCause: true,
      }
    case 'unreadable':
      // Exit table: 6, "its answer cannot be understood". Asking again brings the same.
      return {exits: changes ? [10] : [6], sent: ONCE, namesCause: true}
    case 'status':
      return {...statusRule(nature, conclusion.status), namesCause: true}
    case 'redirect':
      return {...redirectRule(nature, conclusion), namesCause: nature !== 'link'}
    case 'page':
      // What is printed as it came is an answer, unless it calls itself JSON and is none.
      return {
        exits: traits.takes === 'bytes' ? [0, ...pageExits(nature)] : pageExits(nature),
        sent: ONCE,
        namesCause: false,
      }
    case 'shape':
      return {exits: shapeExits(nature, traits), sent: ONCE, namesCause: false}
  }
}

/** Exit table: 7, "and nothing can have happened there"; but only what the client can be sure of. */
function unreachedRule(isSure: boolean, changes: boolean, {isGuessed, isControl}: Traits): Expected {
  if (isSure) return {exits: [7], sent: NEVER, namesCause: true}
  // The question whether there is a sandbox is lost: then there is none, and the operation is not sent.
  if (isGuessed) return {exits: [2, 7], sent: NEVER, namesCause: false}
  // A change with no token request before it may itself have gone out.
  return {exits: changes && isControl ? [7, 10] : [7], sent: NEVER, namesCause: true}
}

/** Before any byte of an answer it is "unreachable or timed out" (7); after some, it "cannot be understood" (6). */
function lostRead({begun, stalls}: {begun: boolean; stalls: boolean}): readonly number[] {
  if (stalls) return [7]
  // From a reset inside the head nobody can tell how much of it had come.
  return begun ? [6, 7] : [7]
}

function sentWhenLost(nature: Nature, stalls: boolean): readonly [number, number] {
  if (!REPEATABLE.has(nature)) return ONCE
  if (!stalls) return AGAIN
  // One attempt of a reading request may take all the time there is; a reservation keeps time for a repeat.
  return nature === 'keyed' ? [1, 4] : ONCE
}

function statusRule(nature: Nature, status: number): Pick<Expected, 'exits' | 'sent'> {
  const sent = sentForStatus(nature, status)
  const isSignedIn = !['token', 'revoke', 'link'].includes(nature)
  // Exit table: 4 for 401 and 403. What carries no credentials is refused like anything else.
  const isDenied = status === 401 || status === 403
  if (isDenied && nature === 'link') return {exits: [4, 5], sent}
  if (isDenied) return {exits: [4], sent: status === 401 && isSignedIn ? [2, 2] : sent}
  if (status < 500) return {exits: [5], sent}
  if (nature === 'keyed' || nature === 'once') return {exits: [10], sent}
  // A failing service may have acted; where doing it again by hand does no harm, that it failed says enough.
  return {exits: nature === 'settable' ? [6, 10] : [6], sent}
}

function sentForStatus(nature: Nature, status: number): readonly [number, number] {
  // A link that has ended is asked for anew, once (§2.6: valid 1 hour).
  if (nature === 'link' && (status === 403 || status === 410)) return [2, 2]
  // 429 says that it was not taken, so anything may go out again.
  return PASSING.has(status) && (REPEATABLE.has(nature) || status === 429) ? AGAIN : ONCE
}

function redirectRule(
  nature: Nature,
  {status, elsewhere}: {status: number; elsewhere: boolean},
): Pick<Expected, 'exits' | 'sent'> {
  // A link is no credential: at most three redirects are followed. Where it leads elsewhere, that other place refuses.
  if (nature === 'link') return {exits: [5, 6], sent: elsewhere ? ONCE : [1, 4]}
  // After 301 to 303 a browser goes on with a GET, so the request itself may have been done; after 307 and 308 not.
  const mayBeDone = status < 307
  if (mayBeDone && (nature === 'keyed' || nature === 'once')) return {exits: [10], sent: ONCE}
  return {exits: mayBeDone && nature === 'settable' ? [6, 10] : [6], sent: ONCE}
}

function pageExits(nature: Nature): readonly number[] {
  if (nature === 'keyed' || nature === 'once') return [10]
  if (nature === 'settable') return [6, 10]
  // §4.2 shows no answer to a revocation: any success is one.
  return nature === 'revoke' ? [0] : [6]
}

function shapeExits(nature: Nature, {takes, isGuessed}: Traits): readonly number[] {
  if (takes === 'bytes' || nature === 'revoke') return [0]
  if (nature === 'keyed') return [10]
  // §4.7 shows that a secret comes back; §4.9 shows no answer to a change: a success that says nothing against it is one.
  if (nature === 'once') return isGuessed ? [0, 10] : [10]
  if (nature === 'settable') return [0, 6, 10]
  // Of records that are not shown (§2, §4.6), any object may be one.
  return takes === 'json' || isGuessed ? [0, 6] : [6]
}
