/** What the answer to a reservation means (§3, §4.4), and what may be kept of it. Pure rules, no network, no disk. */
import {createHash} from 'node:crypto'
import {sanitizeLine} from '../../contract/foreign-text.js'
import type {JournalEntry} from '../../contract/journal.js'
import {NOT_SENT} from '../../contract/journal.js'
import {isObject, type JsonObject, own} from '../../contract/json.js'
import {type Booking, describeDifferences, findAsked} from '../answers/asked.js'
import {describeError, errorInAnswer} from '../answers/errors.js'
import type {ReadReservation} from '../answers/reservations.js'
import type {Answer} from '../types.js'

export type Meaning =
  | {readonly kind: 'reserved'; readonly found: ReadReservation; readonly outcome: string}
  /** The service says that the same key is still being worked on. */
  | {readonly kind: 'in_progress'}
  /** Nothing was reserved: `refused` by the service, or `failed` for another reason. */
  | {readonly kind: 'nothing'; readonly outcome: 'refused' | 'failed'}
  /** A reservation may exist. `reason` says why an answer that names one is not believed. */
  | {readonly kind: 'unknown'; readonly reason?: string}

/**
 * `booking` is what was sent. `mayHaveActed` says whether an attempt before this answer may have made the reservation: then only a reservation
 * in the answer is certain, and any refusal may be the echo of our own success.
 */
export function meaningOf(answer: Answer, booking: Booking, mayHaveActed: boolean): Meaning {
  const {status} = answer
  if (isSuccess(status)) {
    // What refuses may name another reservation, one that was in its way.
    if (errorInAnswer(answer)) return {kind: 'unknown'}
    const asked = findAsked(answer.json, booking)
    if (asked.kind === 'another') {
      const what = describeDifferences(asked.differences, answer)
      return {kind: 'unknown', reason: `the service answered ${status} about another booking: ${what}`}
    }
    if (asked.kind === 'unclear') {
      const named = asked.references
        .slice(0, 3)
        .map(each => sanitizeLine(each, 64))
        .join(', ')
      return {
        kind: 'unknown',
        reason: `the service answered ${status} with several reservations (${named}) and does not say which one this made`,
      }
    }
    if (asked.kind === 'none') return {kind: 'unknown'}
    return {kind: 'reserved', found: asked.found, outcome: outcomeWord(asked.found)}
  }
  if (isInProgress(answer)) return {kind: 'in_progress'}
  if (mayHaveActed) return {kind: 'unknown'}
  if (status === 307 || status === 308) return {kind: 'nothing', outcome: 'failed'}
  if (status >= 400 && status < 500) return {kind: 'nothing', outcome: 'refused'}
  return {kind: 'unknown'}
}

/** What the entry's reservation is known by before the service has named it. */
export function bookingOf({clientReferenceId, offerId}: JournalEntry): Booking {
  return {client_reference_id: clientReferenceId, offer_id: offerId}
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}

function isInProgress(answer: Answer): boolean {
  return answer.status === 409 && /in[_ -]?progress|processing/i.test(describeError(answer, answer.json).code)
}

const OUR_WORDS: ReadonlySet<string> = new Set(['unknown', 'unresolved', NOT_SENT])

/** The service's word in lower case; some words are kept for our own use. Without one, by whether there is to pay. */
export function outcomeWord(found: ReadReservation): string {
  const word = found.status?.trim().toLowerCase()
  if (word === undefined || word === '') return found.payment_url === null ? 'accepted' : 'pending_payment'
  return OUR_WORDS.has(word) ? `status_${word}` : word
}

const KEPT = [
  'reservation_ref',
  'status',
  'client_reference_id',
  'offer_id',
  'hotel',
  'check_in',
  'check_out',
  'nights',
  'price',
  'cancellation_policies',
  'created_at',
  'confirmed_at',
  'live_mode',
]
const KEPT_OF_PAYMENT = ['mode', 'status', 'amount', 'currency', 'url', 'expires_at']

/** The parts of a reservation that hold nothing about people. */
export function withoutPeople(found: ReadReservation): Record<string, unknown> {
  const {reservation, reservation_ref, payment_url} = found
  const payment = own(reservation, 'payment')
  const keptPayment = {
    ...(isObject(payment) ? pick(payment, KEPT_OF_PAYMENT) : {}),
    ...(payment_url === null ? {} : {url: payment_url}),
  }
  return {
    ...pick(reservation, KEPT),
    reservation_ref,
    ...(Object.keys(keptPayment).length > 0 ? {payment: keptPayment} : {}),
  }
}

function pick(value: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(keys.filter(key => Object.hasOwn(value, key)).map(key => [key, value[key]]))
}

/** SHA-256, hex, of `value` as JSON with its keys sorted, so that their order in an input file does not matter. */
export function sha256OfJson(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(value)))
    .digest('hex')
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]))
}
