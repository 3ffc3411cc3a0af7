/**
 * Logs out: revokes the tokens, and removes the credentials from this machine, whatever the service answers. Signing
 * secrets are kept, because the service never shows them again. Only `logout --all` and `profiles remove` remove them,
 * after confirmation.
 */
import {join} from 'node:path'
import * as Flags from '@oclif/core/flags'
import {revokeToken} from '../../../api/auth/tokens.js'
import {Failure} from '../../../contract/failure.js'
import {REDACTED, sanitizeLine, shellWord} from '../../../contract/foreign-text.js'
import {modeOfSecret} from '../../../contract/identifiers.js'
import {own} from '../../../contract/json.js'
import {ACCESS_TOKEN_LIFETIME_SECONDS} from '../../../contract/limits.js'
import {OPERATIONS} from '../../../contract/operations.js'
import {STATE_NAME} from '../../../state/file-names.js'
import type {SigningSecretName} from '../../../state/secret-store.js'
import type {State} from '../../../state/state.js'
import {StorageError} from '../../../storage/errors.js'
import {ignoreFailure} from '../../input/usage-errors.js'
import {type DryChange, dryRun, dryRunFlag, plainDryRequest} from '../../session/dry-run.js'
import {clientOfEnvironment, profileInUse, type Surroundings, serviceOf} from '../../session/resolve.js'
import {checkProfileName} from '../../session/setting-keys.js'
import {asFailure} from '../../shell/exit-codes.js'
import type {Result} from '../../terminal/result.js'
import {existingProfile, recordOf, storedIn, type TokenRequester} from './profiles.js'

type Remaining = Awaited<ReturnType<typeof remainingAfter>>[number]

export type LoggedOut = Awaited<ReturnType<typeof logOut>>

/** The credentials to log out of. */
export interface Leaving {
  /** The profile. Null for credentials of the environment, and for `logout --all`. */
  readonly profile: string | null
  readonly profiles: readonly string[]
  /** Whether to remove everything: the tokens of every client, and the stored guest details. */
  readonly isAll?: boolean
  /** The signing secrets to remove (default: none), and the command that is recorded as the reason. */
  readonly signing?: {readonly names: readonly SigningSecretName[]; readonly removed_by: string}
  /** The profile that would apply without the environment's credentials. It stays logged in. */
  readonly beside?: string
  readonly clientId: string | undefined
  /** The base URLs for which tokens of the client may be stored. */
  readonly baseUrls: readonly string[]
}

export function everything(state: State): Leaving {
  const profiles = Object.keys(state.settings.read().profiles)
  const signing = {names: state.secrets.listSigningSecrets(), removed_by: 'logout --all'}
  return {profile: null, profiles, isAll: true, clientId: undefined, baseUrls: [], signing}
}

/**
 * Revokes the tokens (§4.2) and removes the credentials from this machine. Removes them even if the revocation fails or
 * the shared store cannot be used, and then throws a Failure.
 */
