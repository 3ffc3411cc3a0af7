/** Shared by the questions: refusals without flag names, countries by name. */
import {Failure} from '../../../contract/failure.js'
import type {Contact} from '../../../contract/reservations.js'
import {fold, matches} from '../../input/match.js'
import type {Choice, Prompts, TextQuestion} from '../../terminal/prompts/prompts.js'

/** Turns a check of flags into one of answers: the same rule, without the flag's name in the message. */
function plainly<T>(check: (answer: string) => T): (answer: string) => void {
  return answer => {
    try {
      check(answer)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      throw new Failure(error.kind, error.message.replace(/^(--)?[\w[\].-]+: /, ''), error.details)
    }
  }
}

/** The answer as `read` takes it; `show`: its meaning, shown beside it. */
export async function askRead<T>(
  prompts: Prompts,
  question: Pick<TextQuestion, 'message' | 'default' | 'empty'>,
  read: (typed: string) => T,
  show?: (value: T) => string | undefined,
): Promise<T> {
  const hint = (typed: string) => {
    try {
      return typed.trim() === '' ? undefined : show?.(read(typed))
    } catch (error) {
      if (error instanceof Failure) return undefined
      throw error
    }
  }
  return read(await prompts.text({...question, check: plainly(read), hint}))
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

/** Common names that neither source has, or not under its name of today. */
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

export function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`
}

export function contactText({name, surname, email, phone_country_code, phone_number}: Contact): string {
  return `${name} ${surname}, ${email}, ${phone_country_code} ${phone_number}`
}
