/** The failures of `reserve`: nothing was reserved, the outcome is unknown, or an earlier attempt forbids another. */
import {Failure, failureWith, usage} from '../../contract/failure.js'
import {sanitizeLine, shellWord} from '../../contract/foreign-text.js'
import {
  type Conflict,
  credentialOf,
  isUnresolved,
  type JournalEntry,
  type JournalVerdict,
  NOT_SENT,
} from '../../contract/journal.js'
import {snakeCase} from '../../contract/json.js'
import {describeError, quoteBody, redirectIn, refusalOf} from '../answers/refusals.js'
import {factsOfReservation, readReservation} from '../answers/reservations.js'
import {type Answer, SendError} from '../types.js'
import {bookingOf, isPriceChanged, namesOf} from './outcome.js'

/**
 * Returns the Failure for a reservation that may exist. `last` is the last answer, or the reason why there is none.
 * `kept` says whether the journal keeps the entry, so that a later process can resume.
 */
export function outcomeUnknown(
  entry: JournalEntry,
  last: Answer | SendError | string,
  kept: boolean,
  reason: string = reasonOf(last),
): Failure {
  const answered = typeof last === 'object' && !(last instanceof SendError) ? last : undefined
  const named = readReservation(answered?.json)?.reservation_ref
  const naming = named === undefined ? '' : `; it names the reservation ${sanitizeLine(named, 64)}`
  const message = `the outcome is unknown, a reservation may exist: ${reason}${naming}`
  return new Failure('outcome_unknown', message, {
    code: 'outcome_unknown',
    hint: kept
      ? `find out with the same key and body: ${resumeCommand(entry.clientReferenceId)}`
      : repeatHint(entry),
    status: answered?.status,
    requestId: answered?.requestId,
    reason,
    result: resultWithout('unknown', entry),
  })
}

/**
 * Returns the Failure of `--resume` for an entry that was never sent. Resuming would not book anything, so the hint is
 * to run reserve again.
 */
export function neverSent(entry: JournalEntry): Failure {
  const reference = sanitizeLine(entry.clientReferenceId)
  const message = `nothing was ever sent for the client reference ${reference}, so nothing was booked; --resume makes no new reservation`
  return new Failure('usage', message, {
    code: 'never_sent',
    hint: `to book it, run the reserve command for ${sanitizeLine(entry.offerId, 64)} again, or search again: bookctl hotels search`,
    result: resultWithout(NOT_SENT, {...entry, attempts: 0}),
  })
}

/** Returns the JSON document for a journal entry without a reservation. */
function resultWithout(outcome: string, entry: JournalEntry): object {
  const {agreed} = entry
  const none = {reservation_ref: null, status: null, payment_url: null, reservation: null}
  return {outcome, ...none, ...namesOf(entry), agreed, price_changed: isPriceChanged({agreed, booked: null})}
}

/** Words in the error codes of services which say that an offer, reference or key already belongs to a reservation. */
const TAKEN = /already|duplicate|(?<!not_)exists|(?<!mis)taken|(?:^|_)(?:in_use|used|reused)/

/**
 * Returns the Failure for a reservation that the service refused; this request made nothing. If the answer names an
 * earlier reservation, or its code says that there is one, the result has `reservation_ref` and `status`, because
 * booking again would book twice.
 */
export function refused(answer: Answer, now: number): Failure {
  const failure = refusalOf(answer, {now})
  const {reservation_ref: reference = null, status = null} = readReservation(answer.json) ?? {}
  if (reference === null && !TAKEN.test(snakeCase(describeError(answer).code))) return failure
  const name = reference === null ? '' : `: ${sanitizeLine(reference, 64)}`
  const text = `${failure.message}; the service says that it already belongs to a reservation${name}`
  return new Failure(failure.kind, text, {
    ...failure.details,
    hint: `check it before you book again: bookctl journal${reference === null ? '' : `, or bookctl reservations show ${shellWord(reference)}`}`,
    result: {reservation_ref: reference, status, payment_url: null},
  })
}

function reasonOf(last: Answer | SendError | string): string {
  if (typeof last === 'string') return last
  if (last instanceof SendError) return `the answer was lost (${last.last.reason})`
  const {code, message} = describeError(last)
  if (last.status < 300) return `the service answered ${last.status} without naming a reservation`
  const redirect = redirectIn(last)
  if (redirect !== undefined) return `the service answered with ${redirect}`
  const text = message ?? (last.json === undefined ? quoteBody(last) : undefined)
  const words = text === undefined || text === code ? code : `${code}: ${text}`
  return `the service answered ${last.status} ${words}`
}

