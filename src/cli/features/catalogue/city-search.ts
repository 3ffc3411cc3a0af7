/**
 * Searches in a city that is given by id or name. A name is looked up in the service's list if its path is known
 * (§4.9), else among the cities stored on this machine.
 */
import {type FoundCity, listCities} from '../../../api/operations/content.js'
import {Failure} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import type {KnownCity} from '../../../state/seen-store.js'
import type {State} from '../../../state/state.js'
import {checkInteger, invalid} from '../../input/checks.js'
import {checkCountry} from '../../input/countries.js'
import {checkedFlag, currencyFlag} from '../../input/flags.js'
import {closestFew, didYouMean, fold, matches} from '../../input/match.js'
import {collectFailure, combined, ignoreFailure, missing} from '../../input/usage-errors.js'
import type {Connection} from '../../session/connect.js'
import {SETTING_VARIABLES} from '../../session/setting-variables.js'
import {BaseCommand} from '../../shell/base-command.js'
import {mayAsk} from '../../terminal/prompts/ask.js'

type Naming = Pick<Connection, 'api'> & Place
type Place = {readonly state: State; readonly target: {readonly baseUrl: string}}

/**
 * Returns the service's cities and stores them. If its list is not available, returns the stored cities. Throws a
 * Failure if credentials are missing or the service is unreachable.
 */
export async function namedCities(naming: Naming): Promise<readonly KnownCity[]> {
  const {items} = await listCities(naming.api).catch(error => {
    if (!(error instanceof Failure)) throw error
    // Without the list, a search may still work, unless credentials are missing or the service is unreachable.
    const {kind, details} = error
    const lacksScope = kind === 'not_allowed' && (details.status === 403 || details.code === 'invalid_scope')
    const isOnlyTheList = lacksScope || /^(usage|refused|service_failed)$/.test(kind)
    if (!isOnlyTheList) throw error
    return {items: []}
  })
  const listed = rememberCities(naming, items)
  return listed.length > 0 ? listed : remembered(naming)
}

/** Returns the cities that have an id and a name, and stores them if the directory can be written. */
export function rememberCities({state, target}: Place, found: readonly FoundCity[]): KnownCity[] {
  const known = found.flatMap(({id, name, country_code}) =>
    id !== null && Number.isSafeInteger(id) && id > 0 && name ? [{id, name, country_code}] : [],
  )
  if (state.writable && known.length > 0) state.cities.remember(target, known)
  return known
}

function remembered({state, target}: Place): readonly KnownCity[] {
  return state.writable ? state.cities.list(target) : []
}

/**
 * Formats a city as `Istanbul (101)`, with the stored name, else with the name `otherwise`. Without a name, the result
 * is `101`. Sends no request.
 */
export function cityText(id: number | string, place: Place, otherwise?: string): string {
  const name = remembered(place).find(city => String(city.id) === String(id))?.name ?? otherwise
  return name === undefined ? `${id}` : `${sanitizeLine(name, 50)} (${id})`
}

/** The flag `--city`: an id, or a name that is looked up once there is a connection. */
export const cityFlag = {
  city: checkedFlag((field, text) =>
    /^\d*$/.test(text) ? checkInteger(field, text, 1, Number.MAX_SAFE_INTEGER) : text,
  )({
    helpValue: 'CITY',
    summary: 'city by name or id, such as Istanbul or 101 in the local sandbox',
  }),
}

/**
 * Returns the id of the city that `--city` names. A name is looked up among the stored cities, else in the service's
 * list. Throws a usage error if it is in neither.
 */
export async function readCity(typed: number | string | undefined, open: () => Promise<Naming>) {
  if (typeof typed !== 'string') return typed
  const naming = await open()
  const known = remembered(naming)
  const isKnown = (await citiesNamed(typed, known)).length > 0
  return cityNumber(typed, isKnown ? known : await namedCities(naming))
}

/**
 * Returns the error for a city name that is not among the stored cities, so that it is reported together with other
 * mistakes.
 */
export async function wrongCity(
  typed: number | string | undefined,
  state: State,
  baseUrl: string | undefined,
): Promise<Failure[]> {
  const errors: Failure[] = []
  const known = baseUrl === undefined ? [] : remembered({state, target: {baseUrl}})
  if (typeof typed === 'string' && known.length > 0)
    await cityNumber(typed, known).catch(collectFailure(errors))
  return errors
}

/**
 * Returns the cities that `typed` names: by name alone, or with country or id as they are displayed, such as `Valencia,
 * ES (7)`.
 */
async function citiesNamed(typed: string, cities: readonly KnownCity[]): Promise<KnownCity[]> {
  const plain = (text: string) => fold(text.replace(/[\s,()]+/g, ' '))
  const wanted = plain(typed)
  const found: KnownCity[] = []
  for (const city of cities) {
    const name = plain(city.name)
    if (wanted !== name && !wanted.startsWith(`${name} `)) continue
    const rest = ` ${wanted.slice(name.length).trim()}`.replace(new RegExp(` ${city.id}$`), '').trim()
    if (rest === '' || (await isCountry(rest, city.country_code ?? ''))) found.push(city)
  }
  return found
}