export async function logOut(
  requester: TokenRequester,
  state: State,
  leaving: Leaving,
  remaining: readonly Remaining[] = [],
) {
  const kept = await inStore(state, () => revocableTokens(state, leaving, requester.clock.now()))
  const tokens = kept.value ?? []
  const outcomes = await Promise.allSettled(
    tokens.map(({client, token}) => revokeToken({...requester, baseUrl: client.baseUrl}, token.access_token)),
  )
  const problems = outcomes.flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason] : []))
  const bug = problems.find(problem => !(problem instanceof Failure))
  if (bug) throw bug
  const revoked = problems.length < outcomes.length
  const unrevoked: Failure | undefined = problems[0]
  const {profile, profiles, isAll, clientId, baseUrls} = leaving
  const signing = leaving.signing && {...leaving.signing, removed_at: requester.clock.now()}
  const clients = clientId === undefined ? [] : baseUrls.map(baseUrl => ({baseUrl, clientId}))
  const results: boolean[] = []
  if (isAll) results.push(await state.forget('all', signing))
  else if (clients.length + profiles.length > 0)
    results.push(await state.forget({profiles, clients}, signing))
  // The keychain comes last: if it cannot be used, only the secrets in it remain.
  for (const name of profiles) {
    const {client_id = '', secret_store: place} = recordOf(state, name) ?? {}
    if (place === 'keychain')
      results.push(await state.secrets.remove({profile: name, clientId: client_id}, place))
  }
  // If the store could not be read, it is not tried again, because that would only wait again.
  const shared = kept.problem ? kept : await inStore(state, () => state.forgetShared(isAll ? 'all' : clients))
  results.push(shared.value === true)
  const unread = unrevoked ?? kept.problem
  const problem = unread ?? shared.problem
  const isRemoved = results.includes(true)
  // If a profile stays logged in, nothing counts as removed, because the user may have meant that profile.
  const left = remaining.find(({what}) => what === 'profile')
  const removed = isRemoved && left === undefined
  const staying = signingSecretsOf(state, leaving).map(({subscription_id}) => subscription_id)
  const result = {profile, revoked, removed, kept: staying, ...(remaining.length === 0 ? {} : {remaining})}
  if (!problem) return result
  const stays = left && `tokens removed from this machine, profile ${left.name} stays logged in, and`
  const removal = isRemoved ? (stays ?? 'removed from this machine, but') : 'nothing to remove, and'
  const undone = unread ? 'a token could not be revoked' : 'tokens could not be removed from the store'
  const message = `${removal} ${undone}: ${problem.message}`
  const hint = unread
    ? `the token remains valid until it expires, at most ${ACCESS_TOKEN_LIFETIME_SECONDS / 3600} hours`
    : 'run it again when the store takes writes'
  const ended = {...result, revoked: unread ? false : revoked}
  throw new Failure(problem.kind, message, {...problem.details, hint, result: ended})
}

/**
 * Runs `work` in the shared store. Returns its value, or the problem if the store cannot be used. If there is no shared
 * store, the error comes from this machine and is thrown.
 */
async function inStore<T>(
  state: State,
  work: () => Promise<T>,
): Promise<{value?: T; problem?: Failure | undefined}> {
  try {
    return {value: await work()}
  } catch (error) {
    const problem = asFailure(error)
    if (!state.isShared || !(problem instanceof Failure)) throw error
    return {problem}
  }
}

/** Returns the stored tokens that have not expired. `now` is in Unix seconds. */
async function revocableTokens(state: State, {isAll, clientId, baseUrls}: Leaving, now: number) {
  const live = (await state.tokens.listAll()).filter(({token}) => token.expiresAt > now)
  if (isAll) return live
  return live.filter(({client}) => client.clientId === clientId && baseUrls.includes(client.baseUrl))
}

/** Returns the names of the profiles in `leaving` with live credentials. */
export async function liveAmong(state: State, leaving: Leaving, env: NodeJS.ProcessEnv): Promise<string[]> {
  if (isOfEnvironment(leaving))
    return modeOfSecret(env.BOOKCTL_CLIENT_SECRET ?? '') === 'live' ? ['of the environment'] : []
  const live: string[] = []
  for (const name of leaving.profiles) {
    const {mode, secret_store: place} = recordOf(state, name) ?? {}
    const isKnown = mode !== undefined || place === 'keychain'
    if ((isKnown ? mode : modeOfSecret((await secretOf(state, name)) ?? '')) === 'live') live.push(name)
  }
  return live
}

function isOfEnvironment({profile, isAll}: Leaving): boolean {
  return profile === null && !isAll
}

async function secretOf(state: State, profile: string): Promise<string | undefined> {
  const {client_id: clientId, secret_store: place = 'file'} = recordOf(state, profile) ?? {}
  return clientId === undefined ? undefined : state.secrets.read({profile, clientId}, place)
}

/**
 * Returns the credentials that commands can still use after the logout: the profile in `beside`, if it has a secret,
 * and those of the environment. `name` is the profile, or the variables separated by spaces.
 */
