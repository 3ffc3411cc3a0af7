/** The commands of profiles. */
import type {State} from '../../../state/state.js'
import {StorageError} from '../../../storage/errors.js'
import {listResult} from '../../terminal/result.js'
import type {RequestParts} from './access.js'
import {existingProfile} from './config.js'
import {type LoggedOut, type LogoutTarget, logOut} from './logout.js'

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

/** Makes `name` the current profile. Throws usage, listing the profiles, when there is none of this name. */
export async function useProfile(state: State, name: string) {
  const profile = existingProfile(state.settings.read(), name)
  await state.settings.update(file => file.set(['current_profile'], name))
  return {profile: name, base_url: profile.base_url, client_id: profile.client_id}
}

/** The credentials of the profile `name`. Throws usage, listing the profiles, when there is none of this name. */
export function logoutTargetOf(state: State, name: string): LogoutTarget {
  const {client_id, base_url} = existingProfile(state.settings.read(), name)
  return {profile: name, clientId: client_id, baseUrls: [base_url]}
}

/** Removes it even if a token could not be revoked (Failure), but not if its secrets stay (StorageError). */
export async function removeProfile(parts: RequestParts, state: State, name: string): Promise<LoggedOut> {
  const gone = await logOut(parts, state, logoutTargetOf(state, name)).catch(async error => {
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
