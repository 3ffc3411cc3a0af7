/**
 * The types of config.json, and the rules that check it. Every command reads the file at its start, so the check is
 * plain code: loading a schema library would take longer than everything else. The rules for single settings
 * (cli/session/setting-keys.ts) are stricter.
 */
import {HEADER_NAME, PROFILE_NAME, PROFILE_NAME_FORM} from '../contract/identifiers.js'
import {MISSING, TYPES} from '../contract/input-mistakes.js'
import {isObject, own} from '../contract/json.js'
import {PATH_TEMPLATE, SCOPE_NAMES, type Scope} from '../contract/operations.js'

/** Settings that are allowed in a profile, and in the defaults for all profiles. */
interface SharedSettings {
  /** The name of the header with a webhook's signature (§6.2). */
  signature_header?: string | undefined
  /** The name of the header with a webhook event's id (§6.2). */
  event_id_header?: string | undefined
  nationality?: string | undefined
  currency?: string | undefined
  contact?: {[Key in (typeof CONTACT_KEYS)[number]]?: string | undefined} | undefined
  /** Paths under the base URL for operations without one in the interface (§4.9): `{"reservations.list": "/bookings"}`. */
  paths?: Record<string, string> | undefined
  /** The address, without a password, of the store that is shared with other machines. */
  store?: string | undefined
  /** Seconds. */
  timeout?: number | undefined
  ca_file?: string | undefined
}

export interface Profile extends SharedSettings {
  base_url: string
  client_id: string
  /** The scopes that `login --scope` named. */
  scopes?: Scope[] | undefined
  /** Where the client secret is stored (default `file`, which is tokens.db). */
  secret_store?: 'file' | 'keychain' | undefined
  /** Whether the secret is a live or a test secret (§5.3). */
  mode?: 'live' | 'test' | undefined
}

/** The content of config.json. `profiles` is empty if the file has none. */
export interface SettingsFile {
  current_profile?: string | undefined
  profiles: Record<string, Profile>
  defaults?: SharedSettings | undefined
}

/** A rule for a value. `description` and `values` complete the message `must be …`. */
interface Rule {
  readonly type: 'object' | 'array' | 'string' | 'number'
  readonly description?: string
  /** The pattern that a string must match. */
  readonly pattern?: RegExp
  readonly values?: readonly string[]
  /**
   * The rule for each entry of a list, or of an object whose keys the user chooses. `names` is the rule for those keys.
   */
  readonly entries?: Rule
  readonly names?: Rule
  /** The fields of an object. Unknown keys are errors, because a misspelled key would silently have no effect. */
  readonly fields?: Readonly<Record<string, Rule>>
  readonly required?: readonly string[]
}

const TEXT: Rule = {type: 'string'}
const NOT_EMPTY: Rule = {type: 'string', pattern: /./, description: 'text that is not empty'}
const HEADER: Rule = {type: 'string', pattern: HEADER_NAME, description: 'the name of a header'}
const PROFILE_KEY: Rule = {
  type: 'string',
  pattern: PROFILE_NAME,
  description: `a profile name: ${PROFILE_NAME_FORM}`,
}
const PATH: Rule = {
  type: 'string',
  pattern: PATH_TEMPLATE,
  description: 'a path such as /bookings/{reservation_ref}',
}
const SCOPE: Rule = {type: 'string', values: SCOPE_NAMES, description: 'a scope of the service'}

const CONTACT_KEYS = ['name', 'surname', 'email', 'phone_country_code', 'phone_number'] as const

const SHARED: Record<keyof SharedSettings, Rule> = {
  signature_header: HEADER,
  event_id_header: HEADER,
  nationality: TEXT,
  currency: TEXT,
  contact: {type: 'object', fields: Object.fromEntries(CONTACT_KEYS.map(key => [key, TEXT]))},
  paths: {type: 'object', entries: PATH},
  store: NOT_EMPTY,
  timeout: {type: 'number'},
  ca_file: TEXT,
}

const PROFILE: Record<keyof Profile, Rule> = {
  base_url: NOT_EMPTY,
  client_id: NOT_EMPTY,
  scopes: {type: 'array', entries: SCOPE},
  secret_store: {type: 'string', values: ['file', 'keychain']},
  mode: {type: 'string', values: ['live', 'test']},
  ...SHARED,
}

const SETTINGS: Rule = {
  type: 'object',
  fields: {
    current_profile: PROFILE_KEY,
    profiles: {
      type: 'object',
      names: PROFILE_KEY,
      entries: {type: 'object', fields: PROFILE, required: ['base_url', 'client_id']},
    },
    defaults: {type: 'object', fields: SHARED},
  },
}

const IS_OF_TYPE: Readonly<Record<Rule['type'], (value: unknown) => boolean>> = {
  object: isObject,
  array: Array.isArray,
  string: value => typeof value === 'string',
  number: Number.isFinite,
}

interface SettingsMistake {
  /** The path of keys to the mistake, outermost first. */
  readonly keys: readonly string[]
  readonly problem: string
}

/** Returns the first mistake in a value that may be the content of config.json, or undefined if there is none. */
export function settingsMistake(
  value: unknown,
  rule: Rule = SETTINGS,
  keys: readonly string[] = [],
): SettingsMistake | undefined {
  const {type, fields = {}, entries, names} = rule
  if (!IS_OF_TYPE[type](value)) return {keys, problem: `must be ${TYPES[type]}`}
  if (typeof value === 'string') {
    const fits = (rule.pattern?.test(value) ?? true) && (rule.values?.includes(value) ?? true)
    return fits ? undefined : {keys, problem: `must be ${rule.description ?? rule.values?.join(' or ')}`}
  }
  if (typeof value === 'number') return undefined
  const object = value as Readonly<Record<string, unknown>>
  for (const name of rule.required ?? [])
    if (own(object, name) === undefined) return {keys: [...keys, name], problem: MISSING}
  // Names and unknown keys are checked before values.
  for (const key of Object.keys(object)) {
    const within = [...keys, key]
    const mistake = names && settingsMistake(key, names, within)
    if (mistake) return mistake
    if (entries === undefined && own(fields, key) === undefined)
      return {keys: within, problem: `is unknown; known here: ${Object.keys(fields).join(', ')}`}
  }
  // Entries are checked in the order of the file, fields in the order of the rules.
  for (const key of Object.keys(entries ? object : fields)) {
    const inner = own(object, key)
    const innerRule = entries ?? own(fields, key)
    if (inner === undefined || innerRule === undefined) continue
    const mistake = settingsMistake(inner, innerRule, [...keys, key])
    if (mistake) return mistake
  }
  return undefined
}
