/** Formats amounts, counts, dates and times for people. `cli/input` reads those that people type. */
import type {Money} from '../../api/answers/amounts.js'
import {isCalendarDate, nightsBetween, zonedInstantOf} from '../../contract/dates.js'
import {sanitizeLine} from '../../contract/foreign-text.js'
import {moneyText as writeMoney} from '../../contract/money.js'

/**
 * Formats `2030-07-08T18:00:00+03:00` as `2030-07-08 18:00 (UTC+03:00)`. Any other text is returned as it is,
 * sanitised.
 */
export function onItsOwnClock(text: string): string {
  const match = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/i.exec(text)
  if (!match) return sanitizeLine(text, 60)
  const [, date, time, offset = ''] = match
  const zone = /^(z|[+-]00:?00)$/i.test(offset) ? 'UTC' : `UTC${offset}`
  return `${date} ${time} (${zone})`
}

/** Formats a date as `Sat 2030-06-01`. An invalid date is returned as it is. */
export function withWeekday(date: string): string {
  if (!isCalendarDate(date)) return date
  const weekday = new Date(date).toLocaleDateString('en', {weekday: 'short', timeZone: 'UTC'})
  return `${weekday} ${date}`
}

export function nightsText(checkIn: string, checkOut: string): string {
  return counted(nightsBetween(checkIn, checkOut), 'night')
}

/**
 * Formats a time in the hotel's time zone, the user's, and UTC, one line each: `2030-05-29 18:00 (UTC+03:00) hotel
 * time`. UTC is not repeated, and a time without a zone gets a single line.
 */
export function onThreeClocks(text: string): string[] {
  const {timeZone} = Intl.DateTimeFormat().resolvedOptions()
  const at = zonedInstantOf(text)
  if (at === undefined) return [`${sanitizeLine(text, 40)} (no time zone in the answer)`]
  const hotel = /z$/i.test(text) ? 'hotel time: not in the answer' : `${onItsOwnClock(text)} hotel time`
  const clockIn = (zone: string) =>
    new Date(at * 1000).toLocaleString('sv', {timeZone: zone, dateStyle: 'short', timeStyle: 'short'})
  const here = clockIn(timeZone)
  const utc = clockIn('UTC')
  const yours = `${here} your time (${timeZone})`
  if (here === utc) return hotel.startsWith(utc) ? [hotel] : [hotel, yours]
  return [hotel, yours, `${utc} UTC`]
}

/** Formats an amount as `120.00 EUR`, or returns null if there is none. */
export function moneyText(money: Money | null): string | null {
  if (money === null) return null
  return sanitizeLine(writeMoney(money.amount, money.currency), 60)
}

/** Formats a count with its noun: `1 night`, `3 nights`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}

/** Formats `4 of 51 offers`, or `51 offers` if all are shown. */
export function shownOf(shown: number, found: number, one: string, many?: string): string {
  return `${shown < found ? `${shown} of ` : ''}${counted(found, one, many)}`
}

/** Formats facts as lines of a name and a text, sanitised. A missing fact is `not known`. */
export function factLines(facts: Readonly<Record<string, string | null | undefined>>): string[] {
  return Object.entries(facts).map(
    ([name, text]) => `${name.padEnd(12)} ${sanitizeLine(text || 'not known', 500)}`,
  )
}
