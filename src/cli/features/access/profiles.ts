/** Manage profiles */
import type {State} from '../../../state/state.js'
import {StorageError} from '../../../storage/errors.js'
import type {Result} from '../../terminal/result.js'
import type {RequestParts} from './access.js'
import {unknownProfile} from './config.js'
import {type LoggedOut, type LogoutTarget, logOut} from './logout.js'

export const PROFILE_COLUMNS = ['name', 'current', 'base_url', 'client_id']

export function listProfiles(state: State): Result<Record<string, unknown>> {
  const {profiles, current_profile} = state.settings.read()
  const items = Object.entries(profiles).map(([name, profile]) => ({
    name,
    current: name === current_profile,
    base_url: profile.base_url,
    client_id: profile.client_id,
    ...(profile.scopes ? {scopes: profile.scopes} : {}),
  }))
  return {
    document: {profiles: items},
    items,
    columns: PROFILE_COLUMNS.map(name => ({name, value: item => item[name]})),
    id: item => item.name,
    whenEmpty: 'No profiles. Create one: bookctl login',
  }
}

/** Makes `name` the current profile. Throws usage, naming those there are, when it is not one. */
export async function useProfile(state: State, name: string) {
  const profile = existing(state, name)
  await state.settings.update(file => file.set(['current_profile'], name))
  return {profile: name, base_url: profile.base_url, client_id: profile.client_id}
}

/** The profile `name`, as one that leaves. Throws usage, naming those there are, when it is not one. */
export function logoutTargetOf(state: State, name: string): LogoutTarget {
  const {client_id, base_url} = existing(state, name)
  return {profile: name, clientId: client_id, baseUrls: [base_url]}
}

/**
 * Logs out of `name` and forgets it, also when its tokens could not be revoked; then throws that Failure. Where its
 * secrets could not be removed the profile stays, and still names what is there: throws StorageError.
 */
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

export function existing(state: State, name: string) {
  const settings = state.settings.read()
  const profile = Object.hasOwn(settings.profiles, name) ? settings.profiles[name] : undefined
  if (profile) return profile
  throw unknownProfile(settings, name)
}
