/**
 * Reads guests and contacts (§2.4) as people type them in `--guest` and `--contact`, telephone numbers, and names of
 * people.
 */
import {type Failure, usage} from '../../contract/failure.js'
import {sanitizeLine} from '../../contract/foreign-text.js'
import {isObject} from '../../contract/json.js'
import {invalid, named} from './checks.js'
import {checkCountry} from './countries.js'
import {PAST_DATE_FORMS, readDay} from './dates.js'
import {closest, didYouMean, listOfNames} from './match.js'
import {collectFailure, combined, PartsFailure} from './usage-errors.js'

export type Fields = Record<string, unknown>

const GUEST_FIELDS = ['type', 'name', 'surname', 'birth_date', 'gender', 'nationality', 'is_lead']
const GUEST_NAMES = [...GUEST_FIELDS, 'identity.type', 'identity.number', 'tc', 'passport']
const CONTACT_NAMES = ['name', 'surname', 'email', 'phone_country_code', 'phone_number']

/** Readers for fields that people write in several ways. */
const READERS: Readonly<Record<string, (field: string, text: string) => unknown>> = {
  birth_date: (field, text) => readDay(field, text, undefined, PAST_DATE_FORMS),
  nationality: checkCountry,
  is_lead: (field, text) => {
    if (text === 'true' || text === 'false') return text === 'true'
    throw invalid(field, 'must be true or false', text)
  },
}

/**
 * Reads a guest from `NAME=VALUE,…`. `tc` and `passport` are short for identity.type and identity.number. Throws a
 * usage error if invalid.
 */
export async function readGuest(field: string, text: string): Promise<Fields> {
  const {pairs, errors} = readPairs(field, text, GUEST_NAMES)
  const guest: Fields = {}
  for (const name of GUEST_FIELDS) {
    const value = pairs.get(name)
    if (value === undefined) continue
    const read = async () => READERS[name]?.(`${field} ${name}`, value) ?? value
    guest[name] = await read().catch(collectFailure(errors))
  }
  const [identity, ...others] = [
    {type: pairs.has('tc') ? 'TC' : undefined, number: pairs.get('tc')},
    {type: pairs.has('passport') ? 'PASSPORT' : undefined, number: pairs.get('passport')},
    {type: pairs.get('identity.type'), number: pairs.get('identity.number')},
  ].filter(({type, number}) => type !== undefined || number !== undefined)
  if (others.length > 0)
    errors.push(invalid(field, 'give one identity: tc, passport, or identity.type and identity.number'))
  else if (identity && (!identity.type || !identity.number))
    errors.push(invalid(field, 'identity.type and identity.number go together'))
  else if (identity) guest.identity = identity
  if (errors.length > 0) throw new PartsFailure(errors, guest)
  return guest
}

/**
 * Reads a contact, or some of its fields, from `NAME=VALUE,…`. `phone` is a telephone number with its country prefix.
 * Throws a usage error if invalid.
 */
export async function readContact(field: string, text: string): Promise<Fields> {
  const {pairs, errors} = readPairs(field, text, [...CONTACT_NAMES, 'phone'])
  const contact: Fields = Object.fromEntries([...pairs].filter(([name]) => CONTACT_NAMES.includes(name)))
  const phone = pairs.get('phone')
  let isUnread = phone !== undefined
  if (phone !== undefined && (pairs.has('phone_country_code') || pairs.has('phone_number'))) {
    errors.push(invalid(field, 'give phone, or phone_country_code and phone_number'))
  } else if (phone !== undefined) {
    const readPhone = await createPhoneReader()
    try {
      const {phone_country_code, phone_number} = readPhone(`${field} phone`, phone)
      Object.assign(contact, {phone_country_code, phone_number})
      isUnread = false
    } catch (error) {
      collectFailure(errors)(error)
    }
  }
  if (errors.length === 0) return contact
  // If the number cannot be read, a placeholder stands for it, so that it is reported as wrong but not as missing. It
  // is never sent.
  const unread = isUnread ? {phone_country_code: '+0', phone_number: '0000'} : {}
  throw new PartsFailure(errors, pairs.size > 0 ? {...contact, ...unread} : undefined)
}

/**
 * Reads `K=V,K=V`, in which `\,` stands for a comma and `\\` for a backslash. Errors name `field`. If a name is
 * mistyped, the value is also stored under the name in `valid` that was probably meant, so that this name is not
 * reported as missing.
 */
