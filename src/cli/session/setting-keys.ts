/** The settings and their checks. A new key also needs a line in state/settings-schema.ts. */
import {existsSync} from 'node:fs'
import {resolve} from 'node:path'
import {DEFAULT_TIMEOUT_SECONDS} from '../../api/http/send.js'
import {EVENT_ID_HEADER, SIGNATURE_HEADER} from '../../contract/events.js'
import {usage} from '../../contract/failure.js'
import {sanitizeLine} from '../../contract/foreign-text.js'
import {CLIENT_ID_PREFIX, HEADER_NAME, PROFILE_NAME, PROFILE_NAME_FORM} from '../../contract/identifiers.js'
import {plainMessage} from '../../contract/input-mistakes.js'
import {parseBaseUrl} from '../../contract/network.js'
import {isScope, OPERATIONS, SCOPE_NAMES, type Scope} from '../../contract/operations.js'
import type {Contact} from '../../contract/reservations.js'
import {concealPassword, hasPassword, parseStoreUrl} from '../../state/postgres/url.js'
import {
  checkCurrency,
  checkInteger,
  checkOwnPath,
  checkText,
  invalid,
  named,
  OWN_OPERATIONS,
  TIMEOUT_LIMITS,
} from '../input/checks.js'
import {checkCountry} from '../input/countries.js'
import {checkedFlag} from '../input/flags.js'
import {SETTING_VARIABLES} from './setting-variables.js'

export type SettingValue = string | number | readonly string[]

/** A place in config.json. `top` is the top level, next to `profiles` and `defaults`. */
export type SettingPlace = 'top' | 'profile' | 'defaults'

/** The parts of the credentials that are settings. */
export type CredentialPart = 'client_id' | 'scopes' | 'mode' | 'secret_store'

export interface SettingKey {
  /** The name as users type it: `contact.email`, `paths.reservations.list`. */
  readonly name: string
  /** The path within a place: `['contact', 'email']`, `['paths', 'reservations.list']`. */
  readonly path: readonly [string] | readonly [string, string]
  readonly summary: string
  /** The places in config.json where the key is allowed. Earlier places override later ones. */
  readonly places: readonly SettingPlace[]
  readonly environment?: string
  /** The global flag that overrides all places, without its dashes. */
  readonly flag?: string
  readonly builtIn?: SettingValue
  /** The part of the credentials that the setting is. The parts apply together: those of the environment, or of a profile. */
  readonly credential?: CredentialPart
  /** If set, `config set` refuses the key; the text says how to change it instead. */
  readonly readOnly?: string
  /** Returns the value to write for the typed text. Throws a usage error, which names `field` unless it is ''. */
  readonly check: (field: string, text: string) => SettingValue | Promise<SettingValue>
  readonly checkToWrite?: SettingKey['check']
  /** Removes secrets, such as a password, from a value that will be shown. */
  readonly conceal?: (text: string) => string
}

const EVERYWHERE = ['profile', 'defaults'] as const

type KeyByName = Omit<SettingKey, 'name' | 'path' | 'places'> & Partial<Pick<SettingKey, 'places'>>

const KEYS = {
  current_profile: {
    summary: 'the profile commands use',
    places: ['top'],
    environment: SETTING_VARIABLES.current_profile,
    flag: 'profile',
    builtIn: 'default',
    check: (_, text) => checkProfileName(text),
  },
  base_url: {
    summary: 'address of the service, ending in v1',
    places: ['profile'],
    environment: SETTING_VARIABLES.base_url,
    flag: 'base-url',
    check: (field, text) => parseBaseUrl(text, field).baseUrl,
  },
  client_id: {
    summary: 'client id, cid_…',
    places: ['profile'],
    credential: 'client_id',
    environment: SETTING_VARIABLES.client_id,
    check: (field, text) => checkClientId(text, field),
  },
  scopes: {
    summary: 'scopes to request, separated by spaces or commas',
    places: ['profile'],
    credential: 'scopes',
    environment: SETTING_VARIABLES.scopes,
    check: checkScopes,
  },
  mode: {
    summary: 'live or test, according to the secret of the profile',
    places: ['profile'],
    credential: 'mode',
    readOnly: 'log in with the other secret under another profile: bookctl login --profile NAME',
    check: (_, text) => text,
  },
  secret_store: {
    summary: 'where the client secret is: file (tokens.db) or keychain',
    places: ['profile'],
    credential: 'secret_store',
    readOnly: 'log in again to move the secret: bookctl login, with or without --keychain',
    check: (_, text) => text,
  },
  signature_header: {
    summary: 'header that carries the signature of a webhook',
    builtIn: SIGNATURE_HEADER,
    check: checkHeaderName,
  },
  event_id_header: {
    summary: 'header that carries the id of a webhook event',
    builtIn: EVENT_ID_HEADER,
    check: checkHeaderName,
  },
  nationality: {
    summary: 'country of the guests, two letters',
    environment: SETTING_VARIABLES.nationality,
    check: checkCountry,
  },
  currency: {
    summary: 'currency of prices, three letters',
    environment: SETTING_VARIABLES.currency,
    check: checkCurrency,
  },
  'contact.name': contactKey('name', 'first name of the contact of reservations'),
  'contact.surname': contactKey('surname', 'family name of the contact'),
  'contact.email': contactKey('email', 'e-mail address of the contact'),
  'contact.phone_country_code': contactKey(
    'phone_country_code',
    "prefix of the contact's telephone, for example +90",
  ),
  'contact.phone_number': contactKey('phone_number', "contact's telephone without the prefix"),
  store: {
    summary: 'where machines share what they remember: postgres://user@host/database',
    environment: SETTING_VARIABLES.store,
    check: (_, text) => checkStore(text),
    checkToWrite: (_, text) => {
      if (!hasPassword(text)) return checkStore(text)
      const hint = 'leave it out, and set PGPASSWORD or a line of ~/.pgpass that only you can read'
      throw usage('password_in_store', 'a password is not written to config.json', hint)
    },
    conceal: concealPassword,
  },
  timeout: {
    summary: "time limit in seconds for the service's answer, retries included; not for printing it",
    environment: SETTING_VARIABLES.timeout,
    flag: 'timeout',
    builtIn: DEFAULT_TIMEOUT_SECONDS,
    check: (field, text) => checkInteger(field, text, TIMEOUT_LIMITS.min, TIMEOUT_LIMITS.max),
  },
  ca_file: {
    summary: 'file of additional certificates to trust (PEM)',
    environment: SETTING_VARIABLES.ca_file,
    flag: 'ca-file',
    check: checkText,
    checkToWrite: checkCaFile,
  },
} satisfies Readonly<Record<string, KeyByName>>

