/** Shared by the questions: refusals without flag names, dates as people type them, countries by name. */

import {addDays, dayNumber, isCalendarDate, nightsBetween} from '../../../contract/dates.js'
import {Failure} from '../../../contract/failure.js'
import {checkDate, checkInteger, invalid} from '../../input/checks.js'
import {fold, matches} from '../../input/match.js'
import type {Choice, Prompts} from '../../terminal/prompts/prompts.js'
import {leaveAfter, MOST_NIGHTS} from '../catalogue/hotel-search.js'

/** What every question shows while an offer is being booked. */
export interface Clocked {
  /** The line kept in sight: the time left on the offer. */
  readonly status: () => string
  /** Aborted when the offer expires; its reason is thrown. */
  readonly signal: AbortSignal
}

/** The same questions, each with the time left, withdrawn when the time is over. */
export function clocked(prompts: Prompts, clock: Clocked | undefined): Prompts {
  if (!clock) return prompts
  return {
    text: question => prompts.text({...clock, ...question}),
    choose: question => prompts.choose({...clock, ...question}),
    chooseSeveral: question => prompts.chooseSeveral({...clock, ...question}),
    search: question => prompts.search({...clock, ...question}),
    confirm: question => prompts.confirm({...clock, ...question}),
  }
}

/** Turns a check of flags into one of answers: the same rule, without the flag's name in the message. */
export function plainly<T>(check: (answer: string) => T): (answer: string) => void {
  return answer => {
    try {
      check(answer)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      throw new Failure(error.kind, withoutName(error.message), error.details)
    }
  }
}

function withoutName(message: string): string {
  return message.replace(/^(--)?[\w[\].-]+: /, '')
}

/** `show(read(typed))`, or nothing where it cannot be read. */
export function hintOf<T>(read: (typed: string) => T, show: (value: T) => string | undefined) {
  return (typed: string): string | undefined => {
    if (typed.trim() === '') return undefined
    try {
      return show(read(typed))
    } catch (error) {
      if (error instanceof Failure) return undefined
      throw error
    }
  }
}

/** Asks for a country by name or code, the one of `first` on top. */
export async function askCountry(
  prompts: Prompts,
  message: string,
  first: string | undefined,
): Promise<string> {
  const all = (await namedCountries()).sort((a, b) => Number(b.code === first) - Number(a.code === first))
  const find = (typed: string): Choice<string>[] =>
    findCountries(all, typed).map(({code, name, names}) => ({value: code, name: `${name} (${code})`, names}))
  return prompts.search({message, find, startsUnchosen: first === undefined})
}

export interface NamedCountry {
  /** ISO 3166-1 alpha-2. */
  readonly code: string
  readonly name: string
  /** Including the codes of two and three letters. */
  readonly names: readonly string[]
}

/** Ours: common names that neither source has, or not under its name of today. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  AE: ['UAE', 'Emirates'],
  BA: ['Bosnia'],
  BY: ['Belorussia', 'White Russia'],
  CD: ['DR Congo', 'DRC', 'Zaire', 'Congo-Kinshasa'],
  CG: ['Congo-Brazzaville'],
  CI: ['Ivory Coast'],
  CV: ['Cape Verde', 'Cabo Verde'],
  CZ: ['Czechia', 'Czech Republic'],
  GB: ['UK', 'Great Britain', 'Britain', 'England', 'Scotland', 'Wales', 'Northern Ireland'],
  IR: ['Persia'],
  KH: ['Kampuchea'],
  KP: ['DPRK'],
  KR: ['Korea'],
  LK: ['Ceylon'],
  MD: ['Moldavia'],
  MK: ['Macedonia'],
  MM: ['Burma', 'Myanmar'],
  NL: ['Holland', 'The Netherlands'],
  SZ: ['Swaziland'],
  TL: ['East Timor'],
  TR: ['Turkey', 'Türkiye', 'Turkiye'],
  US: ['USA', 'US', 'America', 'United States of America'],
  VA: ['Vatican', 'Holy See'],
}

export async function namedCountries(): Promise<NamedCountry[]> {
  const {countries, getCountryData} = await import('countries-list')
  const english = new Intl.DisplayNames('en', {type: 'region'})
  const codes = Object.keys(countries) as (keyof typeof countries)[]
  return codes
    .map(code => {
      const {name, native, iso3} = getCountryData(code)
      const others = Object.hasOwn(OTHER_NAMES, code) ? (OTHER_NAMES[code] ?? []) : []
      return {code, name, names: [code, iso3, name, native, english.of(code) ?? name, ...others]}
    })
    .sort((a, b) => a.name.localeCompare(b.name, 'en'))
}

/** The countries that `typed` may mean, exact matches first. */
export function findCountries(all: readonly NamedCountry[], typed: string): NamedCountry[] {
  const wanted = fold(typed)
  const found = all.filter(({names}) => matches(names.join(' '), typed))
  const exact = found.filter(({names}) => names.some(name => fold(name) === wanted))
  return [...exact, ...found.filter(country => !exact.includes(country))]
}

/** YYYY-MM-DD of `2030-06-01`, `1.6.2030`, `today`, `tomorrow`, `+7`. Throws usage. */
export function readDay(typed: string, today: string): string {
  const text = typed.trim().toLowerCase()
  if (text === 'today') return today
  if (text === 'tomorrow') return addDays(today, 1)
  const ahead = /^\+(\d{1,4})$/.exec(text)?.[1]
  if (ahead !== undefined) return addDays(today, Number(ahead))
  return checkDate('date', dotted(text) ?? text)
}

/** YYYY-MM-DD of `1.6.2030`; undefined for anything else. */
export function dotted(text: string): string | undefined {
  const [, day = '', month = '', year = ''] = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(text.trim()) ?? []
  return year === '' ? undefined : `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
}

/** A check-in from yesterday on: at the hotel it may still be yesterday. Throws usage. */
export function readCheckIn(typed: string, today: string): string {
  const date = readDay(typed, today)
  if (nightsBetween(today, date) >= -1) return date
  throw invalid('date', 'must not be in the past', date)
}

/** The day of leaving, typed as a date or as a number of nights. Throws usage. */
export function readCheckOut(typed: string, checkIn: string, today: string): string {
  const nights = /^\+?(\d{1,4})$/.exec(typed.trim())?.[1]
  if (nights !== undefined) return leaveAfter(checkIn, checkInteger('--nights', nights, 1, MOST_NIGHTS))
  const date = readDay(typed, today)
  if (nightsBetween(checkIn, date) < 1) throw invalid('date', `must be after ${checkIn}`, date)
  return date
}

/** `Sat 2030-06-01`. */
export function withWeekday(date: string): string {
  if (!isCalendarDate(date)) return date
  const at = new Date((dayNumber(date) ?? 0) * 86_400_000)
  const weekday = new Intl.DateTimeFormat('en', {weekday: 'short', timeZone: 'UTC'}).format(at)
  return `${weekday} ${date}`
}

export function nightsText(checkIn: string, checkOut: string): string {
  return counted(nightsBetween(checkIn, checkOut), 'night')
}

export function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`
}
