/** Dates as the wizard shows them: days with the weekday, and deadlines on three clocks. */
import {instantOf, isCalendarDate, nightsBetween} from '../../../contract/dates.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {counted, onItsOwnClock} from '../../terminal/text.js'

/** `Sat 2030-06-01`. */
export function withWeekday(date: string): string {
  if (!isCalendarDate(date)) return date
  const weekday = new Date(date).toLocaleDateString('en', {weekday: 'short', timeZone: 'UTC'})
  return `${weekday} ${date}`
}

export function nightsText(checkIn: string, checkOut: string): string {
  return counted(nightsBetween(checkIn, checkOut), 'night')
}

/** Unix seconds of a timestamp with a time zone; undefined for anything else. */
function zonedInstantOf(text: string): number | undefined {
  return /[T ].*(Z|[+-]\d{2}:?\d{2})$/i.test(text) ? instantOf(text) : undefined
}

export function isOver(text: string, now: number): boolean {
  return (zonedInstantOf(text) ?? Number.POSITIVE_INFINITY) <= now
}

/** Lines such as `2030-05-29 18:00 (UTC+03:00) hotel time`, one for each clock; one line without a time zone. */
export function onThreeClocks(text: string): string[] {
  const {timeZone} = Intl.DateTimeFormat().resolvedOptions()
  const at = zonedInstantOf(text)
  if (at === undefined) return [`${sanitizeLine(text, 40)} (no time zone in the answer)`]
  const hotel = /z$/i.test(text) ? 'hotel time: not in the answer' : `${onItsOwnClock(text)} hotel time`
  return [hotel, `${clock(at, timeZone)} your time (${timeZone})`, `${clock(at, 'UTC')} UTC`]
}

function clock(at: number, timeZone: string): string {
  return new Date(at * 1000).toLocaleString('sv', {timeZone, dateStyle: 'short', timeStyle: 'short'})
}
