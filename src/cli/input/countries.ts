/** Finds countries by name or code. */
import {sanitizeLine} from '../../contract/foreign-text.js'
import {invalid} from './checks.js'
import COUNTRY_NAMES from './country-names.json' with {type: 'json'}
import {closestFew, didYouMean, fold, matches} from './match.js'

/**
 * Returns the code (ISO 3166-1 alpha-2) of a country, typed as a code or as any of its names. Throws a usage error if
 * there is none.
 */
export async function checkCountry(field: string, text: string): Promise<string> {
  const code = text.trim().toUpperCase()
  const {countries} = await import('countries-list')
  if (Object.hasOwn(countries, code)) return code
  const all = await namedCountries()
  const named = all.filter(country => isNamed(country, text))
  const word = fold(text)
  const isForeign = named.length === 0 && !all.some(({names}) => matches(names.join(' '), text))
  const [one, ...others] =
    isForeign && !isFirstWord(all, word) ? all.filter(({foreign}) => foreign.includes(word)) : named
  if (one && others.length === 0) return one.code
  // Among the names in many languages, one resembles almost any word. Foreign names are therefore compared only if the
  // first letter is the same.
  const beginsAlike = (name: string) => name[0] === word[0]
  const folded = all.flatMap(({names, foreign}) => [...names.map(fold), ...foreign.filter(beginsAlike)])
  const longNames = [...new Set(folded)].filter(name => name.length > 3)
  // Two letters resemble every code and are part of many names, so there are no suggestions for them.
  const typed = word.length > 2 ? [text, ...closestFew(word, longNames, 3)] : []
  const meant = new Set(typed.flatMap(name => findCountries(all, name)))
  const shown = [...meant].slice(0, 3).map(({name, code}) => `${sanitizeLine(name, 50)} (${code})`)
  const hint = shown.length > 0 ? didYouMean(shown.join(' or ')) : undefined
  const problem = 'must be a country, by its name or two-letter code (ISO 3166-1), such as TR'
  throw invalid(field, problem, text, hint)
}

/**
 * Reports whether `word` is ambiguous, because in some language several names begin with it. `Kongo` is ambiguous,
 * although it is a whole name in another language.
 */
function isFirstWord(all: readonly NamedCountry[], word: string): boolean {
  const begins = (name = '') => name.startsWith(`${word} `) || name.startsWith(`${word}-`)
  return LANGUAGES.some((_, language) => {
    const names = all.map(({foreign}) => foreign[language])
    return !names.includes(word) && names.filter(begins).length > 1
  })
}

/** Languages that many partners speak. Country names in these languages are accepted too. */
const LANGUAGES = [
  'tr',
  'de',
  'ru',
  'fr',
  'es',
  'it',
  'pt',
  'nl',
  'pl',
  'uk',
  'ro',
  'el',
  'bg',
  'sv',
  'cs',
  'hu',
  'ar',
  'fa',
  'he',
  'zh',
  'ja',
  'ko',
]

const isNamed = ({names}: NamedCountry, typed: string) => names.some(name => fold(name) === fold(typed))

export type NamedCountry = Awaited<ReturnType<typeof namedCountries>>[number]

/** Common country names that Intl and countries-list do not have, or only in an older form. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = COUNTRY_NAMES

/**
 * Loads all countries with their names. `code` is ISO 3166-1 alpha-2. `names` includes the two- and three-letter codes.
 * `foreign` has the name in each of LANGUAGES, without accents and case.
 */
export async function namedCountries() {
  const {countries, getCountryData} = await import('countries-list')
  const english = new Intl.DisplayNames('en', {type: 'region'})
  const foreign = LANGUAGES.map(language => new Intl.DisplayNames(language, {type: 'region'}))
  const codes = Object.keys(countries) as (keyof typeof countries)[]
  return codes
    .map(code => {
      const {name, native, iso3} = getCountryData(code)
      return {
        code,
        name,
        names: [code, iso3, name, native, english.of(code) ?? name, ...(OTHER_NAMES[code] ?? [])],
        foreign: foreign.map(words => fold(words.of(code) ?? name)),
      }
    })
    .sort((a, b) => a.name.localeCompare(b.name, 'en'))
}

/** Returns the countries that `typed` may mean, exact matches first. */
export function findCountries(all: readonly NamedCountry[], typed: string): NamedCountry[] {
  const word = fold(typed)
  const begins = ({foreign}: NamedCountry) => foreign.some(name => name.startsWith(word))
  const found = all.filter(one => matches(one.names.join(' '), typed) || (word.length > 2 && begins(one)))
  const exact = found.filter(country => isNamed(country, typed) || country.foreign.includes(word))
  return [...exact, ...found.filter(country => !exact.includes(country))]
}
