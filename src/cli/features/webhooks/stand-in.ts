/**
 * Sends a stand-in for events that did not come: the present state of the reservation, as an event of a type that the
 * service does not have. The event is signed with the partner's own secret, because the partner's program checks the
 * signature.
 */
import {createHash} from 'node:crypto'
import {showReservation} from '../../../api/operations/reservations.js'
import {isoTime} from '../../../contract/dates.js'
import {Failure, failureWith} from '../../../contract/failure.js'
import {EVENT_ID_PREFIX} from '../../../contract/identifiers.js'
import {createHandover} from '../../../webhooks/forward/request.js'
import type {WebhookHeaderNames} from '../../../webhooks/signature/headers.js'
import {createSigner, type NamedSecret} from '../../../webhooks/signature/signature.js'
import type {Connection} from '../../session/connect.js'
import {jsonText} from '../../terminal/json-text.js'
import {columnsOf, type Result} from '../../terminal/result.js'
import {meaningsOf, REPLAY_COLUMNS, type Replayed, sendOnce} from './events.js'
import {type MissingEvents, missingResult, type OwedEvent} from './missing.js'

/** Event type of a stand-in. It is not in §6.1. */
const STAND_IN_TYPE = 'bookctl.missed'

export interface StandIn extends Replayed {
  readonly reservation_ref: string
}

interface Sending {
  readonly target: string
  readonly secrets: readonly NamedSecret[]
  readonly headerNames: WebhookHeaderNames
  readonly options: Parameters<typeof createHandover>[0]
}

/**
 * Sends each reservation with missing events to `target`, once. An error status or a missing answer is returned, never
 * thrown. If a reservation cannot be read, throws the Failure of the service, with what was sent before.
 */
export async function forwardStandIns(
  {api, clock}: Connection,
  found: MissingEvents,
  {target, secrets, headerNames, options}: Sending,
): Promise<StandIn[]> {
  const byReference = new Map<string, OwedEvent[]>()
  for (const event of found.missing) {
    const missed = byReference.get(event.reservation_ref) ?? []
    byReference.set(event.reservation_ref, [...missed, event])
  }
  const handover = createHandover(options)
  const forwarded: StandIn[] = []
  try {
    for (const [reference, missed] of byReference) {
      const {reservation, status} = await showReservation(api, reference)
      const now = clock.now()
      const eventId = standInId(reference, status, missed)
      const envelope = {
        id: eventId,
        type: STAND_IN_TYPE,
        created: isoTime(now),
        data: {
          object: 'reservation',
          reservation_ref: reference,
          status,
          missed: missed.map(({type, due_at}) => ({type, due_at})),
          reservation,
        },
      }
      const body = Buffer.from(jsonText(envelope) ?? '')
      const signer = createSigner(
        secrets.map(({secret}) => secret),
        String(Math.floor(now)),
      )
      signer.update(body)
      const headers = [
        ...['Content-Type', 'application/json'],
        ...[headerNames.eventId, eventId],
        ...[headerNames.signature, signer.finish()],
      ]
      const answer = await sendOnce(handover, target, {eventId, body}, headers)
      forwarded.push({reservation_ref: reference, ...answer})
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const {document} = standInResult(found, forwarded)
    const hint = `${forwarded.length} of ${byReference.size} were handed over; run it again: they come with the same ids`
    throw failureWith(error, {result: document, hint: error.details.hint ?? hint})
  } finally {
    handover.close()
  }
  return forwarded
}

/**
 * Returns the id of a stand-in. The same state has the same id, so that a program that ignores repeated ids takes the
 * event only once.
 */
function standInId(reference: string, status: string | null, missed: readonly OwedEvent[]): string {
  const content = JSON.stringify([reference, status, missed.map(({type}) => type)])
  return `${EVENT_ID_PREFIX}missed_${createHash('sha256').update(content).digest('hex').slice(0, 24)}`
}

export const STAND_IN_COLUMNS = ['reservation_ref', ...REPLAY_COLUMNS] as const

export function standInResult(found: MissingEvents, forwarded: readonly StandIn[]): Result<StandIn> {
  const {document, lead, whenEmpty, warning = []} = missingResult(found)
  const refused = 'the signature may be of another secret'
  return {
    document: {...document, forwarded},
    items: forwarded,
    columns: [
      ...columnsOf<StandIn>(['reservation_ref']),
      ...columnsOf<StandIn>(['event_id', 'target', 'late'], {isMinor: true}),
      ...columnsOf<StandIn>(['status', 'ms', 'error']),
    ],
    shown: STAND_IN_COLUMNS,
    warning: [...[warning].flat(), ...meaningsOf(forwarded, refused)],
    ...(lead === undefined ? {} : {lead}),
    ...(whenEmpty === undefined ? {} : {whenEmpty}),
  }
}
