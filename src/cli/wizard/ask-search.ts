/**
 * Asks for what a hotel search still lacks: city, dates, rooms as a person says them, nationality, currency. What was
 * given is not asked again. The answers are flags of `hotels search`, so that one set of checks reads both.
 */
import process from 'node:process'
import type {Api} from '../../api/api.js'
import {usage} from '../../contract/failure.js'
import {checkCurrency, checkInteger} from '../input/checks.js'
import {MOST_ROOMS, readRoom, type SearchFlags} from '../input/search.js'
import type {Prompts} from '../prompts/prompts.js'
import {askCity} from './ask-city.js'
import {counted, nightsText, readCheckIn, readCheckOut, withWeekday} from './dates.js'
import {askCountry, hintOf, plainly} from './questions.js'

export interface SearchAsking {
  readonly prompts: Prompts
  /** Opened only to list the cities. */
  readonly api: () => Promise<Api>
  /** The calendar day here, YYYY-MM-DD. */
  readonly today: string
}

/** `given`, completed. */
export async function askSearch(asking: SearchAsking, given: SearchFlags): Promise<SearchFlags> {
  const {prompts} = asking
  const city = given.city || (await askCity(prompts, asking.api))
  const dates = await askDates(asking, given)
  const room = given.room ?? (await askRooms(prompts))
  const nationality =
    given.nationality || (await askCountry(prompts, 'Nationality of the guests', localCountry()))
  const currency = given.currency || (await askCurrency(prompts))
  return {...given, city, ...dates, room, nationality, currency}
}

async function askDates({prompts, today}: SearchAsking, given: SearchFlags) {
  const checkIn =
    given['check-in'] ||
    (await askDay(prompts, 'Check-in (YYYY-MM-DD, or +7 for in a week)', typed => readCheckIn(typed, today)))
  if (given['check-out'] || given.nights) return {'check-in': checkIn}
  const checkOut = await askDay(
    prompts,
    'Check-out (a date, or how many nights)',
    typed => readCheckOut(typed, checkIn, today),
    date => `${nightsText(checkIn, date)}, leaving ${withWeekday(date)}`,
  )
  return {'check-in': checkIn, 'check-out': checkOut}
}

async function askDay(
  prompts: Prompts,
  message: string,
  read: (typed: string) => string,
  show: (date: string) => string = withWeekday,
): Promise<string> {
  return read(await prompts.text({message, check: plainly(read), hint: hintOf(read, show)}))
}

/** Rooms as `--room` takes them: `2:7,4`. */
export async function askRooms(prompts: Prompts): Promise<string[]> {
  const check = plainly(typed => checkInteger('rooms', typed, 1, MOST_ROOMS))
  const count = Number(await prompts.text({message: 'How many rooms', default: '1', check}))
  const rooms: string[] = []
  for (let number = 1; number <= count; number++) {
    rooms.push(await askRoom(prompts, count === 1 ? '' : `Room ${number}: `))
  }
  return rooms
}

async function askRoom(prompts: Prompts, prefix: string): Promise<string> {
  const adults = await prompts.text({
    message: `${prefix}${prefix ? 'adults' : 'Adults'}`,
    default: '2',
    check: plainly(typed => readRoom(onlyDigits(typed))),
  })
  const children = await prompts.text({
    message: `${prefix}${prefix ? 'ages' : 'Ages'} of the children, such as 4, 7 (empty: none)`,
    check: plainly(typed => readRoom(withAges(adults, typed))),
    hint: hintOf(
      typed => readRoom(withAges(adults, typed)).children_ages,
      ages => `${counted(ages.length, 'child').replace('childs', 'children')}, aged ${ages.join(', ')}`,
    ),
  })
  return withAges(adults, children)
}

function onlyDigits(typed: string): string {
  if (/^\d{1,2}$/.test(typed.trim())) return typed.trim()
  throw usage('invalid_input', 'must be a whole number such as 2')
}

/** `2`, or `2:4,7`; ages may be typed with commas, blanks or both. */
function withAges(adults: string, typed: string): string {
  const ages = typed.split(/[\s,;]+/).filter(Boolean)
  if (ages.some(age => !/^\d{1,2}$/.test(age))) {
    throw usage('invalid_input', 'must be ages in whole years, such as 4, 7; 0 for a baby')
  }
  return ages.length === 0 ? adults.trim() : `${adults.trim()}:${ages.join(',')}`
}

async function askCurrency(prompts: Prompts): Promise<string> {
  const read = (typed: string) => checkCurrency('currency', typed)
  return read(
    await prompts.text({
      message: 'Currency of the prices',
      default: 'EUR',
      check: plainly(read),
      hint: hintOf(read, code => new Intl.DisplayNames('en', {type: 'currency'}).of(code)),
    }),
  )
}

/** The country this machine's language is set to (`tr_TR.UTF-8`), to be offered first. */
function localCountry(): string | undefined {
  return /^[a-z]{2,3}_([A-Z]{2})/.exec(process.env.LC_ALL || process.env.LANG || '')?.[1]
}
