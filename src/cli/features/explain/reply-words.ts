/** Dates and types of notifications, as a partner reads them. */
import {isoTime} from '../../../contract/dates.js'
import {type EventType, isEventType} from '../../../contract/events.js'

/** Formats Unix seconds as `1 June 2030, 12:00 UTC`. */
export function dateText(unixSeconds: number): string {
  const iso = isoTime(unixSeconds)
  const month = new Date(iso).toLocaleDateString('en', {month: 'long', timeZone: 'UTC'})
  return `${Number(iso.slice(8, 10))} ${month} ${iso.slice(0, 4)}, ${iso.slice(11, 16)} UTC`
}

const MEANINGS: Readonly<Record<EventType, string>> = {
  'reservation.confirmed': 'the reservation is confirmed',
  'reservation.cancelled': 'the reservation is cancelled',
  'reservation.updated': 'the reservation was changed',
  'payment.captured': 'the payment was received',
  'payment.failed': 'the payment failed',
  'voucher.ready': 'the voucher can be downloaded',
}

/** Joins words: `a`, `a and b`, `a, b and c`. */
export function listText(words: readonly string[]): string {
  if (words.length < 2) return words.join('')
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}

/** Names a type of notification with its meaning. */
export function typeText(type: string): string {
  return isEventType(type) ? `"${type}" (${MEANINGS[type]})` : `"${type}"`
}
