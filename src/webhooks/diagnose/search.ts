/**
 * Looks for the combination of causes under which the signature is right. A digest that matches is the proof; without
 * one nothing is said. The likely and the single causes go first, and the work is bounded, whatever the body.
 *
 * Digests are compared without care for time here: nobody waits for the answer but the owner of the secret.
 */
import {createSecretKey, type KeyObject} from 'node:crypto'
import {restoreEdges, unwrapBody, withoutEdges} from './body-repairs.js'
import type {BodyForm, Cause, Claim, KeyForm} from './cause.js'
import {asItStands, type Printable, printables, renumber, reorder, reprint, respace} from './reprint.js'
import {keylessSchemes, otherSchemes, otherTimes, properScheme, type Scheme, wholeSeconds} from './schemes.js'

export interface SearchInput {
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

/** Ours, in nanoseconds of an ordinary machine: what a search costs at most, and more for each byte of the body. */
const BUDGET = 150e6
const BUDGET_PER_BYTE = 120
const COST_OF_SUM = 4000
const COST_OF_FORM = 3000
const COST_OF_FORM_BYTE = 15
/** Ours: a body beyond it is printed in the common manners before the search widens. */
const LONG_BYTES = 16_384
/** Ours: white space is put back around bodies up to this. */
const MOST_EDGED_BYTES = 256 * 1024

interface Key {
  readonly key: KeyObject
  readonly causes: readonly Cause[]
}

/** The claims with one timestamp, by digest. */
interface Target {
  readonly claim: Claim
  readonly causesByDigest: ReadonlyMap<string, readonly Cause[]>
}

/** The causes that together explain the signature; undefined when none of the combinations tried does. */
export function search(input: SearchInput): Cause[] | undefined {
  return new Search(input).run()
}

class Search {
  private left: number
  private readonly targets: Target[]
  private readonly plain: Key[]
  private readonly all: Key[]

  constructor(private readonly input: SearchInput) {
    const [body] = input.bodies
    this.left = BUDGET + (body?.bytes.length ?? 0) * BUDGET_PER_BYTE
    this.targets = targetsOf(input.claims)
    const prepared = input.keys.map(({key, causes}) => ({key: createSecretKey(key), causes}))
    const others = input.otherKeys.map(({key, causes}) => ({key: createSecretKey(key), causes}))
    this.plain = prepared.filter(({causes}) => causes.length === 0)
    this.all = [...this.plain, ...others, ...prepared.filter(({causes}) => causes.length > 0)]
  }

  run(): Cause[] | undefined {
    const {bodies} = this.input
    return (
      this.attempt(bodies, this.all, proper) ??
      this.spacingAlone(bodies) ??
      this.headerAndSecret(bodies) ??
      this.bodyAndRest(bodies)
    )
  }

  /** The commonest change of all, looked for while there is work left for a long body. */
  private spacingAlone(bodies: readonly BodyForm[]): Cause[] | undefined {
    const long = bodies.filter(({bytes}) => bytes.length > LONG_BYTES)
    const before = this.left
    const found = this.attempt(this.from(long, respace), this.plain, proper)
    this.left = before
    return found
  }

  /** The body as it is in hand. */
  private headerAndSecret(bodies: readonly BodyForm[]): Cause[] | undefined {
    return (
      this.attempt(bodies, this.plain, claim => this.other(claim)) ??
      this.attempt(bodies, this.plain, keylessSchemes) ??
      this.attempt(bodies, this.all, claim => this.other(claim), 0.4) ??
      this.attempt(bodies, this.plain, otherTimes, 0.4)
    )
  }