async function isCountry(typed: string, code: string): Promise<boolean> {
  if (fold(code) === typed) return true
  // Text that names no country is not a mistake here: it may belong to the name of another city.
  const named = await checkCountry('--city', typed).catch(ignoreFailure)
  return named !== undefined && named === code.toUpperCase()
}

/**
 * Returns the id of the city that `typed` names. Throws a usage error with suggestions if there is none or more than
 * one.
 */
export async function cityNumber(typed: string, known: readonly KnownCity[]): Promise<number> {
  const cities = await citiesNamed(typed, known)
  const [city, ...others] = cities
  if (city && others.length === 0) return city.id
  if (city) {
    const problem = `several cities have this name: ${cities.slice(0, 10).map(cityLine).join('; ')}`
    throw invalid('--city', problem, undefined, 'give the id, or add the country')
  }
  const unlisted = "must be an id here, because the service's list of cities is not available"
  if (known.length === 0) throw invalid('--city', unlisted, typed)
  const bare = fold(typed.replace(/[,(].*$/s, ''))
  const near = closestFew(bare, [...new Set(known.map(({name}) => fold(name)))], 3)
  const meant = known
    .filter(({name}) => near.includes(fold(name)) || matches(name, bare || typed))
    .slice(0, 3)
  const hint =
    meant.length > 0 ? didYouMean(meant.map(cityLine).join(' or ')) : 'list cities: bookctl content cities'
  throw invalid('--city', 'must be the name or id of a city of the service', typed, hint)
}

/** Formats a city as `Valencia, ES (7)`. */
export function cityLine({id, name, country_code: country}: KnownCity): string {
  return `${sanitizeLine(name, 50)}${country ? `, ${sanitizeLine(country, 20)}` : ''} (${id})`
}

export const pricesFlag = {
  currency: currencyFlag({
    helpValue: 'CCC',
    env: SETTING_VARIABLES.currency,
    summary: 'currency of the prices (three letters)',
  }),
}

/** The flags as typed. The city may be a name. */
interface Typed {
  readonly city?: number | string | undefined
  readonly nationality?: string | undefined
  readonly currency?: string | undefined
}

/** The flags that a search needs. An entry has one flag, or several of which one is enough. */
type NeededFlags = readonly (readonly string[])[]

/**
 * The base of commands that search in a city. At a terminal it asks for missing values; elsewhere one error names
 * everything that is missing or wrong. It must not have static properties, or oclif would no longer find those that its
 * subclasses inherit, such as `baseFlags`.
 */
export abstract class CitySearch extends BaseCommand {
  protected abstract readonly needed: NeededFlags

  /** Returns errors about flags that contradict each other. */
  protected misfitsIn(_given: object): Failure[] {
    return []
  }

  /**
   * Completes the flags with the settings and the id of the city. `ask` asks for missing values at a terminal. Throws a
   * usage error that names everything missing or wrong.
   */
  protected async complete<Flags extends Typed, Complete>(
    flags: Flags,
    ask: (known: Flags & {city: number | undefined}) => Promise<Complete>,
  ) {
    const given = await this.withDefaults(flags, this.settings([]))
    const isLacking = absentIn(given, this.needed).length > 0
    // Mistakes are reported before a request is sent to look up the city.
    if (this.misfitsIn(given).length > 0 || (isLacking && !mayAsk(this.globals)))
      throw combined(await this.alsoWrong({flags: given}, []))
    const known = {...given, city: await readCity(given.city, () => this.connect())}
    return isLacking ? ask(known) : known
  }

  protected override async alsoWrong({flags}: {flags: Typed}, refused: readonly string[]) {
    const city = await wrongCity(flags.city, await this.state(), (await this.client())?.baseUrl)
    const given = await this.withDefaults(flags, this.settings(refused))
    const placed = Object.fromEntries(refused.map(name => [name, true]))
    const absent = mayAsk(this.globals) ? [] : absentIn({...given, ...placed}, this.needed)
    return [...city, ...this.misfitsIn(given), ...absent]
  }

  private settings(refused: readonly string[]) {
    const names = ['nationality', 'currency'] as const
    const needed = this.needed.flat()
    return names.filter(name => needed.includes(`--${name}`) && !refused.includes(name))
  }
}

/** Returns an error that names the missing flags of `needed`, or an empty list. */
export function absentIn(given: object, needed: NeededFlags): Failure[] {
  const values: Readonly<Record<string, unknown>> = {...given}
  const absent = needed.filter(flags => !flags.some(flag => values[flag.slice('--'.length)]))
  return absent.length > 0 ? [missing(absent.map(flags => flags.join(' or ')))] : []
}
