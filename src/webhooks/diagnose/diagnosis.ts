/**
 * Finds out why a signature does not match. A cause is reported only if undoing it makes the digest match. Likely
 * causes are tried first and combinations later, and the amount of work is limited. Digests need not be compared in
 * constant time, because only the owner of the secret can measure the time.
 */
import {isPlainText, sanitizeLine} from '../../contract/foreign-text.js'
import {isTooDeep} from '../../contract/json.js'
import {sizeText} from '../../contract/limits.js'
import {parseText} from '../captures/request.js'
import {MOST_EVENT_BYTES} from '../signature/event.js'
import {lossyReadings, restoreEdges, unwrapBody} from './body-causes.js'
import {
  describeCut,
  describeDifference,
  describeEventId,
  describeRemoved,
  describeTime,
  fixFor,
  unexplained,
} from './explanations.js'
import {
  type BodyForm,
  type Cause,
  type CheckedRequest,
  type Claim,
  cause,
  type Finding,
  type KeyForm,
} from './finding.js'
import {
  keylessSchemes,
  millisecondSchemes,
  otherSchemes,
  properSchemes,
  readClaims,
  type Scheme,
} from './header-causes.js'
import {printables, reorder, reprint, respace} from './reprint.js'
import {doubts, keyForms, otherKeyForms} from './secret-causes.js'

/** Returns at least one finding that explains why a request is invalid. Throws the errors of `findOriginal`. */
export async function diagnose(refused: CheckedRequest): Promise<Finding[]> {
  const {verdict, terms, request, body} = refused
  if (verdict.valid) return [describeEventId(refused)]
  if (verdict.reason === 'timestamp_outside_tolerance') return [describeTime(refused)]
  if (body.kept === undefined) {
    const explanation = `The body has ${body.length} bytes: too long to search for a cause.`
    const fix = `Events are below ${sizeText(MOST_EVENT_BYTES)}: check what was captured.`
    return [{code: 'unexplained', explanation, fix}]
  }
  const text = Buffer.from(body.kept.subarray(0, 65_536)).toString('utf8')
  const findings = (causes: readonly Cause[]) =>
    mergeCauses(causes).map(each => ({...each, fix: fixFor(each, request.headers ?? {}, text)}))
  const doubted = doubts(terms.secrets)
  const kinds = doubted.filter(({code}) => code === 'secret_not_a_signing_secret')
  const isMismatch = verdict.reason === 'signature_mismatch'
  // If the given secret is not a signing secret, a search cannot succeed. A malformed header is still searched.
  if (isMismatch && kinds.length > 0) return findings(kinds)
  const found = explain(refused, body.kept) ?? (await explainByReceived(refused, body.kept))
  if (Array.isArray(found)) return findings([...found, ...kinds])
  const cut = describeCut(refused)
  if (cut) return [cut, ...findings(kinds)]
  const removed = found?.isSigned ? undefined : describeRemoved(refused)
  const first = removed ?? unexplained(refused, found?.difference)
  return [first, ...findings(isMismatch ? doubted : kinds)]
}

/** Merges causes with the same code, so that a code is reported only once. */
function mergeCauses(causes: readonly Cause[]): Cause[] {
  const merged = new Map<string, Cause>()
  for (const each of causes) {
    const before = merged.get(each.code)?.explanation ?? ''
    const both = before.includes(each.explanation) ? before : `${before} ${each.explanation}`.trimStart()
    merged.set(each.code, {...each, explanation: both})
  }
  return [...merged.values()]
}

/** Returns the causes that are found with the body alone, or with the bytes that follow it in the capture added. */
function explain(refused: CheckedRequest, rawBody: Uint8Array): Cause[] | undefined {
  const surplus = refused.request.afterwards?.surplus
  const what = 'The body is longer than its Content-Length says, and was signed with its full length.'
  const short = cause('content_length_short', what)
  const inHand = {bytes: rawBody, causes: []}
  const longer = surplus ? [{bytes: Buffer.concat([rawBody, surplus]), causes: [short]}] : []
  const causes = new Search(refused, [inHand, ...longer]).causes()
  // A change of the body also explains the different length.
  const isChanged = causes?.some(({code}) => code.startsWith('body_'))
  return isChanged ? causes?.filter(each => each !== short) : causes
}

