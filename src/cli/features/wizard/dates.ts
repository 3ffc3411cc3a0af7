/** Dates as a person types them in the wizard, shown back in full. They are hotel-local days with no time zone. */
import {addDays, dayNumber, isCalendarDate, nightsBetween} from '../../../contract/dates.js'
import {checkDate, checkInteger, invalid} from '../../input/checks.js'
import {leaveAfter, MOST_NIGHTS} from '../catalogue/search-input.js'

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

/** `3 nights`. */
export function nightsText(checkIn: string, checkOut: string): string {
  return counted(nightsBetween(checkIn, checkOut), 'night')
}

/** `1 night`, `2 nights`. */
export function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`
}
