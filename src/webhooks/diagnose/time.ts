/** A right signature at the wrong time: old, or from the future. */
import {DELIVERY_DELAYS_SECONDS} from '../../contract/limits.js'
import {TIME_FIXES} from './fixes.js'

/** Ours: how far from the schedule of §6.4 an age may lie and still be told as an attempt's. */
const SLACK = 0.02
const LEAST_SLACK_SECONDS = 15

export interface TimeFacts {
  readonly timestamp: number
  /** Positive when the timestamp lies in the past. */
  readonly ageSeconds: number
  readonly toleranceSeconds: number
  /** By the capture; Unix seconds. */
  readonly receivedAt: number | undefined
}

/** The digest matched, so that time alone is wrong. */
export function describeTime(facts: TimeFacts): {code: string; explanation: string; fix: string} {
  const {ageSeconds, toleranceSeconds} = facts
  const outside = `outside the ${toleranceSeconds} s allowed`
  if (ageSeconds < 0) {
    const zone = zoneWords(-ageSeconds)
    const explanation = `The signature is right, but its timestamp lies ${lengthOf(-ageSeconds)} in the future, ${outside}: the clock it is judged by is slow${zone}, or the sender's is fast.`
    return {code: 'clock_skew', explanation, fix: TIME_FIXES.clock}
  }
  const start = `The signature is right, but it was made ${lengthOf(ageSeconds)} before, ${outside}`
  const {receivedAt, timestamp} = facts
  if (receivedAt !== undefined && Math.abs(Math.floor(receivedAt) - timestamp) <= toleranceSeconds) {
    const explanation = `${start}. It was fresh when it was received.`
    return {code: 'stale_retry', explanation, fix: TIME_FIXES.received}
  }
  const attempt = attemptAt(ageSeconds)
  const why =
    attempt === undefined
      ? `: it was held in a queue, or sent again without being signed anew${zoneWords(ageSeconds) && ', or a clock took local time for UTC'}`
      : `: that is when attempt ${attempt} of §6.4 falls due, so an earlier attempt's signature was sent again`
  const explanation = `${start}${why}. If it came just now and was just made, the clock here is fast.`
  return {code: 'stale_retry', explanation, fix: TIME_FIXES.onArrival}
}

/** The attempt of §6.4 that falls due `age` seconds after the first. */
function attemptAt(age: number): number | undefined {
  let due = 0
  for (const [n, delay] of DELIVERY_DELAYS_SECONDS.entries()) {
    due += delay
    if (n > 0 && Math.abs(age - due) <= Math.max(LEAST_SLACK_SECONDS, due * SLACK)) return n + 1
  }
  return undefined
}

function zoneWords(seconds: number): string {
  const halfHours = Math.round(seconds / 1800)
  const near = halfHours >= 2 && halfHours <= 28 && Math.abs(seconds - halfHours * 1800) <= 60
  return near ? ' or takes local time for UTC' : ''
}

function lengthOf(seconds: number): string {
  const units: [number, string][] = [
    [86_400, 'd'],
    [3600, 'h'],
    [60, 'min'],
  ]
  const unit = units.find(([size]) => seconds >= size * 2)
  return unit ? `${seconds} s (about ${Math.round(seconds / unit[0])} ${unit[1]})` : `${seconds} s`
}
