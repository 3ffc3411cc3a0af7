/** Countries by the names and codes people know them by: those of the library and of Intl, and a few more of ours. */
import {fold, matches} from '../../input/fold.js'

export interface NamedCountry {
  /** ISO 3166-1 alpha-2. */
  readonly code: string
  readonly name: string
  /** Everything it is called, the codes of two and three letters among it. */
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

/** All countries, by their English names. */
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

/** Those that `typed` may mean, in their order, but first those called exactly that. */
export function findCountries(all: readonly NamedCountry[], typed: string): NamedCountry[] {
  const wanted = fold(typed)
  const found = all.filter(({names}) => matches(names.join(' '), typed))
  const exact = found.filter(({names}) => names.some(name => fold(name) === wanted))
  return [...exact, ...found.filter(country => !exact.includes(country))]
}
