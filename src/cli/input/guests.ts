/** `--guest` and `--contact` → the wire's guests and contact (§2.4). */
import {usage} from '../../contract/failure.js'
import {sanitizeLine} from '../../contract/foreign-text.js'
import {readKeyValues} from './key-values.js'
import {closest} from './match.js'

export type Fields = Record<string, unknown>

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const GUEST_FIELDS = ['type', 'name', 'surname', 'birth_date', 'gender', 'nationality', 'is_lead']
const GUEST_NAMES = [...GUEST_FIELDS, 'identity.type', 'identity.number', 'tc', 'passport']
const CONTACT_NAMES = ['name', 'surname', 'email', 'phone_country_code', 'phone_number']

/** A guest from `NAME=VALUE,…`. `tc=…` and `passport=…` are short for identity.type and identity.number. */
export function readGuest(field: string, text: string): Fields {
  const pairs = readKeyValues(field, text)
  refuseUnknown(field, [...pairs.keys()], GUEST_NAMES)
  const guest: Fields = {}
  for (const name of GUEST_FIELDS) {
    const value = pairs.get(name)
    if (value !== undefined) guest[name] = name === 'is_lead' ? readTruth(field, value) : value
  }
  const identity = readIdentity(field, pairs)
  return identity ? {...guest, identity} : guest
}

function readIdentity(field: string, pairs: ReadonlyMap<string, string>): Fields | undefined {
  const given = [
    ...(pairs.has('tc') ? [{type: 'TC', number: pairs.get('tc')}] : []),
    ...(pairs.has('passport') ? [{type: 'PASSPORT', number: pairs.get('passport')}] : []),
    ...(pairs.has('identity.type') || pairs.has('identity.number')
      ? [{type: pairs.get('identity.type'), number: pairs.get('identity.number')}]
      : []),
  ]
  if (given.length > 1)
    throw usage(
      'invalid_input',
      `${field}: give one identity: tc, passport, or identity.type and identity.number`,
    )
  const identity = given[0]
  if (identity && (!identity.type || !identity.number)) {
    throw usage('invalid_input', `${field}: identity.type and identity.number go together`)
  }
  return identity
}

function readTruth(field: string, text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  throw usage('invalid_input', `${field}: is_lead must be true or false`)
}

/** The contact's fields from `NAME=VALUE,…`. */
export function readContact(field: string, text: string): Fields {
  const pairs = readKeyValues(field, text)
  refuseUnknown(field, [...pairs.keys()], CONTACT_NAMES)
  return Object.fromEntries(pairs)
}

/** Throws usage when one of `names` is not in `valid`. */
export function refuseUnknown(where: string, names: readonly string[], valid: readonly string[]): void {
  const unknown = names.find(name => !valid.includes(name))
  if (unknown === undefined) return
  const best = closest(unknown, valid)
  const hint = best ? `did you mean ${best}?` : `names: ${valid.join(', ')}`
  throw usage('unknown_field', `${where}: there is no field ${sanitizeLine(unknown, 40)}`, hint)
}

/** Fills in what a guest may leave out: an adult, the first one leading. Countries are written in upper case. */
export function completeGuests(guests: readonly Fields[]): Fields[] {
  const someoneLeads = guests.some(guest => guest.is_lead === true)
  return guests.map((guest, index) => {
    const is_lead = guest.is_lead ?? (!someoneLeads && index === 0)
    return {type: 'ADULT', ...withCountryInCapitals(guest), is_lead}
  })
}

function withCountryInCapitals(guest: Fields): Fields {
  const {nationality} = guest
  const isCode = typeof nationality === 'string' && /^[A-Za-z]{2}$/.test(nationality)
  return isCode ? {...guest, nationality: nationality.toUpperCase()} : guest
}
