/** `POST /_sandbox/trigger`: sends an event as if its cause had happened; no reservation is changed. */
import {z} from 'zod'
import {isoTime} from '../../contract/dates.js'
import {EVENT_TYPE_NAMES, type EventType} from '../../contract/events.js'
import {fromMinor} from '../../contract/money.js'
import {notFound} from '../base/answers.js'
import {type EventSubject, eventData} from '../booking/events.js'
import {validate} from '../http/body.js'
import type {RunningService} from '../http/operation.js'
import {type Delivery, findDelivery} from '../store/deliveries.js'
import {addEvent, type StoredEvent} from '../store/events.js'
import {findReservation} from '../store/reservations.js'

const eventOrder = z.strictObject({
  type: z.enum(EVENT_TYPE_NAMES),
  /** Sent to the subscriptions of its client; without it to those of all, about a reservation that does not exist. */
  reservation_ref: z.string().optional(),
})

const PLACEHOLDER: EventSubject = {
  reservation_ref: 'RSV-0000000000',
  client_reference_id: 'triggered',
  status: 'CONFIRMED',
  payment: {status: 'PAID', amount: '100.00', currency: 'EUR', failure_code: null},
  cancellation: null,
}

const CHANGES = [{field: 'contact.email', old: 'before@example.com', new: 'after@example.com'}]

/** More at a time are left to the dispatcher. */
const MOST_AWAITED = 100

/** Resolves when each delivery was attempted once. Throws Refusal: validation_failed, reservation_not_found. */
export async function triggerEvent(
  service: RunningService,
  json: unknown,
): Promise<{event: StoredEvent; deliveries: Delivery[]}> {
  const {type, reservation_ref: reference} = validate(eventOrder, json)
  const {database, dispatcher} = service
  const stored = reference === undefined ? undefined : findReservation(database, 'reservation_ref', reference)
  if (reference !== undefined && !stored) throw notFound('reservation', reference)
  const now = service.clock.now()
  const data = eventData(database, type, afterCause(type, stored?.record ?? PLACEHOLDER), now, CHANGES)
  const clientId = stored?.clientId ?? 'cid_sandbox'
  const added = database.transaction(() => addEvent(database, {clientId, type, data, now}, !stored))
  await Promise.all(added.deliveryIds.slice(0, MOST_AWAITED).map(id => dispatcher.deliverNow(id)))
  const deliveries = added.deliveryIds.flatMap(id => findDelivery(database, id)?.delivery ?? [])
  return {event: {id: added.eventId, type, created: isoTime(now), data}, deliveries}
}

function afterCause(type: EventType, record: EventSubject): EventSubject {
  const {amount, currency} = record.payment
  const fee = fromMinor(0n, currency)
  const cancellation = {cancelled_at: '', reason: 'triggered', fee, refund_amount: amount, currency}
  const declined = {status: 'FAILED', failure_code: 'card_declined'} as const
  if (type === 'reservation.updated') return record
  if (type === 'reservation.cancelled') return {...record, status: 'CANCELLED', cancellation}
  if (type === 'payment.failed')
    return {...record, status: 'PENDING_PAYMENT', payment: {...record.payment, ...declined}}
  return {...record, status: 'CONFIRMED', payment: {...record.payment, status: 'PAID', failure_code: null}}
}
