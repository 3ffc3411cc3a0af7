/** Reads nights and rooms as people type them, in flags and in the wizard. */
import {addDays, nightsBetween} from '../../contract/dates.js'
import type {Failure} from '../../contract/failure.js'
import type {Room} from '../../contract/hotels.js'
import {MOST_PERSONS, MOST_ROOMS, OLDEST_CHILD} from '../../contract/limits.js'
import {checkInteger, invalid} from './checks.js'
import {readDay} from './dates.js'
import {combined} from './usage-errors.js'

export const MOST_NIGHTS = 365
/** The last date that YYYY-MM-DD can express. */
const LAST_DATE = '9999-12-31'

/** Reads the check-out, typed as a date or as a number of nights. Throws a usage error if invalid. */
export function readCheckOut(field: string, typed: string, checkIn: string, today?: string): string {
  const date = readDeparture(field, typed, checkIn, today)
  const nights = nightsBetween(checkIn, date)
  if (nights < 1) throw invalid(field, `must be after the check-in, ${checkIn}`, date)
  if (nights <= MOST_NIGHTS) return date
  // A longer stay is usually a mistyped month or year.
  const stay = `${checkIn} to ${date} is ${nights.toLocaleString('en')} nights`
  throw invalid(field, `must be at most ${MOST_NIGHTS} nights after the check-in; ${stay}`)
}

/** Checks a typed check-out before the check-in is known. Throws a usage error if it is invalid for every check-in. */
export function checkDeparture(field: string, typed: string): string {
  readDeparture(field, typed, '0001-01-01')
  return typed
}

function readDeparture(field: string, typed: string, checkIn: string, today?: string): string {
  const nights = /^\+?(\d{1,4})$/.exec(typed.trim())?.[1]
  const nightsField = field && '--nights'
  if (nights === undefined) return readDay(field, typed, today)
  return leaveAfter(checkIn, checkInteger(nightsField, nights, 1, MOST_NIGHTS), nightsField)
}

/** Returns the date `nights` after check-in. Throws a usage error if it is after LAST_DATE. */
export function leaveAfter(checkIn: string, nights: number, field = '--nights'): string {
  if (nightsBetween(checkIn, LAST_DATE) >= nights) return addDays(checkIn, nights)
  throw invalid(field, `must end the stay by ${LAST_DATE}`, String(nights))
}

/** Formats a room in the form of `--room`. */
export function roomText({adults, children_ages: ages}: Room): string {
  return ages.length === 0 ? `${adults}` : `${adults}:${ages.join(',')}`
}

/** Reads `2` or `2:7,4`: the number of adults, then the ages of children. Throws a usage error if invalid. */
export function readRoom(field: string, text: string): Room {
  const [, adults, ages = ''] = /^(\d{1,2})(?::(\d{1,2}(?:,\d{1,2})*))?$/.exec(text.trim()) ?? []
  if (adults === undefined) throw invalid(field, 'must be ADULTS or ADULTS:AGE,AGE, for example 2:7,4', text)
  const errors = faultsOfAges(field, ages)
  if (Number(adults) < 1) errors.unshift(invalid(field, 'a room needs at least one adult', text))
  if (Number(adults) > MOST_PERSONS)
    errors.unshift(invalid(field, `at most ${MOST_PERSONS} adults in a room`, text))
  if (errors.length > 0) throw combined(errors)
  return {adults: Number(adults), children_ages: agesIn(ages).map(Number)}
}

/** Throws a usage error if there are more rooms than one search may have. */
export function checkRooms(field: string, rooms: readonly Room[]): void {
  if (rooms.length > MOST_ROOMS) throw invalid(field, `at most ${MOST_ROOMS} rooms`)
}

/** Reads the ages of children, separated by commas, spaces or both. Throws a usage error if invalid. */
export function readAges(field: string, typed: string): number[] {
  const errors = faultsOfAges(field, typed)
  if (errors.length > 0) throw combined(errors)
  return agesIn(typed).map(Number)
}

const agesIn = (typed: string) => typed.split(/[\s,;]+/).filter(Boolean)

function faultsOfAges(field: string, typed: string): Failure[] {
  const ages = agesIn(typed)
  if (!ages.every(age => /^\d{1,2}$/.test(age)))
    return [invalid(field, 'must be ages in whole years, such as 4, 7; 0 for a baby')]
  const errors: Failure[] = []
  const tooOld = ages.filter(age => Number(age) > OLDEST_CHILD)
  const counted = tooOld.length > 1 ? `${tooOld.join(' and ')} as adults` : `${tooOld[0]} as an adult`
  if (tooOld.length > 0)
    errors.push(invalid(field, `children are 0 to ${OLDEST_CHILD} years old; count ${counted}`))
  if (ages.length > MOST_PERSONS) errors.push(invalid(field, `at most ${MOST_PERSONS} children in a room`))
  return errors
}
