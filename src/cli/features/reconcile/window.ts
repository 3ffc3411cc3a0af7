/** The booking times that are compared: from `--since` to `--until`. */
import {instantOf, isCalendarDate, isoTime, zonedInstantOf} from '../../../contract/dates.js'
import {usage} from '../../../contract/failure.js'
import {readSince} from '../../input/checks.js'

/** Times in Unix seconds, from `since` to before `until`; undefined means no limit. */
export interface Window {
  readonly since: number | undefined
  readonly until: number | undefined
}

const SECONDS_PER_DAY = 86_400

/**
 * Returns a time in Unix seconds, as `readSince` does; a date means the end of that day. Throws a usage error if the
 * value is invalid.
 */
export function readUntil(field: string, text: string): number {
  return isCalendarDate(text) ? readSince(field, text) + SECONDS_PER_DAY : readSince(field, text)
}

/** Throws a usage error if the window ends before it begins. */
export function checkWindow({since, until}: Window): void {
  if (since !== undefined && until !== undefined && until <= since)
    throw usage('invalid_input', '--until: must be later than --since')
}

/**
 * How far the clocks of this machine and the service may differ. Reservations made that close to the window are
 * requested too.
 */
const MARGIN_SECONDS = 900

/** Returns query parameters for the reservations made in the window or close to it. */
export function queryOf({since, until}: Window): {created_from?: string; created_to?: string} {
  return {
    ...(since === undefined ? {} : {created_from: isoTime(since - MARGIN_SECONDS)}),
    ...(until === undefined ? {} : {created_to: isoTime(until + MARGIN_SECONDS)}),
  }
}

export function isOpenEnded({since, until}: Window): boolean {
  return since === undefined && until === undefined
}

export function isWithin(
  {since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY}: Window,
  time: number,
) {
  return since <= time && time < until
}

/**
 * Reports whether a time, as written by the service, is in the window. Undefined if the time is missing, or has no time
 * zone and may be on either side of a limit.
 */
export function isWithinAsWritten(window: Window, text: string | null): boolean | undefined {
  if (isOpenEnded(window)) return true
  const exact = zonedInstantOf(text ?? '')
  if (exact !== undefined) return isWithin(window, exact)
  const day = instantOf((text ?? '').slice(0, 10))
  if (day === undefined) return undefined
  // In some time zone, the day begins up to 14 hours before the UTC day, and ends up to 12 hours after it.
  const earliest = day - 14 * 3600
  const latest = day + 36 * 3600
  const {since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY} = window
  if (latest < since || earliest >= until) return false
  return earliest >= since && latest < until ? true : undefined
}
