/**
 * Which values may stand where in config.json, as a table of checks. Every command reads the file before it does
 * anything else, and a schema library costs more to load than all the rest of that: the checks here are plain functions.
 */
import {isObject, own} from '../contract/json-object.js'
import {isPathTemplate} from '../contract/operations.js'
import {MISSING} from '../contract/plain-messages.js'
import {isScope} from '../contract/scopes.js'

/** Something that may not stand where it does. */
export interface Misfit {
  /** Keys and indexes from the outermost object in; empty for that object itself. */
  readonly path: readonly string[]
  readonly message: string
}

type Check = (value: unknown) => Misfit | undefined
type Shape = Readonly<Record<string, Check>>

/** Whether `name` may stand as the name of a profile: 1 to 64 of `A-Z a-z 0-9 _ -`. */
export function isProfileName(name: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(name) && name !== '__proto__'
}

/** The first thing in `value` that a config.json may not hold; undefined when there is none. */
export function misfitIn(value: unknown): Misfit | undefined {
  return settings(value)
}

const text = textThat(() => true, '')
const someText = textThat(value => value !== '', 'must have at least 1 characters')
const headerName = textThat(
  value => /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/.test(value),
  'is not the name of a header',
)

const contact = {
  name: optional(text),
  surname: optional(text),
  email: optional(text),
  phone_country_code: optional(text),
  phone_number: optional(text),
}

/** What may stand in a profile as well as in the defaults of all; their values are checked when they are used. */
const shared: Shape = {
  signature_header: optional(headerName),
  event_id_header: optional(headerName),
  nationality: optional(text),
  currency: optional(text),
  contact: optional(objectOf(contact)),
  paths: optional(
    recordOf(() => undefined, textThat(isPathTemplate, 'is not a path such as /bookings/{reservation_ref}')),
  ),
  timeout: optional(number),
  ca_file: optional(text),
}

const profile: Shape = {
  base_url: someText,
  client_id: someText,
  scopes: optional(listOf(scope)),
  secret_store: optional(oneOf('file', 'keychain')),
  mode: optional(oneOf('live', 'test')),
  ...shared,
}

const file: Shape = {
  current_profile: optional(textThat(isProfileName, 'is not a profile name')),
  profiles: optional(recordOf(profileKey, objectOf(profile))),
  defaults: optional(objectOf(shared)),
}

const settings = objectOf(file)

function misfit(message: string): Misfit {
  return {path: [], message}
}

/** Absent keys are looked at as undefined; JSON has no such value of its own. */
function required(value: unknown, fits: boolean, type: string): Misfit | undefined {
  if (value === undefined) return misfit(MISSING)
  return fits ? undefined : misfit(`must be ${type}`)
}

function optional(check: Check): Check {
  return value => (value === undefined ? undefined : check(value))
}

function textThat(fits: (value: string) => boolean, otherwise: string): Check {
  return value =>
    required(value, typeof value === 'string', 'text') ??
    (fits(value as string) ? undefined : misfit(otherwise))
}

function number(value: unknown): Misfit | undefined {
  return required(value, Number.isFinite(value), 'a number')
}

function oneOf(...words: readonly string[]): Check {
  return value => required(value, words.includes(value as string), words.join(' or '))
}

function scope(value: unknown): Misfit | undefined {
  const fits = typeof value === 'string' && isScope(value)
  return fits ? undefined : misfit('is not a scope of the service')
}

function profileKey(name: string): Misfit | undefined {
  return isProfileName(name) ? undefined : misfit('profile names are 1 to 64 of A-Z a-z 0-9 _ -')
}

function listOf(check: Check): Check {
  return value =>
    required(value, Array.isArray(value), 'a list') ??
    firstBelow((value as unknown[]).entries(), (_, item) => check(item))
}

/** A key that is not in `shape` is a mistake: mistyped, it would be obeyed by nobody and missed by nobody. */
function objectOf(shape: Shape): Check {
  return value =>
    required(value, isObject(value), 'an object') ??
    firstBelow(Object.entries(shape), (key, check) => check(own(value as object, key))) ??
    firstBelow(Object.entries(value as object), key =>
      Object.hasOwn(shape, key) ? undefined : strange(shape),
    )
}

function strange(shape: Shape): Misfit {
  return misfit(`there is no such setting; those there are: ${Object.keys(shape).join(', ')}`)
}

function recordOf(checkKey: (key: string) => Misfit | undefined, check: Check): Check {
  return value =>
    required(value, isObject(value), 'an object') ??
    firstBelow(Object.entries(value as object), (key, item) => checkKey(key) ?? check(item))
}

/** The first misfit below a list or an object, with its way there. */
function firstBelow<Key extends string | number, Item>(
  entries: Iterable<[Key, Item]>,
  check: (key: Key, item: Item) => Misfit | undefined,
): Misfit | undefined {
  for (const [key, item] of entries) {
    const found = check(key, item)
    if (found) return {path: [String(key), ...found.path], message: found.message}
  }
  return undefined
}
