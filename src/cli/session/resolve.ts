/**
 * Resolves settings, then the service and the credentials. Only this file decides which value applies and where it
 * comes from: flag > environment > profile > defaults > built in.
 */

import {Failure, usage} from '../../contract/failure.js'
import {LIVE_SECRET_PREFIX, type Mode, modeOfSecret, TEST_SECRET_PREFIX} from '../../contract/identifiers.js'
import {isObject, own} from '../../contract/json.js'
import {mayBeThisMachine, parseBaseUrl} from '../../contract/network.js'
import type {Scope} from '../../contract/operations.js'
import {TOKEN_CLIENT} from '../../contract/token-cache.js'
import {parseStoreUrl} from '../../state/postgres/url.js'
import type {SettingsFile} from '../../state/settings.js'
import type {State, StoreChoice} from '../../state/state.js'
import type {Fields} from '../input/guests.js'
import {
  type CredentialPart,
  checkClientId,
  checkProfileName,
  DEFAULT_PROFILE,
  SETTINGS,
  type SettingKey,
  type SettingName,
  type SettingPlace,
  type SettingValue,
  scopesOf,
} from './setting-keys.js'

/** A value that applies, as written, and where it comes from. */
interface Sourced<Value> {
  readonly value: Value
  readonly origin: 'flag' | 'environment' | 'profile' | 'defaults' | 'file' | 'built_in' | 'unset'
  /** The flag, the variable or the profile that has the value, or null. */
  readonly source: string | null
  /** Where the user can find the value, for error messages. */
  readonly place: string
}

interface Effective extends Sourced<SettingValue | null> {
  readonly key: SettingKey
}

export interface Surroundings {
  /** Read when first needed, so that an invalid config.json does not matter if the environment sets everything. */
  readonly settings: SettingsFile
  readonly env: NodeJS.ProcessEnv
  /** The global flags on the command line, by name without dashes. */
  readonly flags: Readonly<Record<string, string | undefined>>
}

/** Returns the name of the profile whose settings apply, even if there is no such profile. */
export function profileInUse({settings, env, flags}: Surroundings): string {
  return flags.profile || env.BOOKCTL_PROFILE || settings.current_profile || DEFAULT_PROFILE
}

/**
 * Returns the value that applies for `key`, as written. A value that a person wrote into the file is not checked here.
 */
export function effective(key: SettingKey, surroundings: Surroundings): Effective {
  const {env, flags} = surroundings
  const {name, builtIn = null} = key
  const flag = flags[key.flag ?? '']
  const ofFlag = `--${key.flag}`
  if (flag !== undefined) return {key, value: flag, origin: 'flag', source: ofFlag, place: ofFlag}
  const unset = {key, value: null, origin: 'unset', source: null, place: name} as const
  if (key.credential) return {...unset, ...partOfCredentials(key.credential, surroundings)}
  // --profile on the command line overrides credentials of the environment. If those are complete, it overrides their
  // base URL too.
  const isComplete = env.BOOKCTL_TOKEN || clientOfEnvironment(env)
  const isOverridden = flags.profile && name === 'base_url' && isComplete
  const variable = isOverridden ? undefined : ofVariable(key.environment, env)
  if (variable) return {key, ...variable}
  let {places} = key
  let profile = profileInUse(surroundings)
  if (key.path[0] === 'paths') {
    const {settings} = surroundings
    const isUsed = !usesEnvironment(surroundings) && Object.hasOwn(settings.profiles, profile)
    const baseUrl = String(effective(SETTINGS.base_url, surroundings).value)
    const named = pathsOf({profile: isUsed ? profile : null, baseUrl}, settings)
    places = named ? [named.place] : []
    profile = named?.profile ?? profile
  }
  for (const from of places) {
    const {value} = writtenIn(from, key, surroundings.settings, profile)
    if (value === undefined) continue
    const source = from === 'profile' ? profile : null
    const holder = {top: '', profile: `profiles.${source}.`, defaults: 'defaults.'}[from]
    const place = `config.json: ${holder}${name}`
    return {key, value, origin: from === 'top' ? 'file' : from, source, place}
  }
  return builtIn === null ? unset : {...unset, value: builtIn, origin: 'built_in'}
}

/** Returns the value of an environment variable, or undefined if it is not set or empty. */
function ofVariable(name = '', env: NodeJS.ProcessEnv): Sourced<string> | undefined {
  const value = env[name]
  return value ? {value, origin: 'environment', source: name, place: name} : undefined
}

