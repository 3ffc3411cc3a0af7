/** `--guest` and `--contact` → the wire's guests and contact (§2.4). */
import {usage} from '../../contract/failure.js'
import {sanitizeLine} from '../../contract/foreign-text.js'
import {closest} from './match.js'

export type Fields = Record<string, unknown>

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const GUEST_FIELDS = ['type', 'name', 'surname', 'birth_date', 'gender', 'nationality', 'is_lead']
const GUEST_NAMES = [...GUEST_FIELDS, 'identity.type', 'identity.number', 'tc', 'passport']
const CONTACT_NAMES = ['name', 'surname', 'email', 'phone_country_code', 'phone_number']

/** A guest from `NAME=VALUE,…`. `tc` and `passport` are short for identity.type and identity.number. */
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
    {type: pairs.has('tc') ? 'TC' : undefined, number: pairs.get('tc')},
    {type: pairs.has('passport') ? 'PASSPORT' : undefined, number: pairs.get('passport')},
    {type: pairs.get('identity.type'), number: pairs.get('identity.number')},
  ].filter(({type, number}) => type !== undefined || number !== undefined)
  const [identity, ...others] = given
  if (others.length > 0) {
    const problem = 'give one identity: tc, passport, or identity.type and identity.number'
    throw usage('invalid_input', `${field}: ${problem}`)
  }
  if (identity && (!identity.type || !identity.number))
    throw usage('invalid_input', `${field}: identity.type and identity.number go together`)
  return identity
}

function readTruth(field: string, text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  throw usage('invalid_input', `${field}: is_lead must be true or false`)
}

export function readContact(field: string, text: string): Fields {
  const pairs = readKeyValues(field, text)
  refuseUnknown(field, [...pairs.keys()], CONTACT_NAMES)
  return Object.fromEntries(pairs)
}

export function refuseUnknown(where: string, names: readonly string[], valid: readonly string[]): void {
  const unknown = names.find(name => !valid.includes(name))
  if (unknown === undefined) return
  const best = closest(unknown, valid)
  const hint = best ? `did you mean ${best}?` : `names: ${valid.join(', ')}`
  throw usage('unknown_field', `${where}: there is no field ${sanitizeLine(unknown, 40)}`, hint)
}

/** Adds defaults: guests are adults, and the first leads. Countries are written in upper case. */
export function completeGuests(guests: readonly Fields[]): Fields[] {
  const hasLead = guests.some(guest => guest.is_lead === true)
  return guests.map((guest, index) => {
    const {nationality} = guest
    const is_lead = guest.is_lead ?? (!hasLead && index === 0)
    const isCode = typeof nationality === 'string' && /^[A-Za-z]{2}$/.test(nationality)
    const country = isCode ? {nationality: nationality.toUpperCase()} : {}
    return {type: 'ADULT', ...guest, ...country, is_lead}
  })
}

/** The pairs of `K=V,K=V`, in which `\,` is a comma and `\\` a backslash. Throws usage naming `flag`. */
export function readKeyValues(flag: string, text: string): Map<string, string> {
  const pairs = new Map<string, string>()
  for (const part of splitAtCommas(text)) {
    const at = part.indexOf('=')
    const hint = 'write a comma inside a value as \\,'
    if (at < 1) throw usage('invalid_input', `${flag}: must be NAME=VALUE,NAME=VALUE`, hint)
    const key = part.slice(0, at).trim()
    if (pairs.has(key)) throw usage('invalid_input', `${flag}: ${key.slice(0, 40)} is given twice`)
    pairs.set(key, part.slice(at + 1).trim())
  }
  return pairs
}

function splitAtCommas(text: string): string[] {
  const parts = ['']
  for (const [piece] of text.matchAll(/\\[\\,]|./gsu)) {
    if (piece === ',') parts.push('')
    else parts[parts.length - 1] += piece.length > 1 && piece.startsWith('\\') ? piece.slice(1) : piece
  }
  return parts.filter((part, index) => part !== '' || index === 0)
}
