/** The value of each setting now, and where it is from: flag > environment > profile > defaults > built in. */
import {parseBaseUrl} from '../../api/http/base-url.js'
import {Failure} from '../../contract/failure.js'
import {isObject, own} from '../../contract/json.js'
import {parseStoreUrl} from '../../state/postgres/url.js'
import type {SettingsFile} from '../../state/settings.js'
import type {StoreChoice} from '../../state/state.js'
import type {Fields} from '../input/guests.js'
import {pathIn, SETTING_KEYS, type SettingKey, type SettingPlace, type SettingValue} from './setting-keys.js'
import {DEFAULT_PROFILE, type TargetFlags} from './target.js'

interface Effective {
  readonly key: SettingKey
  readonly value: SettingValue | null
  readonly origin: 'flag' | 'environment' | 'profile' | 'defaults' | 'file' | 'built_in' | 'unset'
  /** The flag, the variable, or the name of the profile. */
  readonly source: string | null
}

export interface Surroundings {
  readonly settings: SettingsFile
  readonly env: NodeJS.ProcessEnv
  /** The global flags on the command line, by their names without dashes. */
  readonly flags: Readonly<Record<string, string | undefined>>
}

/** Name of the profile whose settings count, whether or not there is one. */
export function profileInUse({settings, env, flags}: Surroundings): string {
  return flags.profile || env.BOOKCTL_PROFILE || settings.current_profile || DEFAULT_PROFILE
}

/** The value that holds for `key`, as it was written: what a person put into the file is not checked here. */
export function effective(key: SettingKey, around: Surroundings): Effective {
  const {env, flags} = around
  const flag = flags[key.flag ?? '']
  if (flag) return {key, value: flag, origin: 'flag', source: `--${key.flag}`}
  const variable = env[key.environment ?? '']
  if (variable && !givesWay(key, around)) {
    const value = key.conceal?.(variable) ?? variable
    return {key, value, origin: 'environment', source: key.environment ?? null}
  }
  for (const place of key.places) {
    const value = written(key, place, around)
    if (value === undefined) continue
    const shown = typeof value === 'string' ? (key.conceal?.(value) ?? value) : value
    const source = place === 'profile' ? profileInUse(around) : null
    return {key, value: shown, origin: place === 'top' ? 'file' : place, source}
  }
  const {builtIn = null} = key
  return {key, value: builtIn, origin: builtIn === null ? 'unset' : 'built_in', source: null}
}

/** A --profile on the command line overrides complete credentials of the environment, their base URL too. */
function givesWay({name}: SettingKey, {env, flags}: Surroundings): boolean {
  if (!flags.profile) return false
  if (name === 'client_id') return true
  const isComplete = env.BOOKCTL_TOKEN || (env.BOOKCTL_CLIENT_ID && env.BOOKCTL_CLIENT_SECRET)
  return name === 'base_url' && Boolean(isComplete)
}

/** The path in config.json of what holds the settings of `place`. */
export function holderOf(place: SettingPlace, around: Surroundings): string[] {
  return {top: [], profile: ['profiles', profileInUse(around)], defaults: ['defaults']}[place]
}

export function written(key: SettingKey, place: SettingPlace, around: Surroundings) {
  const path = [...holderOf(place, around), ...pathIn(key)]
  let holder: unknown = around.settings
  for (const word of path) holder = isObject(holder) ? own(holder, word) : undefined
  return holder as SettingValue | undefined
}

export type Checked = Awaited<ReturnType<typeof checked>>

/** The value in the type of its setting; `problem` says why it is invalid, naming its place, and it is then as written. */
export async function checked(key: SettingKey, around: Surroundings) {
  const found = effective(key, around)
  try {
    return {...found, value: await usableValue(found), problem: undefined}
  } catch (error) {
    if (error instanceof Failure) return {...found, problem: error.message}
    throw error
  }
}

export const allChecked = (around: Surroundings) => Promise.all(SETTING_KEYS.map(key => checked(key, around)))

