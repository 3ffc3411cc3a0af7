/** Formats dates, amounts and names for the payment page, the dashboard and the voucher. */
import type {Contact, Guest, Reservation} from '../../contract/reservations.js'

/** Formats a calendar date, which has no time zone: `Sat, 1 June 2030`. */
export function dateInWords(date: string): string {
  const weekday = new Date(date).toLocaleDateString('en-GB', {weekday: 'short', timeZone: 'UTC'})
  return `${weekday}, ${dayAndMonth(date)}`
}

/** Formats a timestamp in UTC: `1 June 2030, 15:00 UTC`. */
export function instantInUtc(timestamp: string): string {
  const iso = new Date(timestamp).toISOString()
  return `${dayAndMonth(iso)}, ${iso.slice(11, 16)} UTC`
}

/** Formats a timestamp in its own offset: `1 June 2030, 18:00 (UTC+03:00)`. */
export function instantAsWritten(timestamp: string): string {
  const [, time = '', offset = 'Z'] = /T(\d{2}:\d{2})[^Z+-]*(Z|[+-]\d{2}:\d{2})$/.exec(timestamp) ?? []
  return `${dayAndMonth(timestamp)}, ${time} (UTC${offset === 'Z' ? '' : offset})`
}

/** Returns a number with its noun: `1 request`, `2 requests`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}

export function fullName(person: Pick<Guest | Contact, 'name' | 'surname'>): string {
  return `${person.name} ${person.surname}`
}

/** Describes the guests of one or more rooms together: `2 adults, 1 child (7 years)`. */
export function occupancy(rooms: Pick<Reservation['rooms'][number], 'adults' | 'children_ages'>[]): string {
  const adults = rooms.reduce((sum, room) => sum + room.adults, 0)
  const ages = rooms.flatMap(room => room.children_ages)
  if (ages.length === 0) return counted(adults, 'adult')
  const years = ages.length === 1 ? counted(ages[0] ?? 0, 'year') : `${ages.join(', ')} years`
  return `${counted(adults, 'adult')}, ${counted(ages.length, 'child', 'children')} (${years})`
}

function dayAndMonth(timestamp: string): string {
  const date = new Date(timestamp.slice(0, 10))
  return date.toLocaleDateString('en-GB', {day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC'})
}

/**
 * Hides all but the last two characters of an identity number. A number of one or two characters is hidden completely.
 */
export function maskIdentity(number: string): string {
  const characters = Array.from(number.trim())
  const shown = characters.length > 2 ? characters.slice(-2).join('') : ''
  return '•'.repeat(Math.min(characters.length - shown.length, 12)) + shown
}
