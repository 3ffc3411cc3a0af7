/** Records the events of a reservation (§6.1, §2.8; the data of each is ours), in the caller's transaction. */
import {isoTime} from '../../contract/dates.js'
import type {EventType} from '../../contract/events.js'
import type {Reservation} from '../../contract/reservations.js'
import type {Database} from '../../storage/database.js'
import {addEvent} from '../store/events.js'
import {signVoucherLink} from '../voucher/link.js'

interface ReservationEvent {
  readonly clientId: string
  readonly record: Reservation
  /** Unix seconds. */
  readonly now: number
}

/** Records an event with the members every event has, and `more`. */
export function recordEvent(
  database: Database,
  type: EventType,
  {clientId, record, now}: ReservationEvent,
  more: Record<string, unknown> = {},
): void {
  const {reservation_ref, client_reference_id, status} = record
  const data = {object: 'reservation', reservation_ref, client_reference_id, status, ...more}
  addEvent(database, {clientId, type, data, now})
}

export function recordPaymentEvent(
  database: Database,
  type: 'payment.captured' | 'payment.failed',
  event: ReservationEvent,
): void {
  const {amount, currency, status, failure_code} = event.record.payment
  recordEvent(database, type, event, {amount, currency, payment_status: status, failure_code})
}

/** `reservation.confirmed`, then `voucher.ready` with a link that is valid for an hour from now. */
export function recordConfirmation(database: Database, event: ReservationEvent): void {
  recordEvent(database, 'reservation.confirmed', event)
  const {path, expiresAt} = signVoucherLink(database, event.record.reservation_ref, event.now)
  recordEvent(database, 'voucher.ready', event, {voucher: {url: path, expires_at: isoTime(expiresAt)}})
}

export function recordCancellation(database: Database, event: ReservationEvent): void {
  const {cancellation} = event.record
  const {reason, fee, refund_amount, currency} = cancellation as NonNullable<typeof cancellation>
  recordEvent(database, 'reservation.cancelled', event, {reason, fee, refund_amount, currency})
}