/** Returns the value of `key` at one place in config.json, or undefined. `holder` is the path of that place. */
export function writtenIn(place: SettingPlace, key: SettingKey, settings: SettingsFile, profile: string) {
  const holder = {top: [], profile: ['profiles', profile], defaults: ['defaults']}[place]
  let value: unknown = settings
  for (const word of [...holder, ...key.path]) value = isObject(value) ? own(value, word) : undefined
  return {holder, value: value as SettingValue | undefined}
}

/**
 * Returns the paths (§4.9) that config.json has for the target's service, and where they are: in the profile in use,
 * else in another profile of the same service. The defaults belong to no service, so they apply only to credentials of
 * the environment. Paths of different places are never mixed.
 */
export function pathsOf(
  {profile, baseUrl}: Pick<Target, 'profile' | 'baseUrl'>,
  {profiles, defaults}: SettingsFile,
) {
  const ofService = Object.entries(profiles).filter(([, {base_url}]) => isSameService(base_url, baseUrl))
  const [name, found] =
    ofService.find(([name]) => name === profile) ?? ofService.find(([, {paths}]) => paths) ?? []
  if (found?.paths) return {place: 'profile', profile: name, paths: found.paths} as const
  if (profile !== null || !defaults?.paths) return undefined
  return {place: 'defaults', profile: undefined, paths: defaults.paths} as const
}

/**
 * Reports whether two base URLs belong to the same service. `written` is from config.json, where it may be spelled
 * differently or be invalid.
 */
function isSameService(written: string, baseUrl: string): boolean {
  try {
    return written === baseUrl || parseBaseUrl(written).baseUrl === parseBaseUrl(baseUrl).baseUrl
  } catch {
    return false
  }
}

/** The variables with credentials. If one of them is set, the credentials of a profile do not apply. */
const CREDENTIAL_VARIABLES = ['BOOKCTL_TOKEN', 'BOOKCTL_CLIENT_ID', 'BOOKCTL_CLIENT_SECRET']

/** Reports whether the credentials of the environment are used. --profile on the command line overrides them. */
function usesEnvironment({env, flags}: Surroundings): boolean {
  return !flags.profile && CREDENTIAL_VARIABLES.some(name => env[name])
}

/**
 * Returns the client of BOOKCTL_CLIENT_ID and BOOKCTL_CLIENT_SECRET, or undefined unless both are set. A token may
 * still replace its secret, and --profile override it.
 */
export function clientOfEnvironment({
  BOOKCTL_CLIENT_ID: clientId,
  BOOKCTL_CLIENT_SECRET: clientSecret,
}: NodeJS.ProcessEnv) {
  return clientId && clientSecret ? {clientId, clientSecret} : undefined
}

/**
 * The credentials that apply, part by part, under the names of their settings and variables. A part that does not apply
 * is undefined, even if the profile or the environment has a value for it.
 */
interface Credentials {
  /** The name of the profile. Null if the credentials come from the environment. */
  readonly profile: string | null
  readonly token?: Sourced<string> | undefined
  readonly client_id: Sourced<string> | undefined
  /** The secret of the environment. The secret of a profile is in `secret_store`. */
  readonly client_secret?: Sourced<string> | undefined
  readonly scopes: Sourced<string | readonly Scope[]> | undefined
  readonly secret_store?: Sourced<'file' | 'keychain'>
}

/**
 * Decides which credentials apply, and where each part of them comes from. Parts of the environment and of a profile
 * are never mixed, except that BOOKCTL_SCOPES replaces the scopes of a profile. Nothing is checked here.
 */
function decideCredentials(surroundings: Surroundings): Credentials {
  return usesEnvironment(surroundings)
    ? credentialsOfEnvironment(surroundings)
    : credentialsOfProfile(profileInUse(surroundings), surroundings)
}

function credentialsOfEnvironment({env}: Surroundings) {
  const token = ofVariable('BOOKCTL_TOKEN', env)
  const client_id = ofVariable('BOOKCTL_CLIENT_ID', env)
  // A token replaces the secret. The scopes that it was requested with are unknown.
  if (token) return {profile: null, token, client_id, scopes: undefined}
  const client_secret = ofVariable('BOOKCTL_CLIENT_SECRET', env)
  return {profile: null, client_id, client_secret, scopes: scopesOfEnvironment(env)}
}

function credentialsOfProfile(name: string, {settings, env}: Surroundings) {
  const profile = own(settings.profiles, name)
  const scopes = profile?.scopes?.length ? profile.scopes : undefined
  const file = {value: 'file', origin: 'built_in', source: null, place: 'secret_store'} as const
  return {
    profile: name,
    client_id: ofProfile(name, 'client_id', profile?.client_id),
    scopes: scopesOfEnvironment(env) ?? ofProfile(name, 'scopes', scopes),
    secret_store: ofProfile(name, 'secret_store', profile?.secret_store) ?? file,
  }
}

