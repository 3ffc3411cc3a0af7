/** Cancellation prices (not in the interface): the policies of an offer, and the fee at a given time. */
import {addDays} from '../../contract/dates.js'
import {toMinor} from '../../contract/money.js'
import type {Reservation} from '../../contract/reservations.js'
import {atWallClock, isoWithOffset, offsetsOf} from './zones.js'

/** The hour on the hotel's clock. Deadlines are written with the hotel's offset, so that no reader mistakes the day. */
const DEADLINE = '18:00'

/** The largest number of days before check-in at which free cancellation can end. */
export const MOST_FREE_DAYS = 5

interface Terms {
  /** Number of days before check-in at which free cancellation ends; null if the offer is not refundable. */
  readonly freeUntilDays: number | null
  /** Both amounts are in minor units. */
  readonly firstNight: bigint
  readonly total: bigint
}

/**
 * Returns a function that computes the policies of an offer. They charge the price of the first night from the first deadline on,
 * and the whole price from the last deadline on.
 */
export function policyMaker(checkIn: string, zone: string, now: number) {
  const offsets = offsetsOf(zone)
  const nowText = isoWithOffset(now, offsets(now))
  const deadlines = Array.from({length: MOST_FREE_DAYS + 1}, (_, days) =>
    atWallClock(addDays(checkIn, -days), DEADLINE, offsets),
  )
  return ({freeUntilDays, firstNight, total}: Terms) => {
    if (freeUntilDays === null)
      return {steps: [{from: nowText, minor: total}], freeUntil: null, refundable: false}
    const first = {from: deadlines[freeUntilDays] ?? nowText, minor: firstNight}
    const last = {from: deadlines[Math.min(1, freeUntilDays - 1)] ?? nowText, minor: total}
    // In a stay of one night both steps would charge the same.
    const steps = firstNight === total ? [first] : [first, last]
    const current = inForce(steps, now)
    return {
      // Steps that were already replaced by a later one are left out.
      steps: steps.slice(Math.max(0, current)),
      freeUntil: current < 0 ? first.from : null,
      refundable: current < 0 || (steps[current]?.minor ?? 0n) < total,
    }
  }
}

/** Returns the fee at `now` (Unix seconds), in minor units of the currency paid. The fee is never more than `paid`. */
export function cancellationFee(policies: Reservation['cancellation_policies'], paid: bigint, now: number) {
  const policy = policies[inForce(policies, now)]
  const due = policy ? toMinor(policy.amount, policy.currency) : 0n
  return due < paid ? due : paid
}

/** Returns the index of the step in force, which is the last one that has begun; -1 while cancelling is free. */
function inForce(steps: readonly {readonly from: string}[], now: number): number {
  return steps.findLastIndex(({from}) => Date.parse(from) / 1000 <= now)
}
