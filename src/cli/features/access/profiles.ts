/** Profiles, and the identity that commands use: where its credentials are stored, and which variables override it. */
import {join} from 'node:path'
import {requestToken, type TokenRequestOptions, tokenClientOf} from '../../../api/auth/tokens.js'
import type {Api} from '../../../api/types.js'
import {isoTime} from '../../../contract/dates.js'
import {Failure, usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {own} from '../../../contract/json.js'
import {BOOKING_SCOPES} from '../../../contract/operations.js'
import {type CachedToken, TOKEN_CLIENT} from '../../../contract/token-cache.js'
import {TOKENS_NAME} from '../../../state/file-names.js'
import type {Profile, SettingsFile} from '../../../state/settings.js'
import type {State} from '../../../state/state.js'
import type {Target} from '../../session/resolve.js'

/** What a token request needs, except the base URL. */
export type TokenRequester = Omit<TokenRequestOptions, 'baseUrl'>

/** Returns the profile `name` of config.json, or undefined. */
export function recordOf(state: State, name: string): Profile | undefined {
  return own(state.settings.read().profiles, name)
}

/** Returns the profile `name`. If it is unknown, throws a usage error that lists the profiles. */
export function existingProfile({profiles}: SettingsFile, name: string): Profile {
  const profile = own(profiles, name)
  if (profile) return profile
  const names = Object.keys(profiles).join(', ')
  const hint = names === '' ? 'create one: bookctl login' : `profiles: ${names}`
  throw usage('unknown_profile', `unknown profile ${sanitizeLine(name, 64)}`, hint)
}

const OVERRIDING = ['BOOKCTL_BASE_URL', 'BOOKCTL_CLIENT_ID', 'BOOKCTL_CLIENT_SECRET', 'BOOKCTL_TOKEN']

/**
 * Returns a warning about variables that override the profile, or undefined if there are none. `what` says what the
 * user did with the profile.
 */
export function overriddenWarning(env: NodeJS.ProcessEnv, profile: string, what: string): string | undefined {
  const {BOOKCTL_PROFILE: named} = env
  const names = OVERRIDING.filter(name => env[name])
  if (named && named !== profile) names.unshift('BOOKCTL_PROFILE')
  if (names.length === 0) return undefined
  const way = `unset ${names.length > 1 ? 'them' : 'it'}, or add --profile ${profile}, to use ${what}`
  return `Warning: the environment overrides ${what} (${names.join(', ')}): ${way}`
}

/** Returns where a secret is stored: `keychain`, or the path of the file. */
export function storedIn(place: Profile['secret_store'], state: State): string {
  return place === 'keychain' ? 'keychain' : join(state.directory, TOKENS_NAME)
}

/**
 * Describes the identity that commands use, without sending a request. Unknown values are null, and unknown scopes are
 * an empty list.
 */
export async function describeIdentity(target: Target, state: State, now: number) {
  const client = tokenClientOf(target.baseUrl, target)
  const kept = (await state.tokens.list(client)).filter(token => token.expiresAt > now)
  const token = ofLogin(kept, target)
  const {profile} = target
  return {
    profile,
    base_url: target.baseUrl,
    client_id: target.clientId === TOKEN_CLIENT ? null : target.clientId,
    mode: target.mode,
    scopes: token?.scopes ?? target.scopes ?? [],
    expires_at: token ? isoTime(token.expiresAt) : null,
    source: profile === null ? 'env' : 'profile',
    stored_in: profile === null ? null : storedIn(recordOf(state, profile)?.secret_store, state),
  }
}

/**
 * Returns the newest stored token with the scopes of the login, else the newest token. Commands may have requested
 * tokens with other scopes since the login.
 */
function ofLogin(tokens: readonly CachedToken[], {scopes = BOOKING_SCOPES}: Target): CachedToken | undefined {
  const wanted = [...scopes].sort().join(' ')
  return tokens.find(({askedScopes}) => askedScopes.join(' ') === wanted) ?? tokens[0]
}

/**
 * Requests a new token with these credentials and stores it, even if one is already stored. Throws a Failure if the
 * service refuses it.
 */
export async function checkIdentity(requester: TokenRequester, target: Target, state: State): Promise<void> {
  const client = tokenClientOf(target.baseUrl, target)
  const kept = ofLogin(await state.tokens.list(client), target)
  const scopes = target.scopes ?? kept?.askedScopes ?? BOOKING_SCOPES
  const token = await requestToken({...requester, baseUrl: target.baseUrl, credentials: target}, scopes)
  await state.tokens.put(client, token)
}

/**
 * Checks that the service accepts BOOKCTL_TOKEN. A 403 counts as accepted, because the token may lack the scope for the
 * account. Throws a Failure if it is not accepted.
 */
export async function checkReadyToken(api: Api): Promise<void> {
  await api.call('account.show').catch(error => {
    if (!(error instanceof Failure) || error.details.status !== 403) throw error
  })
}