/** Returns BOOKCTL_SCOPES, or undefined if it names no scope. */
function scopesOfEnvironment(env: NodeJS.ProcessEnv): Sourced<string> | undefined {
  return /[^\s,]/.test(env.BOOKCTL_SCOPES ?? '') ? ofVariable('BOOKCTL_SCOPES', env) : undefined
}

function ofProfile<Value>(
  profile: string,
  name: SettingName,
  value: Value | undefined,
): Sourced<Value> | undefined {
  const place = `config.json: profiles.${profile}.${name}`
  return value === undefined ? undefined : {value, origin: 'profile', source: profile, place}
}

/**
 * Decides the mode of the credentials: that of the environment's secret, else the mode that the profile names. Undefined
 * if it is unknown.
 */
function decideMode(
  {profile, token, client_secret: secret}: Credentials,
  surroundings: Surroundings,
): Sourced<Mode> | undefined {
  if (profile !== null) return ofProfile(profile, 'mode', own(surroundings.settings.profiles, profile)?.mode)
  if (token) {
    const service = validServiceOf(surroundings)
    return service && {...token, value: modeOfToken(service)}
  }
  const mode = secret && modeOfSecret(secret.value)
  return secret && mode && {...secret, value: mode}
}

/** A token does not show whether it is live, so it counts as live at any service that is not on this machine. */
function modeOfToken({isLoopback}: {readonly isLoopback: boolean}): Mode {
  return isLoopback ? 'test' : 'live'
}

function partOfCredentials(name: CredentialPart, surroundings: Surroundings) {
  const credentials = decideCredentials(surroundings)
  return name === 'mode' ? decideMode(credentials, surroundings) : credentials[name]
}

/**
 * Returns the variable because of which the profile's value of `key` does not apply: its credentials are used instead.
 * Undefined if the profile's value may apply.
 */
export function replacingVariable({credential}: SettingKey, surroundings: Surroundings): string | undefined {
  if (credential === undefined || !usesEnvironment(surroundings)) return undefined
  return CREDENTIAL_VARIABLES.find(variable => surroundings.env[variable])
}

/** Reports whether a variable is set, and is not overridden as a part of the credentials. */
export function variableApplies(name: string, surroundings: Surroundings): boolean {
  const {token, client_secret} = decideCredentials(surroundings)
  if (name === 'BOOKCTL_TOKEN') return token !== undefined
  if (name === 'BOOKCTL_CLIENT_SECRET') return client_secret !== undefined
  return ofVariable(name, surroundings.env) !== undefined
}

/**
 * Returns the signing secrets in BOOKCTL_WEBHOOK_SECRET, which are separated by spaces, or undefined if it is not set.
 * If it contains spaces alone, returns one empty secret.
 */
export function webhookSecretsOfEnvironment({
  BOOKCTL_WEBHOOK_SECRET: text,
}: NodeJS.ProcessEnv): string[] | undefined {
  return text ? text.trim().split(/\s+/) : undefined
}

export type Checked = Awaited<ReturnType<typeof checked>>

/**
 * Returns the value that applies, converted to its type. An invalid value is returned as written, with a `problem` that
 * names its place.
 */
export async function checked(key: SettingKey, surroundings: Surroundings) {
  const found = effective(key, surroundings)
  const {value, origin, place} = found
  if (value === null || origin === 'built_in') return {...found, problem: undefined}
  try {
    return {...found, value: await key.check('', String(value)), problem: undefined}
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const problem = new Failure(error.kind, `${place}: ${error.message}`, error.details)
    return {...found, value: key.conceal?.(String(value)) ?? value, problem}
  }
}

export const allChecked = (surroundings: Surroundings) =>
  Promise.all(Object.values(SETTINGS).map(key => checked(key, surroundings)))

/**
 * Returns a setting as text, or undefined if it is not set. If it is invalid, throws a usage error that names its
 * place.
 */
export async function readText(name: SettingName, surroundings: Surroundings): Promise<string | undefined> {
  const {value, origin, problem} = await checked(SETTINGS[name], surroundings)
  if (problem) throw problem
  return value === null || origin === 'built_in' ? undefined : String(value)
}

/** Defaults for reservations and searches from the settings. `contact` has the fields of §2.4 that are set. */
export interface Preferences {
  readonly nationality?: string | undefined
  readonly currency?: string | undefined
  readonly contact?: Fields | undefined
}

/** Time limit for connecting to the store, and for each statement. A healthy store answers within milliseconds. */
const MOST_STORE_SECONDS = 10

