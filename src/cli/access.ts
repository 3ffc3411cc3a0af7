/** Logging in and out, and saying who one is: the work behind the commands of that name. */
import {parseBaseUrl} from '../api/base-url.js'
import {tokenClientOf} from '../api/token-client.js'
import type {CachedToken, TokenRequestParts} from '../api/token-request.js'
import {Failure} from '../contract/failure.js'
import type {Mode} from '../contract/identifiers.js'
import {BOOKING_SCOPES, type Scope} from '../contract/scopes.js'
import type {State} from '../state/state.js'
import {StorageError} from '../storage/errors.js'
import {checkCredentials, checkProfileName, DEFAULT_PROFILE, type Target, type TargetFlags} from './target.js'

export interface LoginInput {
  readonly profile: string
  readonly baseUrl: string
  readonly clientId: string
  readonly clientSecret: string
  /** What --scope named; without it the scopes of booking are asked for and none is configured. */
  readonly scopes: readonly Scope[] | undefined
  readonly keychain: boolean
}

export interface Identity {
  readonly profile: string | null
  readonly base_url: string
  readonly client_id: string
  readonly mode: Mode
  readonly scopes: readonly string[]
  /** ISO 8601; null when no token is kept. */
  readonly expires_at: string | null
  readonly stored_in: string | null
}

/** The service a login goes to, with the rest of its request. */
export type RequestParts = Omit<TokenRequestParts, 'baseUrl'>

/** Obtains a token, and only then stores anything. Throws Failure or StorageError. */
export async function logIn(parts: RequestParts, state: State, input: LoginInput): Promise<Identity> {
  const {baseUrl} = parseBaseUrl(input.baseUrl)
  const mode = checkCredentials(input.clientId, input.clientSecret, baseUrl)
  if (!state.writable) throw notWritable()
  const {requestToken} = await import('../api/tokens.js')
  const credentials = {clientId: input.clientId, clientSecret: input.clientSecret}
  const token = await requestToken({...parts, baseUrl, credentials}, input.scopes ?? BOOKING_SCOPES)
  const place = input.keychain ? 'keychain' : 'file'
  const before = state.settings.read().profiles[input.profile]?.secret_store ?? 'file'
  await state.secrets.write(input.profile, place, input.clientSecret)
  if (before !== place) await state.secrets.remove(input.profile, before)
  await state.settings.update(settings => ({
    ...settings,
    current_profile: settings.current_profile ?? input.profile,
    profiles: {
      ...settings.profiles,
      [input.profile]: {
        ...withoutScopes(settings.profiles[input.profile]),
        base_url: baseUrl,
        client_id: input.clientId,
        ...(input.scopes ? {scopes: [...input.scopes]} : {}),
        secret_store: place,
      },
    },
  }))
  state.tokens.put(tokenClientOf(baseUrl, input), token)
  return {
    profile: input.profile,
    base_url: baseUrl,
    client_id: input.clientId,
    mode,
    scopes: token.scopes,
    expires_at: isoTime(token.expiresAt),
    stored_in: storedIn(place, state),
  }
}

function withoutScopes(profile: Record<string, unknown> | undefined): Record<string, unknown> {
  const {scopes: _, ...rest} = profile ?? {}
  return rest
}

function notWritable(): StorageError {
  const hint = 'make it writable, set BOOKCTL_CONFIG_DIR, or use the environment instead of a login'
  return new StorageError('not_writable', 'the configuration directory cannot be written', hint)
}

/** Where a secret kept in `place` is, in words or as a path. */
function storedIn(place: 'file' | 'keychain', state: State): string {
  return place === 'keychain' ? 'keychain' : `${state.directory}/tokens.db`
}

/** Who commands act as, from what is on this machine; no request. */
export function describeIdentity(target: Target, state: State, now: number): Identity & {source: string} {
  const client = tokenClientOf(target.baseUrl, target)
  const [token] = state.tokens.list(client).filter(kept => kept.expiresAt > now) as CachedToken[]
  const place =
    target.profile === null ? undefined : state.settings.read().profiles[target.profile]?.secret_store
  return {
    profile: target.profile,
    base_url: target.baseUrl,
    client_id: target.clientId,
    mode: target.mode,
    scopes: token?.scopes ?? target.scopes ?? [],
    expires_at: token ? isoTime(token.expiresAt) : null,
    source: target.source,
    stored_in: target.profile === null ? null : storedIn(place ?? 'file', state),
  }
}

