/** Amounts, counts, dates and times as people read them. What is typed is read in `cli/input`. */
import type {Money} from '../../api/answers/amounts.js'
import {isCalendarDate, nightsBetween, zonedInstantOf} from '../../contract/dates.js'
import {sanitizeLine} from '../../contract/foreign-text.js'
import {moneyText as writeMoney} from '../../contract/money.js'

/** `2030-07-08T18:00:00+03:00` → `2030-07-08 18:00 (UTC+03:00)`; anything else as it was written, sanitised. */
export function onItsOwnClock(text: string): string {
  const match = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/i.exec(text)
  if (!match) return sanitizeLine(text, 60)
  const [, date, time, offset = ''] = match
  const zone = /^(z|[+-]00:?00)$/i.test(offset) ? 'UTC' : `UTC${offset}`
  return `${date} ${time} (${zone})`
}

/** `Sat 2030-06-01`. */
export function withWeekday(date: string): string {
  if (!isCalendarDate(date)) return date
  const weekday = new Date(date).toLocaleDateString('en', {weekday: 'short', timeZone: 'UTC'})
  return `${weekday} ${date}`
}

export function nightsText(checkIn: string, checkOut: string): string {
  return counted(nightsBetween(checkIn, checkOut), 'night')
}

/** Lines such as `2030-05-29 18:00 (UTC+03:00) hotel time`, one for each clock that is not UTC twice; one line without a time zone. */
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

/** `120.00 EUR`; null for none. */
export function moneyText(money: Money | null): string | null {
  if (money === null) return null
  return sanitizeLine(writeMoney(money.amount, money.currency), 60)
}

/** `1 night`, `3 nights`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}

/** `4 of 51 offers`, or `51 offers` where all are shown. */
export function shownOf(shown: number, found: number, one: string, many?: string): string {
  return `${shown < found ? `${shown} of ` : ''}${counted(found, one, many)}`
}

/** `Name  text` lines, each sanitised. */
export function factLines(facts: Readonly<Record<string, string | null | undefined>>): string[] {
  return Object.entries(facts).map(
    ([name, text]) => `${name.padEnd(12)} ${sanitizeLine(text || 'not known', 500)}`,
  )
}
