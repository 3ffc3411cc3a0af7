/**
 * Constant data (scope content:read; §4.9 names it and shows neither path nor record): countries, currencies, cities,
 * under names of ours, whatever shape they come in; null where the answer does not say.
 */

import {fieldsOf} from '../../contract/field-names.js'
import type {JsonObject} from '../../contract/json.js'
import {codeIn, integerIn, numberIn, textIn} from '../answers/facts.js'
import {CITY, COUNTRY, CURRENCY_RECORD} from '../answers/vocabulary.js'
import type {Api} from '../types.js'
import {type Entry, readAll, type WholeList} from './lists.js'

interface Raw {
  /** The service's own object, untouched. */
  readonly raw: JsonObject
}

export interface FoundCountry extends Raw {
  /** ISO 3166-1 alpha-2, as far as the service keeps to it. */
  readonly code: string | null
  readonly name: string | null
  /** International dialling prefix. */
  readonly phone_code: string | null
  readonly currency: string | null
}

export interface FoundCurrency extends Raw {
  /** ISO 4217. */
  readonly code: string | null
  readonly name: string | null
  /** Digits after the decimal point. */
  readonly minor_units: number | null
}

export interface FoundCity extends Raw {
  /** `destination.id` of a search (§2.2). */
  readonly id: number | null
  readonly name: string | null
  readonly country_code: string | null
  /** Degrees. */
  readonly latitude: number | null
  readonly longitude: number | null
  /** IANA name. */
  readonly timezone: string | null
}

/** All countries. Throws Failure. */
export function listCountries(api: Api): Promise<WholeList<FoundCountry>> {
  return readAll(api, 'content.countries', {read: readCountry, idOf})
}

/** All currencies. Throws Failure. */
export function listCurrencies(api: Api): Promise<WholeList<FoundCurrency>> {
  return readAll(api, 'content.currencies', {read: readCurrency, idOf})
}

/** All cities. Throws Failure. */
export function listCities(api: Api): Promise<WholeList<FoundCity>> {
  return readAll(api, 'content.cities', {read: readCity, idOf})
}

/** What tells a record from the others: its code or id, else all of it. */
function idOf(item: FoundCountry | FoundCurrency | FoundCity): string {
  const id = 'id' in item ? item.id : item.code
  return String(id ?? JSON.stringify(item.raw))
}

function readCountry({value, key}: Entry): FoundCountry | undefined {
  const fields = fieldsOf(value)
  const code = codeIn(fields, COUNTRY.code) ?? key ?? null
  const name = textIn(fields, COUNTRY.name)
  if (code === null && name === null) return undefined
  const phone_code = textIn(fields, COUNTRY.phoneCode)
  const currency = codeIn(fields, COUNTRY.currency)
  return {...bareCode({code, name}), phone_code, currency, raw: value}
}

function readCurrency({value, key}: Entry): FoundCurrency | undefined {
  const fields = fieldsOf(value)
  const code = codeIn(fields, CURRENCY_RECORD.code) ?? key ?? null
  const name = textIn(fields, CURRENCY_RECORD.name)
  if (code === null && name === null) return undefined
  const minor_units = integerIn(fields, CURRENCY_RECORD.minorUnits)
  return {...bareCode({code, name}), minor_units, raw: value}
}

function readCity({value, key, group}: Entry): FoundCity | undefined {
  const fields = fieldsOf(value)
  const id = integerIn(fields, CITY.id) ?? (/^\d+$/.test(key ?? '') ? Number(key) : null)
  const name = textIn(fields, CITY.name)
  if (id === null && name === null) return undefined
  const groupCode = /^[A-Z]{2}$/.exec(group ?? '')?.[0] ?? null
  return {
    id,
    name,
    country_code: codeIn(fields, CITY.country) ?? groupCode,
    latitude: numberIn(fields, CITY.latitude),
    longitude: numberIn(fields, CITY.longitude),
    timezone: textIn(fields, CITY.timezone),
    raw: value,
  }
}

/** A list of bare codes (`["EUR", "USD"]`) comes as names. */
function bareCode(record: {code: string | null; name: string | null}) {
  const {code, name} = record
  return code === null && name !== null && /^[A-Z]{2,3}$/.test(name) ? {code: name, name: null} : record
}
