/** A received request as one record of a capture: what `listen --json` prints and `captures/records.ts` reads. */
import {isTooDeep} from '../../contract/json.js'
import {parseText} from '../captures/request.js'
import {gatherHeaders} from '../signature/headers.js'
import type {Receipt} from './receiver.js'

export type CaptureRecord = ReturnType<typeof captureRecord>

interface CapturedEvent extends Pick<Receipt, 'reason' | 'duplicate' | 'receivedAt' | 'rawHeaders' | 'body'> {
  /** Milliseconds until the answer; null when that was not stored. */
  readonly ackMilliseconds: number | null
}

export function captureRecord(captured: CapturedEvent) {
  const {reason, duplicate, receivedAt, ackMilliseconds, rawHeaders} = captured
  const body = bufferOf(captured.body)
  const event = parseBody(body)
  const {id, type} = (event ?? {}) as {id?: unknown; type?: unknown}
  return {
    type: 'event',
    verdict: reason === 'ok' ? 'valid' : 'invalid',
    reason,
    /** As the body says, even if its signature is wrong. */
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
  return isTooDeep(body) ? null : (parseText(bufferOf(body).toString()) ?? null)
}

/** Names and values in turn → pairs. A loop, because flatMap takes twenty times as long, for each event of an export. */
export function pairsOf(rawHeaders: readonly string[]): [string, string][] {
  const pairs: [string, string][] = []
  for (let n = 0; n < rawHeaders.length; n += 2)
    pairs.push([rawHeaders[n] as string, rawHeaders[n + 1] as string])
  return pairs
}