/**
 * Returns the ids of the event in its body and its header. Malformed ids are left out, because no stored event has one.
 */
function eventIdsOf({body, eventIdHeader}: CheckedRequest): string[] {
  const [header] = [eventIdHeader ?? []].flat()
  return [body.event?.id, header].filter(id => id !== undefined).filter(isPlainText)
}

/**
 * Compares the body with the body that was received with the same event id. Returns the causes if the received body has
 * a valid signature and the change is known. Otherwise returns where the bodies differ, and whether the received body
 * has a valid signature. Returns undefined if no body with that id was received.
 */
async function explainByReceived(
  refused: CheckedRequest,
  rawBody: Uint8Array,
): Promise<Cause[] | {readonly difference: string; readonly isSigned: boolean} | undefined> {
  let original: Uint8Array | undefined
  for (const id of new Set(eventIdsOf(refused))) original ??= await refused.terms.findOriginal?.(id)
  if (!original) return undefined
  const right = new Search(refused, [{bytes: original, causes: []}]).causes()
  const difference = describeDifference(rawBody, original)
  if (!right) return {difference, isSigned: false}
  // These changes lose information. The first cause of each describes the change.
  const causes = [REPRINTED]
  const value = isTooDeep(original) ? undefined : parseText(Buffer.from(original).toString('utf8'))
  const printed = (value === undefined ? [] : [0, 2, 4, '\t']).map(indent => ({
    bytes: Buffer.from(JSON.stringify(value, null, indent)),
    causes,
  }))
  const restyled = from(printables({bytes: original, causes}), reprint)
  for (const lossy of [...lossyReadings(original), ...printed, ...restyled]) {
    const [loss] = Buffer.compare(lossy.bytes, rawBody) === 0 ? lossy.causes : []
    if (loss) return [...right, {...loss, explanation: `${loss.explanation} ${difference}`}]
  }
  const words = 'The signature is right for the body received here under this id.'
  return {difference: `${words} ${difference}`, isSigned: true}
}

const REPRINTED = cause(
  'body_reserialized',
  'The body was parsed and printed again: numbers, key order or spelling changed (JSON.parse and JSON.stringify, or the like).',
)

const MOST_HEADERS = 200

/**
 * Limits on the work of one search, in nanoseconds on an ordinary machine: a fixed amount plus an amount per byte of
 * the body. The costs below estimate the work.
 */
const BUDGET = 150e6
const BUDGET_PER_BYTE = 120
const COST_OF_SUM = 4000
const COST_OF_FORM = 3000
const COST_OF_FORM_BYTE = 15
/** Bodies longer than this are first tried with the common styles of spacing. */
const LONG_BYTES = 16_384

type Schemes = (timestamp: Claim['timestamp']) => Iterable<Scheme>

const otherAndKeyless: Schemes = timestamp => [...otherSchemes(timestamp), ...keylessSchemes(timestamp)]

/** Searches for the causes that together explain a signature. Each body is created only when it is tried. */
class Search {
  private readonly claims: readonly Claim[]
  /** The remaining work, in nanoseconds on an ordinary machine. */
  private left: number

  constructor(
    private readonly refused: CheckedRequest,
    private readonly bodies: readonly BodyForm[],
  ) {
    const {header, terms, request} = refused
    if (header !== undefined) this.claims = readClaims([header].flat())
    else {
      // If the signature header is missing, any other header may contain the signature.
      const headers = Object.entries(request.headers ?? {}).slice(0, MOST_HEADERS)
      this.claims = headers.flatMap(([name, values]) => {
        const what = `There is no header ${terms.names.signature}; its value came under the name ${sanitizeLine(name, 80)}.`
        const renamed = cause('header_renamed', what)
        return readClaims([values].flat()).map(claim => ({...claim, causes: [renamed, ...claim.causes]}))
      })
    }
    this.left = BUDGET + (bodies[0]?.bytes.length ?? 0) * BUDGET_PER_BYTE
  }

