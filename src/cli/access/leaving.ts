/** Logging out: tokens are revoked, and everything is removed from this machine whatever the service says. */

import {parseBaseUrl} from '../../api/base-url.js'
import {Failure} from '../../contract/failure.js'
import {modeOfSecret} from '../../contract/identifiers.js'
import type {State} from '../../state/state.js'
import type {Change} from '../prompts/consent.js'
import {unknownProfile} from '../settings/change.js'
import {type RequestParts, recordOf} from './access.js'
import {checkProfileName, DEFAULT_PROFILE, type TargetFlags} from './target.js'

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
  const {revoked, problem} = await revokeAll(parts, state, isMeant)
  const results = baseUrls.map(baseUrl =>
    clientId === undefined ? false : state.forgetClient({baseUrl, clientId}),
  )
  if (profile !== null) results.push(await forgetProfile(state, profile))
  const removed = results.includes(true)
  if (problem) throw notRevoked(problem, {profile, revoked: false, removed})
  return {profile, revoked, removed}
}

async function forgetProfile(state: State, profile: string): Promise<boolean> {
  const kept = state.settings.read().profiles[profile]
  const fromKeychain =
    kept?.secret_store === 'keychain' &&
    (await state.secrets.remove({profile, clientId: kept.client_id}, 'keychain'))
  return state.forgetProfile(profile, undefined) || fromKeychain
}

/** Revokes and removes everything this machine keeps. */
export async function logOutEverywhere(parts: RequestParts, state: State): Promise<LoggedOut> {
  const {revoked, problem} = await revokeAll(parts, state, () => true)
  let removed = false
  for (const profile of Object.keys(state.settings.read().profiles)) {
    removed = (await forgetProfile(state, profile)) || removed
  }
  removed = state.forgetEverything() || removed
  if (problem) throw notRevoked(problem, {profile: null, revoked: false, removed})
  return {profile: null, revoked, removed}
}

/** Revokes the tokens of the clients meant that have not expired. `problem` is the first failure; it goes on after it. */
async function revokeAll(
  parts: RequestParts,
  state: State,
  isMeant: (client: {clientId: string; baseUrl: string}) => boolean,
): Promise<{revoked: boolean; problem: Failure | undefined}> {
  const {revokeToken} = await import('../../api/tokens.js')
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

function notRevoked(problem: Failure, result: LoggedOut): Failure {
  const message = `${result.removed ? 'removed from this machine, but' : 'nothing to remove, and'} a token could not be revoked: ${problem.message}`
  const hint = 'the token works until it expires, at most two hours'
  return new Failure(problem.kind, message, {...problem.details, hint, result})
}

/** Names of the profiles concerned that hold live credentials; `all`: of every one. */
export async function liveAmong(
  state: State,
  leaving: Leaving | 'all',
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

/** What has to be agreed to before live credentials are left. */
export const LEAVING_LIVE: Change = {
  what: 'leaving live credentials',
  undone: 'nothing was sent and nothing removed',
}

/**
 * Whom `logout` means: the credentials of the environment when they are set, else a profile. Throws usage for one that was
 * named and neither is there nor has anything kept for it.
 */
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
