/** Words that several parts of an explanation use: amounts, places, and addresses without secrets. */
import type {Money} from '../../../api/answers/amounts.js'
import {moneyOf} from '../../../api/reserve/outcome.js'
import {isoTime} from '../../../contract/dates.js'
import {parseUrl, sanitizeLine} from '../../../contract/foreign-text.js'
import type {Price} from '../../../contract/journal.js'
import {moneyText} from '../../terminal/dates-and-amounts.js'

export function priceText(price: Price | Money | null): string {
  if (price === null) return 'an unknown price'
  return moneyText('price' in price ? moneyOf(price) : price) ?? ''
}

/** Returns the origin of a URL, because its path and query may contain a secret. */
export function originOf(address: string): string {
  const url = parseUrl(address)
  return url === undefined ? 'an address that cannot be read' : sanitizeLine(url.origin, 100)
}

/** Formats Unix seconds as `2030-06-01 12:00:05 UTC`. */
export function utcText(unixSeconds: number): string {
  return `${isoTime(unixSeconds).slice(0, 19).replace('T', ' ')} UTC`
}

/** Describes the answer to an attempt: `answered 401`, or why there was none. */
export function answerText(status: number | null, error: string | null): string {
  if (status !== null) return `answered ${status}`
  return error === null ? 'not answered' : `not answered (${sanitizeLine(error, 100)})`
}