/** The value in the type of its setting; null where it is not set. Throws usage, naming its place. */
async function usableValue({key, value, origin, source}: Effective): Promise<SettingValue | null> {
  if (value === null || origin === 'built_in') return value
  const holder = {file: '', profile: `profiles.${source}.`, defaults: 'defaults.'}[origin as string]
  const place = holder === undefined ? (source ?? key.name) : `config.json: ${holder}${key.name}`
  try {
    return await key.check('', String(value))
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    throw new Failure(error.kind, `${place}: ${error.message}`, error.details)
  }
}

/** What reservations and searches take from the settings; the contact has the parts of §2.4's that are set. */
export type Preferences = Partial<Awaited<ReturnType<typeof readPreferences>>>

/** Throws usage, naming variable or place in config.json, for an invalid value. */
export async function readPreferences(around: Surroundings) {
  const contact: Fields = {}
  for (const {name} of SETTING_KEYS.filter(key => key.name.startsWith('contact.'))) {
    const value = await readText(name, around)
    if (value !== undefined) contact[name.slice('contact.'.length)] = value
  }
  return {
    nationality: await readText('nationality', around),
    currency: await readText('currency', around),
    contact: Object.keys(contact).length === 0 ? undefined : contact,
  }
}

export type ConnectionSettings = Awaited<ReturnType<typeof readConnectionSettings>>

/** Flags too. Throws usage as above; with `ignoresInvalid` an invalid value counts as not set. */
export async function readConnectionSettings(around: Surroundings, ignoresInvalid = false) {
  const read = async (name: string) =>
    readText(name, around).catch(error => {
      if (ignoresInvalid && error instanceof Failure) return undefined
      throw error
    })
  const timeout = await read('timeout')
  const timeoutSeconds = timeout === undefined ? undefined : Number(timeout)
  return {timeoutSeconds, caFile: await read('ca_file')}
}

/** The setting as text; undefined where it is not set. Throws usage as above. */
export async function readText(name: string, around: Surroundings): Promise<string | undefined> {
  const key = SETTING_KEYS.find(known => known.name === name)
  const found = key && effective(key, around)
  const value = found && found.origin !== 'built_in' ? await usableValue(found) : null
  return value === null ? undefined : String(value)
}

/** Of connecting to the store, and of each statement: a store that is well answers within milliseconds. */
const MOST_STORE_SECONDS = 10

/**
 * The store that machines share: BOOKCTL_STORE, or the setting `store` of the profile or the defaults. `connection`:
 * certificates and time limit, read when the store is first used.
 */
export function chooseStore(
  settings: () => SettingsFile,
  env: NodeJS.ProcessEnv,
  flags: TargetFlags,
  connection: () => Promise<ConnectionSettings>,
): StoreChoice {
  const ofProfile = () => {
    const read = settings()
    return own(read.profiles, profileInUse({settings: read, env, flags: {...flags}}))
  }
  const address = () => env.BOOKCTL_STORE || (ofProfile()?.store ?? settings().defaults?.store)
  return {
    isSet: () => address() !== undefined,
    async options() {
      const {trustedCertificates} = await import('./trust.js')
      const parsed = parseStoreUrl(address() ?? '', env)
      const {caFile, timeoutSeconds = MOST_STORE_SECONDS} = await connection()
      const trusted = parsed.isEncrypted ? await trustedCertificates(caFile, env) : undefined
      const timeoutMilliseconds = Math.min(timeoutSeconds, MOST_STORE_SECONDS) * 1000
      return {address: parsed, trusted, timeoutMilliseconds}
    },
    async clients() {
      const {BOOKCTL_CLIENT_ID: clientId, BOOKCTL_CLIENT_SECRET: clientSecret} = env
      const url = flags['base-url'] || ofProfile()?.base_url
      if (!clientId || !clientSecret || !url) return []
      return [{baseUrl: parseBaseUrl(url).baseUrl, clientId, clientSecret}]
    },
  }
}
