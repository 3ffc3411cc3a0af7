/** Whether cancelling is free, in the same words for an offer, for its reservation, and before it is cancelled. */
import {instantOf} from '../../../contract/dates.js'
import {onItsOwnClock} from '../../terminal/date-text.js'

/** Null if unknown. `now`: Unix seconds. */
export function cancellationText(
  freeUntil: string | null,
  refundable: boolean | null | undefined,
  now: number,
): string | null {
  if (freeUntil !== null && !isOver(freeUntil, now)) return `free until ${onItsOwnClock(freeUntil)}`
  if (refundable === false) return 'not refundable'
  if (freeUntil !== null) return 'cancelling costs a fee'
  return refundable ? 'refundable' : null
}

function isOver(until: string, now: number): boolean {
  return (instantOf(until) ?? Number.POSITIVE_INFINITY) <= now
}