/**
 * Chooses the store that machines share: BOOKCTL_STORE, or the setting `store` of the profile or the defaults. Its code
 * is loaded only if one is set. `connection` returns the certificates and the time limit when the store is first used.
 */
export async function chooseStore(
  surroundings: Surroundings,
  connection: () => Promise<{
    readonly caFile: string | undefined
    readonly timeoutSeconds: number | undefined
  }>,
): Promise<StoreChoice> {
  const {env} = surroundings
  let address: string | undefined
  let problem: unknown
  try {
    address = effective(SETTINGS.store, surroundings).value?.toString()
  } catch (error) {
    // An invalid config.json is reported when the store is first used, because not every command needs the store.
    problem = error
  }
  const shared = address === undefined ? undefined : await import('../../state/postgres/shared.js')
  return {
    opener() {
      if (problem !== undefined) throw problem
      return shared?.openSharedStores
    },
    async options() {
      const {trustedCertificates} = await import('./trust.js')
      const parsed = parseStoreUrl(address ?? '', env)
      const {caFile, timeoutSeconds = MOST_STORE_SECONDS} = await connection()
      const trusted = parsed.isEncrypted ? await trustedCertificates(caFile, env) : undefined
      const timeoutMilliseconds = Math.min(timeoutSeconds, MOST_STORE_SECONDS) * 1000
      return {address: parsed, trusted, timeoutMilliseconds}
    },
    async clients() {
      const client = clientOfEnvironment(env)
      // --profile selects another client; it does not change the service of the client in the environment.
      const {value: url} = effective(SETTINGS.base_url, {
        ...surroundings,
        flags: {...surroundings.flags, profile: undefined},
      })
      if (!client || !url) return []
      return [{baseUrl: parseBaseUrl(String(url)).baseUrl, ...client}]
    },
  }
}

/** The flags that select the profile and the service. They may also come from BOOKCTL_PROFILE and BOOKCTL_BASE_URL. */
export interface TargetFlags {
  readonly profile?: string | undefined
  readonly 'base-url'?: string | undefined
}

/** Returns the name of the profile to use: --profile (or BOOKCTL_PROFILE), else the current profile, else `default`. */
export function profileName({profile}: TargetFlags, {settings}: Pick<State, 'settings'>): string {
  return checkProfileName(profileInUse({settings: settings.read(), env: {}, flags: {profile}}))
}

/** The service and credentials that a command uses. The journal identifies its client by these fields too. */
export interface Target {
  /** The name of the profile. Null if the credentials come from the environment. */
  readonly profile: string | null
  readonly baseUrl: string
  readonly isLoopback: boolean
  readonly clientId: string
  /** Empty if there is a `token`. */
  readonly clientSecret: string
  /** The value of BOOKCTL_TOKEN, which replaces the secret. */
  readonly token?: string
  readonly mode: Mode
  readonly scopes: readonly Scope[] | undefined
}

/** Describes the service and the client, for a question that asks to confirm a change. */
export function serviceText({mode, baseUrl, clientId}: Target): string {
  return `${mode.toUpperCase()}, ${new URL(baseUrl).host}, client ${clientId}`
}

/**
 * Resolves service and credentials. Throws a Failure `not_logged_in` if there are none, or a usage error if they are
 * invalid.
 */
export async function resolveTarget(
  surroundings: Surroundings,
  state: Pick<State, 'secrets' | 'directory'>,
): Promise<Target> {
  if (!usesEnvironment(surroundings)) return targetOfProfile(surroundings, state)
  const {env} = surroundings
  const {token, client_id, client_secret, scopes} = credentialsOfEnvironment(surroundings)
  const id = client_id?.value ?? ''
  const secret = client_secret?.value ?? ''
  if (!token && !id) throw missingVariable('BOOKCTL_CLIENT_ID', env)
  if (!token && !secret) throw missingVariable('BOOKCTL_CLIENT_SECRET', env)
  if (token && !/^[\x21-\x7e]+$/.test(token.value))
    throw usage('invalid_token', 'BOOKCTL_TOKEN must be an access token without spaces')
  // The base URL may come from the profile even if the credentials come from the environment.
  const service = serviceOf(surroundings)
  if (!service) throw missingVariable('BOOKCTL_BASE_URL', env)
  if (id) checkClientId(id, 'BOOKCTL_CLIENT_ID', 'correct or unset BOOKCTL_CLIENT_ID')
  const {origin, baseUrl, isLoopback} = service
  if (token) {
    const client = {clientId: id || TOKEN_CLIENT, clientSecret: ''}
    const mode = modeOfToken(service)
    return {profile: null, baseUrl, isLoopback, ...client, token: token.value, mode, scopes: undefined}
  }
  const addressed =
    origin === 'profile' ? own(surroundings.settings.profiles, profileInUse(surroundings)) : undefined
  const mode = checkSecret(secret, baseUrl, addressed?.mode, 'the profile whose base URL would be used')
  const client = {clientId: id, clientSecret: secret}
  return {profile: null, baseUrl, isLoopback, ...client, mode, scopes: scopesOf(scopes?.value)}
}

