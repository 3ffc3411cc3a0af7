/** Flags of `hotels search` → the request of §2.2. Everything is checked here, before anything is sent. */
import {addDays, nightsBetween} from '../../contract/dates.js'
import {usage} from '../../contract/failure.js'
import type {Room, SearchRequest} from '../../contract/hotels.js'
import {missing} from '../usage/mistakes.js'
import {checkCountry, checkCurrency, checkDate, checkInteger, invalid} from './checks.js'

export interface SearchFlags {
  readonly city?: string | undefined
  readonly 'check-in'?: string | undefined
  readonly 'check-out'?: string | undefined
  readonly nights?: string | undefined
  readonly room?: readonly string[] | undefined
  readonly nationality?: string | undefined
  readonly currency?: string | undefined
}

/** One room with two adults, when no --room is given. */
const DEFAULT_ROOMS = ['2']
/** Ours: as contract/hotels.ts bounds them. */
export const MOST_ROOMS = 9
/** Ours: of adults, and of children, in one room. */
export const MOST_PERSONS = 9
/** Ours, as §2.2's children have an age. */
export const OLDEST_CHILD = 17
const MOST_NIGHTS = 365
/** The last date that YYYY-MM-DD can write. */
const LAST_DATE = '9999-12-31'

/** Whether `given` lacks something that has no default. */
export function lacksSomething(given: SearchFlags): boolean {
  const {city, 'check-in': checkIn, 'check-out': checkOut, nights, nationality, currency} = given
  return !(city && checkIn && (checkOut || nights) && nationality && currency)
}

/** The request of §2.2. Throws usage, naming every flag that is missing or empty, or the first that is wrong. */
export async function readSearch(flags: SearchFlags): Promise<SearchRequest> {
  const {city, 'check-in': checkIn, nationality, currency} = flags
  const absent = [
    ...(city ? [] : ['--city']),
    ...(checkIn ? [] : ['--check-in']),
    ...(flags['check-out'] || flags.nights ? [] : ['--check-out or --nights']),
    ...(nationality ? [] : ['--nationality']),
    ...(currency ? [] : ['--currency']),
  ]
  if (!city || !checkIn || !nationality || !currency || absent.length > 0) throw missing(absent)
  const check_in = checkDate('--check-in', checkIn)
  const rooms = flags.room ?? DEFAULT_ROOMS
  if (rooms.length > MOST_ROOMS) throw invalid('--room', `at most ${MOST_ROOMS} rooms`)
  return {
    destination: {type: 'CITY', id: checkInteger('--city', city, 1, Number.MAX_SAFE_INTEGER)},
    check_in,
    check_out: readCheckOut(check_in, flags),
    rooms: rooms.map(readRoom),
    client_nationality: await checkCountry('--nationality', nationality),
    currency: checkCurrency('--currency', currency),
  }
}

function readCheckOut(checkIn: string, flags: SearchFlags): string {
  const {'check-out': checkOut, nights} = flags
  if (checkOut !== undefined && nights !== undefined) {
    throw usage('invalid_input', '--nights and --check-out exclude each other: give one of them')
  }
  if (checkOut === undefined) return leaveAfter(checkIn, checkNights(nights ?? ''))
  checkDate('--check-out', checkOut)
  if (nightsBetween(checkIn, checkOut) < 1) throw invalid('--check-out', 'must be after --check-in', checkOut)
  return checkOut
}

/** Nights of a stay, typed as digits. Throws usage. */
export function checkNights(text: string): number {
  return checkInteger('--nights', text, 1, MOST_NIGHTS)
}

/** The day `nights` after check-in. Throws usage when no date of four digits a year is left for it. */
export function leaveAfter(checkIn: string, nights: number): string {
  if (nightsBetween(checkIn, LAST_DATE) >= nights) return addDays(checkIn, nights)
  throw invalid('--nights', `must end the stay by ${LAST_DATE}`, String(nights))
}

/** `2` or `2:7,4`: adults, then the children's ages. Throws usage. */
export function readRoom(text: string): Room {
  const match = /^(\d{1,2})(?::(\d{1,2}(?:,\d{1,2})*))?$/.exec(text.trim())
  if (!match) throw invalid('--room', 'must be ADULTS or ADULTS:AGE,AGE, for example 2:7,4', text)
  const adults = Number(match[1])
  if (adults < 1) throw invalid('--room', 'a room needs at least one adult', text)
  if (adults > MOST_PERSONS) throw invalid('--room', `at most ${MOST_PERSONS} adults in a room`, text)
  const children_ages = (match[2]?.split(',') ?? []).map(Number)
  if (children_ages.some(age => age > OLDEST_CHILD))
    throw invalid('--room', `a child's age is 0 to ${OLDEST_CHILD}`, text)
  if (children_ages.length > MOST_PERSONS)
    throw invalid('--room', `at most ${MOST_PERSONS} children in a room`)
  return {adults, children_ages}
}
