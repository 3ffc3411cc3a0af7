/** `webhooks verify` of one captured request: verdict, event, and why it is not valid. */
import type {CapturedRequest} from '../captures/request.js'
import {checkEventId, type EventSummary, readEvent} from '../signature/event.js'
import {headerOf, type WebhookHeaderNames} from '../signature/headers.js'
import {
  createVerifier,
  type NamedSecret,
  type Verdict,
  type VerifyTerms,
  verifyBody,
} from '../signature/signature.js'
import type {Finding} from './finding.js'

export interface CheckTerms {
  readonly secrets: readonly NamedSecret[]
  /** Signing secrets of other subscriptions this machine knows, for the explanation alone. */
  readonly otherSecrets: () => readonly NamedSecret[]
  readonly names: WebhookHeaderNames
  /** Given by flags; they override the capture's headers. */
  readonly signature?: string | undefined
  readonly eventId?: string | undefined
  /** Unix seconds at which to judge a request. */
  readonly now: (request: Pick<CapturedRequest, 'receivedAt' | 'problem'>) => number
  readonly toleranceSeconds: number
  /** How many searches for a cause were in vain; counted over all requests checked by these terms. */
  readonly inVain: {count: number}
  /** The raw body of an event as it was received here, or undefined. */
  readonly findOriginal?: ((eventId: string) => Uint8Array | undefined) | undefined
}

/** The JSON of `webhooks verify` for one request. */
export interface CheckResult {
  readonly valid: boolean
  readonly reason: Verdict['reason'] | 'event_id_mismatch'
  readonly event_id: string | null
  readonly type: string | null
  /** Unix seconds. */
  readonly timestamp: number | null
  readonly age_seconds: number | null
  /** Name of the secret that matched; never the secret. */
  readonly secret: string | null
  /** Empty when it is valid. */
  readonly findings: readonly Finding[]
}

export interface Checked {
  readonly result: CheckResult
  /** Things a person should know about the capture, whatever the verdict. */
  readonly notes: readonly string[]
}

/** Ours: a longer body is checked as it streams by, without its event and without a cause. */
export const MOST_KEPT_BYTES = 8 * 1024 * 1024

/** Ours: a search in vain takes up to a twentieth of a second, and with a wrong secret every search is in vain. */
const MOST_IN_VAIN = 400

/**
 * Checks `request`: at once when its body is at hand and right, which is how a capture of a million lines is read; else
 * it is read to its end, or the cause is looked for. Throws what reading throws.
 */
export function check(request: CapturedRequest, terms: CheckTerms): Checked | Promise<Checked> {
  const {body} = request
  if (!(body instanceof Uint8Array)) return checkStream(request, body, terms)
  const verdict = verifyBody(body, verifyTerms(request, terms))
  return conclude(request, verdict, {length: body.length, kept: body, event: readEvent(body)}, terms)
}

async function checkStream(
  request: CapturedRequest,
  pieces: AsyncIterable<Uint8Array>,
  terms: CheckTerms,
): Promise<Checked> {
  const verifier = createVerifier(verifyTerms(request, terms))
  const body = await readBody(pieces, piece => verifier.update(piece))
  return conclude(request, verifier.finish(), body, terms)
}

function verifyTerms(request: CapturedRequest, terms: CheckTerms): VerifyTerms {
  const {secrets, toleranceSeconds} = terms
  return {secrets, header: signatureOf(request, terms), now: terms.now(request), toleranceSeconds}
}

function signatureOf(request: CapturedRequest, {signature, names}: CheckTerms) {
  return signature ?? headerOf(request.headers ?? {}, names.signature)
}

function conclude(
  request: CapturedRequest,
  verdict: Verdict,
  body: Body,
  terms: CheckTerms,
): Checked | Promise<Checked> {
  const {notes} = request.afterwards
  const eventIdHeader = terms.eventId ?? headerOf(request.headers ?? {}, terms.names.eventId)
  const result = summary(verdict, body.event, checkEventId(eventIdHeader, body.event))
  if (result.valid) return {result, notes}
  if (request.problem !== undefined)
    return {result: {...result, findings: [unreadable(request.problem)]}, notes}
  return findCauses({request, verdict, body, eventIdHeader, terms, result})
}

interface Refused {
  readonly request: CapturedRequest
  readonly verdict: Verdict
  readonly body: Body
  readonly eventIdHeader: string | readonly string[] | undefined
  readonly terms: CheckTerms
  readonly result: CheckResult
}

/** The search for causes is loaded when something is wrong: a right signature needs none of it. */
async function findCauses(refused: Refused): Promise<Checked> {
  const {request, verdict, body, eventIdHeader, terms, result} = refused
  const {names, secrets, toleranceSeconds, otherSecrets, findOriginal, inVain} = terms
  const isSearched = !verdict.valid && verdict.reason !== 'timestamp_outside_tolerance'
  if (isSearched && inVain.count >= MOST_IN_VAIN)
    return {result: {...result, findings: [notLookedFor()]}, notes: request.afterwards.notes}
  const {diagnose} = await import('./diagnosis.js')
  const input = {
    ...{verdict, names, secrets, toleranceSeconds, eventIdHeader, otherSecrets, findOriginal},
    header: signatureOf(request, terms),
    headers: request.headers ?? {},
    reason: result.reason,
    event: body.event,
    rawBody: body.kept,
    bodyBytes: body.length,
    surplus: request.afterwards.surplus,
    receivedAt: request.receivedAt,
  }
  const findings = diagnose(input)
  if (findings.map(({code}) => code).join() === 'unexplained') inVain.count += 1
  return {result: {...result, findings}, notes: request.afterwards.notes}
}

function summary(verdict: Verdict, event: EventSummary | undefined, idAgrees: boolean): CheckResult {
  const valid = verdict.valid && idAgrees
  return {
    valid,
    reason: verdict.valid && !idAgrees ? 'event_id_mismatch' : verdict.reason,
    event_id: event?.id ?? null,
    type: event?.type ?? null,
    timestamp: verdict.timestamp ?? null,
    age_seconds: verdict.ageSeconds ?? null,
    secret: verdict.secretName ?? null,
    findings: [],
  }
}

function unreadable(problem: string): Finding {
  const fix = 'Capture the request again, byte for byte, for example with webhooks listen --capture FILE.'
  return {code: 'capture_unreadable', explanation: `Nothing could be checked: ${problem}.`, fix}
}

function notLookedFor(): Finding {
  const explanation = `The cause was not searched: none was found for ${MOST_IN_VAIN} requests before this one.`
  return {
    code: 'unexplained',
    explanation,
    fix: 'If the secret is right, verify this request alone.',
  }
}

interface Body {
  readonly length: number
  /** All of it, or undefined when it was too long to keep. */
  readonly kept: Uint8Array | undefined
  readonly event: EventSummary | undefined
}

async function readBody(
  pieces: AsyncIterable<Uint8Array>,
  onPiece: (piece: Uint8Array) => void,
): Promise<Body> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const piece of pieces) {
    onPiece(piece)
    length += piece.length
    if (length > MOST_KEPT_BYTES) parts.length = 0
    else parts.push(Buffer.from(piece))
  }
  if (length > MOST_KEPT_BYTES) return {length, kept: undefined, event: undefined}
  const kept = Buffer.concat(parts)
  return {length, kept, event: readEvent(kept)}
}