/** Asks the service for a token with these credentials, whatever is kept, and keeps it. Throws Failure. */
export async function checkIdentity(parts: RequestParts, target: Target, state: State): Promise<void> {
  const client = tokenClientOf(target.baseUrl, target)
  const scopes = state.tokens.list(client)[0]?.askedScopes ?? target.scopes ?? BOOKING_SCOPES
  const {requestToken} = await import('../api/tokens.js')
  const token = await requestToken({...parts, baseUrl: target.baseUrl, credentials: target}, scopes)
  state.tokens.put(client, token)
}

export interface LoggedOut {
  readonly profile: string | null
  readonly revoked: boolean
  readonly removed: boolean
}

/** Whom to log out. */
export interface Leaving {
  /** Null for credentials of the environment. */
  readonly profile: string | null
  readonly clientId: string | undefined
  /** Base URLs under which the client's tokens may be kept. */
  readonly baseUrls: readonly string[]
}

/**
 * Revokes every token kept for the client (§4.2), then removes tokens and secrets from this machine, also when the
 * revoking failed; then throws the Failure of the revoking, which says that they were removed.
 */
export async function logOut(parts: RequestParts, state: State, leaving: Leaving): Promise<LoggedOut> {
  const {profile, clientId, baseUrls} = leaving
  const isMeant = (client: {clientId: string; baseUrl: string}) =>
    client.clientId === clientId && baseUrls.includes(client.baseUrl)
  const problem = await revokeAll(parts, state, isMeant)
  const results = baseUrls.map(baseUrl =>
    clientId === undefined ? false : state.forgetClient({baseUrl, clientId}),
  )
  if (profile !== null) results.push(await forgetProfile(state, profile))
  const removed = results.includes(true)
  if (problem) throw notRevoked(problem, {profile, revoked: false, removed})
  return {profile, revoked: removed && clientId !== undefined, removed}
}

async function forgetProfile(state: State, profile: string): Promise<boolean> {
  const kept = state.settings.read().profiles[profile]
  const fromKeychain = kept?.secret_store === 'keychain' && (await state.secrets.remove(profile, 'keychain'))
  return state.forgetProfile(profile, undefined) || fromKeychain
}

/** Revokes and removes everything this machine keeps. */
export async function logOutEverywhere(parts: RequestParts, state: State): Promise<LoggedOut> {
  const problem = await revokeAll(parts, state, () => true)
  let removed = false
  for (const profile of Object.keys(state.settings.read().profiles)) {
    removed = (await forgetProfile(state, profile)) || removed
  }
  removed = state.forgetEverything() || removed
  if (problem) throw notRevoked(problem, {profile: null, revoked: false, removed})
  return {profile: null, revoked: removed, removed}
}

/** Revokes the tokens of the clients meant that have not expired; returns the first failure, and goes on after it. */
async function revokeAll(
  parts: RequestParts,
  state: State,
  isMeant: (client: {clientId: string; baseUrl: string}) => boolean,
): Promise<Failure | undefined> {
  const {revokeToken} = await import('../api/tokens.js')
  const kept = state.tokens
    .listAll()
    .filter(({client, token}) => isMeant(client) && token.expiresAt > parts.clock.now())
  const outcomes = await Promise.allSettled(
    kept.map(({client, token}) => revokeToken({...parts, baseUrl: client.baseUrl}, token.access_token)),
  )
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected' && !(outcome.reason instanceof Failure)) throw outcome.reason
  }
  return outcomes.flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason as Failure] : []))[0]
}

function notRevoked(problem: Failure, result: LoggedOut): Failure {
  const message = `${result.removed ? 'removed from this machine, but' : 'nothing to remove, and'} a token could not be revoked: ${problem.message}`
  const hint = 'the token works until it expires, at most two hours'
  return new Failure(problem.kind, message, {...problem.details, hint, result})
}

/** ISO 8601 of Unix seconds. */
export function isoTime(unixSeconds: number): string {
  return new Date(unixSeconds * 1000).toISOString()
}

/** Whom `logout` means: the credentials of the environment when they are set, else a profile. */
export function whoLeaves(
  flags: TargetFlags,
  env: NodeJS.ProcessEnv,
  state: State,
  explicitProfile: boolean,
): Leaving {
  const settings = state.settings.read()
  const name = checkProfileName(flags.profile || settings.current_profile || DEFAULT_PROFILE)
  const profile = Object.hasOwn(settings.profiles, name) ? settings.profiles[name] : undefined
  const urls = [flags['base-url'], profile?.base_url].flatMap(url => (url ? [parseBaseUrl(url).baseUrl] : []))
  const baseUrls = [...new Set(urls)]
  const fromEnv = !explicitProfile && env.BOOKCTL_CLIENT_ID && env.BOOKCTL_CLIENT_SECRET
  if (fromEnv) return {profile: null, clientId: env.BOOKCTL_CLIENT_ID, baseUrls}
  return {profile: name, clientId: profile?.client_id, baseUrls}
}
