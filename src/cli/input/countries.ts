/** Countries by their names and codes. */
import {sanitizeLine} from '../../contract/foreign-text.js'
import {invalid} from './checks.js'
import {closestFew, fold, matches} from './match.js'

/** The code (ISO 3166-1 alpha-2) of a country, typed as a code or in full by any of its names. Throws usage. */
export async function checkCountry(field: string, text: string): Promise<string> {
  const code = text.trim().toUpperCase()
  const {countries} = await import('countries-list')
  if (Object.hasOwn(countries, code)) return code
  const all = await namedCountries()
  const named = all.filter(country => isNamed(country, text))
  if (named.length === 1 && named[0]) return named[0].code
  const longNames = all.flatMap(({names}) => names.map(fold)).filter(name => name.length > 3)
  // Two letters are near every code, and within many names.
  const typed = fold(text).length > 2 ? [text, ...closestFew(fold(text), longNames, MOST_NEAR)] : []
  const meant = new Set(typed.flatMap(name => findCountries(all, name)))
  const shown = [...meant].slice(0, MOST_NEAR).map(({name, code}) => `${sanitizeLine(name, 50)} (${code})`)
  const hint = shown.length > 0 ? `did you mean ${shown.join(' or ')}?` : undefined
  const problem = 'must be a country, by its name or two-letter code (ISO 3166-1), such as TR'
  throw invalid(field, problem, text, hint)
}

const MOST_NEAR = 3

function isNamed({names}: NamedCountry, typed: string): boolean {
  return names.some(name => fold(name) === fold(typed))
}

export type NamedCountry = Awaited<ReturnType<typeof namedCountries>>[number]

/** Common names that neither source has, or not under its name of today. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  AE: ['UAE', 'Emirates'],
  BA: ['Bosnia'],
  BY: ['Belorussia', 'White Russia'],
  CD: ['DR Congo', 'DRC', 'Zaire', 'Congo-Kinshasa'],
  CG: ['Congo-Brazzaville'],
  CZ: ['Czech Republic'],
  GB: ['UK', 'Great Britain', 'Britain', 'England', 'Scotland', 'Wales', 'Northern Ireland'],
  IR: ['Persia'],
  KH: ['Kampuchea'],
  KP: ['DPRK'],
  KR: ['Korea'],
  LK: ['Ceylon'],
  MD: ['Moldavia'],
  MK: ['Macedonia'],
  MM: ['Burma'],
  NL: ['Holland', 'The Netherlands'],
  SZ: ['Swaziland'],
  TR: ['Turkey'],
  US: ['America', 'United States of America'],
  VA: ['Vatican', 'Holy See'],
}

/** `code`: ISO 3166-1 alpha-2; `names` have the codes of two and three letters too. */
export async function namedCountries() {
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
  const found = all.filter(({names}) => matches(names.join(' '), typed))
  const exact = found.filter(country => isNamed(country, typed))
  return [...exact, ...found.filter(country => !exact.includes(country))]
}
