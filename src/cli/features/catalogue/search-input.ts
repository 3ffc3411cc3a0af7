/** Flags of `hotels search` → the request of §2.2: here is checked what several of them must be together. */
import {addDays, nightsBetween} from '../../../contract/dates.js'
import type {Room, SearchRequest} from '../../../contract/hotels.js'
import {invalid} from '../../input/checks.js'
import {missing} from '../../input/mistakes.js'

export interface SearchFlags {
  readonly city?: number | undefined
  readonly 'check-in'?: string | undefined
  readonly 'check-out'?: string | undefined
  readonly nights?: number | undefined
  readonly room?: readonly Room[] | undefined
  readonly nationality?: string | undefined
  readonly currency?: string | undefined
}

/** One room with two adults, when no --room is given. */
const DEFAULT_ROOMS: readonly Room[] = [{adults: 2, children_ages: []}]
/** Ours: as contract/hotels.ts bounds them. */
export const MOST_ROOMS = 9
/** Ours: of adults, and of children, in one room. */
export const MOST_PERSONS = 9
/** Ours, as §2.2's children have an age. */
export const OLDEST_CHILD = 17
export const MOST_NIGHTS = 365
/** The last date that YYYY-MM-DD can write. */
const LAST_DATE = '9999-12-31'

/** Whether `given` lacks something that has no default. */
export function lacksSomething(given: SearchFlags): boolean {
  const {city, 'check-in': checkIn, 'check-out': checkOut, nights, nationality, currency} = given
  return !(city && checkIn && (checkOut || nights) && nationality && currency)
}

/** The request of §2.2. Throws usage, naming every flag that is missing, or the first that does not fit the others. */
export function readSearch(flags: SearchFlags): SearchRequest {
  const {city, 'check-in': checkIn, nationality, currency, room: rooms = DEFAULT_ROOMS} = flags
  const absent = [
    ...(city ? [] : ['--city']),
    ...(checkIn ? [] : ['--check-in']),
    ...(flags['check-out'] || flags.nights ? [] : ['--check-out or --nights']),
    ...(nationality ? [] : ['--nationality']),
    ...(currency ? [] : ['--currency']),
  ]
  if (!city || !checkIn || !nationality || !currency || absent.length > 0) throw missing(absent)
  if (rooms.length > MOST_ROOMS) throw invalid('--room', `at most ${MOST_ROOMS} rooms`)
  return {
    destination: {type: 'CITY', id: city},
    check_in: checkIn,
    check_out: readCheckOut(checkIn, flags),
    rooms: [...rooms],
    client_nationality: nationality,
    currency,
  }
}

function readCheckOut(checkIn: string, {'check-out': checkOut, nights = 0}: SearchFlags): string {
  if (checkOut === undefined) return leaveAfter(checkIn, nights)
  if (nightsBetween(checkIn, checkOut) < 1) throw invalid('--check-out', 'must be after --check-in', checkOut)
  return checkOut
}

/** The day `nights` after check-in. Throws usage when no date of four digits a year is left for it. */
export function leaveAfter(checkIn: string, nights: number): string {
  if (nightsBetween(checkIn, LAST_DATE) >= nights) return addDays(checkIn, nights)
  throw invalid('--nights', `must end the stay by ${LAST_DATE}`, String(nights))
}

/** A room as `--room` takes it. */
export function roomText({adults, children_ages: ages}: Room): string {
  return ages.length === 0 ? `${adults}` : `${adults}:${ages.join(',')}`
}

/** `2` or `2:7,4`: adults, then the children's ages. Throws usage. */
export function readRoom(field: string, text: string): Room {
  const match = /^(\d{1,2})(?::(\d{1,2}(?:,\d{1,2})*))?$/.exec(text.trim())
  if (!match) throw invalid(field, 'must be ADULTS or ADULTS:AGE,AGE, for example 2:7,4', text)
  const adults = Number(match[1])
  if (adults < 1) throw invalid(field, 'a room needs at least one adult', text)
  if (adults > MOST_PERSONS) throw invalid(field, `at most ${MOST_PERSONS} adults in a room`, text)
  const children_ages = (match[2]?.split(',') ?? []).map(Number)
  if (children_ages.some(age => age > OLDEST_CHILD))
    throw invalid(field, `a child's age is 0 to ${OLDEST_CHILD}`, text)
  if (children_ages.length > MOST_PERSONS) throw invalid(field, `at most ${MOST_PERSONS} children in a room`)
  return {adults, children_ages}
}
