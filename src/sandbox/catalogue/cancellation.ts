/** Computes cancellation fees (not in the interface): the policies of an offer, and the fee at a given time. */
import {addDays} from '../../contract/dates.js'
import {toMinor} from '../../contract/money.js'
import type {Reservation} from '../../contract/reservations.js'
import {atWallClock, isoWithOffset, offsetsOf} from './zones.js'

/**
 * The time of day of deadlines, on the hotel's clock. Deadlines are written with the hotel's UTC offset, so that the
 * day is not mistaken.
 */
const DEADLINE = '18:00'

/** Maximum number of days before check-in at which free cancellation ends. */
export const MOST_FREE_DAYS = 5

interface Terms {
  /** How many days before check-in free cancellation ends; null if the offer is not refundable. */
  readonly freeUntilDays: number | null
  /** Both amounts are in minor units of the currency of the price. */
  readonly firstNight: bigint
  readonly total: bigint
}

/**
 * Returns a function that computes the cancellation policies of one offer. From the first deadline on, the fee is the
 * price of the first night; from the last deadline on, it is the whole price. `now` is in Unix seconds.
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
    // In a stay of one night, both steps have the same fee.
    const steps = firstNight === total ? [first] : [first, last]
    const current = inForce(steps, now)
    return {
      // A step that a later one has already replaced is left out.
      steps: steps.slice(Math.max(0, current)),
      freeUntil: current < 0 ? first.from : null,
      refundable: current < 0 || (steps[current]?.minor ?? 0n) < total,
    }
  }
}

/**
 * Returns the fee for cancelling at `now` (Unix seconds), in minor units of the currency of the price. It is at most
 * `paid`.
 */
export function cancellationFee(policies: Reservation['cancellation_policies'], paid: bigint, now: number) {
  const policy = policies[inForce(policies, now)]
  const due = policy ? toMinor(policy.amount, policy.currency) : 0n
  return due < paid ? due : paid
}

/**
 * Returns the index of the step that applies at `now` (the last one that has begun), or -1 while cancelling is free.
 */
function inForce(steps: readonly {readonly from: string}[], now: number): number {
  return steps.findLastIndex(({from}) => Date.parse(from) / 1000 <= now)
}
