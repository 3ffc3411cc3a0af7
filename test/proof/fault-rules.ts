/**
 * What a command must make of a fault: the rules, each with where it comes from. They look at what the request is and at
 * what can be concluded from the fault, never at what the tool was seen to do.
 *
 * Sources: the exit table and "Everywhere" of the surface (README, "Exit codes" and "When an answer is lost"); §4.2, §4.4,
 * §4.7, §4.8 of the interface for what an operation answers, §5.6 and §7 for 401; and the promise that nothing follows a
 * redirect with credentials or a body.
 */
import {type Conclusion, type RedirectTarget, statusOf} from './fault.js'

/**
 * What the request that is struck is.
 * `read`: changes nothing. `keyed`: makes a reservation, with an Idempotency-Key (§4.4). `once`: makes or changes
 * something, without a key. `wait`: looks, again and again, whether a reservation that was made is paid. `token`, `revoke`: the OAuth endpoints (§4.1, §4.2). `link`: the voucher's signed link (§2.6).
 */
export type Nature = 'read' | 'keyed' | 'once' | 'wait' | 'token' | 'revoke' | 'link'

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

/** One rule for all changes: what may have been made is unknown, exit 10, and without a key never sent again by itself. */
const CHANGES: ReadonlySet<Nature> = new Set(['keyed', 'once'])
/** The same bytes may go out again: nothing changes by it, or the key sees to it. */
const REPEATABLE: ReadonlySet<Nature> = new Set(['read', 'keyed', 'token', 'revoke', 'link'])
/** Statuses that may be gone a moment later. */
const PASSING: ReadonlySet<number> = new Set([429, 500, 502, 503, 504])

/**
 * Which success is the answer, where no answer is shown: `any` JSON (§4.8, §4.9 delete), any JSON `object` that stands for
 * a record nobody has shown (§2, §4.6, §4.9), or `bytes` (`api`, which prints what came). Without one it is known by what is in it.
 */
export type Takes = 'any' | 'object' | 'bytes'

export interface Traits {
  readonly takes?: Takes
  /** Its path is a guess (§4.9), so a local sandbox is looked for first; where that question is lost, there is none. */
  readonly isGuessed?: boolean
  /** One of the local sandbox's own controls; what answers without their mark is no sandbox, and did nothing. */
  readonly isControl?: boolean
}

/** Whether an answer came whole, whatever it says. */
export function isAnswered({kind}: Conclusion): boolean {
  return !['unreached', 'lost', 'unreadable'].includes(kind)
}

export function expectedOf(nature: Nature, conclusion: Conclusion, traits: Traits): Expected {
  const changes = CHANGES.has(nature)
  const isSpoilt = conclusion.kind === 'page' && conclusion.spoilt
  if (traits.isControl && ['status', 'redirect', 'page', 'shape'].includes(conclusion.kind) && !isSpoilt) {
    const status = conclusion.kind === 'status' ? conclusion.status : 200
    const isRepeated = status === 429 || (PASSING.has(status) && !changes)
    return {exits: [6], sent: isRepeated ? AGAIN : ONCE, namesCause: true}
  }
  if (nature === 'wait' && conclusion.kind !== 'unreached') return waitRule(conclusion)
  switch (conclusion.kind) {
    case 'answered':
      return {exits: [0], sent: ONCE, namesCause: false}
    case 'unreached':
      return unreachedRule(conclusion, changes, traits)
    case 'lost':
      if (conclusion.laterStatus !== undefined && REPEATABLE.has(nature))
        return refusedLaterRule(nature, conclusion.laterStatus, traits)
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
      return {exits: [pageExit(nature, conclusion, traits, changes)], sent: ONCE, namesCause: true}
    case 'shape':
      return {exits: [shapeExit(nature, conclusion, traits, changes)], sent: ONCE, namesCause: true}
  }
}

