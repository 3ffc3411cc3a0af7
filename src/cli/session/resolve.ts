/**
 * The one place that decides what a command works with, and where each value is from:
 * flag > environment > profile > defaults > built in. Settings first, then service and credentials.
 */

import {Failure, usage} from '../../contract/failure.js'
import {LIVE_SECRET_PREFIX, type Mode, modeOfSecret, TEST_SECRET_PREFIX} from '../../contract/identifiers.js'
import type {JournalClient} from '../../contract/journal.js'
import {isObject, own} from '../../contract/json.js'
import {type BaseUrl, checkKeyFits, parseBaseUrl} from '../../contract/network.js'
import type {Scope} from '../../contract/operations.js'
import {TOKEN_CLIENT} from '../../contract/token-cache.js'
import {parseStoreUrl} from '../../state/postgres/url.js'
import type {Profile, SettingsFile} from '../../state/settings.js'
import type {State, StoreChoice} from '../../state/state.js'
import type {Fields} from '../input/guests.js'
import {
  checkClientId,
  checkProfileName,
  DEFAULT_PROFILE,
  pathIn,
  SETTING_KEYS,
  type SettingKey,
  type SettingPlace,
  type SettingValue,
  scopesOf,
} from './setting-keys.js'

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

/** What is read of the state, and only when the environment does not say it all. */
export type Remembered = Pick<State, 'settings' | 'secrets' | 'directory'>

export interface TargetFlags {
  readonly profile?: string | undefined
  readonly 'base-url'?: string | undefined
}

export interface Target {
  /** Name of the profile, or null when the credentials come from the environment. */
  readonly profile: string | null
  readonly baseUrl: string
  readonly isLoopback: boolean
  readonly clientId: string
  /** Empty with `token`. */
  readonly clientSecret: string
  /** BOOKCTL_TOKEN, used instead of the secret. */
  readonly token?: string
  readonly mode: Mode
  readonly scopes: readonly Scope[] | undefined
}

/** Where a change is made, for a person who agrees to it. */
export function serviceText({mode, baseUrl, clientId}: Target): string {
  return `${mode.toUpperCase()}, ${new URL(baseUrl).host}, client ${clientId}`
}

/** The client whose journal keeps what is sent to the target. */
export function journalClientOf({baseUrl, clientId, clientSecret, token}: Target): JournalClient {
  return {baseUrl, clientId, clientSecret: token === undefined ? clientSecret : undefined}
}

/** The profile to use: --profile (or BOOKCTL_PROFILE), else the current one, else `default`. */
export function profileName({profile}: TargetFlags, {settings}: Remembered): string {
  return checkProfileName(profile || settings.read().current_profile || DEFAULT_PROFILE)
}

/** The profile of that name in config.json, if there is one. */
export function profileOf(flags: TargetFlags, remembered: Remembered): Profile | undefined {
  return own(remembered.settings.read().profiles, profileName(flags, remembered))
}

/** `namesProfile`: --profile was typed and overrides the environment. Throws Failure: not_logged_in, usage. */
export async function resolveTarget(
  flags: TargetFlags,
  env: NodeJS.ProcessEnv,
  remembered: Remembered,
  namesProfile: boolean,
): Promise<Target> {
  const ofEnvironment = namesProfile ? undefined : environmentTarget(flags, env, remembered)
  if (ofEnvironment) return ofEnvironment
  const name = profileName(flags, remembered)
  const profile = profileOf(flags, remembered)
  const complete = env.BOOKCTL_TOKEN || (env.BOOKCTL_CLIENT_ID && env.BOOKCTL_CLIENT_SECRET)
  const fromFlags = namesProfile && complete && flags['base-url'] === env.BOOKCTL_BASE_URL
  // A wrong address is reported first, without a login too.
  const service = serviceOf(fromFlags ? {...flags, 'base-url': undefined} : flags, env, remembered)
  if (!profile || !service) throw await notLoggedIn(name, namesProfile ? undefined : remembered.directory)
  const {client_id: clientId, secret_store: place = 'file'} = profile
  const hint = `correct it: bookctl config set client_id ID --profile ${name}`
  checkClientId(clientId, `config.json: profiles.${name}.client_id`, hint)
  const clientSecret = await remembered.secrets.read({profile: name, clientId}, place)
  if (!clientSecret) throw await notLoggedIn(name)
  requireSameMode(profile.mode, clientSecret, `profile ${name}`)
  const mode = checkSecret(clientSecret, service.baseUrl)
  const scopes = scopesOf(env.BOOKCTL_SCOPES) ?? (profile.scopes?.length ? profile.scopes : undefined)
  return {profile: name, ...service, clientId, clientSecret, mode, scopes}
}