/** Returns the command that finds out the outcome of a reservation, quoted for a shell where needed. */
export function resumeCommand(clientReferenceId: string): string {
  return `bookctl reserve --resume ${shellWord(clientReferenceId)}`
}

/** Returns the hint for when the journal cannot keep the entry: only the same flags find the reservation again. */
export function repeatHint({
  idempotencyKey,
  clientReferenceId,
}: Pick<JournalEntry, 'idempotencyKey' | 'clientReferenceId'>): string {
  const flags = `--idempotency-key ${shellWord(idempotencyKey)} --client-reference ${shellWord(clientReferenceId)}`
  return `find out by running the same command again with ${flags}`
}

/**
 * Returns the Failure for a reservation that conflicts with a journal entry; nothing was sent. It says what was booked,
 * or may have been, and how to print it. No hint suggests booking again, because a script that was killed and then
 * searched again ends up here.
 */
export function conflictFailure({entry, conflict}: Extract<JournalVerdict, {kind: 'conflict'}>): Failure {
  const reference = sanitizeLine(entry.clientReferenceId)
  const offer = sanitizeLine(entry.offerId, 64)
  const booked = describeBooked(entry)
  const texts: Record<Conflict, [code: string, message: string, hint: string]> = {
    reference_in_use: [
      'reference_in_use',
      `the client reference ${reference} is already used for another request: ${booked}`,
      `${lookHint(entry)}; --unless-booked prints it in place of this refusal; another --client-reference makes a second booking`,
    ],
    offer_in_use: [
      'offer_in_use',
      `the offer ${offer} is already used by another request, with the client reference ${reference}: ${booked}`,
      `${lookHint(entry)}; an offer can be reserved once, and another offer makes a second booking`,
    ],
    forgotten: [
      'reservation_forgotten',
      `this reservation was given up (bookctl journal forget), and one may exist; it is not sent again (client reference ${reference})`,
      'ask the operator whether it exists: booking again could make a second one',
    ],
    key_differs: [
      'idempotency_key_differs',
      `this reservation was started with another Idempotency-Key, ${entry.idempotencyKey} (client reference ${reference}): ${booked}`,
      'leave out --idempotency-key to use the first key again',
    ],
    key_in_use: [
      'idempotency_key_in_use',
      `the Idempotency-Key was already used for another request, with the client reference ${reference}: ${booked}`,
      `${lookHint(entry)}; another key makes a second booking`,
    ],
    other_credential: [
      'other_credential',
      `the offer ${offer} with the client reference ${reference} was sent with another credential, ${credentialOf(entry)}: ${booked}; nothing was sent now`,
      `run with that credential: ${resumeCommand(entry.clientReferenceId)}`,
    ],
  }
  const {repeated: _, booked: bookedPrice, ...booking} = bookingOf(entry)
  const price_changed = isPriceChanged({agreed: booking.agreed, booked: bookedPrice})
  return failureWith(usage(...texts[conflict]), {result: {...booking, price_changed}})
}

/**
 * Describes the reservation of an entry: `the reservation RSV-1 (confirmed), Hotel Ağa, 2030-01-01 to 2030-01-05`. If
 * it is not known whether there is one, says so.
 */
export function describeBooked(entry: JournalEntry): string {
  const state = sanitizeLine(entry.outcome, 40)
  if (isUnresolved(entry)) return `its outcome is not known (${state}), a reservation may exist`
  if (entry.reservationRef === null) return `no reservation is known (${state})`
  const {hotel, check_in, check_out} = factsOfReservation({reservation: entry.result ?? {}})
  const dates = [check_in, check_out].filter(Boolean).join(' to ')
  const name = `the reservation ${sanitizeLine(entry.reservationRef, 64)} (${state})`
  return [name, hotel, dates]
    .filter(Boolean)
    .map(each => sanitizeLine(each ?? '', 100))
    .join(', ')
}

/** Returns a hint with the commands that print the reservation of an entry, or that find out its outcome. */
export function lookHint(entry: JournalEntry): string {
  const {clientReferenceId, reservationRef} = entry
  if (isUnresolved(entry)) return `find out with: ${resumeCommand(clientReferenceId)}`
  const show = reservationRef === null ? '' : `, or bookctl reservations show ${shellWord(reservationRef)}`
  return `print it: ${resumeCommand(clientReferenceId)}${show}`
}
