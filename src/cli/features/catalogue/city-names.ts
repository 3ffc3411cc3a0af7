/** Cities by their names: from the service's list where it may be called (§4.9), else those remembered here. */
import type {Api} from '../../../api/types.js'
import {Failure} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import type {KnownCity} from '../../../state/seen-store.js'
import {checkInteger, invalid} from '../../input/checks.js'
import {checkedFlag} from '../../input/flags.js'
import {closestFew, fold} from '../../input/match.js'
import type {Connection} from '../../session/connect.js'

/** The parts of a connection that know names. */
export type Naming = Pick<Connection, 'api' | 'state' | 'target'>

/** The service's cities, remembered here; else those remembered. Throws Failure when nothing can be asked. */
export async function namedCities({api, state, target}: Naming): Promise<readonly KnownCity[]> {
  const listed = await listedCities(api)
  if (!state.writable) return listed
  if (listed.length === 0) return state.cities.list({baseUrl: target.baseUrl})
  state.cities.remember({baseUrl: target.baseUrl}, listed)
  return listed
}

/** The service's own list; empty if it is not available. Throws Failure when the service cannot be asked at all. */
export async function listedCities(api: Api): Promise<KnownCity[]> {
  const {listCities} = await import('../../../api/operations/content.js')
  try {
    return (await listCities(api)).items.flatMap(({id, name, country_code}) =>
      id !== null && Number.isSafeInteger(id) && id > 0 && name ? [{id, name, country_code}] : [],
    )
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

/** `Istanbul (101)`; `101` where the name is not known here. No request is made. */
export function cityText(id: number | string, {state, target}: Pick<Naming, 'state' | 'target'>): string {
  const known = state.writable ? state.cities.list({baseUrl: target.baseUrl}) : []
  const name = known.find(city => String(city.id) === String(id))?.name
  return name === undefined ? `${id}` : `${sanitizeLine(name, 50)} (${id})`
}

/** An id, or a name that only the connection can resolve. */
const numberOrName = checkedFlag((field, text) =>
  /^\d*$/.test(text) ? checkInteger(field, text, 1, Number.MAX_SAFE_INTEGER) : text,
)

export const cityFlag = {
  city: numberOrName({
    helpValue: 'CITY',
    summary: 'city id, or its name once content cities has listed it; 101 is Istanbul in the local sandbox',
  }),
}

/** The number that `--city` means, found among the cities remembered here, without a request. Throws usage. */
export async function readCity(
  typed: number | string | undefined,
  open: () => Promise<Pick<Naming, 'state' | 'target'>>,
): Promise<number | undefined> {
  if (typeof typed !== 'string') return typed
  const {state, target} = await open()
  return cityNumber(typed, state.cities.list({baseUrl: target.baseUrl}))
}

/** The number of the city of that name. Throws usage, naming the numbers where several cities have it. */
export function cityNumber(typed: string, known: readonly KnownCity[]): number {
  const wanted = fold(typed)
  const [city, ...others] = known.filter(({name}) => fold(name) === wanted)
  if (city && others.length === 0) return city.id
  if (!city) {
    const names = closestFew(wanted, [...new Set(known.map(({name}) => fold(name)))], MOST_NEAR)
    const nearest = names.flatMap(name => known.filter(each => fold(each.name) === name)).slice(0, MOST_NEAR)
    const near = nearest.map(({id, name}) => `${sanitizeLine(name, 50)} (${id})`)
    const rule = 'must be a number, or the name of a city listed by content cities'
    const {kind, message, details} = invalid('--city', rule, typed)
    if (near.length === 0) throw new Failure(kind, message, details)
    throw new Failure(kind, message, {...details, hint: `did you mean ${near.join(' or ')}?`})
  }
  const numbers = [city, ...others].map(({id, country_code}) => [id, country_code].filter(Boolean).join(' '))
  throw invalid(
    '--city',
    `several cities have this name: ${numbers.slice(0, 10).join(', ')}; give the number`,
  )
}

/** More suggestions do not help. */
const MOST_NEAR = 3