async function targetOfProfile(
  surroundings: Surroundings,
  state: Pick<State, 'secrets' | 'directory'>,
): Promise<Target> {
  const name = checkProfileName(profileInUse(surroundings))
  // An invalid base URL is reported first, even without a login.
  const service = serviceOf(surroundings)
  const credentials = credentialsOfProfile(name, surroundings)
  const {client_id: id, scopes: wanted, secret_store: store} = credentials
  if (!id || !service) throw await notLoggedIn(name, surroundings.flags.profile ? undefined : state.directory)
  const clientId = id.value
  checkClientId(clientId, id.place, `correct it: bookctl config set client_id ID --profile ${name}`)
  const clientSecret = await state.secrets.read({profile: name, clientId}, store.value)
  if (!clientSecret) throw await notLoggedIn(name)
  const {baseUrl, isLoopback} = service
  const expected = decideMode(credentials, surroundings)?.value
  const mode = checkSecret(clientSecret, baseUrl, expected, `profile ${name}`)
  const scopes = typeof wanted?.value === 'string' ? scopesOf(wanted.value) : wanted?.value
  return {profile: name, baseUrl, isLoopback, clientId, clientSecret, mode, scopes}
}

/** Returns the service like `serviceOf`, or undefined if its base URL is invalid. */
function validServiceOf(surroundings: Surroundings) {
  try {
    return serviceOf(surroundings)
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

/**
 * Returns the base URL to use and its origin, or undefined if none is set. If it is invalid, throws a usage error that
 * names where it comes from.
 */
export function serviceOf(surroundings: Surroundings) {
  const {value, origin, source, place} = effective(SETTINGS.base_url, surroundings)
  if (value === null) return undefined
  const hints: Readonly<Record<string, string>> = {
    flag: 'correct --base-url',
    environment: 'correct or unset BOOKCTL_BASE_URL',
    profile: `correct it: bookctl config set base_url URL --profile ${source}`,
  }
  return {...parseBaseUrl(String(value), place, hints[origin]), origin}
}

/**
 * Returns the mode of a client secret. Throws a usage error if the secret is malformed, if it does not have the mode
 * that `owner` expects, or if it must not be sent to `baseUrl`. The error never contains the secret.
 */
export function checkSecret(
  clientSecret: string,
  baseUrl: string | undefined,
  expected?: Mode,
  owner = 'the profile',
): Mode {
  const mode = modeOfSecret(clientSecret)
  if (mode === undefined) {
    const problem = `the client secret must start with ${LIVE_SECRET_PREFIX} or ${TEST_SECRET_PREFIX} and contain no spaces`
    throw usage('invalid_client_secret', problem)
  }
  if (expected !== undefined && expected !== mode) {
    const hint = 'use separate profiles for live and test: bookctl login --profile NAME'
    throw usage(
      'mode_mismatch',
      `${owner} is for ${expected} credentials, but this is a ${mode} secret`,
      hint,
    )
  }
  // A live secret belongs to the live service (§5.3).
  if (mode === 'live' && baseUrl !== undefined && mayBeThisMachine(new URL(baseUrl).hostname)) {
    const problem = 'a live client secret (sk_live_…) is never sent to this machine'
    const hint =
      'use a test secret (sk_test_…) with the local sandbox, or name the live service with --base-url'
    throw usage('live_key_on_loopback', problem, hint)
  }
  return mode
}

function missingVariable(missing: string, env: NodeJS.ProcessEnv): Failure {
  const given = CREDENTIAL_VARIABLES.filter(name => env[name])
  const problem = `${given.join(' and ')} ${given.length > 1 ? 'are' : 'is'} set, but ${missing} is not`
  const all = 'BOOKCTL_BASE_URL, BOOKCTL_CLIENT_ID, BOOKCTL_CLIENT_SECRET'
  return usage('incomplete_environment', problem, `set all three (${all}), or none and use bookctl login`)
}

/**
 * Returns the error for missing credentials. If a sandbox with a record in `directory` is running, the hint says how to
 * use it. `directory` is undefined if the user typed a profile.
 */
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
