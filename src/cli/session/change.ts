/** `config set` and `config unset`: which key, in which place, and making the change. */
import {type Failure, usage} from '../../contract/failure.js'
import {sanitizeLine} from '../../contract/foreign-text.js'
import type {SettingsEditor, SettingsFile} from '../../state/settings.js'
import {checkedArg} from '../input/flags.js'
import {closest} from '../input/suggest.js'
import {profileInUse, type Surroundings, written} from './effective.js'
import {pathIn, SETTING_KEYS, type SettingKey, type SettingPlace, type SettingValue} from './keys.js'

/** The key of that name. Throws usage, saying which one may be meant. */
function findKey(name: string): SettingKey {
  const found = SETTING_KEYS.find(key => key.name === name)
  if (found) return found
  const names = SETTING_KEYS.map(key => key.name)
  const within = names.filter(known => known.startsWith(`${name}.`))
  const best = closest(name, names)
  const hint =
    within.length > 0
      ? `its parts are: ${within.join(', ')}`
      : best
        ? `did you mean ${best}?`
        : 'bookctl config list shows them all'
  throw usage('unknown_setting', `there is no setting ${sanitizeLine(name, 60)}`, hint)
}

export const keyArg = {
  key: checkedArg((_, text) => findKey(text))({
    required: true,
    description: 'the setting, as config list names it',
  }),
}

export interface Change {
  readonly key: SettingKey
  readonly place: SettingPlace
  /** Name of the profile, where that is the place. */
  readonly profile: string | null
  readonly before: SettingValue | null
  /** Null: taken out. */
  readonly after: SettingValue | null
}

export interface WantedChange {
  readonly key: SettingKey
  /** As typed; undefined takes the setting out. */
  readonly text: string | undefined
}

/**
 * What is to change: settings of a profile in the profile in use, others in the defaults unless --profile stands on
 * the command line. Throws usage for a value that will not do, and for a profile that is not there.
 */
export async function planChange({key, text}: WantedChange, around: Surroundings): Promise<Change> {
  if (key.readOnly !== undefined)
    throw usage('read_only_setting', `${key.name} is not set by hand`, key.readOnly)
  const check = key.checkToWrite ?? key.check
  const after = text === undefined ? null : await check(key.name, text)
  const place = placeOf(key, around)
  const profile = place === 'profile' ? profileInUse(around) : null
  if (profile !== null) requireProfile(around.settings, profile)
  if (key.name === 'current_profile' && after !== null) requireProfile(around.settings, String(after))
  const needed = place === 'profile' && (key.name === 'base_url' || key.name === 'client_id')
  if (after === null && needed)
    throw usage('needed_setting', `a profile cannot be without ${key.name}`, 'bookctl profiles remove NAME')
  return {key, place, profile, before: written(key, place, around) ?? null, after}
}

function placeOf(key: SettingKey, around: Surroundings): SettingPlace {
  const {flags, settings} = around
  const [first = 'defaults'] = key.places
  if (key.isOfService && Object.hasOwn(settings.profiles, profileInUse(around))) return 'profile'
  return first === 'profile' && key.places.includes('defaults') && !flags.profile ? 'defaults' : first
}

function requireProfile(settings: SettingsFile, name: string): void {
  if (Object.hasOwn(settings.profiles, name)) return
  throw unknownProfile(settings, name)
}

/** There is no profile `name`: which ones there are. */
export function unknownProfile({profiles}: SettingsFile, name: string): Failure {
  const names = Object.keys(profiles).join(', ')
  return usage(
    'unknown_profile',
    `there is no profile ${sanitizeLine(name, 64)}`,
    names === '' ? 'bookctl login makes one' : `profiles: ${names}`,
  )
}

/** Makes the change. Throws usage when the profile went away meanwhile. */
export function applyChange(settings: SettingsEditor, change: Change): void {
  const {key, place, profile, after} = change
  const present = settings.read()
  if (profile !== null) requireProfile(present, profile)
  const holder = profile !== null ? ['profiles', profile] : place === 'defaults' ? ['defaults'] : []
  if (pathsTaken(present, change).length > 0) settings.delete([...holder, 'paths'])
  if (after === null) settings.delete([...holder, ...pathIn(key)])
  else settings.set([...holder, ...pathIn(key)], after)
}

/** Operations whose paths the profile loses by the change: they are for the service before. */
export function pathsTaken({profiles}: SettingsFile, {key, profile, after}: Change): string[] {
  const before = profile === null || key.name !== 'base_url' ? undefined : profiles[profile]
  return Object.keys(before && before.base_url !== after ? (before.paths ?? {}) : {})
}
