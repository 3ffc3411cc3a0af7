/** What the settings give where no flag did: environment > profile > defaults. Checked, since people write the file. */
import type {Fields} from '../input/guests.js'
import {effective, type Surroundings} from './effective.js'
import {SETTING_KEYS, type SettingKey} from './keys.js'

export interface Preferences {
  readonly nationality?: string
  readonly currency?: string
  /** As much of §2.4's contact as is set. */
  readonly contact?: Fields
  readonly timeoutSeconds?: number
  readonly caFile?: string
}

/** Throws usage, naming variable or place in config.json, for a value that will not do. */
export async function readPreferences(around: Surroundings): Promise<Preferences> {
  const read = (name: string) => readOne(name, {...around, flags: {profile: around.flags.profile}})
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
  const {value, origin, source} = effective(key, around)
  if (value === null || origin === 'built_in') return undefined
  return key.check(placeOf(key, origin, source), String(value))
}

function placeOf({name}: SettingKey, origin: string, source: string | null): string {
  if (origin === 'environment') return source ?? name
  return `config.json: ${origin === 'profile' ? `profiles.${source}` : 'defaults'}.${name}`
}
