/** Formats dates, stays, addresses and types of notifications for a partner. */
import {isCalendarDate, isoTime} from '../../../contract/dates.js'
import {type EventType, isEventType} from '../../../contract/events.js'
import {parseUrl, sanitizeLine} from '../../../contract/foreign-text.js'
import type {Stay} from './facts.js'

/** Formats Unix seconds as `1 June 2030, 12:00 UTC`. */
export function dateText(unixSeconds: number): string {
  const iso = isoTime(unixSeconds)
  return `${dayText(iso.slice(0, 10))}, ${iso.slice(11, 16)} UTC`
}

/** Formats `2030-06-01` as `1 June 2030`. */
function dayText(date: string): string {
  return `${Number(date.slice(8))} ${monthText(date)}`
}

function monthText(date: string): string {
  const month = new Date(date).toLocaleDateString('en', {month: 'long', timeZone: 'UTC'})
  return `${month} ${date.slice(0, 4)}`
}

/** Formats a stay as `Sea View, 1 to 3 August 2030`. Empty if nothing about it is known. */
export function stayText({hotel, checkIn, checkOut}: Stay): string {
  const dates = [checkIn, checkOut].filter(date => date !== null && isCalendarDate(date)) as string[]
  const [from, to] = dates
  const days = from !== undefined && to !== undefined ? daysText(from, to) : dates.map(dayText).join('')
  return [hotel === null ? '' : sanitizeLine(hotel, 100), days].filter(Boolean).join(', ')
}

function daysText(from: string, to: string): string {
  if (monthText(from) === monthText(to)) return `${Number(from.slice(8))} to ${dayText(to)}`
  return `${dayText(from)} to ${dayText(to)}`
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

/** Says what a notification is about: `that the payment failed [payment.failed]`. */
export function typeText(type: string): string {
  return isEventType(type) ? `that ${MEANINGS[type]} ${shortType(type)}` : `of the type ${shortType(type)}`
}

export function shortType(type: string): string {
  return `[${sanitizeLine(type, 60)}]`
}

/** Returns the address without parts that may be secret: user information, query, and long parts of its path. */
export function addressText(address: string): string {
  const url = parseUrl(address)
  if (url === undefined) return 'an address that cannot be read'
  const path = url.pathname.split('/').map(part => (/^(?=.*\d)[^.]{12,}$|^.{24,}$/.test(part) ? '…' : part))
  return sanitizeLine(`${url.origin}${path.join('/')}`, 200)
}

export function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

/** Joins sentences, leaving out empty ones. */
export function textOfSentences(sentences: readonly string[]): string {
  return sentences.filter(Boolean).join(' ')
}