export function readPairs(field: string, text: string, valid: readonly string[]) {
  const errors: Failure[] = []
  const pairs = new Map<string, string>()
  const parts = ['']
  for (const [piece] of text.matchAll(/\\[\\,]|./gsu)) {
    if (piece === ',') parts.push('')
    else parts[parts.length - 1] += piece.length > 1 && piece.startsWith('\\') ? piece.slice(1) : piece
  }
  for (const part of parts.filter((part, index) => part !== '' || index === 0)) {
    const at = part.indexOf('=')
    const hint = 'write a comma inside a value as \\,'
    const key = part.slice(0, at).trim()
    if (at < 1) errors.push(usage('invalid_input', `${field}: must be NAME=VALUE,NAME=VALUE`, hint))
    else if (pairs.has(key)) errors.push(invalid(field, `${key.slice(0, 40)} is given twice`))
    else pairs.set(key, part.slice(at + 1).trim())
  }
  errors.push(...unknownIn(field, [...pairs.keys()], valid))
  for (const [name, value] of [...pairs]) {
    const meant = valid.includes(name) ? undefined : closest(name, valid)
    if (meant !== undefined && !pairs.has(meant)) pairs.set(meant, value)
  }
  return {pairs, errors}
}

export function refuseUnknown(where: string, names: readonly string[], valid: readonly string[]): void {
  const errors = unknownIn(where, names, valid)
  if (errors.length > 0) throw combined(errors)
}

function unknownIn(where: string, names: readonly string[], valid: readonly string[]): Failure[] {
  return names
    .filter(name => !valid.includes(name))
    .map(name => {
      const best = closest(name, valid)
      const hint = best ? didYouMean(best) : listOfNames(valid)
      return usage('unknown_field', `${where}: there is no field ${sanitizeLine(name, 40)}`, hint)
    })
}

/** Adds defaults: guests are adults, and the first one is the lead guest. Country codes are converted to upper case. */
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

export type Phone = ReturnType<Awaited<ReturnType<typeof createPhoneReader>>>

/**
 * Returns a function that reads telephone numbers with a country prefix, or national numbers of `country` (ISO 3166-1).
 * It throws a usage error if a number is invalid.
 */
export async function createPhoneReader(country?: string) {
  const {parsePhoneNumberFromString, isSupportedCountry} = await import('libphonenumber-js/min')
  const home = country !== undefined && isSupportedCountry(country) ? {defaultCountry: country} : {}
  return (field: string, typed: string) => {
    const parsed = parsePhoneNumberFromString(typed.trim().replace(/^00/, '+'), {...home, extract: false})
    const phone_number = String(parsed?.nationalNumber)
    // `country` is undefined if several countries share the prefix.
    if (parsed?.isPossible() && /^\d{4,15}$/.test(phone_number))
      return {phone_country_code: `+${parsed.countryCallingCode}`, phone_number, country: parsed.country}
    const example = 'with its country prefix and the right number of digits, such as +90 532 123 45 67'
    throw invalid(field, `must be a telephone number ${example}`)
  }
}

/**
 * Matches joiner characters inside a word. They do not count as invisible, because they are part of the spelling in
 * Persian and Indian scripts.
 */
const JOINERS = /(?<=[\p{L}\p{M}])[\u200c\u200d](?=\p{L})/gu

/**
 * Returns a usage error for every text in `value` that has invisible characters. `value` may be any JSON from a file,
 * and `path` is its place in that file. Emoji are visible, so only `oddIn` reports them.
 */
export function faultsOfWords(value: unknown, path: string): Failure[] {
  if (isObject(value))
    return Object.entries(value).flatMap(([name, inner]) => faultsOfWords(inner, `${path}.${name}`))
  if (typeof value !== 'string') return []
  const words = value.trim().replace(JOINERS, '')
  if (sanitizeLine(words) === words) return []
  return [usage('invalid_input', named(path, 'must not contain invisible characters'))]
}

/**
 * Returns what is unusual in a name: `digits`, which may be the answer to the next question, or `symbols`, such as
 * emoji.
 */
export function oddIn(name: string): 'digits' | 'symbols' | undefined {
  if (/\p{N}/u.test(name)) return 'digits'
  return /\p{So}/u.test(name) ? 'symbols' : undefined
}

/** Matches a letter of a script other than Latin. Letters that several scripts share, such as ʻ, do not match. */
const OTHER_LETTER = /(?!\p{Script=Latin}|\p{Script=Common}|\p{Script=Inherited})\p{L}/u

/** The advice for a name for which `needsLatin` is true. */
export const LATIN_ADVICE = 'hotels read the Latin letters of the passport'

/** Reports whether a name has non-Latin letters, which a hotel may not be able to read. ş, ğ, ı, ß and ø are Latin. */
export function needsLatin(name: string): boolean {
  return OTHER_LETTER.test(name)
}
