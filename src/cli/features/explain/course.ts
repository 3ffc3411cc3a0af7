/** Works out the course of a reservation from what the service says, what was recorded here, and its events. */
import {isEnded} from '../../../api/answers/reservations.js'
import type {DueEvent, ReservationCourse} from '../../../contract/due-events.js'
import {dueEvents} from '../../../contract/due-events.js'
import {isUnresolved} from '../../../contract/journal.js'
import {courseOf} from '../reserve/course.js'
import {type ReceivedEvent, type ReservationFacts, recordOf} from './facts.js'

type CourseFacts = Pick<ReservationFacts, 'service' | 'entry' | 'events'>

export function courseOfFacts(facts: CourseFacts): ReservationCourse {
  const {entry, events} = facts
  const course = courseOf({reservation: recordOf(facts)})
  const timeOf = (type: string) => {
    const found = events.find(event => event.type === type)
    return found && (found.createdAt ?? found.receivedAt)
  }
  const confirmedAt = course.confirmedAt ?? timeOf('reservation.confirmed') ?? null
  const cancelledAt = course.cancelledAt ?? timeOf('reservation.cancelled') ?? null
  const paidAt = course.paidAt ?? timeOf('payment.captured') ?? null
  const voucherAt = timeOf('voucher.ready')
  const isCancelled = course.isCancelled || cancelledAt !== null
  return {
    ...course,
    madeAt: course.madeAt ?? (entry?.reservationRef ? entry.createdAt : null),
    // A voucher is produced only after the reservation is confirmed (§3).
    isConfirmed: course.isConfirmed || confirmedAt !== null || voucherAt !== undefined,
    confirmedAt,
    isPaid: course.isPaid || paidAt !== null,
    paidAt,
    isVoucherReady: course.isVoucherReady || voucherAt !== undefined,
    voucherReadyAt: course.voucherReadyAt ?? voucherAt ?? null,
    isCancelled,
    // The journal learns of a cancellation only afterwards.
    cancelledAt: cancelledAt ?? (isCancelled ? (entry?.updatedAt ?? null) : null),
  }
}

/** Returns the events that the reservation should have caused, as far as that is certain. */
export function dueOf(facts: CourseFacts): DueEvent[] {
  return dueEvents(courseOfFacts(facts))
}

/** Returns the newest known state in lower case, or null if none is known. */
export function stateOfFacts(facts: CourseFacts): string | null {
  const {service, entry, events} = facts
  if (service.kind === 'shown') return service.found.status?.toLowerCase() ?? null
  const reported = newestStatus(events)
  if (entry === undefined) return reported?.status.toLowerCase() ?? null
  if (reported !== undefined && reported.at > entry.updatedAt) return reported.status.toLowerCase()
  return isUnresolved(entry) ? null : entry.outcome
}

function newestStatus(events: readonly ReceivedEvent[]) {
  return events
    .flatMap(({status, createdAt, receivedAt}) =>
      status === null ? [] : [{status, at: createdAt ?? receivedAt}],
    )
    .sort((left, right) => right.at - left.at)[0]
}

/** Reports whether the reservation is not a booking, or is no longer one. */
export function hasEnded(facts: CourseFacts): boolean {
  return isEnded(stateOfFacts(facts)) || courseOfFacts(facts).isCancelled
}
