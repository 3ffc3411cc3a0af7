/** Reference data, filtered on this machine, since no service is known to filter it. */
import type {FoundCity, FoundCountry, FoundCurrency} from '../../../api/operations/content.js'
import {fold} from '../../input/match.js'
import type {Connection} from '../../session/connect.js'
import {headLine, listResult, type Result} from '../../terminal/result.js'
import {shownOf} from '../../terminal/values.js'

export interface ContentFilter {
  readonly find?: string | undefined
  readonly country?: string | undefined
}

export const COUNTRY_COLUMNS = ['code', 'name', 'phone_code', 'currency'] as const
export const CURRENCY_COLUMNS = ['code', 'name', 'minor_units'] as const
export const CITY_COLUMNS = ['id', 'name', 'country_code', 'timezone', 'latitude', 'longitude'] as const

export async function countries({api}: Connection, {find}: ContentFilter): Promise<Result<FoundCountry>> {
  const {listCountries} = await import('../../../api/operations/content.js')
  const isWanted = ({name, code}: FoundCountry) => contains(find, name, code)
  return filtered('countries', await listCountries(api), isWanted, COUNTRY_COLUMNS)
}

/** Throws Failure. */
export async function currencies({api}: Connection, {find}: ContentFilter): Promise<Result<FoundCurrency>> {
  const {listCurrencies} = await import('../../../api/operations/content.js')
  const isWanted = ({name, code}: FoundCurrency) => contains(find, name, code)
  return filtered('currencies', await listCurrencies(api), isWanted, CURRENCY_COLUMNS)
}

/** Remembers every city, so that it can be chosen by name later. Throws Failure. */
export async function cities(connection: Connection, filter: ContentFilter): Promise<Result<FoundCity>> {
  const {listCities} = await import('../../../api/operations/content.js')
  const found = await listCities(connection.api)
  const {find, country} = filter
  remember(connection, found.items)
  const isWanted = ({name, country_code: code}: FoundCity) =>
    contains(find, name) && (country === undefined || code?.toUpperCase() === country)
  return {...filtered('cities', found, isWanted, CITY_COLUMNS), shown: CITY_COLUMNS.slice(0, 4)}
}

const ONE = {countries: 'country', currencies: 'currency', cities: 'city'} as const

function filtered<Item>(
  kind: keyof typeof ONE,
  {items: all, isComplete}: {readonly items: readonly Item[]; readonly isComplete: boolean},
  isWanted: (item: Item) => boolean,
  columns: readonly (keyof Item & string)[],
): Result<Item> {
  const items = all.filter(isWanted)
  const lead = headLine(shownOf(items.length, all.length, ONE[kind], kind))
  const result = listResult({[kind]: items}, items, columns)
  return {...result, lead, whenEmpty: `No ${kind} match.`, ...warningUnless(isComplete)}
}

/** For a list that the service says is longer than what it sent. */
export function warningUnless(isComplete: boolean): {warning?: string} {
  if (isComplete) return {}
  return {warning: 'Warning: the service has more than these, and does not say how to request them'}
}

function remember({state, target}: Connection, found: readonly FoundCity[]): void {
  const named = found.flatMap(({id, name, country_code}) =>
    id === null || name === null ? [] : [{id, name, country_code}],
  )
  if (state.writable) state.cities.remember({baseUrl: target.baseUrl}, named)
}

function contains(wanted: string | undefined, ...texts: (string | null)[]): boolean {
  return wanted === undefined || texts.some(text => text !== null && fold(text).includes(fold(wanted)))
}
