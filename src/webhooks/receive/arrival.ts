/** Whether a webhook that arrived is believed: its signature (§6.3), and that it comes under the id in its signed body. */
import {checkEventId, readEvent} from '../signature/event.js'
import type {WebhookHeaderNames} from '../signature/headers.js'
import {type NamedSecret, type Verdict, verify} from '../signature/signature.js'

export type RefusalReason = Exclude<Verdict['reason'], 'ok'> | 'event_id_mismatch'

/** A request as it arrived. */
export interface Arrival {
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[]
  readonly body: Uint8Array
  /** Unix seconds. */
  readonly receivedAt: number
}

export interface CheckedArrival {
  readonly reason: 'ok' | RefusalReason
  /** Of the signed body; undefined when the signature is not right: nobody has looked into the body then. */
  readonly eventId: string | undefined
  readonly type: string | null
  /** Name of the secret that matched. */
  readonly secretName: string | undefined
}

/** Checks a request; `names` are in lower case. Throws as `verify` does. */
export function checkArrival(
  {rawHeaders, body, receivedAt}: Arrival,
  names: WebhookHeaderNames,
  secrets: readonly NamedSecret[],
): CheckedArrival {
  const header = valuesOf(rawHeaders, names.signature)
  const verdict = verify({secrets, header, rawBody: body, now: receivedAt})
  const {secretName} = verdict
  if (!verdict.valid) return {reason: verdict.reason, eventId: undefined, type: null, secretName}
  const event = readEvent(body)
  const agrees = event !== undefined && checkEventId(valuesOf(rawHeaders, names.eventId), event)
  return {
    reason: agrees ? 'ok' : 'event_id_mismatch',
    eventId: event?.id,
    type: event?.type ?? null,
    secretName,
  }
}

/** Every value of the header `name` (lower case). The joined form of node:http would hide that it came twice. */
function valuesOf(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = []
  for (let n = 0; n < rawHeaders.length; n += 2) {
    const found = rawHeaders[n] as string
    // Stryker disable next-line ConditionalExpression: most names are of another length, and need not be written anew
    if (found.length !== name.length) continue
    if (found.toLowerCase() === name) values.push(rawHeaders[n + 1] as string)
  }
  return values
}
