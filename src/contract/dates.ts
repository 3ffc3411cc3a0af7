/**
 * Calendar dates (`YYYY-MM-DD`), ISO 8601 times, and the clock. Dates are days at the hotel, computed in UTC and never in the
 * machine's time zone.
 */
import {setTimeout as sleep} from 'node:timers/promises'

export interface Clock {
  /** Returns Unix seconds, with a fraction. */
  now(): number
  sleep(milliseconds: number): Promise<void>
}

export const systemClock: Clock = {
  now: () => Date.now() / 1000,
  sleep: async milliseconds => void (await sleep(milliseconds)),
}

const MILLISECONDS_PER_DAY = 86_400_000

/** Returns the number of days since 1970-01-01, or undefined when `text` is not a date that exists. */
export function dayNumber(text: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined
  const milliseconds = Date.parse(text)
  if (Number.isNaN(milliseconds)) return undefined
  // Date.parse reads 31 June as 1 July.
  const exists = new Date(milliseconds).toISOString().startsWith(text)
  return exists ? milliseconds / MILLISECONDS_PER_DAY : undefined
}

/** Formats Unix seconds as ISO 8601 in UTC, with milliseconds. Throws a RangeError for a value that is not a time. */
export function isoTime(unixSeconds: number): string {
  return new Date(Math.round(unixSeconds * 1000)).toISOString()
}

/** Parses an ISO 8601 time into Unix seconds. Returns undefined if it is invalid. */
export function instantOf(text: string): number | undefined {
  const milliseconds = isCalendarDate(text.slice(0, 10)) ? Date.parse(text) : Number.NaN
  return Number.isNaN(milliseconds) ? undefined : milliseconds / 1000
}

/** Like `instantOf`, but returns undefined for a time without a time zone, because Date.parse would assume the machine's. */
export function zonedInstantOf(text: string): number | undefined {
  return /[T ].*(Z|[+-]\d{2}:?\d{2})$/i.test(text) ? instantOf(text) : undefined
}

export function isCalendarDate(text: string): boolean {
  return dayNumber(text) !== undefined
}

/** Returns the date `days` after `date`. Throws a RangeError when `date` or the result is not a calendar date. */
export function addDays(date: string, days: number): string {
  const text = new Date((requireDay(date) + days) * MILLISECONDS_PER_DAY).toISOString().slice(0, 10)
  if (isCalendarDate(text)) return text
  throw new RangeError(`${days} days after ${date} is no date of four digits a year`)
}

/**
 * Returns the number of nights from `checkIn` to `checkOut`, negative if `checkOut` is earlier. Throws a RangeError for an
 * invalid date.
 */
export function nightsBetween(checkIn: string, checkOut: string): number {
  return requireDay(checkOut) - requireDay(checkIn)
}

/**
 * Returns the age in completed years on the day `onDate`. Somebody born on 29 February becomes a year older on 1 March. Throws
 * a RangeError for an invalid date.
 */
export function ageOn(birthDate: string, onDate: string): number {
  requireDay(birthDate)
  requireDay(onDate)
  const years = Number(onDate.slice(0, 4)) - Number(birthDate.slice(0, 4))
  return onDate.slice(5) < birthDate.slice(5) ? years - 1 : years
}

function requireDay(date: string): number {
  const day = dayNumber(date)
  if (day === undefined) throw new RangeError(`not a calendar date: ${date}`)
  return day
}
