/**
 * Asks for the missing values of a hotel search. The answers are set as flags of `hotels search`, so that the same
 * checks apply.
 */
import process from 'node:process'
import {usage} from '../../../contract/failure.js'
import {sanitizeLine, shellWord} from '../../../contract/foreign-text.js'
import type {Room} from '../../../contract/hotels.js'
import {MOST_PERSONS, MOST_ROOMS} from '../../../contract/limits.js'
import type {KnownCity} from '../../../state/seen-store.js'
import {checkCurrency, checkInteger} from '../../input/checks.js'
import {readComingDay, today} from '../../input/dates.js'
import {matches} from '../../input/match.js'
import {readAges, readCheckOut, roomText} from '../../input/stay.js'
import type {Connection} from '../../session/connect.js'
import type {BaseCommand} from '../../shell/base-command.js'
import {counted, nightsText, withWeekday} from '../../terminal/dates-and-amounts.js'
import type {Choice, Prompts} from '../../terminal/prompts/prompts.js'
import {withWayBack} from '../../terminal/prompts/way-back.js'
import {say} from '../../terminal/talk.js'
import {cityLine, namedCities} from '../catalogue/city-search.js'
import type {SearchFlags} from '../catalogue/hotels.js'
import type {TourFlags} from '../catalogue/tours.js'
import type {WizardDesk} from './draft.js'
import {askCountry, askRead, untilServed} from './questions.js'

type Likely = {readonly [name in 'nationality' | 'currency']?: string | null | undefined} | undefined

interface SearchDesk extends Pick<WizardDesk, 'prompts' | 'connection' | 'tell' | 'today'> {
  /** Defaults from the settings. Values of the latest search win. */
  readonly preferred?: Likely
}

/** Returns nationality and currency of this client's latest search; undefined if there is none. */
export async function lastSearch({state, target}: Connection): Promise<Likely> {
  return state.remembers ? state.offers.latest(target) : undefined
}

/** Asks for the values missing in `search`, and adds each answer to it. */
export async function askSearch(desk: SearchDesk, search: SearchFlags): Promise<SearchFlags> {
  const {prompts} = desk
  search.city ||= await askCity(desk)
  await askDates(desk, search)
  search.room ??= await askRooms(prompts)
  // The country of this machine's locale, such as `tr_TR.UTF-8`.
  const local = /^[a-z]{2,3}_([A-Z]{2})/.exec(process.env.LC_ALL || process.env.LANG || '')?.[1]
  const likely = [await lastSearch(desk.connection), desk.preferred]
  const countries = [...likely.map(known => known?.nationality), local]
  search.nationality ||= await askCountry(prompts, 'Nationality of the guests', countries)
  search.currency ||= await askCurrency(prompts, likely)
  return search
}

async function askDates({prompts, today}: SearchDesk, search: SearchFlags): Promise<void> {
  const {'check-out': leaving} = search
  const readIn = (field: string, typed: string) => {
    const date = readComingDay(field, typed, today)
    if (leaving) readCheckOut('--check-out', leaving, date, today)
    return date
  }
  const message = 'Check-in (YYYY-MM-DD, or +7 for a week from today)'
  const checkIn = search['check-in'] || (await askRead(prompts, {message}, readIn, withWeekday))
  search['check-in'] = checkIn
  if (leaving || search.nights) return
  const readOut = (field: string, typed: string) => readCheckOut(field, typed, checkIn, today)
  const stay = (date: string) => `${nightsText(checkIn, date)}, leaving ${withWeekday(date)}`
  const question = {message: 'Check-out (a date, or a number of nights)'}
  search['check-out'] = await askRead(prompts, question, readOut, stay)
}

export async function askRooms(prompts: Prompts): Promise<Room[]> {
  const read = (field: string, typed: string) => checkInteger(field, typed, 1, MOST_ROOMS)
  const count = await askRead(prompts, {message: 'Number of rooms', default: '1'}, read)
  const rooms: Room[] = []
  while (rooms.length < count) {
    const prefix = count === 1 ? '' : `Room ${rooms.length + 1}: `
    const word = (text: string) => (prefix ? `${prefix}${text.toLowerCase()}` : text)
    const readAdults = (field: string, typed: string) => checkInteger(field, typed, 1, MOST_PERSONS)
    const adults = await askRead(prompts, {message: word('Adults'), default: '2'}, readAdults)
    const readChildren = (field: string, typed: string) => checkInteger(field, typed, 0, MOST_PERSONS)
    const children = await askRead(prompts, {message: word('Number of children'), default: '0'}, readChildren)
    rooms.push({adults, children_ages: children === 0 ? [] : await askAges(prompts, children, word)})
  }
  return rooms
}

