/**
 * Names the state of a reservation in the same words for a journal, a ledger and a service, and compares two states.
 */
import {asWord} from '../../../api/answers/facts.js'
import {isEnded} from '../../../api/answers/reservations.js'

/**
 * State of a reservation. `made`: booked, in a state that does not matter. `none`: refused, so there is no booking.
 * `open`: the outcome of the attempt is unknown. `given_up`: the outcome will stay unknown, because the entry was
 * forgotten.
 */
export type Standing =
  | 'confirmed'
  | 'pending'
  | 'cancelled'
  | 'expired'
  | 'made'
  | 'none'
  | 'open'
  | 'given_up'

const WORDS: readonly (readonly [Standing, RegExp])[] = [
  ['confirmed', /^(confirm(ed|ation)?|booked|paid|ok(ay)?)$/],
  ['pending', /^(pending(_\w+)?|\w+_pending|awaiting(_\w+)?|waiting(_\w+)?|unpaid|not_paid|on_hold)$/],
  ['cancelled', /^(cancell?(ed|ation)?|cxl(d)?|canx|void(ed)?)$/],
  ['expired', /^(expired|timed_out)$/],
]

/** Returns the standing that a word of a ledger means; undefined for an unknown word. Ignores case and separators. */
export function standingOfWord(text: string): Standing | undefined {
  return WORDS.find(([, words]) => words.test(asWord(text)))?.[0]
}

/** Returns the standing that a state of the service means. An unknown state counts as `made`. */
export function standingOfState(state: string): Standing {
  return standingOfWord(state) ?? (isEnded(state) ? 'cancelled' : 'made')
}

/** Reports whether there is a booking, paid or not. */
export function isLive(standing: Standing): boolean {
  return standing === 'confirmed' || standing === 'pending' || standing === 'made'
}

/**
 * Reports whether the standing in the books (`here`) agrees with the one at the service (`there`). A journal does not
 * learn of a payment or an expiry, so a reservation that is pending in the journal may be paid or expired at the
 * service.
 */
export function agree(here: Standing, there: Standing, isJournal: boolean): boolean {
  if (here === there || (!isLive(here) && !isLive(there))) return true
  if (isLive(here) !== isLive(there)) return isJournal && here === 'pending' && there === 'expired'
  if (here === 'made' || there === 'made') return true
  return isJournal && here === 'pending'
}
