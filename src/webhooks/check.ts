/** One captured request → what `webhooks verify` says of it: verdict, event, and why it is not valid. */
import type {CapturedRequest} from './captures.js'
import {diagnose, type Finding} from './diagnosis.js'
import {checkEventId, type EventSummary, readEvent} from './event.js'
import {type HeaderMap, headerOf, type WebhookHeaderNames} from './headers.js'
import {JsonPicker} from './json-picker.js'
import {createVerifier, type NamedSecret, type Verdict} from './signature.js'

export interface CheckTerms {
  readonly secrets: readonly NamedSecret[]
  /** Signing secrets of other subscriptions this machine knows, for the explanation alone. */
  readonly otherSecrets: () => readonly NamedSecret[]
  readonly names: WebhookHeaderNames
  /** Given apart from the capture; they win over its headers. */
  readonly signature?: string | undefined
  readonly eventId?: string | undefined
  /** Unix seconds at which to judge a request. */
  readonly now: (request: CapturedRequest) => number
  readonly toleranceSeconds: number
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

/** Ours: a longer body is checked as it streams by, and not kept to be explained. */
export const MOST_KEPT_BYTES = 4 * 1024 * 1024

/** Reads `request` to its end and checks it. Throws what reading throws. */
export async function check(request: CapturedRequest, terms: CheckTerms): Promise<Checked> {
  const {names} = terms
  const headers: HeaderMap = request.headers ?? {}
  const header = terms.signature ?? headerOf(headers, names.signature)
  const eventIdHeader = terms.eventId ?? headerOf(headers, names.eventId)
  const now = terms.now(request)
  const {toleranceSeconds, secrets} = terms
  const verifier = createVerifier({secrets, header, now, toleranceSeconds})
  const body = await readBody(request.body, piece => verifier.update(piece))
  const verdict = verifier.finish()
  const {notes} = request.afterwards
  const idAgrees = checkEventId(eventIdHeader, body.event)
  const result = summary(verdict, body.event, idAgrees)
  if (result.valid) return {result, notes}
  const findings = request.problem
    ? [unreadable(request.problem)]
    : diagnose({
        ...{verdict, header, headers, names, secrets, toleranceSeconds, eventIdHeader},
        otherSecrets: terms.otherSecrets,
        reason: result.reason,
        event: body.event,
        rawBody: body.kept,
        bodyBytes: body.length,
        surplus: request.afterwards.surplus,
        receivedAt: request.receivedAt,
        findOriginal: terms.findOriginal,
      })
  return {result: {...result, findings}, notes}
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
  const fix =
    'Capture the request anew, byte for byte: webhooks listen --capture FILE writes what can be read.'
  return {code: 'capture_unreadable', explanation: `Nothing could be checked: ${problem}.`, fix}
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
  let length = 0
  let parts: Uint8Array[] = []
  let finder: EventFinder | undefined
  for await (const piece of pieces) {
    onPiece(piece)
    length += piece.length
    if (finder === undefined) parts.push(piece)
    if (length > MOST_KEPT_BYTES && finder === undefined) {
      finder = new EventFinder()
      for (const part of parts.splice(0)) finder.push(part)
    } else finder?.push(piece)
  }
  if (finder) return {length, kept: undefined, event: finder.event()}
  const kept = Buffer.concat(parts)
  parts = []
  return {length, kept, event: readEvent(kept)}
}

/** Id and type of an event whose body is too long to be kept. */
class EventFinder {
  private readonly found: (string | null)[] = [null, null, null]
  private readonly picker = new JsonPicker([['id'], ['type'], ['created']], 4096, ({path, text}) => {
    this.found[path] = stringIn(text)
  })

  push(piece: Uint8Array): void {
    this.picker.push(piece)
  }

  event(): EventSummary | undefined {
    this.picker.end()
    const [id = null, type = null, created = null] = this.found
    return id === null || id === '' ? undefined : {id, type, created}
  }
}

function stringIn(text: Uint8Array | undefined): string | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(text ?? []).toString('utf8'))
    return typeof value === 'string' ? value : null
  } catch {
    return null
  }
}
