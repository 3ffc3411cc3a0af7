/** Whether the guests are those the offer was searched for, with one lead and identity numbers that can exist (all ours). */
import {ageOn, isoTime} from '../../contract/dates.js'
import type {ErrorCode} from '../../contract/error-codes.js'
import type {Offer} from '../../contract/hotels.js'
import {isTcNumber} from '../../contract/identifiers.js'
import type {ErrorDetail} from '../../contract/records.js'
import type {Guest} from '../../contract/reservations.js'
import {Refusal} from '../base/answers.js'

/** At check-in; §2.2 lists the ages of children up to 17. */
const ADULT_AGE = 18

type Rooms = Offer['rooms']

/** Throws Refusal: `validation_failed`, `guest_count_mismatch`, `invalid_identity_number`, each naming the fields. */
export function checkGuests(guests: readonly Guest[], rooms: Rooms, checkIn: string, now: number): void {
  /** One error about `field` for each guest that fails the check `isWrong`. */
  const wrong = (field: string, code: string, message: string, isWrong: (guest: Guest) => boolean) =>
    guests.flatMap((guest, n) => (isWrong(guest) ? [{field: `guests[${n}].${field}`, code, message}] : []))
  const leads = guests.filter(guest => guest.is_lead).length
  const message = `exactly one must have is_lead, not ${leads}`
  const isOtherType = ({type}: Guest) => !/^(ADULT|CHILD)$/.test(type)
  const isUnborn = ({birth_date = ''}: Guest) => birth_date > isoTime(now).slice(0, 10)
  refuse('validation_failed', 'the guests are not valid', [
    ...wrong('type', 'invalid_value', 'must be one of ADULT, CHILD', isOtherType),
    ...(leads === 1 ? [] : [{field: 'guests', code: 'lead_guest', message}]),
    ...wrong('birth_date', 'invalid_value', 'must not be in the future', isUnborn),
  ])
  const ageOf = ({birth_date}: Guest) => (birth_date === undefined ? undefined : ageOn(birth_date, checkIn))
  const isYoung = (guest: Guest) => guest.type === 'ADULT' && (ageOf(guest) ?? ADULT_AGE) < ADULT_AGE
  const left = rooms.flatMap(room => room.children_ages)
  // Each child with a birth date takes one of the ages searched; a child without one takes what is left.
  const isOtherAge = (guest: Guest) => {
    const age = guest.type === 'ADULT' ? undefined : ageOf(guest)
    if (age === undefined) return false
    const index = left.indexOf(age)
    if (index >= 0) left.splice(index, 1)
    return index < 0
  }
  const mismatch = 'the guests do not match the rooms of the offer'
  refuse('guest_count_mismatch', mismatch, wrongCounts(guests, rooms))
  refuse('guest_count_mismatch', mismatch, [
    ...wrong('birth_date', 'guest_age', `an adult is at least ${ADULT_AGE} at check-in`, isYoung),
    ...wrong('birth_date', 'guest_age', 'is not the age searched for, at check-in', isOtherAge),
  ])
  const isWrongNumber = ({identity}: Guest) => identity?.type === 'TC' && !isTcNumber(identity.number)
  const wrongNumbers = wrong('identity.number', 'checksum', 'is not a Turkish identity number', isWrongNumber)
  refuse('invalid_identity_number', 'an identity number is not valid', wrongNumbers)
}

function wrongCounts(guests: readonly Guest[], rooms: Rooms): ErrorDetail[] {
  const found = guests.filter(guest => guest.type === 'ADULT').length
  const adults = rooms.reduce((sum, room) => sum + room.adults, 0)
  const children = rooms.reduce((sum, room) => sum + room.children_ages.length, 0)
  if (found === adults && guests.length === adults + children) return []
  const message = `the offer is for ${adults} adults and ${children} children, not ${found} and ${guests.length - found}`
  return [{field: 'guests', code: 'guest_count', message}]
}

function refuse(code: ErrorCode, message: string, details: readonly ErrorDetail[]): void {
  if (details.length > 0) throw new Refusal(code, message, {details})
}
