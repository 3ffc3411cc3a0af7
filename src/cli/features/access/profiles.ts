/** The commands of profiles. */
import type {State} from '../../../state/state.js'
import {StorageError} from '../../../storage/errors.js'
import {dryRun} from '../../session/dry-run.js'
import {listResult, type Result, single} from '../../terminal/result.js'
import type {RequestParts} from './access.js'
import {existingProfile} from './config.js'
import {describeLogout, type Leaving, type LoggedOut, logOut} from './logout.js'

export const PROFILE_COLUMNS = ['name', 'current', 'base_url', 'client_id'] as const

export function listProfiles(state: State) {
  const {profiles, current_profile} = state.settings.read()
  const items = Object.entries(profiles).map(([name, profile]) => ({
    name,
    current: name === current_profile,
    base_url: profile.base_url,
    client_id: profile.client_id,
    ...(profile.scopes ? {scopes: profile.scopes} : {}),
  }))
  const whenEmpty = 'No profiles. Create one: bookctl login'
  return {...listResult({profiles: items}, items, PROFILE_COLUMNS), whenEmpty}
}

/** Makes `name` the current profile; with `isDry` says what would change. Throws usage, listing the profiles, if it is unknown. */
export async function useProfile({settings}: State, name: string, isDry: boolean): Promise<Result> {
  const {base_url, client_id} = existingProfile(settings.read(), name)
  if (isDry) {
    const before = settings.read().current_profile ?? null
    return dryRun([], [{file: settings.path, action: 'set', what: 'current_profile', before, after: name}])
  }
  await settings.update(file => file.set(['current_profile'], name))
  const used = {profile: name, base_url, client_id}
  return single(used, used, name)
}

/** The credentials of the profile `name`. Throws usage, listing the profiles, if it is unknown. */
export function leavingProfile(state: State, name: string): Leaving {
  const {client_id, base_url} = existingProfile(state.settings.read(), name)
  return {profile: name, profiles: [name], clientId: client_id, baseUrls: [base_url]}
}

/** The result of --dry-run. */
export function describeProfileRemoval(state: State, name: string, now: number): Promise<Result> {
  const {base_url, client_id} = existingProfile(state.settings.read(), name)
  const entry = {file: state.settings.path, action: 'remove', what: `profiles.${name}`} as const
  return describeLogout(state, leavingProfile(state, name), now, [{...entry, before: {base_url, client_id}}])
}

/** Removes it even if a token could not be revoked (Failure), but not if its secrets stay (StorageError). */
export async function removeProfile(parts: RequestParts, state: State, name: string): Promise<LoggedOut> {
  const gone = await logOut(parts, state, leavingProfile(state, name)).catch(async error => {
    if (!(error instanceof StorageError)) await forgetEntry(state, name)
    throw error
  })
  await forgetEntry(state, name)
  return {...gone, removed: true}
}

async function forgetEntry(state: State, name: string): Promise<void> {
  await state.settings.update(file => {
    file.delete(['profiles', name])
    if (file.read().current_profile === name) file.delete(['current_profile'])
  })
}
