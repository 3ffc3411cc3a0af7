/**
 * Constant data (scope content:read; §4.9 names it and shows neither path nor record): countries, currencies, cities,
 * under names of ours, whatever shape they come in; null where the answer does not say.
 */

import {createFieldReader} from '../../contract/field-names.js'
import type {JsonObject} from '../../contract/json.js'
import {codeIn, integerIn, numberIn, textIn} from '../answers/facts.js'
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

const NAME = ['name', 'display_name', 'title', 'label', 'description']
const COUNTRY_CODE = ['country_code', 'country_iso', 'country_iso2', 'iso2', 'alpha2', 'alpha_2']
const fieldsOf = createFieldReader()

function readCountry({value, key}: Entry): FoundCountry | undefined {
  const fields = fieldsOf(value)
  const code = codeIn(fields, ['code', ...COUNTRY_CODE, 'iso', 'iso_code', 'id']) ?? key ?? null
  const name = textIn(fields, ['name', 'country_name', ...NAME, 'country'])
  const phone_code = textIn(fields, [
    'phone_code',
    'dial_code',
    'dialling_code',
    'calling_code',
    'phone_prefix',
  ])
  const currency = codeIn(fields, ['currency', 'currency_code'])
  return orNothing(code ?? name, {...bareCode({code, name}), phone_code, currency, raw: value})
}

function readCurrency({value, key}: Entry): FoundCurrency | undefined {
  const fields = fieldsOf(value)
  const code = codeIn(fields, ['code', 'currency_code', 'iso_code', 'iso', 'currency', 'id']) ?? key ?? null
  const name = textIn(fields, ['name', 'currency_name', ...NAME])
  const minor_units = integerIn(fields, [
    'minor_units',
    'minor_unit',
    'decimals',
    'decimal_places',
    'exponent',
  ])
  return orNothing(code ?? name, {...bareCode({code, name}), minor_units, raw: value})
}

function readCity({value, key, group}: Entry): FoundCity | undefined {
  const fields = fieldsOf(value)
  const keyId = /^\d+$/.test(key ?? '') ? Number(key) : null
  const id = integerIn(fields, ['id', 'city_id', 'destination_id', 'code', 'city_code']) ?? keyId
  const name = textIn(fields, ['name', 'city_name', 'destination_name', ...NAME, 'city'])
  return orNothing(id ?? name, {
    id,
    name,
    country_code:
      codeIn(fields, [...COUNTRY_CODE, 'country']) ??
      (/^[A-Z]{2}$/.test(group ?? '') ? (group ?? null) : null),
    latitude: numberIn(fields, ['latitude', 'lat']),
    longitude: numberIn(fields, ['longitude', 'lon', 'lng', 'long']),
    timezone: textIn(fields, ['timezone', 'time_zone', 'tz']),
    raw: value,
  })
}

/** A list of bare codes (`["EUR", "USD"]`) comes as names. */
function bareCode(record: {code: string | null; name: string | null}) {
  const {code, name} = record
  return code === null && name !== null && /^[A-Z]{2,3}$/.test(name) ? {code: name, name: null} : record
}

function orNothing<Item>(identity: unknown, item: Item): Item | undefined {
  return identity === null ? undefined : item
}