/** Asks for the age of each child. Their number must be known, because a single 0 could mean no child or a baby. */
function askAges(prompts: Prompts, children: number, word: (text: string) => string): Promise<number[]> {
  const of = children === 1 ? 'Age of the child' : `Ages of the ${children} children, such as 4, 7`
  const read = (field: string, typed: string) => {
    const ages = readAges(field, typed)
    if (ages.length === children) return ages
    throw usage('invalid_input', `must be ${counted(children, 'age')}, not ${ages.length}`)
  }
  const meaning = (ages: number[]) => `${counted(children, 'child', 'children')}, aged ${ages.join(', ')}`
  return askRead(prompts, {message: word(`${of} (0 for a baby)`)}, read, meaning)
}

async function askCurrency(prompts: Prompts, likely: readonly Likely[]): Promise<string> {
  const usual = likely.find(known => known?.currency)?.currency ?? 'EUR'
  const names = new Intl.DisplayNames('en', {type: 'currency'})
  const question = {message: 'Currency of the prices', default: usual}
  return askRead(prompts, question, checkCurrency, code => names.of(code))
}

/**
 * Asks for the city by name, or by id if the service has no list. Throws a Failure if the service cannot be reached.
 */
async function askCity(desk: SearchDesk): Promise<number> {
  const {prompts, connection} = desk
  const cities = await untilServed(desk, () => namedCities(connection))
  if (cities.length === 0) {
    const where = connection.target.isLoopback
      ? '101 is Istanbul in the local sandbox'
      : 'ask the operator of the service for the list'
    const read = (field: string, typed: string) => checkInteger(field, typed, 1, Number.MAX_SAFE_INTEGER)
    return askRead(prompts, {message: `City id (${where})`}, read)
  }
  return prompts.search({message: 'City (name or id)', find: typed => findCities(cities, typed)})
}

/**
 * Returns the cities that `typed` may mean: by name, ignoring accents and case, or by id, even one that is not listed.
 */
export function findCities(cities: readonly KnownCity[], typed: string): Choice<number>[] {
  const number = Number(/^[1-9]\d{0,14}$/.exec(typed.trim())?.[0] ?? 0)
  const found = cities
    .filter(city => matches(`${city.name} ${city.country_code ?? ''}`, typed) || city.id === number)
    .map(city => ({value: city.id, name: cityLine(city), names: [city.name, String(city.id)]}))
  const isListed = number === 0 || found.some(({value}) => value === number)
  return isListed ? found : [...found, {value: number, name: `city id ${number}`}]
}

export async function completeSearch(command: BaseCommand, given: SearchFlags): Promise<SearchFlags> {
  const service = command.serviceFlags()
  // The answers so far; empty again when the questions are done.
  let search: SearchFlags = {}
  command.whenStopped(() => {
    if (search.city) say(['', ...searchingLines(search, service)])
  })
  const flags = await askWithWayBack(command, desk => {
    search = {...given}
    return askSearch(desk, search)
  })
  search = {}
  command.note(`Without questions: ${commandOf(flags, service)}`)
  return flags
}

const NAMES = [
  'city',
  'check-in',
  'check-out',
  'nights',
  'room',
  'nationality',
  'currency',
  'sort',
  'board',
  'limit',
] as const

/** Returns the search as a command line. `service` has the flags that choose the service. */
export function commandOf(
  {room = [], refundable, 'max-price': most, ...flags}: SearchFlags,
  service: readonly string[] = [],
): string {
  const texts = {...flags, room: room.map(roomText)}
  const words = NAMES.flatMap(name =>
    [texts[name] ?? []].flat().map(text => `--${name} ${shellWord(String(text))}`),
  )
  const more = [...(refundable ? ['--refundable'] : []), ...maximumWords(most), ...service]
  return sanitizeLine(['bookctl hotels search', ...words, ...more].join(' '))
}

export function maximumWords(most: SearchFlags['max-price']): string[] {
  return most ? ['--max-price', shellWord([most.amount, most.currency].filter(Boolean).join(' '))] : []
}

/** Returns lines that show, after a stop, how to search with the answers so far. */
export function searchingLines(search: SearchFlags, service: readonly string[] = []): string[] {
  return ['To search with these answers:', `  ${commandOf(search, service)}`]
}

export async function completeTourSearch(command: BaseCommand, given: TourFlags): Promise<TourFlags> {
  const {city, currency} = await askWithWayBack(command, async desk => ({
    city: given.city || (await askCity(desk)),
    currency: given.currency || (await askCurrency(desk.prompts, [await lastSearch(desk.connection)])),
  }))
  const flags = [`--city ${city}`, `--currency ${currency}`, ...command.serviceFlags()].join(' ')
  command.note(sanitizeLine(`Without questions: bookctl tours search ${flags}`))
  return {...given, city, currency}
}

export const tellLines: WizardDesk['tell'] = text => say(text.split('\n'))

async function askWithWayBack<T>(command: BaseCommand, ask: (desk: SearchDesk) => Promise<T>): Promise<T> {
  const prompts = await command.prompts()
  const desk = {connection: await command.connect(), tell: tellLines, today: today()}
  return withWayBack(prompts, asked => ask({...desk, prompts: asked}))
}
