/**
 * Verifies one captured request: its verdict, its event, and the reason if it is invalid. A fast path handles the usual
 * lines of a capture.
 */
import {SIGNATURE_TOLERANCE_SECONDS} from '../../contract/limits.js'
import type {NewEvent} from '../../contract/stored-events.js'
import type {LineShortcut} from '../captures/records.js'
import {type CapturedRequest, type Gap, timeOf} from '../captures/request.js'
import {checkEventId, readEvent} from '../signature/event.js'
import {gatherHeaders, headerOf, pairsOf} from '../signature/headers.js'
import {createVerifier, type Verdict, verify, verifyParsed} from '../signature/signature.js'
import type {CheckedRequest, CheckTerms, Finding} from './finding.js'

/** The JSON object that `webhooks verify` prints for one request. */
export interface CheckResult {
  readonly valid: boolean
  /** False if the capture does not contain the whole request; `reason` is then `not_checked`. Otherwise absent. */
  readonly checked?: false
  readonly reason: Verdict['reason'] | 'event_id_mismatch' | 'not_checked'
  readonly event_id: string | null
  readonly type: string | null
  /** Unix seconds. */
  readonly timestamp: number | null
  readonly age_seconds: number | null
  /** The name of the secret that matched, never the secret itself. */
  readonly secret: string | null
  /** Empty when the request is valid. */
  readonly findings: readonly Finding[]
}

/**
 * A body longer than this is not kept in memory: its signature is checked, but its event is not read, and no cause is
 * searched for.
 */
export const MOST_KEPT_BYTES = 8 * 1024 * 1024

/**
 * After this many searches that found no cause, no more causes are searched for. Such a search takes up to 50 ms, and
 * with a wrong secret every search fails.
 */
export const MOST_IN_VAIN = 400

/**
 * Checks `request`. The result is not a promise if the body is in memory and the request is valid: a promise per line
 * would slow down long captures by a fifth. Throws the errors of reading the body.
 */
export function check(request: CapturedRequest, terms: CheckTerms): CheckResult | Promise<CheckResult> {
  const {body, headers = {}} = request
  const {secrets, toleranceSeconds, names} = terms
  const header = terms.signature ?? headerOf(headers, names.signature)
  const eventIdHeader = terms.eventId ?? headerOf(headers, names.eventId)
  const now = terms.now(request, header)
  // The fields are listed one by one, because spreading objects here would cost half as much as checking the signature.
  if (body instanceof Uint8Array) {
    const verdict = verify({secrets, header, now, toleranceSeconds, rawBody: body})
    const whole = {length: body.length, kept: body, event: readEvent(body)}
    return conclude({request, terms, header, eventIdHeader, now, verdict, body: whole})
  }
  const verifier = createVerifier({secrets, header, now, toleranceSeconds})
  return readBody(body, piece => verifier.update(piece)).then(read =>
    conclude({request, terms, header, eventIdHeader, now, verdict: verifier.finish(), body: read}),
  )
}

/** Checks a request that was received completely, judged at the time when it was received. */
export async function checkReceived(
  {rawHeaders, body, receivedAt}: Pick<NewEvent, 'rawHeaders' | 'body' | 'receivedAt'>,
  terms: Omit<CheckTerms, 'inVain' | 'now' | 'toleranceSeconds'>,
): Promise<CheckResult> {
  const request = {headers: gatherHeaders(pairsOf(rawHeaders)), body, receivedAt}
  const toleranceSeconds = SIGNATURE_TOLERANCE_SECONDS
  return check(request, {...terms, inVain: {count: 0}, now: () => receivedAt, toleranceSeconds})
}

/**
 * Looks for another reading of the capture whose body has a valid signature, and returns its check. Returns undefined
 * if there is none.
 */
function checkOtherReadings(checked: CheckedRequest): CheckedRequest | undefined {
  const {request, terms, header, now, verdict, body} = checked
  if (verdict.reason !== 'signature_mismatch' || body.kept === undefined) return undefined
  const {secrets, toleranceSeconds} = terms
  for (const {body: rawBody, note} of request.otherReadings?.(body.kept) ?? []) {
    const other = verify({secrets, header, now, toleranceSeconds, rawBody})
    if (other.reason === 'signature_mismatch') continue
    if (note !== undefined) request.afterwards?.notes.push(note)
    return {
      ...checked,
      verdict: other,
      body: {length: rawBody.length, kept: rawBody, event: readEvent(rawBody)},
    }
  }
  return undefined
}

