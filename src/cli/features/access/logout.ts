/** Logging out: tokens are revoked, and everything is removed from this machine whatever the service says. */
import {parseBaseUrl} from '../../../api/http/base-url.js'
import {Failure} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {modeOfSecret} from '../../../contract/identifiers.js'
import type {State} from '../../../state/state.js'
import {checkProfileName, DEFAULT_PROFILE, type TargetFlags} from '../../session/target.js'
import type {Change} from '../../terminal/prompts/ask.js'
import {type RequestParts, recordOf} from './access.js'
import {unknownProfile} from './config.js'

/** Credentials that commands can still use after a logout. */
export interface Remaining {
  readonly what: 'profile' | 'environment'
  /** Of the profile, or of the variables, separated by spaces. */
  readonly name: string
  /** What removes them. */
  readonly command: string
}

export interface LoggedOut {
  readonly profile: string | null
  readonly revoked: boolean
  /** Whether something was removed from this machine, and no profile is left there that the logout could have meant. */
  readonly removed: boolean
  /** Only where something remains. */
  readonly remaining?: readonly Remaining[]
}

/** Whom to log out. */
export interface LogoutTarget {
  /** Null for credentials of the environment. */
  readonly profile: string | null
  /** The profile that commands use without those credentials, and that is not logged out with them. */
  readonly beside?: string
  readonly clientId: string | undefined
  /** Base URLs under which the client's tokens may be kept. */
  readonly baseUrls: readonly string[]
}

/**
 * Revokes every token kept for the client (§4.2), then removes tokens and secrets from this machine, also when the
 * revoking failed; then throws the Failure of the revoking, which says that they were removed.
 */
export async function logOut(
  parts: RequestParts,
  state: State,
  leaving: LogoutTarget,
  remaining: readonly Remaining[] = [],
): Promise<LoggedOut> {
  const {profile, clientId, baseUrls} = leaving
  const isMeant = (client: {clientId: string; baseUrl: string}) =>
    client.clientId === clientId && baseUrls.includes(client.baseUrl)
  const {revoked, problem} = await revokeAll(parts, state, isMeant)
  const results = baseUrls.map(baseUrl =>
    clientId === undefined ? false : state.forgetClient({baseUrl, clientId}),
  )
  if (profile !== null) results.push(await forgetProfile(state, profile))
  return outcomeOf({profile, revoked, removed: results.includes(true)}, problem, remaining)
}

/** Throws the Failure of the revoking, where there was one. */
function outcomeOf(
  done: LoggedOut,
  problem: Failure | undefined,
  remaining: readonly Remaining[],
): LoggedOut {
  const left = remaining.find(({what}) => what === 'profile')
  const result = {
    ...done,
    removed: done.removed && left === undefined,
    ...(remaining.length === 0 ? {} : {remaining}),
  }
  if (problem) throw notRevoked(problem, removalText(done.removed, left), {...result, revoked: false})
  return result
}

async function forgetProfile(state: State, profile: string): Promise<boolean> {
  const kept = state.settings.read().profiles[profile]
  const fromKeychain =
    kept?.secret_store === 'keychain' &&
    (await state.secrets.remove({profile, clientId: kept.client_id}, 'keychain'))
  return state.forgetProfile(profile, undefined) || fromKeychain
}

/** Revokes and removes everything this machine keeps. */
export async function logOutEverywhere(
  parts: RequestParts,
  state: State,
  remaining: readonly Remaining[],
): Promise<LoggedOut> {
  const {revoked, problem} = await revokeAll(parts, state, () => true)
  let removed = false
  for (const profile of Object.keys(state.settings.read().profiles)) {
    removed = (await forgetProfile(state, profile)) || removed
  }
  removed = state.forgetEverything() || removed
  return outcomeOf({profile: null, revoked, removed}, problem, remaining)
}

/** Revokes the tokens of the clients meant that have not expired. `problem` is the first failure; it goes on after it. */
async function revokeAll(
  parts: RequestParts,
  state: State,
  isMeant: (client: {clientId: string; baseUrl: string}) => boolean,
): Promise<{revoked: boolean; problem: Failure | undefined}> {
  const {revokeToken} = await import('../../../api/auth/tokens.js')
  const kept = state.tokens
    .listAll()
    .filter(({client, token}) => isMeant(client) && token.expiresAt > parts.clock.now())
  const outcomes = await Promise.allSettled(
    kept.map(({client, token}) => revokeToken({...parts, baseUrl: client.baseUrl}, token.access_token)),
  )
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected' && !(outcome.reason instanceof Failure)) throw outcome.reason
  }
  const [problem] = outcomes.flatMap(outcome =>
    outcome.status === 'rejected' ? [outcome.reason as Failure] : [],
  )
  return {revoked: outcomes.some(outcome => outcome.status === 'fulfilled'), problem}
}

/** What became of the credentials on this machine, in words that agree with `removed` in the JSON. */
function removalText(isRemoved: boolean, left: Remaining | undefined): string {
  if (!isRemoved) return 'nothing to remove, and'
  if (left === undefined) return 'removed from this machine, but'
  return `tokens removed from this machine, profile ${left.name} stays logged in, and`
}

function notRevoked(problem: Failure, removal: string, result: LoggedOut): Failure {
  const message = `${removal} a token could not be revoked: ${problem.message}`
  const hint = 'the token remains valid until it expires, at most two hours'
  return new Failure(problem.kind, message, {...problem.details, hint, result})
}

