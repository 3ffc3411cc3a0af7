/** `webhooks verify` of one captured request: verdict, event, and why it is not valid. */
import type {CapturedRequest} from '../captures/request.js'
import {checkEventId, readEvent} from '../signature/event.js'
import {headerOf} from '../signature/headers.js'
import {createVerifier, type Verdict, verify} from '../signature/signature.js'
import type {CheckedRequest, CheckTerms, Finding} from './finding.js'

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

/** A longer body is checked as it streams by, without its event and without a cause. */
export const MOST_KEPT_BYTES = 8 * 1024 * 1024

/** A search in vain takes up to 50 ms, and with a wrong secret every search is in vain. */
const MOST_IN_VAIN = 400

/** Checks `request`; at once when its body is at hand and right, as in a long capture. Throws what reading throws. */
export function check(request: CapturedRequest, terms: CheckTerms): CheckResult | Promise<CheckResult> {
  const {body, headers = {}} = request
  const {secrets, toleranceSeconds, names} = terms
  const header = terms.signature ?? headerOf(headers, names.signature)
  const eventIdHeader = terms.eventId ?? headerOf(headers, names.eventId)
  const now = terms.now(request)
  // Written out in full: spreading objects here costs half as much as checking the signature.
  if (body instanceof Uint8Array) {
    const verdict = verify({secrets, header, now, toleranceSeconds, rawBody: body})
    const whole = {length: body.length, kept: body, event: readEvent(body)}
    return conclude({request, terms, header, eventIdHeader, verdict, body: whole})
  }
  const verifier = createVerifier({secrets, header, now, toleranceSeconds})
  return readBody(body, piece => verifier.update(piece)).then(read =>
    conclude({request, terms, header, eventIdHeader, verdict: verifier.finish(), body: read}),
  )
}

function conclude(checked: CheckedRequest): CheckResult | Promise<CheckResult> {
  const {verdict, eventIdHeader, body, request} = checked
  const {event} = body
  const idAgrees = checkEventId(eventIdHeader, event)
  const result: CheckResult = {
    valid: verdict.valid && idAgrees,
    reason: verdict.valid && !idAgrees ? 'event_id_mismatch' : verdict.reason,
    event_id: event?.id ?? null,
    type: event?.type ?? null,
    timestamp: verdict.timestamp ?? null,
    age_seconds: verdict.ageSeconds ?? null,
    secret: verdict.secretName ?? null,
    findings: [],
  }
  if (result.valid) return result
  if (request.problem === undefined) return findCauses(checked).then(findings => ({...result, findings}))
  const explanation = `Nothing could be checked, because ${request.problem}.`
  const fix = 'Capture the request again, byte for byte, for example with webhooks listen --capture FILE.'
  return {...result, findings: [{code: 'capture_unreadable', explanation, fix}]}
}

/** The search for causes is loaded when something is wrong: a right signature needs none of it. */
async function findCauses(refused: CheckedRequest): Promise<readonly Finding[]> {
  const {verdict, terms} = refused
  const isSearched = !verdict.valid && verdict.reason !== 'timestamp_outside_tolerance'
  if (isSearched && terms.inVain.count >= MOST_IN_VAIN) {
    const explanation = `The cause was not searched: none was found for ${MOST_IN_VAIN} requests before this one.`
    return [{code: 'unexplained', explanation, fix: 'If the secret is right, verify this request alone.'}]
  }
  const {diagnose} = await import('./diagnosis.js')
  const findings = await diagnose(refused)
  if (findings[0]?.code === 'unexplained') terms.inVain.count += 1
  return findings
}

async function readBody(
  pieces: AsyncIterable<Uint8Array>,
  onPiece: (piece: Uint8Array) => void,
): Promise<CheckedRequest['body']> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const piece of pieces) {
    onPiece(piece)
    length += piece.length
    if (length > MOST_KEPT_BYTES) parts.length = 0
    else parts.push(Buffer.from(piece))
  }
  if (length > MOST_KEPT_BYTES) return {length}
  const kept = Buffer.concat(parts)
  return {length, kept, event: readEvent(kept)}
}
