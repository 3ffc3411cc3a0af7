/**
 * The guests that an agent names, against the rooms that were searched. What the service would certainly refuse is an error here, and
 * no warning as in `findDoubts`, because an agent may not pass a warning on.
 */
import {ageOn} from '../../../contract/dates.js'
import {type Failure, usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {isTcNumber} from '../../../contract/identifiers.js'
import {isObject} from '../../../contract/json.js'
import {OLDEST_CHILD} from '../../../contract/limits.js'
import type {Guest} from '../../../contract/reservations.js'
import type {OfferFound} from '../../../contract/seen-offers.js'
import {counted} from '../../terminal/dates-and-amounts.js'

/** Returns the guests of an agent with the first adult as lead, if none is named; all else is as it was. */
export function withLead(guests: unknown): unknown {
  if (!Array.isArray(guests) || !guests.every(isObject)) return guests
  if (guests.some(({is_lead}) => is_lead === true)) return guests
  const first = guests.findIndex(guest => guest.is_lead === undefined && !isChild(guest))
  return guests.map((guest, index) => (index === first ? {...guest, is_lead: true} : guest))
}

type Searched = Pick<OfferFound, 'rooms' | 'check_in' | 'check_out'>

/**
 * Returns an error for each thing that is certainly wrong: not exactly one lead guest, who must be an adult; another number of guests
 * than was searched, or other numbers of adults and children; ages that fit neither at check-in nor at check-out; an identity number
 * that fails its checksum. Guests of other types than ADULT and CHILD may be either (§2.4).
 */
export function faultsOfGuests(searched: Searched, guests: readonly Guest[]): Failure[] {
  return [...faultsOfLead(guests), ...faultsOfParty(searched, guests), ...faultsOfNumbers(guests)]
}

const isChild = ({type}: {readonly type?: unknown}) =>
  typeof type === 'string' && type.toUpperCase() === 'CHILD'
const isAdult = ({type}: Guest) => type.toUpperCase() === 'ADULT'

const fault = (problem: string, hint: string) => usage('invalid_input', problem, hint)

function faultsOfLead(guests: readonly Guest[]): Failure[] {
  const leads = guests.filter(({is_lead}) => is_lead)
  const hint = 'set is_lead for one adult'
  if (leads.length !== 1) return [fault(`guests: exactly one must have is_lead, not ${leads.length}`, hint)]
  return leads.some(isChild) ? [fault('guests: the lead guest must be an adult', hint)] : []
}

const AS_SEARCHED = 'name the guests of the search, or search again for these guests'

function faultsOfParty(searched: Searched, guests: readonly Guest[]): Failure[] {
  const {rooms} = searched
  const adults = rooms.reduce((sum, room) => sum + room.adults, 0)
  const ages = rooms.flatMap(room => room.children_ages).sort((a, b) => a - b)
  const children = guests.filter(isChild)
  const others = guests.filter(guest => !isChild(guest) && !isAdult(guest))
  const party = `${counted(adults, 'adult')} and ${counted(ages.length, 'child', 'children')}`
  const given = `${counted(guests.length, 'guest')}, ${counted(children.length, 'child', 'children')} among them`
  const isOtherNumber = guests.length !== adults + ages.length
  if (isOtherNumber || (others.length === 0 && children.length !== ages.length))
    return [fault(`guests: the offer was searched for ${party}, not for ${given}`, AS_SEARCHED)]
  const atStay = guests.map((guest, index) => ({guest, index, span: ageSpan(guest, searched)}))
  const errors: Failure[] = []
  for (const {guest, index, span} of atStay) {
    if (span === undefined) continue
    const [youngest, oldest] = span
    const about = `guests[${index}]: ${sanitizeLine(`${guest.name} ${guest.surname}`, 80)} is ${youngest} at check-in`
    if (isAdult(guest) && oldest <= OLDEST_CHILD)
      errors.push(fault(`${about}, and is named as an adult`, AS_SEARCHED))
    if (isChild(guest) && !ages.some(age => fits(age, span)))
      errors.push(
        fault(`${about}, and the offer was searched for children of ${ages.join(', ')}`, AS_SEARCHED),
      )
  }
  if (errors.length > 0) return errors
  // Each child fits an age; together they may still not fit, as with two children of 4 where 4 and 9 were searched.
  const spans = atStay.flatMap(({guest, span}) => (isChild(guest) && span ? [span] : []))
  spans.sort(([a, b], [c, d]) => a + b - c - d)
  const isWhole = spans.length === ages.length
  if (!isWhole || spans.every((span, index) => fits(ages[index], span))) return []
  const problem = `guests: the birth dates of the children do not fit the ages searched: ${ages.join(', ')}`
  return [fault(problem, AS_SEARCHED)]
}

type Span = readonly [atCheckIn: number, atCheckOut: number]

/** Returns the ages of a guest at both ends of the stay, because a hotel may count either; undefined without a birth date. */
function ageSpan({birth_date: born}: Guest, {check_in, check_out}: Searched): Span | undefined {
  return born === undefined ? undefined : [ageOn(born, check_in), ageOn(born, check_out)]
}

function fits(age: number | undefined, [youngest, oldest]: Span): boolean {
  return age !== undefined && youngest <= age && age <= oldest
}

function faultsOfNumbers(guests: readonly Guest[]): Failure[] {
  return guests.flatMap(({identity}, index) => {
    if (identity?.type.toUpperCase() !== 'TC' || isTcNumber(identity.number)) return []
    const problem = `guests[${index}].identity.number: the TC identity number fails its checksum`
    return [fault(problem, 'ask the person for the number')]
  })
}