export async function remainingAfter({beside}: Leaving, env: NodeJS.ProcessEnv, state: State) {
  // If the keychain is not available, commands cannot use the secret either.
  const isLeft = beside !== undefined && (await secretOf(state, beside).catch(ignoreFailure))
  const command = `bookctl logout --profile ${beside}`
  const ofProfile = isLeft ? [{what: 'profile', name: beside, command} as const] : []
  const ofPair = clientOfEnvironment(env) ? ['BOOKCTL_CLIENT_ID', 'BOOKCTL_CLIENT_SECRET'] : []
  const names = [...(env.BOOKCTL_TOKEN ? ['BOOKCTL_TOKEN'] : []), ...ofPair].join(' ')
  if (names === '') return ofProfile
  return [...ofProfile, {what: 'environment', name: names, command: `unset ${names}`} as const]
}

export function remainingText(leaving: Leaving, {what, name, command}: Remaining): string {
  return what === 'profile'
    ? `Warning: this revokes the tokens of ${clientOf(leaving)}; profile ${name} stays logged in. To log out of it: ${command}`
    : `Warning: the environment still has ${name.replaceAll(' ', ' and ')}, which commands use first. To remove that: ${command}`
}

/**
 * Returns the signing secrets of the profiles that a logout concerns. For credentials of the environment, these include
 * the profile in `beside`.
 */
function signingSecretsOf(state: State, {isAll, profiles, beside}: Leaving): readonly SigningSecretName[] {
  if (isAll) return state.secrets.listSigningSecrets()
  return [...profiles, ...(beside === undefined ? [] : [beside])].flatMap(name =>
    state.secrets.listSigningSecrets(name),
  )
}

/**
 * Returns lines that name the signing secrets that are kept, and the command that removes them. Empty if there are
 * none.
 */
export function keptText(state: State, leaving: Leaving): string[] {
  const lost = leaving.signing?.names ?? []
  const isLost = (secret: SigningSecretName) =>
    lost.some(({profile, subscription_id: id}) => profile === secret.profile && id === secret.subscription_id)
  const kept = signingSecretsOf(state, leaving).filter(secret => !isLost(secret))
  const [first] = kept
  if (first === undefined) return []
  const command = `bookctl profiles remove ${shellWord(first.profile)}`
  return [
    `Signing secrets stay, because the service never shows them again: ${namesText(kept)}.`,
    `To remove them: ${command}`,
  ]
}

const MOST_NAMED = 20

function namesText(names: readonly SigningSecretName[]): string {
  const isOfSeveral = new Set(names.map(({profile}) => profile)).size > 1
  const named = names
    .slice(0, MOST_NAMED)
    .map(
      ({subscription_id, profile}) =>
        sanitizeLine(subscription_id, 100) + (isOfSeveral ? ` (profile ${sanitizeLine(profile, 64)})` : ''),
    )
  const more = names.length - named.length
  return named.join(', ') + (more > 0 ? ` and ${more} more` : '')
}

/** Returns what the user must confirm, with the secrets that would be lost. Undefined if nothing needs confirmation. */
export function consentFor({signing}: Leaving, live: readonly string[]) {
  const lost = signing?.names ?? []
  if (live.length + lost.length === 0) return undefined
  const names = namesText(lost)
  const what = [
    ...(live.length > 0 ? ['removing live credentials'] : []),
    ...(lost.length > 0
      ? [`removing the signing secrets of ${names}, which the service never shows again,`]
      : []),
  ].join(' and ')
  const atStake =
    lost.length > 0
      ? [`Signing secrets that will be lost, because the service never shows them again: ${names}`]
      : []
  return {change: {what, undone: 'nothing was sent or removed'}, atStake}
}

export function outcomeText(leaving: Leaving, {revoked, removed}: LoggedOut): string {
  if (!isOfEnvironment(leaving)) return removed ? 'Logged out.' : 'Not logged in; nothing to remove.'
  return revoked
    ? `Revoked the tokens of ${clientOf(leaving)}.`
    : `No token is stored for ${clientOf(leaving)}.`
}

function clientOf({clientId}: Leaving): string {
  return `${sanitizeLine(clientId ?? 'every client', 100)}, the client of the environment`
}

export const leavingFlags = {
  yes: Flags.boolean({
    summary:
      'do not ask; required without a terminal for live credentials, and where signing secrets are removed',
  }),
  ...dryRunFlag,
}

/**
 * Returns what to log out of: the credentials of the environment if they are set, else a profile. Throws a usage error
 * for an unknown profile.
 */
