/** Cancellation terms. Deadlines are at 18:00 on the hotel's clock, with its offset: no reader is a day wrong. */
import {addDays} from '../../contract/dates.js'
import {atWallClock, isoWithOffset, offsetsOf} from './zones.js'

const DEADLINE = '18:00'

interface Terms {
  /** Free until this many days before check-in, or null: never free. */
  readonly freeUntilDays: number | null
  readonly firstNight: bigint
  readonly total: bigint
}

type Step = ReturnType<typeof atWallClock> & {readonly minor: bigint}
type Cancellation = ReturnType<typeof inForce>

/** Works out the steps for one search: deadlines are computed once and shared by all offers. */
export function policyMaker(checkIn: string, zone: string, now: number): (terms: Terms) => Cancellation {
  const offsets = offsetsOf(zone)
  const deadlines = new Map<number, ReturnType<typeof atWallClock>>()
  const nowText = isoWithOffset(now, offsets(now))
  const deadline = (daysBefore: number) => {
    const known = deadlines.get(daysBefore) ?? atWallClock(addDays(checkIn, -daysBefore), DEADLINE, offsets)
    deadlines.set(daysBefore, known)
    return known
  }
  return ({freeUntilDays, firstNight, total}) => {
    if (freeUntilDays === null)
      return {steps: [{from: nowText, minor: total}], freeUntil: null, refundable: false}
    const first = {...deadline(freeUntilDays), minor: firstNight}
    return inForce(first, {...deadline(Math.min(1, freeUntilDays - 1)), minor: total}, now)
  }
}

/** Without steps that a later one has replaced. */
function inForce(first: Step, last: Step, now: number) {
  // A stay of one night: the first night is the whole price.
  const steps = first.minor === last.minor ? [first] : [first, last]
  const current = steps.findLastIndex(step => step.unixSeconds <= now)
  const kept = steps.slice(Math.max(0, current))
  return {
    steps: kept.map(({text, minor}) => ({from: text, minor})),
    freeUntil: first.unixSeconds > now ? first.text : null,
    refundable: current < 0 || (steps[current]?.minor ?? 0n) < last.minor,
  }
}
