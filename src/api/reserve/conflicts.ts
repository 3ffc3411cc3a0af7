/** Earlier attempts that forbid a reservation: what is known of them, how to look at them, and what would book twice. */
import {type Failure, failureWith, usage} from '../../contract/failure.js'
import {sanitizeLine, shellWord} from '../../contract/foreign-text.js'
import {
  type Conflict,
  credentialOf,
  isUnresolved,
  type JournalEntry,
  type JournalVerdict,
} from '../../contract/journal.js'
import {factsOfReservation} from '../answers/reservations.js'
import {resumeCommand} from './failures.js'
import {bookingOf, isPriceChanged} from './outcome.js'

/**
 * Nothing is sent. Says what was booked, or may have been, and how to print it; no hint leads to another booking, because a
 * script that was killed and searched again comes here. The result has the reservation, as far as it is known.
 */
export function conflictFailure({entry, conflict}: Extract<JournalVerdict, {kind: 'conflict'}>): Failure {
  const reference = sanitizeLine(entry.clientReferenceId)
  const offer = sanitizeLine(entry.offerId, 64)
  const booked = describeBooked(entry)
  const texts: Record<Conflict, [code: string, message: string, hint: string]> = {
    reference_in_use: [
      'reference_in_use',
      `the client reference ${reference} is already used for another request: ${booked}`,
      `${lookHint(entry)}; another --client-reference makes a second booking`,
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

/** `the reservation RSV-1 (confirmed), Hotel Ağa, 2030-01-01 to 2030-01-05`, or that it is not known whether there is one. */
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

/** The commands that print it, or find out how it ended. */
export function lookHint(entry: JournalEntry): string {
  const {clientReferenceId, reservationRef} = entry
  if (isUnresolved(entry)) return `find out with: ${resumeCommand(clientReferenceId)}`
  const show = reservationRef === null ? '' : `, or bookctl reservations show ${shellWord(reservationRef)}`
  return `print it: ${resumeCommand(clientReferenceId)}${show}`
}