export async function logoutTargetFrom(surroundings: Surroundings, state: State): Promise<Leaving> {
  const {settings, env, flags} = surroundings
  const name = checkProfileName(profileInUse(surroundings))
  const profile = own(settings.profiles, name)
  const services = [
    serviceOf(surroundings),
    profile && serviceOf({settings, env: {}, flags: {profile: name}}),
  ]
  const baseUrls = services.flatMap(service => service?.baseUrl ?? [])
  const client = flags.profile ? undefined : clientOfEnvironment(env)
  if (client) {
    const {clientId} = client
    return {profile: null, profiles: [], beside: name, clientId, baseUrls: [...new Set(baseUrls)]}
  }
  if (flags.profile && !state.secrets.holdsFor(name)) existingProfile(settings, name)
  if (profile && !state.isShared) {
    // If the base URL was changed, the client may still have tokens for an address that no profile has any more.
    const named = Object.values(settings.profiles).map(({base_url}) => base_url)
    const kept = (await state.tokens.listAll()).filter(({client}) => client.clientId === profile.client_id)
    baseUrls.push(...kept.map(({client}) => client.baseUrl).filter(baseUrl => !named.includes(baseUrl)))
  }
  return {profile: name, profiles: [name], clientId: profile?.client_id, baseUrls: [...new Set(baseUrls)]}
}

/** Describes the logout (--dry-run). `more` lists further changes, after those of the logout. */
export async function describeLogout(
  state: State,
  leaving: Leaving,
  now: number,
  more: readonly DryChange[] = [],
): Promise<Result> {
  const {isAll, clientId = 'the profile', profiles} = leaving
  const signing = leaving.signing?.names ?? []
  const kept = await revocableTokens(state, leaving, now)
  const revocations = kept.map(({client}) =>
    plainDryRequest('POST', client.baseUrl + OPERATIONS['token.revoke'].path, {token: REDACTED}),
  )
  const remove = (what: string, file = storedIn('file', state)) => ({file, action: 'remove', what}) as const
  const people = isAll ? (await state.people()).listAll() : []
  const names = new Set(people.map(({name, surname}) => sanitizeLine(`${name} ${surname}`, 100)))
  return dryRun(revocations, [
    remove(`access tokens of ${isAll ? 'every client' : clientId}`),
    ...profiles.flatMap(name => [
      remove(`client secret of profile ${name}`, storedIn(recordOf(state, name)?.secret_store, state)),
    ]),
    ...signing.map(({subscription_id, profile}) =>
      remove(`signing secret of ${sanitizeLine(subscription_id, 100)}, profile ${sanitizeLine(profile, 64)}`),
    ),
    ...[...names].map(name => remove(`details kept of ${name}`, join(state.directory, STATE_NAME))),
    ...more,
  ])
}

/**
 * Returns everything that is stored under the profile `name`, which may be only signing secrets. Throws a usage error
 * if the name is unknown.
 */
export function leavingProfile(state: State, name: string) {
  const isStored = recordOf(state, name) === undefined && state.secrets.holdsFor(name)
  const {client_id: clientId, base_url: baseUrl} = isStored
    ? {client_id: undefined, base_url: undefined}
    : existingProfile(state.settings.read(), name)
  const baseUrls = baseUrl === undefined ? [] : [baseUrl]
  const signing = {names: state.secrets.listSigningSecrets(name), removed_by: `profiles remove ${name}`}
  return {profile: name, profiles: [name], clientId, baseUrls, signing}
}

/**
 * Removes a profile. If a token could not be revoked, removes the profile and throws a Failure. If its secrets could
 * not be removed, keeps the profile and throws a StorageError.
 */
export async function removeProfile(
  requester: TokenRequester,
  state: State,
  leaving: ReturnType<typeof leavingProfile>,
): Promise<LoggedOut> {
  const {profile} = leaving
  const forgetEntry = () =>
    state.settings.update(file => {
      file.delete(['profiles', profile])
      if (file.read().current_profile === profile) file.delete(['current_profile'])
    })
  const gone = await logOut(requester, state, leaving).catch(async error => {
    if (!(error instanceof StorageError)) await forgetEntry()
    throw error
  })
  await forgetEntry()
  return {...gone, removed: true}
}
