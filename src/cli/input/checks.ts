/** Checks of single values typed by a person. Each throws a usage Failure that names the field. */
import {isCalendarDate} from '../../contract/dates.js'
import {type Failure, usage} from '../../contract/failure.js'
import {sanitizeLine} from '../../contract/foreign-text.js'
import {isReservationRef} from '../../contract/identifiers.js'
import {isAmount} from '../../contract/money.js'

/** The refusal of `field`, quoting what was typed, sanitised and cut. */
export function invalid(field: string, problem: string, typed?: string): Failure {
  const quoted = typed === undefined ? '' : `, not ${JSON.stringify(sanitizeLine(typed, 40))}`
  return usage('invalid_input', `${field}: ${problem}${quoted}`)
}

export function checkDate(field: string, text: string): string {
  if (isCalendarDate(text)) return text
  throw invalid(field, 'must be a date that exists, written YYYY-MM-DD', text)
}

/** A whole number from `least` to `most`, in decimal digits. */
export function checkInteger(field: string, text: string, least: number, most: number): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (value >= least && value <= most) return value
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`
  throw invalid(field, `must be a whole number ${range}`, text)
}

export function checkAmount(field: string, text: string): string {
  if (isAmount(text)) return text
  throw invalid(field, 'must be an amount such as 450 or 450.00', text)
}

/** A country of ISO 3166-1 in upper case; lower case is taken too. */
export async function checkCountry(field: string, text: string): Promise<string> {
  const code = text.toUpperCase()
  const {countries} = await import('countries-list')
  if (/^[A-Za-z]{2}$/.test(text) && Object.hasOwn(countries, code)) return code
  throw invalid(field, 'must be a two-letter country code (ISO 3166-1), for example TR', text)
}

/** A currency of ISO 4217 in upper case; lower case is taken too. */
export function checkCurrency(field: string, text: string): string {
  const code = text.toUpperCase()
  if (/^[A-Za-z]{3}$/.test(text) && Intl.supportedValuesOf('currency').includes(code)) return code
  throw invalid(field, 'must be a three-letter currency code (ISO 4217), for example EUR', text)
}

/** Seconds of `--wait`; undefined when it was not given. */
export function checkWait(text: string | undefined): number | undefined {
  return text === undefined ? undefined : checkInteger('--wait', text, 0, 86_400)
}

/** A reservation_ref that may stand in a path and a file name. */
export function checkReservationRef(field: string, text: string): string {
  if (isReservationRef(text)) return text
  throw usage(
    'invalid_input',
    `${field}: must be a reservation reference: letters, digits, _ . : and -, up to 64`,
  )
}

/** An identifier of the service that may stand in a path, where `.` and `..` would lead elsewhere. */
export function checkIdentifier(field: string, text: string): string {
  if (/^[\x21-\x7e]{1,512}$/.test(text) && text !== '.' && text !== '..') return text
  throw invalid(field, 'must be an identifier of visible ASCII characters, without blanks', text)
}

/** Seconds of `--timeout`, or of where else it came from; undefined when it was not given. */
export function checkTimeout(text: string | undefined, from = '--timeout'): number | undefined {
  return text === undefined ? undefined : checkInteger(from, text, 1, 3600)
}

/** One line of text with something in it. */
export function checkText(field: string, text: string): string {
  if (text.trim() !== '' && text.length <= 1024 && !/\p{Cc}/u.test(text)) return text.trim()
  throw invalid(field, 'must be one line of text')
}
