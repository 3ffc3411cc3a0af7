/** Lists reference data. It is filtered on this machine, because no service is known to filter it. */
import * as Flags from '@oclif/core/flags'
import {listCities, listCountries, listCurrencies} from '../../../api/operations/content.js'
import {fold} from '../../input/match.js'
import type {Connection} from '../../session/connect.js'
import {shownOf} from '../../terminal/dates-and-amounts.js'
import {headLine, listResult, type Result} from '../../terminal/result.js'
import {rememberCities} from './city-search.js'

export const CONTENT_COLUMNS = {
  countries: ['code', 'name', 'phone_code', 'currency'],
  currencies: ['code', 'name', 'minor_units'],
  cities: ['id', 'name', 'country_code', 'timezone', 'latitude', 'longitude'],
} as const

/** Defines `--find`. `what` describes the items that it selects, for example `cities whose name`. */
export const findFlag = (what: string) => ({
  find: Flags.string({helpValue: 'TEXT', summary: `only ${what} contains TEXT (accents are ignored)`}),
})

type Named = {readonly [name in 'name' | 'code' | 'country_code']?: string | null}

/**
 * Lists reference data of one kind. Cities are stored, so that they can later be chosen by name. Throws a Failure if a
 * call fails.
 */
export async function listContent(
  kind: keyof typeof CONTENT_COLUMNS,
  connection: Connection,
  {find, country}: {readonly find?: string | undefined; readonly country?: string | undefined},
): Promise<Result<Named>> {
  const cities = async () => {
    const found = await listCities(connection.api)
    rememberCities(connection, found.items)
    return found
  }
  const read = {countries: listCountries, currencies: listCurrencies, cities}[kind]
  const found: {readonly items: readonly Named[]; readonly isComplete: boolean} = await read(connection.api)
  const has = (wanted: string) => (text: string | null | undefined) => fold(text ?? '').includes(fold(wanted))
  const items = found.items.filter(
    ({name, code, country_code}) =>
      (find === undefined || [name, code].some(has(find))) &&
      (country === undefined || country_code?.toUpperCase() === country),
  )
  const columns: readonly string[] = CONTENT_COLUMNS[kind]
  return {
    ...listResult({[kind]: items}, items, columns as (keyof Named)[]),
    lead: headLine(shownOf(items.length, found.items.length, kind.replace(/ies$/, 'y'), kind)),
    shown: columns.slice(0, 4),
    whenEmpty: `No ${kind} match.`,
    ...warningUnless(found.isComplete),
  }
}

/** Returns a warning if the service did not send its whole list. */
export function warningUnless(isComplete: boolean): {warning?: string} {
  if (isComplete) return {}
  return {warning: 'Warning: the service has more than these, and does not say how to request them'}
}
