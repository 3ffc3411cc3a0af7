/** What holds for each setting now, and why: flag > environment > profile > defaults > built in. */

import {Failure} from '../../contract/failure.js'
import type {SettingsFile} from '../../state/settings.js'
import type {Fields} from '../input/guests.js'
import {pathIn, SETTING_KEYS, type SettingKey, type SettingPlace, type SettingValue} from './setting-keys.js'
import {DEFAULT_PROFILE} from './target.js'

type Origin = 'flag' | 'environment' | 'profile' | 'defaults' | 'file' | 'built_in' | 'unset'

export interface Effective {
  readonly key: SettingKey
  readonly value: SettingValue | null
  readonly origin: Origin
  /** The flag, the variable, or the name of the profile. */
  readonly source: string | null
}

export interface Surroundings {
  readonly settings: SettingsFile
  readonly env: NodeJS.ProcessEnv
  /** What stands on the command line of the global flags, by their names without dashes. */
  readonly flags: Readonly<Record<string, string | undefined>>
}

/** Name of the profile whose settings count, whether or not there is one. */
export function profileInUse({settings, env, flags}: Surroundings): string {
  return flags.profile || env.BOOKCTL_PROFILE || settings.current_profile || DEFAULT_PROFILE
}

/** The value that holds for `key`, as it was written: what a person put into the file is not checked here. */
export function effective(key: SettingKey, around: Surroundings): Effective {
  const {env, flags} = around
  const flag = key.flag === undefined ? undefined : flags[key.flag]
  if (flag) return {key, value: flag, origin: 'flag', source: `--${key.flag}`}
  const variable = key.environment === undefined ? undefined : env[key.environment]
  if (variable && !givesWay(key, around))
    return {key, value: variable, origin: 'environment', source: key.environment ?? null}
  for (const place of key.places) {
    const value = written(key, place, around)
    if (value === undefined) continue
    if (place === 'top') return {key, value, origin: 'file', source: null}
    return {key, value, origin: place, source: place === 'profile' ? profileInUse(around) : null}
  }
  return key.builtIn === undefined
    ? {key, value: null, origin: 'unset', source: null}
    : {key, value: key.builtIn, origin: 'built_in', source: null}
}

/** Every setting, in the order of the list. */
export function allEffective(around: Surroundings): Effective[] {
  return SETTING_KEYS.map(key => effective(key, around))
}

/** A --profile on the command line overrides complete credentials of the environment, their base URL too. */
function givesWay({name}: SettingKey, {env, flags}: Surroundings): boolean {
  if (!flags.profile) return false
  if (name === 'client_id') return true
  const isComplete = env.BOOKCTL_TOKEN || (env.BOOKCTL_CLIENT_ID && env.BOOKCTL_CLIENT_SECRET)
  return name === 'base_url' && Boolean(isComplete)
}

/** What stands in config.json for `key` in `place`. */
export function written(
  key: SettingKey,
  place: SettingPlace,
  around: Surroundings,
): SettingValue | undefined {
  const {settings} = around
  const name = profileInUse(around)
  const holders: Record<SettingPlace, unknown> = {
    top: settings,
    profile: Object.hasOwn(settings.profiles, name) ? settings.profiles[name] : undefined,
    defaults: settings.defaults,
  }
  let holder: unknown = holders[place]
  for (const word of pathIn(key)) {
    if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, word)) return undefined
    holder = (holder as Record<string, unknown>)[word]
  }
  return holder as SettingValue
}

/** What holds for a setting, in the type it has wherever it comes from. */
export interface Checked extends Effective {
  /** Why the value is invalid, naming its place; it is then as it was written. */
  readonly problem: string | undefined
}

/** Puts what was found to its rule. */
export async function checked(found: Effective): Promise<Checked> {
  try {
    return {...found, value: await usableValue(found), problem: undefined}
  } catch (error) {
    if (error instanceof Failure) return {...found, problem: error.message}
    throw error
  }
}

/** The value in the type the setting has; null where nothing gives one. Throws usage, naming its place. */
async function usableValue({key, value, origin, source}: Effective): Promise<SettingValue | null> {
  if (value === null || origin === 'built_in') return value
  const place = placeOf(key, origin, source)
  try {
    return await key.check(place, String(value))
  } catch (error) {
    if (!(error instanceof Failure) || error.message.includes(place)) throw error
    throw new Failure(error.kind, `${place}: ${error.message}`, error.details)
  }
}

function placeOf({name}: SettingKey, origin: Origin, source: string | null): string {
  switch (origin) {
    case 'flag':
    case 'environment':
      return source ?? name
    case 'profile':
      return `config.json: profiles.${source}.${name}`
    case 'file':
      return `config.json: ${name}`
    default:
      return `config.json: defaults.${name}`
  }
}

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

/** Throws usage, naming variable or place in config.json, for an invalid value. */
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

/** Flags too. Throws usage as above; where an invalid value is `leftOut`, it counts as not set. */
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
