/** How cancelling is priced (all of it is ours): the steps that an offer is sold with, and what it costs at a time. */
import {addDays} from '../../contract/dates.js'
import {toMinor} from '../../contract/money.js'
import type {Reservation} from '../../contract/reservations.js'
import {atWallClock, isoWithOffset, offsetsOf} from './zones.js'

/** On the hotel's clock, and written with its offset: no reader is a day wrong. */
const DEADLINE = '18:00'

/** Most days before check-in until which cancelling is free. */
export const MOST_FREE_DAYS = 5

interface Terms {
  /** Free cancellation until so many days before check-in; null: never. */
  readonly freeUntilDays: number | null
  /** Minor units. */
  readonly firstNight: bigint
  readonly total: bigint
}

/** Works out the steps for one search: the first night from the first deadline, everything from the last. */
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
    // A stay of one night: the first night is the whole price.
    const steps = firstNight === total ? [first] : [first, last]
    const current = inForce(steps, now)
    return {
      // Without a step that a later one has replaced.
      steps: steps.slice(Math.max(0, current)),
      freeUntil: current < 0 ? first.from : null,
      refundable: current < 0 || (steps[current]?.minor ?? 0n) < total,
    }
  }
}

/** The fee at `now` (Unix seconds), in minor units of `paid`, which it never exceeds. */
export function cancellationFee(policies: Reservation['cancellation_policies'], paid: bigint, now: number) {
  const policy = policies[inForce(policies, now)]
  const due = policy ? toMinor(policy.amount, policy.currency) : 0n
  return due < paid ? due : paid
}

/** The place of the step in force: the last whose time has come; -1 while cancelling is free. */
function inForce(steps: readonly {readonly from: string}[], now: number): number {
  return steps.findLastIndex(({from}) => Date.parse(from) / 1000 <= now)
}
