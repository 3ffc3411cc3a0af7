/**
 * Asks for the destination: by its name where the service's list of cities can be had (§4.9: its path is not shown, so
 * it is only asked for on the local sandbox or where the profile names it), else by its number.
 */
import type {Api} from '../../api/api.js'
import {Failure} from '../../contract/failure.js'
import {sanitizeLine} from '../../contract/foreign-text.js'
import {checkInteger} from '../input/checks.js'
import type {Choice, Prompts} from '../prompts/prompts.js'
import {matches} from './fold.js'
import {plainly} from './questions.js'

export interface NamedCity {
  readonly id: number
  readonly name: string
  readonly country: string | null
}

/** The number of the city, as `--city` takes it. Throws Failure when the service cannot be asked at all. */
export async function askCity(prompts: Prompts, api: () => Promise<Api>): Promise<string> {
  const cities = await namedCities(await api())
  if (cities.length === 0) {
    const check = plainly(typed => checkInteger('city', typed, 1, Number.MAX_SAFE_INTEGER))
    return prompts.text({message: 'City, by its number (101 is Istanbul in the local sandbox)', check})
  }
  return prompts.search({message: 'City, by name or number', find: typed => findCities(cities, typed)})
}

/** The cities that `typed` may mean: names without accents and case, or numbers, also one that is not in the list. */
export function findCities(cities: readonly NamedCity[], typed: string): Choice<string>[] {
  const number = /^[1-9]\d{0,14}$/.exec(typed.trim())?.[0]
  const found = cities
    .filter(city => matches(`${city.name} ${city.country ?? ''}`, typed) || String(city.id) === number)
    .map(city => ({value: String(city.id), name: nameOf(city)}))
  const isListed = number === undefined || found.some(({value}) => value === number)
  return isListed ? found : [...found, {value: number, name: `city number ${number}`}]
}

function nameOf({id, name, country}: NamedCity): string {
  return `${sanitizeLine(name, 50)}${country ? `, ${sanitizeLine(country, 20)}` : ''} (${id})`
}

/** The service's cities by name; none where it may not be asked, does not know, or says it in no way we can read. */
async function namedCities(api: Api): Promise<NamedCity[]> {
  const {listCities} = await import('../../api/content.js')
  try {
    return (await listCities(api)).items.flatMap(city => {
      const id = Number(city.id)
      const isUsable = Number.isSafeInteger(id) && id > 0 && Boolean(city.name)
      return isUsable ? [{id, name: city.name ?? '', country: city.country_code}] : []
    })
  } catch (error) {
    if (error instanceof Failure && isOnlyTheList(error)) return []
    throw error
  }
}

/** Whether a search may still work: all but missing credentials and a service that is away. */
function isOnlyTheList({kind, details}: Failure): boolean {
  if (kind === 'not_allowed') return details.status === 403
  return kind === 'usage' || kind === 'refused' || kind === 'service_failed'
}