/** Names of the profiles concerned that hold live credentials; `all`: of every one. */
export async function liveAmong(
  state: State,
  leaving: LogoutTarget | 'all',
  env: NodeJS.ProcessEnv,
): Promise<string[]> {
  const {profiles} = state.settings.read()
  if (leaving !== 'all' && leaving.profile === null) {
    return modeOfSecret(env.BOOKCTL_CLIENT_SECRET ?? '') === 'live' ? ['of the environment'] : []
  }
  const names = leaving === 'all' ? Object.keys(profiles) : [leaving.profile ?? '']
  const modes = names.map(async name => {
    const {mode, secret_store: place = 'file', client_id: clientId = ''} = recordOf(state, name) ?? {}
    if (mode !== undefined || place === 'keychain') return mode
    return modeOfSecret((await state.secrets.read({profile: name, clientId}, place)) ?? '')
  })
  const found = await Promise.all(modes)
  return names.filter((_, index) => found[index] === 'live')
}

/**
 * What commands can still use after the logout: the profile beside credentials of the environment, if it has a secret,
 * and what is in the environment, which belongs to the shell.
 */
export async function remainingAfter(
  leaving: LogoutTarget | 'all',
  env: NodeJS.ProcessEnv,
  state: State,
): Promise<Remaining[]> {
  const remaining: Remaining[] = []
  const name = leaving === 'all' ? undefined : leaving.beside
  if (name !== undefined && (await isLoggedIn(state, name)))
    remaining.push({what: 'profile', name, command: `bookctl logout --profile ${name}`})
  const pair = ['BOOKCTL_CLIENT_ID', 'BOOKCTL_CLIENT_SECRET']
  const names = [
    ...(env.BOOKCTL_TOKEN ? ['BOOKCTL_TOKEN'] : []),
    ...(pair.every(each => env[each]) ? pair : []),
  ]
  if (names.length > 0)
    remaining.push({what: 'environment', name: names.join(' '), command: `unset ${names.join(' ')}`})
  return remaining
}

/** Whether commands can use the profile; without a keychain to ask they cannot use a secret in it either. */
async function isLoggedIn(state: State, name: string): Promise<boolean> {
  const {client_id: clientId, secret_store: place = 'file'} = recordOf(state, name) ?? {}
  if (clientId === undefined) return false
  const secret = await state.secrets.read({profile: name, clientId}, place).catch(error => {
    if (error instanceof Failure) return undefined
    throw error
  })
  return secret !== undefined
}

/** The warning about what remains, for before the logout. */
export function remainingText(leaving: LogoutTarget | 'all', {what, name, command}: Remaining): string {
  return what === 'profile'
    ? `Warning: this revokes the tokens of ${clientOf(leaving)}; profile ${name} stays logged in. To log out of it: ${command}`
    : `Warning: the environment still has ${name.replaceAll(' ', ' and ')}, which commands use first. To remove that: ${command}`
}

/** What was done, in words. */
export function outcomeText(leaving: LogoutTarget | 'all', {revoked, removed}: LoggedOut): string {
  if (leaving === 'all' || leaving.profile !== null)
    return removed ? 'Logged out.' : 'Not logged in; nothing to remove.'
  return revoked
    ? `Revoked the tokens of ${clientOf(leaving)}.`
    : `No token is stored for ${clientOf(leaving)}.`
}

function clientOf(leaving: LogoutTarget | 'all'): string {
  const clientId = leaving === 'all' ? undefined : leaving.clientId
  return `${sanitizeLine(clientId ?? 'every client', 100)}, the client of the environment`
}

/** What has to be agreed to before live credentials are left. */
export const LIVE_LOGOUT: Change = {
  what: 'removing live credentials',
  undone: 'nothing was sent or removed',
}

/**
 * Whom `logout` means: the credentials of the environment when they are set, else a profile. Throws usage for one that was
 * named and neither is there nor has anything kept for it.
 */
export function logoutTargetFrom(
  flags: TargetFlags,
  env: NodeJS.ProcessEnv,
  state: State,
  explicitProfile: boolean,
): LogoutTarget {
  const settings = state.settings.read()
  const name = checkProfileName(flags.profile || settings.current_profile || DEFAULT_PROFILE)
  const profile = Object.hasOwn(settings.profiles, name) ? settings.profiles[name] : undefined
  const urls = [flags['base-url'], profile?.base_url].flatMap(url => (url ? [parseBaseUrl(url).baseUrl] : []))
  const baseUrls = [...new Set(urls)]
  const fromEnv = !explicitProfile && env.BOOKCTL_CLIENT_ID && env.BOOKCTL_CLIENT_SECRET
  if (fromEnv) return {profile: null, beside: name, clientId: env.BOOKCTL_CLIENT_ID, baseUrls}
  if (explicitProfile && !profile && !state.secrets.holdsFor(name)) throw unknownProfile(settings, name)
  const orphaned = profile ? orphanedUrls(state, profile.client_id) : []
  return {
    profile: name,
    clientId: profile?.client_id,
    baseUrls: [...new Set([...baseUrls, ...orphaned])],
  }
}

/** Base URLs the client has tokens of and that no profile names any more, since somebody changed it. */
function orphanedUrls(state: State, clientId: string): string[] {
  const named = Object.values(state.settings.read().profiles).map(profile => profile.base_url)
  const kept = state.tokens.listAll().filter(({client}) => client.clientId === clientId)
  return kept.map(({client}) => client.baseUrl).filter(baseUrl => !named.includes(baseUrl))
}
