/** The state of a reservation, in the same words for a journal, a ledger and a service, and whether two states agree. */
import {asWord} from '../../../api/answers/facts.js'
import {isEnded} from '../../../api/answers/reservations.js'

/**
 * `made`: there is a booking, and its exact state does not matter. `none`: it was refused, so there is no booking. `open`: it was
 * never found out whether there is one. `given_up`: it will not be found out either, because the entry was forgotten.
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

/** Returns the standing that a word of a ledger means; undefined for any other word. Case and separators do not matter. */
export function standingOfWord(text: string): Standing | undefined {
  return WORDS.find(([, words]) => words.test(asWord(text)))?.[0]
}

/** Returns the standing that a state of the service means. An unknown state counts as that of a booking. */
export function standingOfState(state: string): Standing {
  return standingOfWord(state) ?? (isEnded(state) ? 'cancelled' : 'made')
}

/** Reports whether there is a booking, which may still have to be paid. */
export function isLive(standing: Standing): boolean {
  return standing === 'confirmed' || standing === 'pending' || standing === 'made'
}

/**
 * Reports whether what is known here agrees with the state at the service. A journal does not learn of a payment or
 * an expiry, so a reservation that is pending in it may have been paid or have expired since.
 */
export function agree(here: Standing, there: Standing, isJournal: boolean): boolean {
  if (here === there || (!isLive(here) && !isLive(there))) return true
  if (isLive(here) !== isLive(there)) return isJournal && here === 'pending' && there === 'expired'
  if (here === 'made' || there === 'made') return true
  return isJournal && here === 'pending'
}
