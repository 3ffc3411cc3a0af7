/** Whether the guests are those the offer was searched for, with one lead and identity numbers that can exist (all ours). */
import type {ErrorDetail} from '../../contract/content.js'
import {ageOn} from '../../contract/dates.js'
import type {ErrorCode} from '../../contract/error-codes.js'
import type {Offer} from '../../contract/hotels.js'
import {isTcNumber} from '../../contract/identifiers.js'
import type {Guest} from '../../contract/reservations.js'
import {Refusal} from '../base/answers.js'

/** At check-in; §2.2 lists the ages of children up to 17. */
const ADULT_AGE = 18
const GUEST_TYPES = ['ADULT', 'CHILD']

export interface Stay {
  readonly rooms: Offer['rooms']
  readonly checkIn: string
  /** Today's date, for birth dates that have not come. */
  readonly today: string
}

/** Throws Refusal: `validation_failed`, `guest_count_mismatch`, `invalid_identity_number`, each naming the fields. */
export function checkGuests(guests: readonly Guest[], stay: Stay): void {
  const invalid = [...wrongTypes(guests), ...wrongLead(guests), ...wrongBirthDates(guests, stay)]
  refuse('validation_failed', 'the guests are not valid', invalid)
  refuse('guest_count_mismatch', 'the guests do not match the rooms of the offer', wrongParty(guests, stay))
  refuse('invalid_identity_number', 'an identity number is not valid', wrongIdentities(guests))
}

function refuse(code: ErrorCode, message: string, details: readonly ErrorDetail[]): void {
  if (details.length > 0) throw new Refusal(code, message, {details})
}

function wrongTypes(guests: readonly Guest[]): ErrorDetail[] {
  const detail = {code: 'invalid_value', message: `must be one of ${GUEST_TYPES.join(', ')}`}
  return wrong(guests, 'type', detail, ({type}) => !GUEST_TYPES.includes(type))
}

function wrongLead(guests: readonly Guest[]): ErrorDetail[] {
  const leads = guests.filter(guest => guest.is_lead).length
  const message = `exactly one must have is_lead, not ${leads}`
  return leads === 1 ? [] : [{field: 'guests', code: 'lead_guest', message}]
}

function wrongBirthDates(guests: readonly Guest[], {today}: Stay): ErrorDetail[] {
  const detail = {code: 'invalid_value', message: 'must not be in the future'}
  return wrong(guests, 'birth_date', detail, guest => (guest.birth_date ?? '') > today)
}

function wrongParty(guests: readonly Guest[], stay: Stay): ErrorDetail[] {
  const adults = guests.filter(guest => guest.type === 'ADULT').length
  const wantedAdults = stay.rooms.reduce((sum, room) => sum + room.adults, 0)
  const children = guests.length - adults
  const wantedAges = stay.rooms.flatMap(room => room.children_ages)
  if (adults !== wantedAdults || children !== wantedAges.length) {
    const message = `the offer is for ${wantedAdults} adults and ${wantedAges.length} children, not ${adults} and ${children}`
    return [{field: 'guests', code: 'guest_count', message}]
  }
  return [...youngAdults(guests, stay.checkIn), ...childrenOfOtherAges(guests, wantedAges, stay.checkIn)]
}

function youngAdults(guests: readonly Guest[], checkIn: string): ErrorDetail[] {
  const detail = {code: 'guest_age', message: `an adult is at least ${ADULT_AGE} at check-in`}
  const isYoung = ({type, birth_date}: Guest) =>
    type === 'ADULT' && birth_date !== undefined && ageOn(birth_date, checkIn) < ADULT_AGE
  return wrong(guests, 'birth_date', detail, isYoung)
}

/** Each child with a birth date takes one of the ages searched; a child without one takes what is left. */
function childrenOfOtherAges(
  guests: readonly Guest[],
  wantedAges: readonly number[],
  checkIn: string,
): ErrorDetail[] {
  const left = [...wantedAges]
  const detail = {code: 'guest_age', message: 'is not the age searched for, at check-in'}
  return wrong(guests, 'birth_date', detail, ({type, birth_date}) => {
    if (type === 'ADULT' || birth_date === undefined) return false
    const index = left.indexOf(ageOn(birth_date, checkIn))
    if (index >= 0) left.splice(index, 1)
    return index < 0
  })
}

function wrongIdentities(guests: readonly Guest[]): ErrorDetail[] {
  const detail = {code: 'checksum', message: 'is not a Turkish identity number'}
  const isWrong = ({identity}: Guest) => identity?.type === 'TC' && !isTcNumber(identity.number)
  return wrong(guests, 'identity.number', detail, isWrong)
}

function wrong(
  guests: readonly Guest[],
  field: string,
  detail: Omit<ErrorDetail, 'field'>,
  isWrong: (guest: Guest) => boolean,
): ErrorDetail[] {
  return guests.flatMap((guest, n) => (isWrong(guest) ? [{field: `guests[${n}].${field}`, ...detail}] : []))
}