  /** Returns the causes, or undefined if no combination explains the signature. */
  causes(): Cause[] | undefined {
    if (this.claims.length === 0) return undefined
    const {bodies} = this
    const {secrets, otherSecrets} = this.refused.terms
    const keys = secrets.flatMap(keyForms)
    const plain = keys.filter(({causes}) => causes.length === 0)
    const miscopied = keys.filter(({causes}) => causes.length > 0)
    // Miscopied secrets are tried before those of other subscriptions, because the same key may be both. The mistake is
    // then in the copy.
    const all = [...plain, ...miscopied, ...otherKeyForms(otherSecrets(), secrets)]
    const found = this.attempt(bodies, all, properSchemes) ?? this.respacedBodies(plain)
    if (found) return found
    // Signatures that were computed in another way.
    const signedOtherwise =
      this.attempt(bodies, plain, otherAndKeyless) ??
      this.attempt(bodies, all, otherSchemes, 0.4) ??
      this.attempt(bodies, plain, millisecondSchemes, 0.4)
    if (signedOtherwise) return signedOtherwise
    // Bodies that were wrapped, encoded or trimmed.
    const unwrapped = unwrapBody(bodies, this.left / COST_OF_FORM_BYTE / 2)
    const near = unwrapped.slice(bodies.length)
    const short = [...bodies, ...near.slice(0, 8)].filter(({bytes}) => bytes.length <= 256 * 1024)
    const changed =
      this.attempt(near, plain, properSchemes) ??
      this.attempt(from(short, restoreEdges), plain, properSchemes, 0.3) ??
      this.attempt(near, all, properSchemes, 0.3) ??
      this.attempt(near, plain, otherAndKeyless, 0.3)
    if (changed) return changed
    // Bodies that were parsed and printed again, and combinations of causes.
    const json = [...from(unwrapped, printables)]
    return (
      this.attempt(from(json, reprint), plain, properSchemes, 0.6) ??
      this.attempt(from(json, reprint), all, properSchemes, 0.4) ??
      this.attempt(from(short, restoreEdges), all, properSchemes, 0.2) ??
      this.attempt(from(json, reprint), plain, otherSchemes, 0.3) ??
      this.attempt(from(json, reorder), plain, properSchemes, 0.8) ??
      this.attempt(near, all, otherSchemes)
    )
  }

  /** Tries the most common change of a long body. This does not count towards the limit on the work. */
  private respacedBodies(keys: readonly KeyForm[]): Cause[] | undefined {
    const before = this.left
    const long = this.bodies.filter(({bytes}) => bytes.length > LONG_BYTES)
    const found = this.attempt(from(long, respace), keys, properSchemes)
    this.left = before
    return found
  }

  /**
   * Tries the bodies with each key and each scheme, and returns the causes of the first match; undefined if none
   * matches. Uses at most `share` (0 to 1) of the remaining work.
   */
  private attempt(
    bodies: Iterable<BodyForm>,
    keys: readonly KeyForm[],
    schemesOf: Schemes,
    share = 1,
  ): Cause[] | undefined {
    const floor = this.left * (1 - share)
    const timestamps = new Set(this.claims.map(({timestamp}) => timestamp))
    const plans = [...timestamps].flatMap(timestamp => {
      const claimed = this.claims.filter(claim => claim.timestamp === timestamp)
      return [...schemesOf(timestamp)].map(scheme => ({scheme, claimed}))
    })
    const seen = new Set<string>()
    for (const body of bodies) {
      const {buffer, byteOffset, length} = body.bytes
      this.left -= COST_OF_FORM + length * COST_OF_FORM_BYTE
      const text = Buffer.from(buffer, byteOffset, length).toString('latin1')
      if (seen.has(text)) continue
      if (length < LONG_BYTES) seen.add(text)
      for (const {scheme, claimed} of plans) {
        for (const {key, causes} of keys) {
          if (this.left < floor) return undefined
          this.left -= COST_OF_SUM + length
          const made = scheme.digest(key, body.bytes)
          const claim = claimed.find(({digest}) => digest === made)
          if (claim) return [...claim.causes, ...scheme.causes, ...causes, ...body.causes]
        }
      }
      if (this.left < floor) return undefined
    }
    return undefined
  }
}

function* from<From, To>(starts: Iterable<From>, change: (start: From) => Iterable<To>): Generator<To> {
  for (const start of starts) yield* change(start)
}
