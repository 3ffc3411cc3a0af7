/** What the answer to a reservation means (§3, §4.4), and what may be kept of it. Pure rules, no network, no disk. */

import {sanitizeLine} from '../../contract/foreign-text.js'
import {type JournalEntry, NOT_SENT, type Price} from '../../contract/journal.js'
import {isObject, type JsonObject, outwards, own, textOf} from '../../contract/json.js'
import {isSuccess} from '../../contract/operations.js'
import {isSameMoney, type MoneyReading} from '../answers/amounts.js'
import {describeDifferences, findAsked} from '../answers/asked.js'
import {describeError, errorInAnswer, reportsError, wordsOf} from '../answers/refusals.js'
import {outermostOf, type ReadReservation} from '../answers/reservations.js'
import {mayHaveActed} from '../http/send.js'
import type {Answer, WireAnswer} from '../types.js'

/** What was agreed, and what was booked. */
export interface Agreement {
  /** What the offer cost when it was chosen; null when that is not known here. */
  readonly agreed: Price | null
  /** What the service says that the reservation costs; null when it does not say, or says it in ways that differ. */
  readonly booked: Price | null
}

/** Whether it was booked at another price than agreed; null when that cannot be known, false where nothing was agreed. */
export function isPriceChanged({agreed, booked}: Agreement): boolean | null {
  if (agreed === null) return false
  return booked && !isSameMoney(moneyOf(agreed), moneyOf(booked))
}

const moneyOf = ({price, currency}: Price) => ({amount: price, currency})

/** As the journal and the result have it; null also for an unclear one. */
export function asPrice(found: MoneyReading | null): Price | null {
  return found === null || found === 'unclear' ? null : {price: found.amount, currency: found.currency}
}

export interface ReserveOutcome extends Agreement {
  /** `confirmed`, `pending_payment`, `accepted`, or the service's own word in lower case. */
  readonly outcome: string
  /** As the service sent it; of an earlier run, what the journal has of that, without personal data. */
  readonly reservation: Record<string, unknown> | null
  readonly reservation_ref: string | null
  /** As the service wrote it. */
  readonly status: string | null
  readonly payment_url: string | null
  readonly idempotency_key: string
  readonly client_reference_id: string
  readonly attempts: number
  /** Whether it was first tried by an earlier run, or by another process. */
  readonly repeated: boolean
}

export function namesOf({idempotencyKey, clientReferenceId, attempts}: JournalEntry) {
  return {idempotency_key: idempotencyKey, client_reference_id: clientReferenceId, attempts}
}

/** What an earlier run recorded of the reservation, or that there is none. */
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
  /** A reservation may exist. `reason`: why an answer that names one is not believed. */
  | {readonly kind: 'unknown'; readonly reason?: string}

/** `actedBefore`: an earlier attempt may have made it, so that a refusal may be the result of our own success. */
export function meaningOf(
  answer: Answer,
  {clientReferenceId, offerId}: JournalEntry,
  actedBefore: boolean,
): Meaning {
  if (!isSuccess(answer)) {
    if (actedBefore || mayHaveActed(answer)) return {kind: 'unknown'}
    return {kind: 'nothing', outcome: answer.status < 400 ? 'failed' : 'refused'}
  }
  // A refusal may name another reservation, because of which it was refused.
  if (errorInAnswer(answer)) return {kind: 'unknown'}
  // An object around a reservation may report an error, or be an envelope: `{"status": "error", "data": {…}}`.
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

/** Whether the service says that the same key is still being worked on. */
export function isInProgress(answer: WireAnswer): boolean {
  return answer.status === 409 && /in[_ -]?progress|processing/i.test(describeError(answer).code)
}

/** Outcomes of the journal that no word of a service may be mistaken for. */
const OUR_WORDS: ReadonlySet<string> = new Set(['unknown', 'unresolved', NOT_SENT])

/** The service's word in lower case; without one, by whether there is a payment to make. */
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
  const {reservation, reservation_ref, status, payment_url} = found
  const pick = (value: JsonObject, names: readonly string[]) =>
    Object.fromEntries(names.filter(name => Object.hasOwn(value, name)).map(name => [name, value[name]]))
  const payment = own(reservation, 'payment')
  const keptPayment = {
    ...(isObject(payment) ? pick(payment, KEPT_OF_PAYMENT) : {}),
    ...(payment_url === null ? {} : {url: payment_url}),
  }
  return {
    ...pick(reservation, KEPT),
    reservation_ref,
    ...(status === null ? {} : {status}),
    ...(Object.keys(keptPayment).length > 0 ? {payment: keptPayment} : {}),
  }
}
