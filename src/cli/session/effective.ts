/** What holds for each setting now, and why: flag > environment > profile > defaults > built in. */
import type {SettingsFile} from '../../state/settings.js'
import {pathIn, SETTING_KEYS, type SettingKey, type SettingPlace, type SettingValue} from './keys.js'
import {DEFAULT_PROFILE} from './target.js'

export type Origin = 'flag' | 'environment' | 'profile' | 'defaults' | 'file' | 'built_in' | 'unset'

export interface Effective {
  readonly key: SettingKey
  readonly value: SettingValue | null
  readonly origin: Origin
  /** The flag, the variable, or the name of the profile. */
  readonly source: string | null
}

export interface Surroundings {
  readonly settings: SettingsFile
  readonly env: NodeJS.ProcessEnv
  /** What stands on the command line of the global flags, by their names without dashes. */
  readonly flags: Readonly<Record<string, string | undefined>>
}

/** Name of the profile whose settings count, whether or not there is one. */
export function profileInUse({settings, env, flags}: Surroundings): string {
  return flags.profile || env.BOOKCTL_PROFILE || settings.current_profile || DEFAULT_PROFILE
}

/** The value that holds for `key`, as it was written: what a person put into the file is not checked here. */
export function effective(key: SettingKey, around: Surroundings): Effective {
  const {env, flags} = around
  const flag = key.flag === undefined ? undefined : flags[key.flag]
  if (flag) return {key, value: flag, origin: 'flag', source: `--${key.flag}`}
  const variable = key.environment === undefined ? undefined : env[key.environment]
  if (variable && !givesWay(key, around))
    return {key, value: variable, origin: 'environment', source: key.environment ?? null}
  for (const place of key.places) {
    const value = written(key, place, around)
    if (value === undefined) continue
    if (place === 'top') return {key, value, origin: 'file', source: null}
    return {key, value, origin: place, source: place === 'profile' ? profileInUse(around) : null}
  }
  return key.builtIn === undefined
    ? {key, value: null, origin: 'unset', source: null}
    : {key, value: key.builtIn, origin: 'built_in', source: null}
}

/** Every setting, in the order of the list. */
export function allEffective(around: Surroundings): Effective[] {
  return SETTING_KEYS.map(key => effective(key, around))
}

/** A --profile on the command line goes before complete credentials of the environment, their address too. */
function givesWay({name}: SettingKey, {env, flags}: Surroundings): boolean {
  if (!flags.profile) return false
  if (name === 'client_id') return true
  const isComplete = env.BOOKCTL_TOKEN || (env.BOOKCTL_CLIENT_ID && env.BOOKCTL_CLIENT_SECRET)
  return name === 'base_url' && Boolean(isComplete)
}

/** What stands in config.json for `key` in `place`. */
export function written(
  key: SettingKey,
  place: SettingPlace,
  around: Surroundings,
): SettingValue | undefined {
  const {settings} = around
  const name = profileInUse(around)
  const holders: Record<SettingPlace, unknown> = {
    top: settings,
    profile: Object.hasOwn(settings.profiles, name) ? settings.profiles[name] : undefined,
    defaults: settings.defaults,
  }
  let holder: unknown = holders[place]
  for (const word of pathIn(key)) {
    if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, word)) return undefined
    holder = (holder as Record<string, unknown>)[word]
  }
  return holder as SettingValue
}