  private bodyAndRest(bodies: readonly BodyForm[]): Cause[] | undefined {
    const unwrapped = unwrapBody(bodies, this.left / COST_OF_FORM_BYTE / 2)
    const cut = unwrapped.flatMap(form => [...withoutEdges(form)])
    const near = [...unwrapped.slice(bodies.length), ...cut]
    const edges = () => this.from([...bodies, ...near.slice(0, 8)].filter(isShort), restoreEdges)
    const read = [...unwrapped, ...cut].flatMap(form => printables(form))
    const printed = () => this.printedForms(read)
    return (
      this.attempt(near, this.plain, proper) ??
      this.attempt(edges(), this.plain, proper, 0.3) ??
      this.attempt(near, this.all, proper, 0.3) ??
      this.attempt(near, this.plain, claim => [...this.other(claim), ...keylessSchemes(claim)], 0.3) ??
      this.attempt(printed(), this.plain, proper, 0.6) ??
      this.attempt(printed(), this.all, proper, 0.4) ??
      this.attempt(edges(), this.all, proper, 0.2) ??
      this.attempt(printed(), this.plain, claim => this.other(claim), 0.3) ??
      this.attempt(this.from(read, renumber), this.plain, proper, 0.4) ??
      this.attempt(this.edged(printed()), this.plain, proper, 0.2) ??
      this.attempt(this.from(read, reorder), this.plain, proper, 0.8) ??
      this.attempt(near, this.all, claim => this.other(claim))
    )
  }

  /** Forms to print are made one by one, so that what is found early costs little. */
  private *printedForms(read: readonly Printable[]): Generator<BodyForm> {
    for (const printable of read) {
      if (printable.causes.some(({what}) => what.includes('inside another'))) yield asItStands(printable)
      yield* reprint(printable)
    }
  }

  private *from<T>(starts: readonly T[], change: (start: T) => Iterable<BodyForm>): Generator<BodyForm> {
    for (const start of starts) yield* change(start)
  }

  private *edged(forms: Iterable<BodyForm>): Generator<BodyForm> {
    for (const {bytes, causes} of forms) {
      for (const end of ['\n', '\r\n']) yield {bytes: Buffer.concat([bytes, Buffer.from(end)]), causes}
    }
  }

  private other(claim: Claim): Scheme[] {
    return otherSchemes(claim, this.input.eventId)
  }

  /** Tries every body under every key and scheme, spending at most `share` of what is left. */
  private attempt(
    bodies: Iterable<BodyForm>,
    keys: readonly Key[],
    schemesOf: (claim: Claim) => Iterable<Scheme>,
    share = 1,
  ): Cause[] | undefined {
    const floor = this.left * (1 - share)
    const plans = this.targets.map(target => ({target, schemes: [...schemesOf(target.claim)]}))
    const seen = new Set<string>()
    for (const body of bodies) {
      this.left -= COST_OF_FORM + body.bytes.length * COST_OF_FORM_BYTE
      const text = Buffer.from(body.bytes.buffer, body.bytes.byteOffset, body.bytes.length).toString('latin1')
      if (seen.has(text)) continue
      if (body.bytes.length < 16_384) seen.add(text)
      for (const {target, schemes} of plans) {
        const found = this.match(body, keys, target, schemes, floor)
        if (found) return found
      }
      if (this.left < floor) return undefined
    }
    return undefined
  }

  private match(
    body: BodyForm,
    keys: readonly Key[],
    target: Target,
    schemes: readonly Scheme[],
    floor: number,
  ): Cause[] | undefined {
    for (const scheme of schemes) {
      for (const {key, causes} of keys) {
        if (this.left < floor) return undefined
        this.left -= COST_OF_SUM + body.bytes.length
        const claimed = target.causesByDigest.get(scheme.digest(key, body.bytes))
        if (claimed) return [...claimed, ...scheme.causes, ...causes, ...body.causes]
      }
    }
    return undefined
  }
}

/** §6.3, and the same over the whole seconds of a header in milliseconds, which goes with any other cause. */
function proper(claim: Claim): Scheme[] {
  return [properScheme(claim), wholeSeconds(claim)].filter(scheme => scheme !== undefined)
}

function isShort({bytes}: BodyForm): boolean {
  return bytes.length <= MOST_EDGED_BYTES
}

function targetsOf(claims: readonly Claim[]): Target[] {
  const targets = new Map<string | undefined, {claim: Claim; causesByDigest: Map<string, readonly Cause[]>}>()
  for (const claim of claims) {
    const target = targets.get(claim.timestamp) ?? {claim, causesByDigest: new Map()}
    if (!target.causesByDigest.has(claim.digest)) target.causesByDigest.set(claim.digest, claim.causes)
    targets.set(claim.timestamp, target)
  }
  return [...targets.values()]
}
