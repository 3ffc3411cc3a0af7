/** A received request as one record of a capture: what `listen --json` prints and `captures/records.ts` reads. */
import {isTooDeep} from '../../contract/json.js'
import {gatherHeaders, type HeaderMap} from '../signature/headers.js'
import type {Receipt} from './receiver.js'

export interface CaptureRecord {
  readonly type: 'event'
  readonly verdict: 'valid' | 'invalid'
  readonly reason: Receipt['reason']
  /** As the body says, even if its signature is wrong. */
  readonly event_id: string | null
  readonly event_type: string | null
  readonly duplicate: boolean
  /** ISO 8601. */
  readonly received_at: string
  /** Milliseconds until the answer; null when that was not stored. */
  readonly ack_ms: number | null
  readonly body_base64: string
  readonly headers: HeaderMap
  /** The body's JSON; null when it is not JSON, or nested absurdly deep. */
  readonly event: unknown
}

export interface CapturedEvent
  extends Pick<Receipt, 'reason' | 'duplicate' | 'receivedAt' | 'rawHeaders' | 'body'> {
  readonly ackMilliseconds: number | null
}

export function captureRecord(captured: CapturedEvent): CaptureRecord {
  const {reason, duplicate, receivedAt, ackMilliseconds, rawHeaders} = captured
  const body = bufferOf(captured.body)
  const event = parseBody(body)
  const {id, type} = (event ?? {}) as {id?: unknown; type?: unknown}
  return {
    type: 'event',
    verdict: reason === 'ok' ? 'valid' : 'invalid',
    reason,
    event_id: typeof id === 'string' ? id : null,
    event_type: typeof type === 'string' ? type : null,
    duplicate,
    received_at: new Date(receivedAt * 1000).toISOString(),
    ack_ms: ackMilliseconds === null ? null : Math.round(ackMilliseconds * 100) / 100,
    body_base64: body.toString('base64'),
    headers: gatherHeaders(pairsOf(rawHeaders)),
    event,
  }
}

/** The same bytes as a Buffer. */
export function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
}

/** The body's JSON; null when it is not JSON, or nested absurdly deep. */
export function parseBody(body: Uint8Array): unknown {
  if (isTooDeep(body)) return null
  try {
    return JSON.parse(bufferOf(body).toString('utf8'))
  } catch {
    return null
  }
}

/** Names and values in turn → pairs. */
export function pairsOf(rawHeaders: readonly string[]): [string, string][] {
  const pairs: [string, string][] = []
  for (let n = 0; n < rawHeaders.length; n += 2)
    pairs.push([rawHeaders[n] as string, rawHeaders[n + 1] as string])
  return pairs
}
