/** Whether cancelling is free, in the same words for an offer, for its reservation, and before it is cancelled. */
import {instantOf, zonedInstantOf} from '../../../contract/dates.js'
import {onItsOwnClock} from '../../terminal/date-text.js'

interface Known {
  readonly freeUntil: string | null
  readonly refundable?: boolean | null | undefined
  /** When it was reserved, on the service's clock: a fee that counted then leaves no free time, whatever the clock here says. */
  readonly madeAt?: string | null | undefined
  /** The service says that cancelling costs something now. */
  readonly costsNow?: boolean
}

/** Null if unknown. `now`: Unix seconds; `show`: the end of the free time, where it is not over. */
export function cancellationText(
  known: Known,
  now: number,
  show: (until: string) => string = onItsOwnClock,
): string | null {
  const {freeUntil, refundable, madeAt, costsNow} = known
  // First: what is never free may name the moment of the search, which a service whose clock is ahead has not reached here.
  if (refundable === false) return 'not refundable'
  if (freeUntil === null) return refundable ? 'refundable' : null
  const bookedAt = zonedInstantOf(madeAt ?? '') ?? Number.NEGATIVE_INFINITY
  const isOver = costsNow || endOf(freeUntil) <= Math.max(now, bookedAt)
  return isOver ? 'cancelling costs a fee' : `free until ${show(freeUntil)}`
}

/** Where the last clocks are: a time without a time zone is over when it is over everywhere. */
const LAST_ZONE_SECONDS = 12 * 3600

function endOf(until: string): number {
  const inLastZone = (instantOf(`${until}Z`) ?? Number.POSITIVE_INFINITY) + LAST_ZONE_SECONDS
  return zonedInstantOf(until) ?? inLastZone
}
