/** Dates as the wizard reads and shows them: days as people type them, with the weekday, and deadlines on three clocks. */
import {addDays, dayNumber, instantOf, isCalendarDate, nightsBetween} from '../../../contract/dates.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {checkDate, checkInteger, invalid} from '../../input/checks.js'
import {onItsOwnClock} from '../../terminal/values.js'
import {leaveAfter, MOST_NIGHTS} from '../catalogue/hotel-search.js'
import {counted} from './questions.js'

/** YYYY-MM-DD of `2030-06-01`, `1.6.2030`, `today`, `tomorrow`, `+7`. Throws usage. */
export function readDay(typed: string, today: string): string {
  const text = typed.trim().toLowerCase()
  if (text === 'today') return today
  if (text === 'tomorrow') return addDays(today, 1)
  const ahead = /^\+(\d{1,4})$/.exec(text)?.[1]
  if (ahead !== undefined) return addDays(today, Number(ahead))
  return checkDate('date', dotted(text) ?? text)
}

/** YYYY-MM-DD of `1.6.2030`; undefined for anything else. */
export function dotted(text: string): string | undefined {
  const [, day = '', month = '', year = ''] = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(text.trim()) ?? []
  return year === '' ? undefined : `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
}

/** A check-in from yesterday on: at the hotel it may still be yesterday. Throws usage. */
export function readCheckIn(typed: string, today: string): string {
  const date = readDay(typed, today)
  if (nightsBetween(today, date) >= -1) return date
  throw invalid('date', 'must not be in the past', date)
}

/** The day of leaving, typed as a date or as a number of nights. Throws usage. */
export function readCheckOut(typed: string, checkIn: string, today: string): string {
  const nights = /^\+?(\d{1,4})$/.exec(typed.trim())?.[1]
  if (nights !== undefined) return leaveAfter(checkIn, checkInteger('--nights', nights, 1, MOST_NIGHTS))
  const date = readDay(typed, today)
  if (nightsBetween(checkIn, date) < 1) throw invalid('date', `must be after ${checkIn}`, date)
  return date
}

/** `Sat 2030-06-01`. */
export function withWeekday(date: string): string {
  if (!isCalendarDate(date)) return date
  const at = new Date((dayNumber(date) ?? 0) * 86_400_000)
  const weekday = new Intl.DateTimeFormat('en', {weekday: 'short', timeZone: 'UTC'}).format(at)
  return `${weekday} ${date}`
}

export function nightsText(checkIn: string, checkOut: string): string {
  return counted(nightsBetween(checkIn, checkOut), 'night')
}

export interface Reader {
  /** Unix seconds. */
  readonly now: number
  /** IANA time zone of this machine. */
  readonly timeZone: string
}

/** Unix seconds of a timestamp with a time zone; undefined for anything else. */
function zonedInstantOf(text: string): number | undefined {
  return /[T ].*(Z|[+-]\d{2}:?\d{2})$/i.test(text) ? instantOf(text) : undefined
}

export function isOver(text: string, now: number): boolean {
  return (zonedInstantOf(text) ?? Number.POSITIVE_INFINITY) <= now
}

/** Lines such as `2030-05-29 18:00 (UTC+03:00) hotel time`, one for each clock; one line without a time zone. */
export function onThreeClocks(text: string, {timeZone}: Reader): string[] {
  const at = zonedInstantOf(text)
  if (at === undefined) return [`${sanitizeLine(text, 40)} (no time zone in the answer)`]
  const hotel = /z$/i.test(text) ? 'hotel time: not in the answer' : `${onItsOwnClock(text)} hotel time`
  return [hotel, `${clock(at, timeZone)} your time (${timeZone})`, `${clock(at, 'UTC')} UTC`]
}

function clock(at: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    ...{year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit'},
  })
  return format.format(at * 1000)
}
