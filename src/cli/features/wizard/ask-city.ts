/** Asks for the destination: by its name where the service's cities are known by name, else by its number. */
import {sanitizeLine} from '../../../contract/foreign-text.js'
import type {KnownCity} from '../../../state/city-store.js'
import {checkInteger} from '../../input/checks.js'
import {matches} from '../../input/fold.js'
import type {Choice, Prompts} from '../../terminal/prompts/prompts.js'
import {plainly} from './questions.js'

export interface CityAsking {
  readonly prompts: Prompts
  /** The cities by name; empty where nothing knows them. Throws Failure when the service cannot be asked at all. */
  readonly cities: () => Promise<readonly KnownCity[]>
  /** Whether the service is one of this machine, as the local sandbox is. */
  readonly isLocal: boolean
}

/** The number of the city. */
export async function askCity({prompts, cities: list, isLocal}: CityAsking): Promise<number> {
  const cities = await list()
  if (cities.length === 0) {
    const where = isLocal
      ? '101 is Istanbul in the local sandbox'
      : 'the operator of the service has the list'
    const check = plainly(typed => checkInteger('city', typed, 1, Number.MAX_SAFE_INTEGER))
    return Number(await prompts.text({message: `City, by its number (${where})`, check}))
  }
  return prompts.search({message: 'City, by name or number', find: typed => findCities(cities, typed)})
}

/** The cities that `typed` may mean: names without accents and case, or numbers, also one that is not in the list. */
export function findCities(cities: readonly KnownCity[], typed: string): Choice<number>[] {
  const number = Number(/^[1-9]\d{0,14}$/.exec(typed.trim())?.[0] ?? 0)
  const found = cities
    .filter(city => matches(`${city.name} ${city.country_code ?? ''}`, typed) || city.id === number)
    .map(city => ({value: city.id, name: nameOf(city), names: [city.name, String(city.id)]}))
  const isListed = number === 0 || found.some(({value}) => value === number)
  return isListed ? found : [...found, {value: number, name: `city number ${number}`}]
}

function nameOf({id, name, country_code: country}: KnownCity): string {
  return `${sanitizeLine(name, 50)}${country ? `, ${sanitizeLine(country, 20)}` : ''} (${id})`
}
