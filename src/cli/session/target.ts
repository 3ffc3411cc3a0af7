/**
 * Which service, with whose credentials: flag > environment > profile > default. The environment alone is enough:
 * BOOKCTL_BASE_URL with BOOKCTL_CLIENT_ID and BOOKCTL_CLIENT_SECRET, or with BOOKCTL_TOKEN, needs no login and no file.
 */
import {type BaseUrl, checkKeyFits, parseBaseUrl} from '../../api/http/base-url.js'
import {Failure, usage} from '../../contract/failure.js'
import {sanitizeLine} from '../../contract/foreign-text.js'
import {
  CLIENT_ID_PREFIX,
  LIVE_SECRET_PREFIX,
  type Mode,
  modeOfSecret,
  PROFILE_NAME,
  PROFILE_NAME_FORM,
  TEST_SECRET_PREFIX,
} from '../../contract/identifiers.js'
import type {JournalClient} from '../../contract/journal.js'
import {own} from '../../contract/json.js'
import {isScope, SCOPE_NAMES, type Scope} from '../../contract/operations.js'
import {TOKEN_CLIENT} from '../../contract/token-cache.js'
import type {Profile} from '../../state/settings.js'
import type {State} from '../../state/state.js'
import {invalid, named} from '../input/checks.js'
import {checkedFlag} from '../input/flags.js'

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

export const DEFAULT_PROFILE = 'default'

/** The profile to use: --profile (or BOOKCTL_PROFILE), else the current one, else `default`. */
export function profileName({profile}: TargetFlags, {settings}: Remembered): string {
  return checkProfileName(profile || settings.read().current_profile || DEFAULT_PROFILE)
}

/** Throws usage unless `name` is a profile's by the rule of config.json. */
export function checkProfileName(name: string): string {
  if (PROFILE_NAME.test(name)) return name
  throw usage('invalid_profile', `invalid profile name: use ${PROFILE_NAME_FORM}`)
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

const CLIENT_ID = new RegExp(`^${CLIENT_ID_PREFIX}[\\x21-\\x7e]+$`)

/** Throws usage that names `from`, where it is from, unless `clientId` has the shape of §5.3. */
export function checkClientId(clientId: string, from = '', hint?: string): string {
  if (CLIENT_ID.test(clientId)) return clientId
  const problem = `the client id must start with ${CLIENT_ID_PREFIX} and contain no spaces`
  throw usage('invalid_client_id', named(from, problem), hint)
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

/** Scopes from lists separated by spaces or commas; undefined when empty. Throws usage, naming the valid ones, for an unknown one. */
export function scopesOf(...texts: readonly (string | undefined)[]): Scope[] | undefined {
  const names = new Set(texts.flatMap(text => text?.split(/[\s,]+/) ?? []).filter(Boolean))
  const scopes = [...names].map(name => {
    if (isScope(name)) return name
    const hint = `scopes: ${SCOPE_NAMES.join(', ')}`
    throw usage('unknown_scope', `unknown scope ${sanitizeLine(name, 40)}`, hint)
  })
  return scopes.length === 0 ? undefined : scopes
}

/** The same, of a list that must name one. */
export function checkScopes(field: string, text: string): Scope[] {
  const scopes = scopesOf(text)
  if (scopes) return scopes
  throw invalid(field, 'must name a scope')
}

/** `--scope`: several flags, or one with spaces or commas. */
export const scopeFlag = (summary: string) =>
  checkedFlag((field, text) => checkScopes(field, text).join(' '))({
    helpValue: 'SCOPE',
    multiple: true,
    summary: `${summary} (repeatable)`,
  })
