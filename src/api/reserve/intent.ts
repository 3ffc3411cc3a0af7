/** What is committed to the journal before a reservation is sent. */
import {createHash} from 'node:crypto'
import type {ReservationIntent} from '../../contract/journal.js'
import {isObject} from '../../contract/json.js'
import type {ReservationRequest} from '../../contract/reservations.js'

type Given = Pick<ReservationIntent, 'referenceGiven' | 'idempotencyKey' | 'keyGiven'>

/** The intent to send `request` (§2.4), which is written as bytes here and nowhere else. */
export function intentOf(request: ReservationRequest, given: Given): ReservationIntent {
  const {client_reference_id, ...rest} = request
  return {
    ...given,
    offerId: request.offer_id,
    clientReferenceId: client_reference_id,
    body: JSON.stringify(request),
    bodySha256: sha256OfJson(request),
    intentSha256: sha256OfJson(rest),
  }
}

function sha256OfJson(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(value)))
    .digest('hex')
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]))
}
