/** What the settings give: flag > environment > profile > defaults. Only what is asked for is read, and checked, since people write the file. */
import {Failure} from '../../contract/failure.js'
import type {Fields} from '../input/guests.js'
import {usableValue} from './checked.js'
import {effective, type Surroundings} from './effective.js'
import {SETTING_KEYS} from './keys.js'

/** Of a reservation. */
export interface Preferences {
  readonly nationality?: string
  readonly currency?: string
  /** As much of §2.4's contact as is set. */
  readonly contact?: Fields
}

/** Of a connection. */
export interface ConnectionSettings {
  readonly timeoutSeconds?: number
  readonly caFile?: string
}

/** Throws usage, naming variable or place in config.json, for a value that will not do. */
export async function readPreferences(around: Surroundings): Promise<Preferences> {
  const [nationality, currency] = [await readText('nationality', around), await readText('currency', around)]
  const contact: Fields = {}
  for (const {name} of SETTING_KEYS) {
    const value = name.startsWith('contact.') ? await readOne(name, around) : undefined
    if (value !== undefined) contact[name.slice('contact.'.length)] = value
  }
  return {
    ...(nationality === undefined ? {} : {nationality}),
    ...(currency === undefined ? {} : {currency}),
    ...(Object.keys(contact).length === 0 ? {} : {contact}),
  }
}

/** Flags too. Throws usage as above; where a value that will not do is `leftOut`, it counts as not set. */
export async function readConnectionSettings(
  around: Surroundings,
  leftOut = false,
): Promise<ConnectionSettings> {
  const read = async (name: string) =>
    readOne(name, around).catch(error => {
      if (leftOut && error instanceof Failure) return undefined
      throw error
    })
  const [timeout, caFile] = [await read('timeout'), await read('ca_file')]
  return {
    ...(timeout === undefined ? {} : {timeoutSeconds: Number(timeout)}),
    ...(caFile === undefined ? {} : {caFile: String(caFile)}),
  }
}

/** One of those that are text; undefined where nothing gives it. Throws usage as above. */
export async function readText(name: string, around: Surroundings): Promise<string | undefined> {
  const value = await readOne(name, around)
  return value === undefined ? undefined : String(value)
}

async function readOne(name: string, around: Surroundings) {
  const key = SETTING_KEYS.find(known => known.name === name)
  if (key === undefined) return undefined
  const found = effective(key, around)
  return found.value === null || found.origin === 'built_in' ? undefined : usableValue(found)
}
