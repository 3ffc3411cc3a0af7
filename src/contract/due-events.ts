/**
 * Computes which events a reservation should have caused (§6.1), from what is known about it (§3; §6.4, "Emitting
 * operations").
 */
import {isoTime} from './dates.js'
import type {EventType} from './events.js'

/**
 * What is known about the life of a reservation. Times are Unix seconds. A time is null if it is unknown or if the step
 * may not have happened.
 */
export interface ReservationCourse {
  /** `account` or `instant`, or null. */
  readonly paymentMode: string | null
  readonly madeAt: number | null
  /** Whether the reservation is confirmed, or was certainly confirmed before it was cancelled. */
  readonly isConfirmed: boolean
  readonly confirmedAt: number | null
  /** Whether a payment succeeded. */
  readonly isPaid: boolean
  readonly paidAt: number | null
  /** Whether the last payment failed. */
  readonly isPaymentFailed: boolean
  readonly paymentFailedAt: number | null
  /** Whether the voucher has been produced. */
  readonly isVoucherReady: boolean
  readonly voucherReadyAt: number | null
  readonly isCancelled: boolean
  readonly cancelledAt: number | null
  /** The time of the last change of contact, guests or price, or null if no change is certain. */
  readonly changedAt: number | null
}

export interface DueEvent {
  readonly type: EventType
  /**
   * When the first delivery attempt was due (the first attempt is immediate, §6.4), as ISO 8601 in UTC. Null if
   * unknown.
   */
  readonly due_at: string | null
}

/**
 * Returns the events that the reservation should have caused, in the order in which they happen. An unknown fact causes
 * no event: without a known payment mode, for example, there is no `payment.captured`.
 */
export function dueEvents(course: ReservationCourse): DueEvent[] {
  const {paymentMode, madeAt, confirmedAt, paidAt} = course
  const isInstant = paymentMode === 'instant'
  // An `instant` reservation is confirmed by its payment, an `account` reservation when it is made (§3).
  const isCaptured = isInstant && (course.isPaid || course.isConfirmed)
  const madeConfirmedAt = paymentMode === 'account' ? madeAt : null
  const confirmed = confirmedAt ?? (isInstant ? paidAt : madeConfirmedAt)
  const due: [EventType, boolean, number | null][] = [
    ['payment.failed', course.isPaymentFailed, course.paymentFailedAt],
    ['payment.captured', isCaptured, paidAt ?? confirmedAt],
    ['reservation.confirmed', course.isConfirmed, confirmed],
    // A voucher is produced after the reservation is confirmed (§3), so its event is due no earlier.
    ['voucher.ready', course.isVoucherReady, course.voucherReadyAt ?? confirmed],
    ['reservation.updated', course.changedAt !== null, course.changedAt],
    ['reservation.cancelled', course.isCancelled, course.cancelledAt],
  ]
  const caused = due.filter(([, hasHappened]) => hasHappened)
  return caused.map(([type, , at]) => ({type, due_at: at === null ? null : isoTime(at)}))
}
