/** The time of booking that is compared: from `--since` to `--until`. */
import {instantOf, isCalendarDate, isoTime, zonedInstantOf} from '../../../contract/dates.js'
import {usage} from '../../../contract/failure.js'
import {readSince} from '../../input/checks.js'

/** In Unix seconds; an end that is undefined is open. */
export interface Window {
  readonly since: number | undefined
  readonly until: number | undefined
}

const SECONDS_PER_DAY = 86_400

/** Reads `--until` as `readSince` does, but a day means its end. Throws a usage error if it is invalid. */
export function readUntil(field: string, text: string): number {
  return isCalendarDate(text) ? readSince(field, text) + SECONDS_PER_DAY : readSince(field, text)
}

/** Throws a usage error if the window ends before it begins. */
export function checkWindow({since, until}: Window): void {
  if (since !== undefined && until !== undefined && until <= since)
    throw usage('invalid_input', '--until: must be later than --since')
}

/** How far the clocks of this machine and the service may differ. A reservation near an end is then still found. */
const MARGIN_SECONDS = 900

/** Returns the query for the reservations made in the window, and for those made near its ends. */
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
 * Reports whether a time as the service wrote it is in the window; undefined if it is unknown, or without a time zone so near an
 * end that it may be on either side.
 */
export function isWithinAsWritten(window: Window, text: string | null): boolean | undefined {
  if (isOpenEnded(window)) return true
  const exact = zonedInstantOf(text ?? '')
  if (exact !== undefined) return isWithin(window, exact)
  const day = instantOf((text ?? '').slice(0, 10))
  if (day === undefined) return undefined
  // The day begins up to 14 hours earlier and ends up to 12 hours later than in UTC.
  const [earliest, latest] = [day - 14 * 3600, day + 36 * 3600]
  const {since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY} = window
  if (latest < since || earliest >= until) return false
  return earliest >= since && latest < until ? true : undefined
}