/**
 * Returns the address without its password. Throws a usage error if it is invalid. The error never quotes the address.
 */
function checkStore(text: string): string {
  parseStoreUrl(text, {})
  return concealPassword(text)
}

export type SettingName = keyof typeof KEYS

/** The settings by name. TypeScript does not know the names `paths.…`. */
export const SETTINGS = Object.fromEntries([
  ...Object.entries<KeyByName>(KEYS).map(([name, key]) => {
    const [first = '', second] = name.split('.')
    const path = second === undefined ? [first] : [first, second]
    return [name, {name, path, places: EVERYWHERE, ...key}]
  }),
  ...OWN_OPERATIONS.map(operation => {
    const name = `paths.${operation}`
    const summary = `path, under the base URL, to ${OPERATIONS[operation].summary.toLowerCase()}`
    const check = (field: string, text: string) => checkOwnPath(field, operation, text)
    return [name, {name, path: ['paths', operation], places: EVERYWHERE, summary, check}]
  }),
]) as Readonly<Record<SettingName, SettingKey>>

function checkHeaderName(field: string, text: string): string {
  if (HEADER_NAME.test(text)) return text
  throw invalid(field, 'must be a header name', text)
}

/**
 * Returns the absolute path, because commands run in other directories too. Throws a usage error if the file exists but
 * is not a valid certificate file.
 */
async function checkCaFile(field: string, text: string): Promise<string> {
  const {trustedCertificates} = await import('./trust.js')
  const path = resolve(checkText(field, text))
  // A missing file is accepted, because a machine may be set up in any order. A call that needs the file will report
  // it.
  if (existsSync(path)) await trustedCertificates(path, {})
  return path
}

/** Defines the setting for a contact field, which is checked as in a request (§2.4). */
function contactKey(part: keyof Contact, summary: string): KeyByName {
  const check = async (field: string, text: string) => {
    const {contact} = await import('../../contract/reservations.js')
    const parsed = contact.shape[part].safeParse(text, {error: plainMessage})
    if (parsed.success) return parsed.data
    throw invalid(field, parsed.error.issues[0]?.message ?? 'is not valid', text)
  }
  return {summary, check}
}

export const DEFAULT_PROFILE = 'default'

/** Throws a usage error if `name` is not a valid profile name. */
export function checkProfileName(name: string): string {
  if (PROFILE_NAME.test(name)) return name
  throw usage('invalid_profile', `invalid profile name: use ${PROFILE_NAME_FORM}`)
}

const CLIENT_ID = new RegExp(`^${CLIENT_ID_PREFIX}[\\x21-\\x7e]+$`)

/** Throws a usage error unless `clientId` has the form of §5.3. `from` says where the value comes from. */
export function checkClientId(clientId: string, from = '', hint?: string): string {
  if (CLIENT_ID.test(clientId)) return clientId
  const problem = `the client id must start with ${CLIENT_ID_PREFIX} and contain no spaces`
  throw usage('invalid_client_id', named(from, problem), hint)
}

/**
 * Reads scopes from lists separated by spaces or commas. Returns undefined if there are none. If one is unknown, throws
 * a usage error that lists the valid scopes.
 */
export function scopesOf(...texts: readonly (string | undefined)[]): Scope[] | undefined {
  const names = new Set(texts.flatMap(text => text?.split(/[\s,]+/) ?? []).filter(Boolean))
  const scopes = [...names].map(name => {
    if (isScope(name)) return name
    const hint = `scopes: ${SCOPE_NAMES.join(', ')}`
    throw usage('unknown_scope', `unknown scope ${sanitizeLine(name, 40)}`, hint)
  })
  return scopes.length === 0 ? undefined : scopes
}

/** Reads scopes like `scopesOf`, but throws a usage error for an empty list. */
export function checkScopes(field: string, text: string): Scope[] {
  const scopes = scopesOf(text)
  if (scopes) return scopes
  throw invalid(field, 'must name a scope')
}

/** Defines the flag `--scope`. It may be repeated, or contain several scopes separated by spaces or commas. */
export const scopeFlag = (summary: string) =>
  checkedFlag((field, text) => checkScopes(field, text).join(' '))({
    helpValue: 'SCOPE',
    multiple: true,
    summary: `${summary} (repeatable)`,
  })
