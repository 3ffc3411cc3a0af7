/** Constant data for people: narrowed on this machine, since no service is known to narrow it. */
import type {FoundCity, FoundCountry, FoundCurrency} from '../../../api/operations/content.js'
import {fold} from '../../input/match.js'
import type {Connection} from '../../session/connect.js'
import type {Column, Result} from '../../terminal/result.js'

export interface ContentWish {
  /** Kept are those whose name or code holds this; accents and case do not count. */
  readonly find?: string | undefined
  /** Two letters. */
  readonly country?: string | undefined
}

export const COUNTRY_COLUMNS: readonly Column<FoundCountry>[] = [
  {name: 'code', value: item => item.code},
  {name: 'name', value: item => item.name},
  {name: 'phone_code', value: item => item.phone_code},
  {name: 'currency', value: item => item.currency},
]

export const CURRENCY_COLUMNS: readonly Column<FoundCurrency>[] = [
  {name: 'code', value: item => item.code},
  {name: 'name', value: item => item.name},
  {name: 'minor_units', value: item => item.minor_units},
]

export const CITY_COLUMNS: readonly Column<FoundCity>[] = [
  {name: 'id', value: item => item.id},
  {name: 'name', value: item => item.name},
  {name: 'country_code', value: item => item.country_code},
  {name: 'timezone', value: item => item.timezone},
  {name: 'latitude', value: item => item.latitude},
  {name: 'longitude', value: item => item.longitude},
]

/** Throws Failure. */
export async function countries({api}: Connection, wish: ContentWish): Promise<Result<FoundCountry>> {
  const {listCountries} = await import('../../../api/operations/content.js')
  const {items: all, isComplete} = await listCountries(api)
  const items = all.filter(item => holds(wish.find, item.name, item.code))
  return {
    document: {countries: items},
    items,
    columns: COUNTRY_COLUMNS,
    id: item => item.code,
    whenEmpty: 'No country is left.',
    ...warningUnless(isComplete),
  }
}

/** Throws Failure. */
export async function currencies({api}: Connection, wish: ContentWish): Promise<Result<FoundCurrency>> {
  const {listCurrencies} = await import('../../../api/operations/content.js')
  const {items: all, isComplete} = await listCurrencies(api)
  const items = all.filter(item => holds(wish.find, item.name, item.code))
  return {
    document: {currencies: items},
    items,
    columns: CURRENCY_COLUMNS,
    id: item => item.code,
    whenEmpty: 'No currency is left.',
    ...warningUnless(isComplete),
  }
}

/** Remembers every city. Throws Failure. */
export async function cities(connection: Connection, wish: ContentWish): Promise<Result<FoundCity>> {
  const {listCities} = await import('../../../api/operations/content.js')
  const {items: all, isComplete} = await listCities(connection.api)
  remember(connection, all)
  const items = all.filter(item => holds(wish.find, item.name) && isIn(wish.country, item.country_code))
  return {
    document: {cities: items},
    items,
    columns: CITY_COLUMNS,
    shown: ['id', 'name', 'country_code', 'timezone'],
    id: item => item.id,
    whenEmpty: 'No city is left.',
    ...warningUnless(isComplete),
  }
}

/** For a list that the service says is longer than what it gave. */
export function warningUnless(isComplete: boolean): {warning?: string} {
  return isComplete
    ? {}
    : {warning: 'Warning: the service has more than these, and does not say how to ask for them'}
}

/** So that they can be chosen by name later, also those narrowed away. */
function remember({state, target}: Connection, found: readonly FoundCity[]): void {
  const named = found.flatMap(({id, name, country_code}) =>
    id === null || name === null ? [] : [{id, name, country_code}],
  )
  if (state.writable) state.cities.remember({baseUrl: target.baseUrl}, named)
}

function holds(wanted: string | undefined, ...texts: (string | null)[]): boolean {
  if (wanted === undefined) return true
  const part = fold(wanted)
  return texts.some(text => text !== null && fold(text).includes(part))
}

function isIn(wanted: string | undefined, code: string | null): boolean {
  return wanted === undefined || code?.toUpperCase() === wanted
}
