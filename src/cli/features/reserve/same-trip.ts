/** Whether a request is for the same trip as an earlier one with the same client reference, whose offer was another. */
import {factsOfReservation} from '../../../api/answers/reservations.js'
import type {Journal, JournalEntry, ReservationIntent, Stay} from '../../../contract/journal.js'
import {canonicalJson} from '../../../contract/json.js'
import {roomText} from '../../input/stay.js'

/** What differs between an earlier request and a new one. */
export interface TripDifferences {
  /** Differences that make it another trip, such as `check-in 2030-06-02 instead of 2030-06-01`; never a name. */
  readonly trip: readonly string[]
  /** Other differences: the contact, the payment, or guests that cannot be compared. */
  readonly other: readonly string[]
}

/** Compares `intent`, whose request has the offer of `entry`, with what `entry` records of its own request. */
export function differencesOf(
  entry: JournalEntry,
  intent: ReservationIntent,
  journal: Journal,
): TripDifferences {
  const trip = stayDifferences(bookedStay(entry), intent.trip?.stay ?? null)
  // The same bytes were sent.
  if (journal.fingerprint(intent.bodySha256) === entry.bodySha256) return {trip, other: []}
  const bookedGuests = entry.trip?.guests ?? null
  const guests = intent.trip?.guests ?? null
  if (bookedGuests === null || guests === null)
    return {trip, other: ['guests, contact or payment cannot be compared with what was booked']}
  if (journal.fingerprint(guests) !== bookedGuests) return {trip: [...trip, 'other guests'], other: []}
  return {trip, other: ['another contact, nationality or payment than was booked']}
}

/** As recorded, else as far as the reservation itself says. */
function bookedStay(entry: JournalEntry): Partial<Stay> {
  if (entry.trip?.stay) return entry.trip.stay
  const {check_in, check_out} = factsOfReservation({reservation: entry.result ?? {}})
  return {...(check_in !== null && {check_in}), ...(check_out !== null && {check_out})}
}

/** Facts that only one side knows are not compared. */
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
