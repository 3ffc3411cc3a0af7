/**
 * Decides what the answer to a reservation request means (§3, §4.4), and which parts of it may be stored. All functions
 * are pure.
 */

import {sanitizeLine} from '../../contract/foreign-text.js'
import {type CancellationFee, type JournalEntry, NOT_SENT, type Price} from '../../contract/journal.js'
import {isObject, type JsonObject, outwards, own, textOf} from '../../contract/json.js'
import {isSuccess} from '../../contract/operations.js'
import {isSameMoney, type Money, type MoneyReading} from '../answers/amounts.js'
import {describeDifferences, findAsked} from '../answers/asked.js'
import {chargeOf} from '../answers/charges.js'
import {describeError, errorInAnswer, reportsError, wordsOf} from '../answers/refusals.js'
import {costsOfCancellation, outermostOf, type ReadReservation} from '../answers/reservations.js'
import {mayHaveActed} from '../http/send.js'
import type {Answer, WireAnswer} from '../types.js'

/** The price that was agreed, and the price that was booked. */
export interface Agreement {
  /** The price of the offer when it was chosen, or null if this machine does not know it. */
  readonly agreed: Price | null
  /** The price of the reservation according to the service. Null if the answer states none, or several that differ. */
  readonly booked: Price | null
}

/**
 * Reports whether the booked price differs from the agreed one. Returns null if the booked price is unknown, and false if no
 * price was agreed.
 */
export function isPriceChanged({agreed, booked}: Agreement): boolean | null {
  if (agreed === null) return false
  return booked && !isSameMoney(moneyOf(agreed), moneyOf(booked))
}

export const moneyOf = ({price, currency}: Price) => ({amount: price, currency})

/** Converts an amount to the form that the journal and the result use. An unclear amount becomes null. */
export function asPrice(found: MoneyReading | null): Price | null {
  return found === null || found === 'unclear' ? null : {price: found.amount, currency: found.currency}
}

export interface ReserveOutcome extends Agreement {
  /** `confirmed`, `pending_payment`, `accepted`, or the service's own state in lower case. */
  readonly outcome: string
  /**
   * The reservation as the service sent it. For an earlier run, only the parts that the journal keeps, without personal
   * data.
   */
  readonly reservation: Record<string, unknown> | null
  readonly reservation_ref: string | null
  /** The state as the service wrote it. */
  readonly status: string | null
  readonly payment_url: string | null
  readonly idempotency_key: string
  readonly client_reference_id: string
  readonly attempts: number
  /** Whether an earlier run or another process made the first attempt. */
  readonly repeated: boolean
}

export function namesOf({idempotencyKey, clientReferenceId, attempts}: JournalEntry) {
  return {idempotency_key: idempotencyKey, client_reference_id: clientReferenceId, attempts}
}

/** Returns the outcome that an earlier run recorded in a journal entry. */
export function bookingOf(entry: JournalEntry): ReserveOutcome {
  const {outcome, reservationRef: reservation_ref, result: reservation} = entry
  const payment = reservation?.payment as {url?: unknown} | undefined
  return {
    outcome,
    reservation,
    reservation_ref,
    status: typeof reservation?.status === 'string' ? reservation.status : null,
    payment_url: typeof payment?.url === 'string' ? payment.url : null,
    ...namesOf(entry),
    repeated: true,
    agreed: entry.agreed,
    booked: entry.booked,
  }
}

type Meaning =
  | {readonly kind: 'reserved'; readonly found: ReadReservation; readonly outcome: string}
  /** Nothing was reserved: `refused` by the service, or `failed` for another reason. */
  | {readonly kind: 'nothing'; readonly outcome: 'refused' | 'failed'}
  /**
   * A reservation may exist. `reason` is set if the answer names a reservation but contradicts itself or the request.
   */
  | {readonly kind: 'unknown'; readonly reason?: string}

/**
 * Decides what an answer means. `actedBefore` says that an earlier attempt may have made the reservation: a refusal may
 * then be caused by that reservation, so the outcome is unknown.
 */
