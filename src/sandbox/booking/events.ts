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
  const data = {
    object: 'reservation',
    reservation_ref: record.reservation_ref,
    client_reference_id: record.client_reference_id,
    status: record.status,
    ...more,
  }
  addEvent(database, {clientId, type, data, now})
}

/** `payment.captured` or `payment.failed`. */
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
  const link = signVoucherLink(database, event.record.reservation_ref, event.now)
  recordEvent(database, 'voucher.ready', event, {
    voucher: {url: link.path, expires_at: isoTime(link.expiresAt)},
  })
}

/** `reservation.cancelled`, from the record's own cancellation. */
export function recordCancellation(database: Database, event: ReservationEvent): void {
  const {cancellation} = event.record
  if (!cancellation) throw new Error('the reservation is not cancelled')
  const {reason, fee, refund_amount, currency} = cancellation
  recordEvent(database, 'reservation.cancelled', event, {reason, fee, refund_amount, currency})
}
