/** What the settings give where no flag did: environment > profile > defaults. Checked, since people write the file. */
import {Failure} from '../../contract/failure.js'
import type {Fields} from '../input/guests.js'
import {usableValue} from './checked.js'
import {effective, type Surroundings} from './effective.js'
import {SETTING_KEYS} from './keys.js'

export interface Preferences {
  readonly nationality?: string
  readonly currency?: string
  /** As much of §2.4's contact as is set. */
  readonly contact?: Fields
  readonly timeoutSeconds?: number
  readonly caFile?: string
}

/**
 * Throws usage, naming variable or place in config.json, for a value that will not do; where such a value is `leftOut`,
 * it counts as not set.
 */
export async function readPreferences(around: Surroundings, leftOut = false): Promise<Preferences> {
  const withoutFlags = {...around, flags: {profile: around.flags.profile}}
  const read = async (name: string) =>
    readOne(name, withoutFlags).catch(error => {
      if (leftOut && error instanceof Failure) return undefined
      throw error
    })
  const [nationality, currency] = [await read('nationality'), await read('currency')]
  const [timeout, caFile] = [await read('timeout'), await read('ca_file')]
  const contact: Fields = {}
  for (const {name} of SETTING_KEYS) {
    const value = name.startsWith('contact.') ? await read(name) : undefined
    if (value !== undefined) contact[name.slice('contact.'.length)] = value
  }
  return {
    ...(nationality === undefined ? {} : {nationality: String(nationality)}),
    ...(currency === undefined ? {} : {currency: String(currency)}),
    ...(timeout === undefined ? {} : {timeoutSeconds: Number(timeout)}),
    ...(caFile === undefined ? {} : {caFile: String(caFile)}),
    ...(Object.keys(contact).length === 0 ? {} : {contact}),
  }
}

async function readOne(name: string, around: Surroundings) {
  const key = SETTING_KEYS.find(known => known.name === name)
  if (key === undefined) return undefined
  const found = effective(key, around)
  return found.value === null || found.origin === 'built_in' ? undefined : usableValue(found)
}
