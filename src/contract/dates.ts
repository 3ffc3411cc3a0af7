/**
 * Calendar dates (`YYYY-MM-DD`), days at the hotel, computed in UTC and never through a local clock; ISO 8601 times; the
 * clock.
 */
import {setTimeout as sleep} from 'node:timers/promises'

export interface Clock {
  /** Unix seconds, with a fraction. */
  now(): number
  sleep(milliseconds: number): Promise<void>
}

export const systemClock: Clock = {
  now: () => Date.now() / 1000,
  sleep: async milliseconds => void (await sleep(milliseconds)),
}

const MILLISECONDS_PER_DAY = 86_400_000

/** The day number (days since 1970-01-01) of `text`, or undefined when it is not a date that exists. */
export function dayNumber(text: string): number | undefined {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN
  // Date.parse takes 31 June for 1 July.
  const exists = !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
  return exists ? at / MILLISECONDS_PER_DAY : undefined
}

/** ISO 8601 of Unix seconds, in UTC, to the millisecond. Throws RangeError for what is no time. */
export function isoTime(unixSeconds: number): string {
  return new Date(Math.round(unixSeconds * 1000)).toISOString()
}

/** Unix seconds of an ISO 8601 time, or undefined. */
export function instantOf(text: string): number | undefined {
  const milliseconds = isCalendarDate(text.slice(0, 10)) ? Date.parse(text) : Number.NaN
  return Number.isNaN(milliseconds) ? undefined : milliseconds / 1000
}

/** The same of a time with its time zone; undefined without one, because the machine's own zone would be assumed. */
export function zonedInstantOf(text: string): number | undefined {
  return /[T ].*(Z|[+-]\d{2}:?\d{2})$/i.test(text) ? instantOf(text) : undefined
}

export function isCalendarDate(text: string): boolean {
  return dayNumber(text) !== undefined
}

/** The date `days` after `date`. Throws RangeError when `date` or the result is not a calendar date. */
export function addDays(date: string, days: number): string {
  const text = new Date((requireDay(date) + days) * MILLISECONDS_PER_DAY).toISOString().slice(0, 10)
  if (isCalendarDate(text)) return text
  throw new RangeError(`${days} days after ${date} is no date of four digits a year`)
}

/** Nights from `checkIn` to `checkOut`; negative when they are the wrong way round. */
export function nightsBetween(checkIn: string, checkOut: string): number {
  return requireDay(checkOut) - requireDay(checkIn)
}

/** Completed years on the day `onDate`; someone born on 29 February is a year older on 1 March. */
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
