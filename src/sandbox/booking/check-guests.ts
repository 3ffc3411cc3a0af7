/**
 * Whether the guests are those the offer was searched for: as many adults and children as its rooms have, children
 * of those ages at check-in, one lead guest, identity numbers that can exist. All of it is ours.
 */
import {ageOn} from '../../contract/dates.js'
import type {ErrorDetail} from '../../contract/errors.js'
import type {Offer} from '../../contract/hotels.js'
import {isTcNumber} from '../../contract/identity.js'
import type {Guest} from '../../contract/reservations.js'
import {Refusal} from '../base/answers.js'

/** Ours: from this age at check-in a guest is an adult; §2.2 lists the ages of children up to 17. */
const ADULT_AGE = 18
const GUEST_TYPES = ['ADULT', 'CHILD']

export interface Stay {
  readonly rooms: Offer['rooms']
  /** Hotel-local date. */
  readonly checkIn: string
  /** Today's date, for birth dates that have not come. */
  readonly today: string
}

/** Throws Refusal: `validation_failed`, `guest_count_mismatch`, `invalid_identity_number`, each naming the fields. */
export function checkGuests(guests: readonly Guest[], stay: Stay): void {
  refuseIf('validation_failed', 'the guests are not valid', [
    ...wrongTypes(guests),
    ...wrongLead(guests),
    ...wrongBirthDates(guests, stay),
  ])
  refuseIf(
    'guest_count_mismatch',
    'the guests do not match the rooms of the offer',
    occupancyFaults(guests, stay),
  )
  refuseIf('invalid_identity_number', 'an identity number is not valid', wrongIdentities(guests))
}

function refuseIf(
  code: 'validation_failed' | 'guest_count_mismatch' | 'invalid_identity_number',
  message: string,
  details: readonly ErrorDetail[],
): void {
  if (details.length > 0) throw new Refusal(code, message, {details})
}

function wrongTypes(guests: readonly Guest[]): ErrorDetail[] {
  return each(guests, (guest, field) =>
    GUEST_TYPES.includes(guest.type)
      ? undefined
      : detail(`${field}.type`, 'invalid_value', `must be one of ${GUEST_TYPES.join(', ')}`),
  )
}

function wrongLead(guests: readonly Guest[]): ErrorDetail[] {
  const leads = guests.filter(guest => guest.is_lead).length
  return leads === 1 ? [] : [detail('guests', 'lead_guest', `exactly one must have is_lead, not ${leads}`)]
}

function wrongBirthDates(guests: readonly Guest[], {today}: Stay): ErrorDetail[] {
  return each(guests, (guest, field) =>
    guest.birth_date !== undefined && guest.birth_date > today
      ? detail(`${field}.birth_date`, 'invalid_value', 'must not be in the future')
      : undefined,
  )
}

function occupancyFaults(guests: readonly Guest[], stay: Stay): ErrorDetail[] {
  const adults = guests.filter(guest => guest.type === 'ADULT').length
  const wantedAdults = stay.rooms.reduce((sum, room) => sum + room.adults, 0)
  const children = guests.length - adults
  const wantedAges = stay.rooms.flatMap(room => room.children_ages)
  if (adults !== wantedAdults || children !== wantedAges.length) {
    const message = `the offer is for ${wantedAdults} adults and ${wantedAges.length} children, not ${adults} and ${children}`
    return [detail('guests', 'guest_count', message)]
  }
  return [...youngAdults(guests, stay.checkIn), ...childrenOfOtherAges(guests, wantedAges, stay.checkIn)]
}

function youngAdults(guests: readonly Guest[], checkIn: string): ErrorDetail[] {
  return each(guests, (guest, field) =>
    guest.type === 'ADULT' && guest.birth_date !== undefined && ageOn(guest.birth_date, checkIn) < ADULT_AGE
      ? detail(`${field}.birth_date`, 'guest_age', `an adult is at least ${ADULT_AGE} at check-in`)
      : undefined,
  )
}

/** Each child with a birth date takes one of the ages searched; a child without one takes what is left. */
function childrenOfOtherAges(
  guests: readonly Guest[],
  wantedAges: readonly number[],
  checkIn: string,
): ErrorDetail[] {
  const left = [...wantedAges]
  return each(guests, (guest, field) => {
    if (guest.type === 'ADULT' || guest.birth_date === undefined) return undefined
    const index = left.indexOf(ageOn(guest.birth_date, checkIn))
    if (index >= 0) left.splice(index, 1)
    return index >= 0
      ? undefined
      : detail(`${field}.birth_date`, 'guest_age', 'is not the age searched for, at check-in')
  })
}

function wrongIdentities(guests: readonly Guest[]): ErrorDetail[] {
  return each(guests, ({identity}, field) =>
    identity?.type === 'TC' && !isTcNumber(identity.number)
      ? detail(`${field}.identity.number`, 'checksum', 'is not a Turkish identity number')
      : undefined,
  )
}

function each(
  guests: readonly Guest[],
  check: (guest: Guest, field: string) => ErrorDetail | undefined,
): ErrorDetail[] {
  return guests.flatMap((guest, index) => check(guest, `guests[${index}]`) ?? [])
}

function detail(field: string, code: string, message: string): ErrorDetail {
  return {field, code, message}
}
