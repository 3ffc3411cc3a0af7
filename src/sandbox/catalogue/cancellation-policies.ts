/**
 * What cancelling costs and until when it is free. Deadlines are at 18:00 on the hotel's wall clock, written with the
 * hotel's offset, so that a reader in another zone is not a day wrong.
 */
import {addDays} from '../../contract/dates.js'
import {atWallClock, isoWithOffset, offsetsOf} from './zones.js'

const DEADLINE = '18:00'

interface Terms {
  /** Free until this many days before check-in, or null: never free. */
  readonly freeUntilDays: number | null
  /** Minor units. */
  readonly firstNight: bigint
  readonly total: bigint
}

interface Step {
  readonly from: string
  readonly minor: bigint
}

export interface Cancellation {
  readonly steps: Step[]
  readonly freeUntil: string | null
  readonly refundable: boolean
}

/** Works out the steps for one search: deadlines are computed once and shared by all offers. */
export function policyMaker(checkIn: string, zone: string, now: number): (terms: Terms) => Cancellation {
  const offsets = offsetsOf(zone)
  const deadlines = new Map<number, {unixSeconds: number; text: string}>()
  const nowText = isoWithOffset(now, offsets(now))
  const deadline = (daysBefore: number) => {
    const known = deadlines.get(daysBefore) ?? atWallClock(addDays(checkIn, -daysBefore), DEADLINE, offsets)
    deadlines.set(daysBefore, known)
    return known
  }
  return ({freeUntilDays, firstNight, total}) => {
    if (freeUntilDays === null)
      return {steps: [{from: nowText, minor: total}], freeUntil: null, refundable: false}
    const free = deadline(freeUntilDays)
    const all = deadline(Math.min(1, freeUntilDays - 1))
    const steps = [
      {...free, minor: firstNight},
      {...all, minor: total},
    ]
    return inForce(steps, now)
  }
}

/** Steps long past are dropped; the one that holds now stays. */
function inForce(steps: {unixSeconds: number; text: string; minor: bigint}[], now: number): Cancellation {
  const [first, last] = [steps[0], steps.at(-1)]
  if (!first || !last) throw new RangeError('a policy has at least one step')
  // One night alone: the first night is all there is.
  const apart = first.minor === last.minor ? [first] : steps
  const current = apart.findLastIndex(step => step.unixSeconds <= now)
  const kept = apart.slice(Math.max(0, current))
  return {
    steps: kept.map(({text, minor}) => ({from: text, minor})),
    freeUntil: first.unixSeconds > now ? first.text : null,
    refundable: current < 0 || (apart[current]?.minor ?? 0n) < last.minor,
  }
}
