/**
 * Compares a request with an earlier one that has the same client reference but another offer: whether both are for the
 * same trip.
 */
import {factsOfReservation} from '../../../api/answers/reservations.js'
import type {Journal, JournalEntry, ReservationIntent, Stay} from '../../../contract/journal.js'
import {canonicalJson} from '../../../contract/json.js'
import {roomText} from '../../input/stay.js'

/** Differences between an earlier request and a new one. */
export interface TripDifferences {
  /** Differences that make it another trip, such as `check-in 2030-06-02 instead of 2030-06-01`. None names a guest. */
  readonly trip: readonly string[]
  /** Other differences: of the contact or the payment, or guests that cannot be compared. */
  readonly other: readonly string[]
}

/**
 * Compares `intent` with what `entry` records about its own request. The request of `intent` must have the offer of
 * `entry`, so that the hashes are comparable.
 */
export function differencesOf(
  entry: JournalEntry,
  intent: ReservationIntent,
  journal: Journal,
): TripDifferences {
  const trip = stayDifferences(bookedStay(entry), intent.trip?.stay ?? null)
  // Both requests have the same bytes.
  if (journal.fingerprint(intent.bodySha256) === entry.bodySha256) return {trip, other: []}
  const bookedGuests = entry.trip?.guests ?? null
  const guests = intent.trip?.guests ?? null
  if (bookedGuests === null || guests === null)
    return {trip, other: ['guests, contact or payment cannot be compared with what was booked']}
  if (journal.fingerprint(guests) !== bookedGuests) return {trip: [...trip, 'other guests'], other: []}
  return {trip, other: ['another contact, nationality or payment than was booked']}
}

/** Returns the stay recorded in the entry, otherwise the dates that the reservation states. */
function bookedStay(entry: JournalEntry): Partial<Stay> {
  if (entry.trip?.stay) return entry.trip.stay
  const {check_in, check_out} = factsOfReservation({reservation: entry.result ?? {}})
  return {...(check_in !== null && {check_in}), ...(check_out !== null && {check_out})}
}

/** Returns the differences between two stays. Facts known of only one of them are not compared. */
function stayDifferences(booked: Partial<Stay>, wanted: Stay | null): string[] {
  if (wanted === null) return []
  const differences: string[] = []
  const compare = (name: string, before: unknown, now: unknown, show: (value: never) => string) => {
    if (before === undefined || before === null || now === null) return
    if (canonicalJson(before) !== canonicalJson(now))
      differences.push(`${name} ${show(now as never)} instead of ${show(before as never)}`)
  }
  compare('check-in', booked.check_in, wanted.check_in, String)
  compare('check-out', booked.check_out, wanted.check_out, String)
  compare('rooms', booked.rooms, wanted.rooms, (rooms: Stay['rooms']) => rooms.map(roomText).join(' '))
  compare('city', booked.city, wanted.city, String)
  return differences
}