function conclude(first: CheckedRequest): CheckResult | Promise<CheckResult> {
  const read = first.request.otherReadings ? checkOtherReadings(first) : undefined
  const checked = read ?? first
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
  // A request without its body is not checked, even if an empty body has a valid signature.
  if (request.gap) return notChecked(result, request.gap)
  if (result.valid) return result
  const gap = verdict.valid ? undefined : request.afterwards?.gap
  if (gap) return notChecked(result, gap)
  if (request.problem === undefined)
    return findCauses(checked).then(findings => {
      // If the capture may have changed the body, a finding about the body proves nothing.
      const isProved = findings.some(({code}) => !UNPROVED.includes(code) && !code.startsWith('body_'))
      if (request.doubt && !verdict.valid && !isProved) return notChecked(result, request.doubt)
      return {...result, findings}
    })
  const explanation = `Nothing could be checked, because ${request.problem}.`
  const fix = 'Capture the request again, byte for byte, for example with webhooks listen --capture FILE.'
  return {...result, findings: [{code: 'capture_unreadable', explanation, fix}]}
}

/** Codes of findings that do not come with a matching signature as proof. */
const UNPROVED = ['unexplained', 'secret_removed', 'secret_doubtful', 'secret_not_a_signing_secret']

function notChecked(result: CheckResult, gap: Gap): CheckResult {
  return {
    ...result,
    valid: false,
    checked: false,
    reason: 'not_checked',
    age_seconds: null,
    secret: null,
    findings: [gap],
  }
}

/** Searches for causes. The code for that is loaded only when a request is invalid. */
async function findCauses(refused: CheckedRequest): Promise<readonly Finding[]> {
  const {verdict, terms} = refused
  await terms.beforeSearch?.()
  const isSearched = !verdict.valid && verdict.reason !== 'timestamp_outside_tolerance'
  if (isSearched && terms.inVain.count >= MOST_IN_VAIN) {
    const explanation = `The cause was not searched: none was found for ${MOST_IN_VAIN} requests before this one.`
    const {describeRemoved} = await import('./explanations.js')
    const fix = 'If the secret is right, verify this request alone.'
    return [describeRemoved(refused) ?? {code: 'unexplained', explanation, fix}]
  }
  const {diagnose} = await import('./diagnosis.js')
  const findings = await diagnose(refused)
  if (['unexplained', 'secret_removed'].includes(findings[0]?.code ?? '')) terms.inVain.count += 1
  return findings
}

async function readBody(
  pieces: AsyncIterable<Uint8Array>,
  onPiece: (piece: Uint8Array) => void,
): Promise<CheckedRequest['body']> {
  let copies: Uint8Array[] = []
  let length = 0
  for await (const piece of pieces) {
    onPiece(piece)
    length += piece.length
    if (length > MOST_KEPT_BYTES) copies = []
    else copies.push(Buffer.from(piece))
  }
  if (length > MOST_KEPT_BYTES) return {length}
  const kept = Buffer.concat(copies)
  return {length, kept, event: readEvent(kept)}
}

/** Matches the characters of a string without escapes. Lines with other strings take the slow path. */
const CHARACTERS = String.raw`[ !#-[\]-~]`
const TEXT = `"${CHARACTERS}*"`
/** Matches what `captureRecord` writes before the body. */
const START = new RegExp(
  [
    String.raw`\{"type":"event","verdict":"(?:in)?valid","reason":"[a-z_]+"`,
    `"event_id":${TEXT},"event_type":${TEXT},"duplicate":(?:true|false)`,
    String.raw`"received_at":"([\dTZ:.+-]*)","ack_ms":(?:null|(?:0|[1-9]\d*)(?:\.\d+)?)`,
    '"body_base64":"',
  ].join(','),
  'y',
)
const HEADER = String.raw`"[a-z\d-]+":${TEXT}`
const HEADERS = new RegExp(String.raw`","headers":\{${HEADER}(?:,${HEADER})*\},"event":`, 'y')
const TIMESTAMP = /^\d{1,12}$/
const DIGEST_LENGTH = 64
const WORD = String.raw`(?:${TEXT}|-?(?:0|[1-9]\d*)(?:\.\d+)?|true|false|null)`
const WORDS = String.raw`\{(?:${TEXT}:${WORD}(?:,${TEXT}:${WORD})*)?\}`
/**
 * Matches an event in the form of §2.8. Its other members are plain values or objects of plain values, and no member
 * repeats the id or the type.
 */