/** By credentials of the environment; undefined without any. Its address may be the profile's. */
function environmentTarget(
  flags: TargetFlags,
  env: NodeJS.ProcessEnv,
  remembered: Remembered,
): Target | undefined {
  const {BOOKCTL_TOKEN: token, BOOKCTL_CLIENT_ID: clientId = '', BOOKCTL_CLIENT_SECRET: secret = ''} = env
  if (!token && !clientId && !secret) return undefined
  if (!token && !clientId) throw missingVariable('BOOKCTL_CLIENT_ID', env)
  if (!token && !secret) throw missingVariable('BOOKCTL_CLIENT_SECRET', env)
  if (token && !/^[\x21-\x7e]+$/.test(token))
    throw usage('invalid_token', 'BOOKCTL_TOKEN must be an access token without spaces')
  const service = serviceOf(flags, env, remembered)
  if (!service) throw missingVariable('BOOKCTL_BASE_URL', env)
  if (clientId) checkClientFlag(clientId, env)
  if (token) {
    // A token does not show whether it is live, so any service that is not on this machine counts as live.
    const mode = service.isLoopback ? 'test' : 'live'
    const shown = {clientId: clientId || TOKEN_CLIENT, clientSecret: '', scopes: undefined}
    return {profile: null, ...service, ...shown, token, mode}
  }
  const addressed = flags['base-url'] ? undefined : profileOf(flags, remembered)
  requireSameMode(addressed?.mode, secret, 'the profile whose base URL would be used')
  const mode = checkSecret(secret, service.baseUrl)
  const scopes = scopesOf(env.BOOKCTL_SCOPES)
  return {profile: null, ...service, clientId, clientSecret: secret, mode, scopes}
}

/** Where `text` is from, the flag or the variable that fills it, and what to do when it is wrong. */
function originOf(text: string, flag: string, variable: string, env: NodeJS.ProcessEnv): [string, string] {
  return text === env[variable] ? [variable, `correct or unset ${variable}`] : [flag, `correct ${flag}`]
}

/** `text` is of --base-url, or of BOOKCTL_BASE_URL. Throws usage that names which. */
export function parseFlag(text: string, env: NodeJS.ProcessEnv): BaseUrl {
  return parseBaseUrl(text, ...originOf(text, '--base-url', 'BOOKCTL_BASE_URL', env))
}

/** That of the flag or the variable, else of the profile; undefined without any. Throws usage that names where it is from. */
export function serviceOf(flags: TargetFlags, env: NodeJS.ProcessEnv, remembered: Remembered) {
  if (flags['base-url']) return parseFlag(flags['base-url'], env)
  const profile = profileOf(flags, remembered)
  return profile && parseOfProfile(profile, profileName(flags, remembered))
}

/** Throws usage that names the place in config.json. */
export function parseOfProfile({base_url}: Profile, name: string): BaseUrl {
  const hint = `correct it: bookctl config set base_url URL --profile ${name}`
  return parseBaseUrl(base_url, `config.json: profiles.${name}.base_url`, hint)
}

/** Refuses a live secret where a test one belongs, and the reverse. Throws usage; echoes no secret. */
export function requireSameMode(mode: Mode | undefined, clientSecret: string, where: string): void {
  const given = modeOfSecret(clientSecret)
  if (mode === undefined || given === undefined || mode === given) return
  const hint = 'use separate profiles for live and test: bookctl login --profile NAME'
  throw usage('mode_mismatch', `${where} is for ${mode} credentials, but this is a ${given} secret`, hint)
}

function missingVariable(missing: string, env: NodeJS.ProcessEnv): Failure {
  const given = ['BOOKCTL_TOKEN', 'BOOKCTL_CLIENT_ID', 'BOOKCTL_CLIENT_SECRET'].filter(name => env[name])
  const problem = `${given.join(' and ')} ${given.length > 1 ? 'are' : 'is'} set, but ${missing} is not`
  const all = 'BOOKCTL_BASE_URL, BOOKCTL_CLIENT_ID, BOOKCTL_CLIENT_SECRET'
  return usage('incomplete_environment', problem, `set all three (${all}), or none and use bookctl login`)
}

/** `directory`: where sandboxes are looked for whose credentials would do, unless a profile was typed. */
async function notLoggedIn(name: string, directory?: string): Promise<Failure> {
  const login = name === DEFAULT_PROFILE ? 'bookctl login' : `bookctl login --profile ${name}`
  const {listeningSandboxes} = await import('./sandbox-records.js')
  const [sandbox] = directory === undefined ? [] : await listeningSandboxes(directory).catch(() => [])
  const hint = sandbox
    ? `to use the local sandbox that is running: eval "$(bookctl sandbox env)"`
    : `${login}, or set BOOKCTL_BASE_URL, BOOKCTL_CLIENT_ID and BOOKCTL_CLIENT_SECRET; to try it without credentials: bookctl sandbox start`
  const problem = `not logged in: no credentials for profile ${name}`
  return new Failure('not_allowed', problem, {code: 'not_logged_in', hint})
}

/** The same for that of --client-id, or of BOOKCTL_CLIENT_ID. */
export function checkClientFlag(text: string, env: NodeJS.ProcessEnv): string {
  return checkClientId(text, ...originOf(text, '--client-id', 'BOOKCTL_CLIENT_ID', env))
}

/** The mode of a secret that may be sent to `baseUrl`, where that is known. Throws usage; echoes no secret. */
export function checkSecret(clientSecret: string, baseUrl: string | undefined): Mode {
  const mode = /^[\x21-\x7e]+$/.test(clientSecret) ? modeOfSecret(clientSecret) : undefined
  if (mode === undefined) {
    const problem = `the client secret must start with ${LIVE_SECRET_PREFIX} or ${TEST_SECRET_PREFIX} and contain no spaces`
    throw usage('invalid_client_secret', problem)
  }
  if (baseUrl !== undefined) checkKeyFits(mode, baseUrl)
  return mode
}
