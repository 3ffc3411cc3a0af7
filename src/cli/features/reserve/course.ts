/** Reads from a reservation what happened to it, to know which events the service should have sent. */
import {asWord} from '../../../api/answers/facts.js'
import {progressOf, type ReadReservation} from '../../../api/answers/reservations.js'
import {isCancelled, stateOf} from '../../../api/operations/reservations.js'
import {zonedInstantOf} from '../../../contract/dates.js'
import type {ReservationCourse} from '../../../contract/due-events.js'
import {paymentKindOf} from './booking.js'

/**
 * Returns what happened to the reservation. The service states when the reservation changed last, but not why, so
 * `changedAt` is null; a caller that knows of a change sets it.
 */
export function courseOf({reservation}: Pick<ReadReservation, 'reservation'>): ReservationCourse {
  const {payment, payment_mode: mode, voucher, ...times} = progressOf({reservation})
  const state = stateOf(reservation) ?? ''
  const confirmedAt = instant(times.confirmed_at)
  const paidAt = instant(times.paid_at)
  const cancelledAt = instant(times.cancelled_at)
  const paymentKind = paymentKindOf(payment)
  const isPaymentFailed = paymentKind === 'declined'
  return {
    paymentMode: mode === null ? null : asWord(mode),
    madeAt: instant(times.created_at),
    isConfirmed: state === 'confirmed' || confirmedAt !== null,
    confirmedAt,
    isPaid: paymentKind === 'paid' || asWord(payment) === 'refunded' || paidAt !== null,
    paidAt,
    isPaymentFailed,
    // The failed payment is the latest change, unless something else changed since.
    paymentFailedAt: isPaymentFailed ? instant(times.updated_at) : null,
    isVoucherReady: asWord(voucher) === 'ready',
    voucherReadyAt: null,
    // A reservation that expired unpaid counts as cancelled if the service states the time.
    isCancelled: isCancelled(state) || cancelledAt !== null,
    cancelledAt,
    changedAt: null,
  }
}

/** Returns a time in Unix seconds; null if it is missing, invalid or without a time zone. */
function instant(text: string | null): number | null {
  return zonedInstantOf(text ?? '') ?? null
}
