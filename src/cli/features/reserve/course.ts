/** Reads the course of a reservation from the service's record, for the events that it should have caused. */
import {asWord, textIn} from '../../../api/answers/facts.js'
import {factsOfReservation, type ReadReservation} from '../../../api/answers/reservations.js'
import {PAYMENT, RESERVATION} from '../../../api/answers/vocabulary.js'
import {isCancelled, stateOf} from '../../../api/operations/reservations.js'
import {zonedInstantOf} from '../../../contract/dates.js'
import type {ReservationCourse} from '../../../contract/due-events.js'
import {type Fields, fieldsOf, firstObject} from '../../../contract/json.js'
import {paymentStateOf} from './booking.js'

/**
 * Returns the course that the record shows. A record says when it was last written, but not why, so `changedAt` is null: a caller
 * that knows of a change adds its time.
 */
export function courseOf({reservation}: Pick<ReadReservation, 'reservation'>): ReservationCourse {
  const fields = fieldsOf(reservation)
  const inside = (name: string) => fieldsOf(firstObject(fields.get(name)))
  const {payment_mode, payment, voucher, created_at, updated_at} = factsOfReservation({reservation})
  const state = stateOf(reservation) ?? ''
  const confirmedAt = timeIn(fields, RESERVATION.confirmedAt)
  const paidAt = timeIn(inside('payment'), PAYMENT.paidAt)
  const cancelledAt =
    timeIn(fields, RESERVATION.cancelledAt) ?? timeIn(inside('cancellation'), RESERVATION.cancelledAt)
  const paymentKind = paymentStateOf({reservation})?.kind
  const isPaymentFailed = paymentKind === 'declined'
  return {
    paymentMode: payment_mode === null ? null : asWord(payment_mode),
    madeAt: instant(created_at),
    isConfirmed: state === 'confirmed' || confirmedAt !== null,
    confirmedAt,
    isPaid: paymentKind === 'paid' || asWord(payment) === 'refunded' || paidAt !== null,
    paidAt,
    isPaymentFailed,
    // The failed payment is what was written last, unless something changed since.
    paymentFailedAt: isPaymentFailed ? instant(updated_at) : null,
    isVoucherReady: asWord(voucher) === 'ready',
    voucherReadyAt: null,
    // A reservation that expired unpaid was cancelled by the service, if it says when.
    isCancelled: isCancelled(state) || cancelledAt !== null,
    cancelledAt,
    changedAt: null,
  }
}

function timeIn(fields: Fields, names: readonly string[]): number | null {
  return instant(textIn(fields, names))
}

/** Returns Unix seconds, or null for a time that is missing, invalid or without a time zone. */
function instant(text: string | null): number | null {
  return (text === null ? undefined : zonedInstantOf(text)) ?? null
}
