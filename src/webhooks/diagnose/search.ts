/**
 * Looks for the causes under which the signature is right; a digest that matches is the proof. The likely and the single
 * ones come first, and the work is bounded. Digests are not compared in constant time: only the secret's owner waits.
 */
import {restoreEdges, unwrapBody, withoutEdges} from './body-causes.js'
import type {BodyForm, Cause, Claim, KeyForm} from './finding.js'
import {
  keylessSchemes,
  millisecondSchemes,
  otherSchemes,
  properSchemes,
  type Scheme,
} from './header-causes.js'
import {printables, reorder, reprint, respace} from './reprint.js'

interface SearchInput {
  readonly claims: readonly Claim[]
  /** Forms of the secrets in hand; those without causes are the secrets themselves. */
  readonly keys: readonly KeyForm[]
  /** Keys of other subscriptions. */
  readonly otherKeys: readonly KeyForm[]
  /** The body in hand, and what else it may be. */
  readonly bodies: readonly BodyForm[]
  /** By body or header. */
  readonly eventId: string | undefined
}

/** In nanoseconds of an ordinary machine: what a search costs at most, and more for each byte of the body. */
const BUDGET = 150e6
const BUDGET_PER_BYTE = 120
const COST_OF_SUM = 4000
const COST_OF_FORM = 3000
const COST_OF_FORM_BYTE = 15
/** A body beyond it is printed in the common styles before the search widens. */
const LONG_BYTES = 16_384
const MOST_EDGED_BYTES = 256 * 1024
const MOST_EDGED = 8

/** The claims with one timestamp, by digest. */
interface Target {
  readonly claim: Claim
  readonly causesByDigest: Map<string, readonly Cause[]>
}

type Schemes = (claim: Claim) => Iterable<Scheme>

/** One step of the search: every body under every key and scheme, for at most `share` of the work that is left. */
type Step = readonly [bodies: Iterable<BodyForm>, keys: readonly KeyForm[], schemes: Schemes, share?: number]

/** The causes that together explain the signature; undefined when none of the combinations tried does. */
export function search(input: SearchInput): Cause[] | undefined {
  const targets = targetsOf(input.claims)
  const work = {left: BUDGET + (input.bodies[0]?.bytes.length ?? 0) * BUDGET_PER_BYTE}
  for (const step of stepsOf(input, work)) {
    const found = attempt(step, targets, work)
    if (found) return found
  }
  return undefined
}

/** The steps in order. Forms of the body are made when a step asks for them. */
function* stepsOf({bodies, keys, otherKeys, eventId}: SearchInput, work: {left: number}): Generator<Step> {
  const plain = keys.filter(({causes}) => causes.length === 0)
  const all = [...plain, ...otherKeys, ...keys.filter(({causes}) => causes.length > 0)]
  const other: Schemes = claim => otherSchemes(claim, eventId)
  const otherAndKeyless: Schemes = claim => [...other(claim), ...keylessSchemes(claim)]

  yield [bodies, all, properSchemes]
  // The commonest change comes while there is work left for a long body, and takes none from the other steps.
  const before = work.left
  const long = bodies.filter(({bytes}) => bytes.length > LONG_BYTES)
  yield [from(long, respace), plain, properSchemes]
  work.left = before
  // The body as it is in hand.
  yield [bodies, plain, otherAndKeyless]
  yield [bodies, all, other, 0.4]
  yield [bodies, plain, millisecondSchemes, 0.4]
  // The body with what was done to it undone.
  const unwrapped = unwrapBody(bodies, work.left / COST_OF_FORM_BYTE / 2)
  const cut = [...from(unwrapped, withoutEdges)]
  const near = [...unwrapped.slice(bodies.length), ...cut]
  const edged = [...bodies, ...near.slice(0, MOST_EDGED)].filter(
    ({bytes}) => bytes.length <= MOST_EDGED_BYTES,
  )
  yield [near, plain, properSchemes]
  yield [from(edged, restoreEdges), plain, properSchemes, 0.3]
  yield [near, all, properSchemes, 0.3]
  yield [near, plain, otherAndKeyless, 0.3]
  const read = [...from([...unwrapped, ...cut], printables)]
  yield [from(read, reprint), plain, properSchemes, 0.6]
  yield [from(read, reprint), all, properSchemes, 0.4]
  yield [from(edged, restoreEdges), all, properSchemes, 0.2]
  yield [from(read, reprint), plain, other, 0.3]
  yield [from(from(read, reprint), withLineBreak), plain, properSchemes, 0.2]
  yield [from(read, reorder), plain, properSchemes, 0.8]
  yield [near, all, other]
}

/** The first match in one step, for its share of the work left. */
function attempt(
  [bodies, keys, schemesOf, share = 1]: Step,
  targets: readonly Target[],
  work: {left: number},
): Cause[] | undefined {
  const floor = work.left * (1 - share)
  const plans = targets.flatMap(({claim, causesByDigest}) =>
    [...schemesOf(claim)].map(scheme => ({scheme, causesByDigest})),
  )
  const seen = new Set<string>()
  for (const body of bodies) {
    const {buffer, byteOffset, length} = body.bytes
    work.left -= COST_OF_FORM + length * COST_OF_FORM_BYTE
    const text = Buffer.from(buffer, byteOffset, length).toString('latin1')
    if (seen.has(text)) continue
    if (length < LONG_BYTES) seen.add(text)
    for (const {scheme, causesByDigest} of plans) {
      for (const {key, causes} of keys) {
        if (work.left < floor) return undefined
        work.left -= COST_OF_SUM + length
        const claimed = causesByDigest.get(scheme.digest(key, body.bytes))
        if (claimed) return [...claimed, ...scheme.causes, ...causes, ...body.causes]
      }
    }
    if (work.left < floor) return undefined
  }
  return undefined
}

function* from<From, To>(starts: Iterable<From>, change: (start: From) => Iterable<To>): Generator<To> {
  for (const start of starts) yield* change(start)
}

function* withLineBreak({bytes, causes}: BodyForm): Generator<BodyForm> {
  for (const end of ['\n', '\r\n']) yield {bytes: Buffer.concat([bytes, Buffer.from(end)]), causes}
}

function targetsOf(claims: readonly Claim[]): Target[] {
  const targets = new Map<string | undefined, Target>()
  for (const claim of claims) {
    const target = targets.get(claim.timestamp) ?? {claim, causesByDigest: new Map()}
    if (!target.causesByDigest.has(claim.digest)) target.causesByDigest.set(claim.digest, claim.causes)
    targets.set(claim.timestamp, target)
  }
  return [...targets.values()]
}