export function meaningOf(
  answer: Answer,
  {clientReferenceId, offerId}: JournalEntry,
  actedBefore: boolean,
): Meaning {
  if (!isSuccess(answer)) {
    if (actedBefore || mayHaveActed(answer)) return {kind: 'unknown'}
    return {kind: 'nothing', outcome: answer.status < 400 ? 'failed' : 'refused'}
  }
  // An answer that reports an error may name another reservation, which is why the request was refused.
  if (errorInAnswer(answer)) return {kind: 'unknown'}
  // An object around the reservation may report an error, as in `{"status": "error", "data": {…}}`.
  const reportsErrorAround = outermostOf(answer.json).some(({node}) =>
    outwards(node).some(
      each => reportsError(each.value) || (each !== node && FAILED.test(textOf(each.value.status) ?? '')),
    ),
  )
  if (reportsErrorAround) {
    const words = wordsOf(answer)
    const error = words === undefined ? 'an error' : `an error (${words})`
    return {kind: 'unknown', reason: `the service answered ${answer.status} with a reservation and ${error}`}
  }
  const asked = findAsked(answer.json, {client_reference_id: clientReferenceId, offer_id: offerId})
  if (asked.kind === 'found') return {kind: 'reserved', found: asked.found, outcome: outcomeWord(asked.found)}
  if (asked.kind === 'none') return {kind: 'unknown'}
  const answered = `the service answered ${answer.status}`
  if (asked.kind === 'another') {
    const what = describeDifferences(asked.differences, answer)
    return {kind: 'unknown', reason: `${answered} about another booking: ${what}`}
  }
  const named = asked.references.slice(0, 3).map(each => sanitizeLine(each, 64))
  const reason = `${answered} with several reservations (${named.join(', ')}) and does not say which one this made`
  return {kind: 'unknown', reason}
}

const FAILED = /^\s*(error|fail(ed|ure)?)\s*$/i

/** Reports whether an answer says that the service is still working on an earlier request with the same key. */
export function isInProgress(answer: WireAnswer): boolean {
  return answer.status === 409 && /in[_ -]?progress|processing/i.test(describeError(answer).code)
}

/**
 * Words that the journal uses for outcomes. A status of the service with the same word must not be mistaken for them.
 */
const OUR_WORDS: ReadonlySet<string> = new Set(['unknown', 'unresolved', NOT_SENT])

/**
 * Returns the outcome for a reservation: its status in lower case. Without a status, returns `pending_payment` if there
 * is a payment URL, else `accepted`.
 */
export function outcomeWord(found: ReadReservation): string {
  const word = found.status?.trim().toLowerCase()
  if (word === undefined || word === '') return found.payment_url === null ? 'accepted' : 'pending_payment'
  return OUR_WORDS.has(word) ? `status_${word}` : word
}

/** Converts the fee of a cancellation to the form in the journal. */
export function feeToKeep({amount: fee, currency}: Money): CancellationFee {
  return {fee, currency}
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

/**
 * Returns the parts of a reservation that contain no personal data. A charge is kept as `payment.charged` and the fee of a
 * cancellation as `cancellation.fee`, whatever their names were.
 */
export function withoutPeople(found: ReadReservation): Record<string, unknown> {
  const {reservation, reservation_ref, status, payment_url} = found
  const pick = (value: JsonObject, names: readonly string[]) =>
    Object.fromEntries(names.filter(name => Object.hasOwn(value, name)).map(name => [name, value[name]]))
  const payment = own(reservation, 'payment')
  const charged = chargeOf(reservation)
  const keptPayment = {
    ...(isObject(payment) ? pick(payment, KEPT_OF_PAYMENT) : {}),
    ...(charged && {charged}),
    ...(payment_url === null ? {} : {url: payment_url}),
  }
  const {fee} = costsOfCancellation(found)
  return {
    ...pick(reservation, KEPT),
    ...(fee && {cancellation: feeToKeep(fee)}),
    reservation_ref,
    ...(status === null ? {} : {status}),
    ...(Object.keys(keptPayment).length > 0 ? {payment: keptPayment} : {}),
  }
}
