/** Which events a reservation should have caused (§6.1), by what is known of it (§3; §6.4, "Emitting operations"). */
import {isoTime} from './dates.js'
import type {EventType} from './events.js'

/**
 * What is known of a reservation's course. Times are Unix seconds; null where the time, or whether it happened at all, is not
 * known.
 */
export interface ReservationCourse {
  /** `account` or `instant`, or null. */
  readonly paymentMode: string | null
  readonly madeAt: number | null
  /** Whether it is confirmed, or certainly was before it was cancelled. */
  readonly isConfirmed: boolean
  readonly confirmedAt: number | null
  /** Whether a payment succeeded. */
  readonly isPaid: boolean
  readonly paidAt: number | null
  /** Whether the last payment failed. */
  readonly isPaymentFailed: boolean
  readonly paymentFailedAt: number | null
  /** Whether its voucher is produced. */
  readonly isVoucherReady: boolean
  readonly voucherReadyAt: number | null
  readonly isCancelled: boolean
  readonly cancelledAt: number | null
  /** The last change of contact, guests or price that is certain. */
  readonly changedAt: number | null
}

export interface DueEvent {
  readonly type: EventType
  /** When it was first due: the first attempt is immediate (§6.4). ISO 8601 in UTC; null where it is not known. */
  readonly due_at: string | null
}

/**
 * Returns the events that the reservation should have caused, in the order in which they happen. What is not known of its course
 * causes none: a reservation whose payment mode is unknown has no `payment.captured`.
 */
export function dueEvents(course: ReservationCourse): DueEvent[] {
  const {paymentMode, madeAt, confirmedAt, paidAt} = course
  const isInstant = paymentMode === 'instant'
  // An instant reservation is confirmed by its payment (§3), and one on the account when it is made.
  const isCaptured = isInstant && (course.isPaid || course.isConfirmed)
  const madeConfirmedAt = paymentMode === 'account' ? madeAt : null
  const confirmed = confirmedAt ?? (isInstant ? paidAt : madeConfirmedAt)
  const due: [EventType, boolean, number | null][] = [
    ['payment.failed', course.isPaymentFailed, course.paymentFailedAt],
    ['payment.captured', isCaptured, paidAt ?? confirmedAt],
    ['reservation.confirmed', course.isConfirmed, confirmed],
    // A voucher is produced once the reservation is confirmed (§3), so its event is due then at the earliest.
    ['voucher.ready', course.isVoucherReady, course.voucherReadyAt ?? confirmed],
    ['reservation.updated', course.changedAt !== null, course.changedAt],
    ['reservation.cancelled', course.isCancelled, course.cancelledAt],
  ]
  const caused = due.filter(([, hasHappened]) => hasHappened)
  return caused.map(([type, , at]) => ({type, due_at: at === null ? null : isoTime(at)}))
}
