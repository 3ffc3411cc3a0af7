/** The value that holds for a setting, put to its rule: files are edited and variables set by hand. */
import {Failure} from '../../contract/failure.js'
import type {Effective, Origin} from './effective.js'
import type {SettingKey, SettingValue} from './keys.js'

/** What holds for a setting, in the type it has wherever it comes from. */
export interface Checked extends Effective {
  /** Why the value will not do, naming where it stands; it is then as it was written. */
  readonly problem: string | undefined
}

/** Puts what was found to its rule. */
export async function checked(found: Effective): Promise<Checked> {
  try {
    return {...found, value: await usableValue(found), problem: undefined}
  } catch (error) {
    if (error instanceof Failure) return {...found, problem: error.message}
    throw error
  }
}

/** The value in the type the setting has; null where nothing gives one. Throws usage, naming its place. */
export async function usableValue({key, value, origin, source}: Effective): Promise<SettingValue | null> {
  if (value === null || origin === 'built_in') return value
  const place = placeOf(key, origin, source)
  try {
    return await key.check(place, String(value))
  } catch (error) {
    if (!(error instanceof Failure) || error.message.includes(place)) throw error
    throw new Failure(error.kind, `${place}: ${error.message}`, error.details)
  }
}

function placeOf({name}: SettingKey, origin: Origin, source: string | null): string {
  switch (origin) {
    case 'flag':
    case 'environment':
      return source ?? name
    case 'profile':
      return `config.json: profiles.${source}.${name}`
    case 'file':
      return `config.json: ${name}`
    default:
      return `config.json: defaults.${name}`
  }
}
