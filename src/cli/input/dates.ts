/** Reads days as people type them: `2030-06-01`, `1.6.2030`, `today`, `tomorrow`, `+7`. */
import {addDays, ageOn, isCalendarDate, nightsBetween} from '../../contract/dates.js'
import {invalid} from './checks.js'

/** The forms of a date that help and errors show. `+7` is a week from today. */
export const DATE_FORMS = 'YYYY-MM-DD, D.M.YYYY, tomorrow or +7'
/** The forms of a past date that help and errors show. */
export const PAST_DATE_FORMS = 'YYYY-MM-DD or D.M.YYYY'

/** Returns today's date in this machine's time zone as YYYY-MM-DD. */
export function today(): string {
  const now = new Date()
  const two = (number: number) => String(number).padStart(2, '0')
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`
}

/**
 * Reads a typed date as YYYY-MM-DD. `+7` counts from `from`. Throws a usage error that shows `forms` if the date is
 * invalid.
 */
export function readDay(field: string, typed: string, from = today(), forms = DATE_FORMS): string {
  const text = typed.trim().toLowerCase()
  if (text === 'today') return addDays(from, 0)
  if (text === 'tomorrow') return addDays(from, 1)
  const ahead = /^\+(\d{1,4})$/.exec(text)?.[1]
  if (ahead !== undefined) return addDays(from, Number(ahead))
  const [, day = '', month = '', year = ''] = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(text) ?? []
  const date = year === '' ? text : `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  if (isCalendarDate(date)) return date
  throw invalid(field, `must be a valid date (${forms})`, typed)
}

/**
 * Reads a date that is not in the past. It may be today in UTC or here, whichever is earlier, because the hotel may be
 * further west. Throws a usage error if invalid.
 */
export function readComingDay(field: string, typed: string, from = today()): string {
  const date = readDay(field, typed, from)
  const behind = nightsBetween(new Date().toISOString().slice(0, 10), today())
  if (nightsBetween(from, date) >= Math.min(0, -behind)) return date
  throw invalid(field, `must not be in the past, as ${date} is`)
}

/**
 * Returns a birth date. Throws a usage error if it is in the future, or more than OLDEST years ago. Tomorrow is
 * allowed, because it may be today elsewhere.
 */
export function checkBirthDate(field: string, date: string, from = today()): string {
  if (nightsBetween(date, from) < -1) throw invalid(field, 'must not be in the future', date)
  if (ageOn(date, from) > OLDEST) throw invalid(field, `must not be more than ${OLDEST} years ago`, date)
  return date
}

/** Maximum age of a guest, in years. */
const OLDEST = 120