const EVENT = new RegExp(
  `\\{"id":"(${CHARACTERS}+)","type":"(${CHARACTERS}*)"(?:,(?!"(?:id|type)":)${TEXT}:(?:${WORD}|${WORDS}))*\\}\\}\\n`,
  'y',
)

/** Longer lines are not faster on the fast path. */
const MOST_LINE_BYTES = 64 * 1024

/**
 * Returns the fast path for a capture, or undefined if flags override the headers. The fast path checks a line without
 * parsing it, if it is exactly as `webhooks listen` writes it and its signature is valid. For any other line it returns
 * undefined, and the line is parsed and checked as usual. `name` is the capture's name in the results.
 *
 * If the body is compact JSON, the line contains it twice: as `body_base64` and, byte for byte, as `event`. If the two
 * agree, both are right. Tests require the same results from both paths. Without the fast path, verifying a million
 * events (`npm run bench`, verify-many) takes twice as long.
 */
export function usualLineCheck(
  terms: CheckTerms,
  name: string,
): LineShortcut<{input: string} & CheckResult> | undefined {
  const {names, secrets, now, toleranceSeconds} = terms
  if (terms.signature !== undefined || terms.eventId !== undefined) return undefined
  const signatureKey = `"${names.signature.toLowerCase()}":"`
  const eventIdKey = `"${names.eventId.toLowerCase()}":"`

  return ({bytes, text}, start, end, number) => {
    if (end - start > MOST_LINE_BYTES) return undefined
    const [, receivedAt] = matchAt(START, text, start) ?? []
    if (receivedAt === undefined) return undefined
    const bodyStart = START.lastIndex
    const headersStart = text.indexOf('"', bodyStart)
    HEADERS.lastIndex = headersStart
    if (!HEADERS.test(text)) return undefined
    const eventStart = HEADERS.lastIndex
    const [, id, type] = matchAt(EVENT, text, eventStart) ?? []
    if (id === undefined || type === undefined) return undefined
    const base64 = bytes.toString('base64', eventStart, end - 1)
    // A slice is not copied, and is compared in a quarter of the time of startsWith.
    if (text.slice(bodyStart, headersStart) !== base64) return undefined

    const headers = text.slice(headersStart, eventStart)
    const header = onlyValue(headers, signatureKey)
    const signature = header === undefined ? undefined : usualSignature(header)
    if (signature === undefined) return undefined
    if (onlyValue(headers, eventIdKey) !== id && headers.includes(eventIdKey)) return undefined

    const verdict = verifyParsed(signature, text.slice(eventStart, end - 1), {
      secrets,
      now: now({receivedAt: timeOf(receivedAt)}, header),
      toleranceSeconds,
    })
    if (!verdict.valid) return undefined
    return {
      // toFixed bypasses V8's cache of number texts, which would make the young heap grow to its limit here.
      input: `${name}:${number.toFixed()}`,
      valid: true,
      reason: 'ok',
      event_id: id,
      type,
      timestamp: verdict.timestamp ?? null,
      age_seconds: verdict.ageSeconds ?? null,
      secret: verdict.secretName ?? null,
      findings: [],
    }
  }
}

/**
 * Parses a header with one `v1` at its end, or returns undefined. Two are sent only while a secret is replaced (§6.2). No RegExp
 * goes over the digest, which is compared anyway.
 */
function usualSignature(header: string) {
  const digestStart = header.length - DIGEST_LENGTH
  const timestamp = header.slice(2, digestStart - 4)
  if (!header.startsWith('t=') || !header.startsWith(',v1=', digestStart - 4) || !TIMESTAMP.test(timestamp))
    return undefined
  return {timestamp, digests: [header.slice(digestStart)]}
}

function matchAt(sticky: RegExp, text: string, start: number): RegExpExecArray | null {
  sticky.lastIndex = start
  return sticky.exec(text)
}

/**
 * Returns the value of the header `key` if it occurs exactly once. Values contain no quotes, so `key` matches only a
 * name.
 */
function onlyValue(headers: string, key: string): string | undefined {
  const at = headers.indexOf(key)
  if (at < 0 || headers.indexOf(key, at + 1) >= 0) return undefined
  const start = at + key.length
  return headers.slice(start, headers.indexOf('"', start))
}
