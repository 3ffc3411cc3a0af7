/** `POST /_sandbox/trigger`: sends an event as if its cause had happened; no reservation is changed. */
import {z} from 'zod'
import {isoTime} from '../../contract/dates.js'
import {EVENT_TYPE_NAMES, type EventType} from '../../contract/events.js'
import {fromMinor} from '../../contract/money.js'
import {notFound} from '../base/answers.js'
import {validate} from '../http/body.js'
import type {RunningService} from '../http/operation.js'
import {type Delivery, findDelivery} from '../store/deliveries.js'
import {addEvent, type StoredEvent} from '../store/events.js'
import {findReservation} from '../store/reservations.js'
import {signVoucherLink} from '../voucher/link.js'

const eventOrder = z.strictObject({
  type: z.enum(EVENT_TYPE_NAMES),
  /** Sent to the subscriptions of its client; without it to those of all, about a reservation that does not exist. */
  reservation_ref: z.string().optional(),
})

interface Subject {
  readonly reservation_ref: string
  readonly client_reference_id: string
  readonly status: string
  readonly amount: string
  readonly currency: string
}

const PLACEHOLDER: Subject = {
  reservation_ref: 'RSV-0000000000',
  client_reference_id: 'triggered',
  status: 'CONFIRMED',
  amount: '100.00',
  currency: 'EUR',
}

/** More at a time are left to the dispatcher. */
const MAX_AWAITED = 100

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
  const subject = stored ? {...stored.record.payment, ...stored.record} : PLACEHOLDER
  const {reservation_ref, client_reference_id} = subject
  const more = dataOf(service, type, subject, now)
  const data = {object: 'reservation', reservation_ref, client_reference_id, ...more}
  const clientId = stored?.clientId ?? 'cid_sandbox'
  const added = database.transaction(() => addEvent(database, {clientId, type, data, now}, !stored))
  await Promise.all(added.deliveryIds.slice(0, MAX_AWAITED).map(id => dispatcher.deliverNow(id)))
  const deliveries = added.deliveryIds.flatMap(id => findDelivery(database, id)?.delivery ?? [])
  return {event: {id: added.eventId, type, created: isoTime(now), data}, deliveries}
}

/** The members that events of this type have beside those of all; its status is the one its cause leaves. */
function dataOf(
  {database}: RunningService,
  type: EventType,
  {reservation_ref, status, amount, currency}: Subject,
  now: number,
): Record<string, unknown> {
  const fee = fromMinor(0n, currency)
  const changes = [{field: 'contact.email', old: 'before@example.com', new: 'after@example.com'}]
  const voucher = () => {
    const {path, expiresAt} = signVoucherLink(database, reservation_ref, now)
    return {url: path, expires_at: isoTime(expiresAt)}
  }
  const paid = {amount, currency, payment_status: 'PAID', failure_code: null}
  const declined = {...paid, payment_status: 'FAILED', failure_code: 'card_declined'}
  const all: Record<EventType, () => Record<string, unknown>> = {
    'reservation.confirmed': () => ({status: 'CONFIRMED'}),
    'reservation.updated': () => ({status, changes}),
    'reservation.cancelled': () => ({
      status: 'CANCELLED',
      ...{reason: 'triggered', fee, refund_amount: amount, currency},
    }),
    'payment.captured': () => ({status: 'CONFIRMED', ...paid}),
    'payment.failed': () => ({status: 'PENDING_PAYMENT', ...declined}),
    'voucher.ready': () => ({status: 'CONFIRMED', voucher: voucher()}),
  }
  return all[type]()
}