/** Exit table: 7, "and nothing can have happened there"; but only what the client can be sure of. */
function unreachedRule(
  {isSure, isAway = false}: {isSure: boolean; isAway?: boolean},
  changes: boolean,
  {isGuessed, isControl}: Traits,
): Expected {
  // A guessed path is not called there, whatever could be reached.
  if (isAway && isGuessed) return {exits: [2], sent: NEVER, namesCause: false}
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

/**
 * Lost once, and refused when it was sent again: the refusal is of the repeat, and what may have been made by the first
 * stays unknown.
 */
function refusedLaterRule(nature: Nature, status: number, traits: Traits): Expected {
  const {exits, sent, namesCause} = expectedOf(nature, {kind: 'status', status}, traits)
  return {exits: CHANGES.has(nature) ? [10] : exits, sent: [sent[0] + 1, sent[1] + 1], namesCause}
}

/** A service that fails or is away is waited for; only missing rights end it before its time. So many looks fit into that. */
function waitRule(conclusion: Conclusion): Expected {
  const status = statusOf(conclusion)
  const before = conclusion.kind === 'lost' ? 1 : 0
  if (status === 401 || status === 403) {
    const looks = before + (status === 401 ? 2 : 1)
    return {exits: [4], sent: [looks, looks], namesCause: true}
  }
  return {exits: [8], sent: [1, 12], namesCause: false}
}

function statusRule(nature: Nature, status: number): Pick<Expected, 'exits' | 'sent'> {
  const sent = sentForStatus(nature, status)
  const isSignedIn = !['token', 'revoke', 'link'].includes(nature)
  // Exit table: 4 for 401 and 403. What carries no credentials is refused like anything else.
  const isDenied = status === 401 || status === 403
  if (isDenied && nature === 'link') return {exits: [4, 5], sent}
  if (isDenied) return {exits: [4], sent: status === 401 && isSignedIn ? [2, 2] : sent}
  if (status < 500) return {exits: [5], sent}
  // A failing service may have acted.
  return {exits: CHANGES.has(nature) ? [10] : [6], sent}
}

function sentForStatus(nature: Nature, status: number): readonly [number, number] {
  // A link that has ended is asked for anew, once (§2.6: valid 1 hour).
  if (nature === 'link' && (status === 403 || status === 410)) return [2, 2]
  // 429 says that it was not taken, so anything may go out again.
  return PASSING.has(status) && (REPEATABLE.has(nature) || status === 429) ? AGAIN : ONCE
}

function redirectRule(
  nature: Nature,
  {status, to}: {status: number; to: RedirectTarget},
): Pick<Expected, 'exits' | 'sent'> {
  if (nature === 'link') return linkRedirectRule(status, to)
  // After 301 to 303 a browser goes on with a GET, so the request itself may have been done; after 307 and 308 not.
  return {exits: [CHANGES.has(nature) && status < 307 ? 10 : 6], sent: ONCE}
}

/** A link is no credential: at most three redirects are followed, to nothing weaker and to no other sort of address. */
function linkRedirectRule(status: number, to: RedirectTarget): Pick<Expected, 'exits' | 'sent'> {
  if (to === 'loop') return {exits: [6], sent: [4, 4]}
  // Where it leads to something, that refuses: it has nothing under this address, or wants credentials.
  return {exits: ['same', 'relative', 'other'].includes(to) && status > 300 ? [5] : [6], sent: ONCE}
}

function pageExit(
  nature: Nature,
  {saysJson}: {saysJson: boolean},
  {takes}: Traits,
  changes: boolean,
): number {
  // What is printed as it came is an answer, unless it calls itself JSON and is none.
  if (takes === 'bytes' && !saysJson) return 0
  // §4.2 shows no answer to a revocation: any success is one.
  if (nature === 'revoke') return 0
  return changes ? 10 : 6
}

function shapeExit(
  nature: Nature,
  {isObject}: {isObject: boolean},
  {takes}: Traits,
  changes: boolean,
): number {
  if (takes === 'bytes' || takes === 'any' || nature === 'revoke') return 0
  if (takes === 'object' && isObject) return 0
  return changes ? 10 : 6
}
