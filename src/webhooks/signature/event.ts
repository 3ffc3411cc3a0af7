/** Reads the event in the body of a webhook (§2.8), as far as receiving and verifying need it. */
import {type EventSubject, isEventType, subjectOf} from '../../contract/events.js'
import {isPlainText} from '../../contract/foreign-text.js'
import {EVENT_ID_PREFIX} from '../../contract/identifiers.js'
import {isObject} from '../../contract/json.js'

export interface EventSummary extends EventSubject {
  readonly id: string
  /** Null if the type is missing, or is not a plain text. */
  readonly type: string | null
}

/** Returns id, type and subject of the event in `rawBody`, or undefined if `rawBody` is not UTF-8 JSON with an `id`. */
export function readEvent(rawBody: Uint8Array): EventSummary | undefined {
  const event = parse(rawBody)
  const {id, type} = (event ?? {}) as Envelope
  if (typeof id !== 'string' || id === '') return undefined
  return {id, type: typeof type === 'string' && isPlainText(type) ? type : null, ...subjectOf(event)}
}

/**
 * Reports whether `rawBody` looks like an event (§2.8), even if it begins with a byte order mark or is truncated. A
 * request with such a body but without a signature is forged, or its signature was lost.
 */
export function isEventEnvelope(rawBody: Uint8Array): boolean {
  const {buffer, byteOffset, length} = rawBody
  const isMarked = rawBody[0] === 0xef && rawBody[1] === 0xbb && rawBody[2] === 0xbf
  const body = Buffer.from(buffer, byteOffset, length).subarray(isMarked ? 3 : 0)
  const json = parse(body)
  if (json === undefined) return CUT_EVENT.test(body.toString('latin1', 0, MOST_ENVELOPE_BYTES))
  const {id, type, created, data} = (json ?? {}) as Envelope
  if (typeof id !== 'string' || typeof type !== 'string' || !isObject(data)) return false
  return id.startsWith(EVENT_ID_PREFIX) || isEventType(type) || typeof created === 'string'
}

/** Maximum size of a body that the receiver accepts. Events are smaller. */
export const MOST_EVENT_BYTES = 1024 * 1024
const MOST_ENVELOPE_BYTES = 1024
/** Matches the start of an event: an id and a type, in either order. */
const CUT_EVENT = new RegExp(
  String.raw`^\s*\{\s*(?:"id"\s*:\s*"${EVENT_ID_PREFIX}[^"]*"\s*,\s*"type"|"type"\s*:\s*"[^"]*"\s*,\s*"id"\s*:\s*"${EVENT_ID_PREFIX})`,
)

type Envelope = Partial<Record<'id' | 'type' | 'created' | 'data', unknown>>

const UTF8 = new TextDecoder(undefined, {fatal: true, ignoreBOM: true})

/** Parses UTF-8 JSON. Returns undefined if it is invalid. */
function parse(rawBody: Uint8Array): unknown {
  try {
    return JSON.parse(UTF8.decode(rawBody))
  } catch {
    return undefined
  }
}

/**
 * Reports whether the signed event id is well-formed, and the unsigned header (§6.2) is missing or has the same id
 * exactly once.
 */
export function checkEventId(
  header: string | readonly string[] | undefined,
  event: {readonly id: string} | undefined,
): boolean {
  if (event !== undefined && !isPlainText(event.id)) return false
  const values = typeof header === 'string' ? [header] : (header ?? [])
  return values.length === 0 || (values.length === 1 && values[0] === event?.id)
}
