/**
 * Reads countries, currencies and cities from answers of any shape. §4.9 names the operations, but shows neither paths
 * nor records.
 */
import {codeIn, type Found, integerIn, numberIn, readRecord} from '../answers/facts.js'
import {CITY, COUNTRY, CURRENCY_RECORD} from '../answers/vocabulary.js'
import type {Api} from '../types.js'
import {type Entry, readAll, type WholeList} from './lists.js'

const COUNTRY_READERS = {code: codeIn, currency: codeIn}
const CURRENCY_READERS = {code: codeIn, minor_units: integerIn}
const CITY_READERS = {id: integerIn, country_code: codeIn, latitude: numberIn, longitude: numberIn}

/** A city. `id` is the `destination.id` for a search (§2.2); the time zone is an IANA name. */
export type FoundCity = Found<typeof CITY, typeof CITY_READERS>

/** Returns all countries. Throws a Failure if a call fails. */
export function listCountries(api: Api) {
  const read = (entry: Entry) => withCode(readRecord(entry.value, COUNTRY, COUNTRY_READERS), entry)
  return readAll(api, 'content.countries', read, 'code')
}

/** Returns all currencies. Throws a Failure if a call fails. */
export function listCurrencies(api: Api) {
  const read = (entry: Entry) => withCode(readRecord(entry.value, CURRENCY_RECORD, CURRENCY_READERS), entry)
  return readAll(api, 'content.currencies', read, 'code')
}

/** Returns all cities. Throws a Failure if a call fails. */
export function listCities(api: Api): Promise<WholeList<FoundCity>> {
  return readAll(api, 'content.cities', readCity, 'id')
}

/**
 * Adds the code to a record. The code may also be the key of the entry (`{"EUR": {…}}`) or the whole entry (`["EUR",
 * "USD"]`). Returns undefined for a record with neither code nor name.
 */
function withCode<T extends {code: string | null; name: string | null}>(record: T, {key}: Entry) {
  const {name} = record
  const code = record.code ?? key ?? null
  if (code === null && name === null) return undefined
  const isBareCode = code === null && name !== null && /^[A-Z]{2,3}$/.test(name)
  return isBareCode ? {...record, code: name, name: null} : {...record, code}
}

function readCity({value, key, group}: Entry): FoundCity | undefined {
  const city = readRecord(value, CITY, CITY_READERS)
  const id = city.id ?? (/^\d+$/.test(key ?? '') ? Number(key) : null)
  if (id === null && city.name === null) return undefined
  const groupCode = /^[A-Z]{2}$/.exec(group ?? '')?.[0] ?? null
  return {...city, id, country_code: city.country_code ?? groupCode}
}
