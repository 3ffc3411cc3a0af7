/**
 * What is secret or personal: by the names of headers and fields, of which the last word decides, and the values that a
 * request and its answer carry, so that they are taken out wherever else they turn up.
 */
import {fieldsOf, onceForEachName, snakeCase} from '../../contract/field-names.js'
import {parseUrl, percentDecoded} from '../../contract/foreign-text.js'
import {breadthFirst, ExactNumber, isObject, parseJson} from '../../contract/json.js'
import type {ExchangeError, WireAnswer, WireRequest} from '../types.js'

const SECRET_HEADERS = /authorization|authenticate|cookie|token|secret|api-?key|signature/
const SECRET =
  /(^|_)(token|secret|password|passwd|passphrase|authorization|cookies?|credentials?|signature|(api|private|access)_key)$/
const IDENTITY =
  /(^|_)(identit(y|ies)|(identity|passport|tc|document|card|national_id)_(number|no|id)|passport|tc|national_id|(travel|identity)_document|credit_card)$|^(card|document)$/
const PERSONAL =
  /(^|_)((e_?mail|mobile|(tele)?phone)s?(_(address|number|phone|no|\d+))?|birth_?date|birthday|date_of_birth|dob|surname|(first|last|full|guest|family|given|holder)_name)$/
const PEOPLE = /^(contacts?|guests?|lead_guest|holders?|customers?|passengers?|travell?ers?|pax(es)?)$/

export function isSecretHeader(name: string): boolean {
  return SECRET_HEADERS.test(name.toLowerCase())
}

/** Whether the name of a field has one of these forms, however it is written. */
const named = (...forms: RegExp[]) =>
  onceForEachName(field => forms.some(form => form.test(snakeCase(field))))

/** Whether the name is that of a secret or of personal data. */
export const isTelling = named(SECRET, IDENTITY, PERSONAL)
export const isPeopleName = named(PEOPLE)
/** Harmless fields of a person. */
export const isHarmlessOfPeople = named(/^(type|is_lead|gender)$/)
export const isLinkName = named(/^(url|link|href|.*_(url|link))$/)
const isOfPeople = named(PEOPLE, IDENTITY, PERSONAL)
/** Values of a person that are too common to be redacted elsewhere. */
const isCommonOfPeople = named(/^(type|is_lead|gender|nationality|phone_country_code)$/)
const isIdentity = named(IDENTITY)
/** Kind and country of a document are no secret. */
const isAboutIdentity = named(/(^|_)(type|nationality|country|country_code)$/)

/** Values further inside are not searched here, and are redacted whole where one is shown. Not in the interface. */
export const MOST_DEPTH = 60

/** The personal data in a request body, to be redacted anywhere else. */
export function peopleIn(value: unknown): string[] {
  return valuesUnder(value, isOfPeople, isCommonOfPeople).filter(each => typeof each === 'string')
}

/** Numbers of identity documents and cards in a request body. */
export function identityNumbersIn(value: unknown): string[] {
  return valuesUnder(value, isIdentity, isAboutIdentity).map(String)
}

/** Texts and numbers under a name that `isMeant`, however deep, except those under a name that `isOther`. */
function valuesUnder(
  value: unknown,
  isMeant: (name: string) => boolean,
  isOther: (name: string) => boolean,
  isUnder = false,
  depth = 0,
): (string | number)[] {
  if (depth > MOST_DEPTH) return []
  if (typeof value === 'string' || typeof value === 'number') return isUnder ? [value] : []
  if (value instanceof ExactNumber) return isUnder ? [value.digits] : []
  const inside = (inner: unknown, isIn: boolean) => valuesUnder(inner, isMeant, isOther, isIn, depth + 1)
  if (Array.isArray(value)) return value.flatMap(item => inside(item, isUnder))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    isOther(name) ? [] : inside(inner, isUnder || isMeant(name)),
  )
}

/** Whether a request is an operation, whose path may be shown. Others without a bearer token (§5.2) are signed links. */
export function isOperation(request: WireRequest): boolean {
  return request.headers.authorization !== undefined || /\/oauth\/(token|revoke)$/.test(request.url)
}

const FIELDS = ['client_secret', 'token', 'access_token', 'refresh_token', 'secret']
/** One of these is in each of those names, however it is written: `accessToken`, `\u0074oken`. */
const IN_NAMES = ['token', 'Token', 'TOKEN', 'secret', 'Secret', 'SECRET', '\\u00']

/** Not in the interface: shorter parts of a link are words, dates or references, which must stay readable. */
const LEAST_LENGTH = {inPath: 16, inQuery: 8} as const
/** The local sandbox's own controls take no token and are no links. */
const CONTROLS = '/_sandbox/'

/** The bearer token, the parts of a signed link, identity numbers of guests, and secrets by name in both bodies. */
export function secretsIn(request: WireRequest, outcome?: WireAnswer | ExchangeError): string[] {
  const sent = request.body === undefined ? undefined : parseJson(Buffer.from(request.body))
  const received = outcome && 'body' in outcome && mayName(outcome.body) ? parseJson(outcome.body) : undefined
  const values = [...namedIn(sent), ...identityNumbersIn(sent), ...namedIn(received)]
  const authorization = request.headers.authorization?.split(' ').at(-1)
  return [authorization, ...linkPartsOf(request), ...values].filter(value => typeof value === 'string')
}

/** The parts of a signed link (§2.6) that cannot be guessed, as they are written and as they are meant. */
function linkPartsOf(request: WireRequest): string[] {
  const url = isOperation(request) ? undefined : parseUrl(request.url)
  if (url === undefined || url.pathname.startsWith(CONTROLS)) return []
  const {pathname, search} = url
  const isTelling = (part: string) => /\d/.test(part) && /[a-z]/i.test(part)
  const inPath = pathname.split('/').filter(part => part.length >= LEAST_LENGTH.inPath && isTelling(part))
  const inQuery = search
    .slice(1)
    .split('&')
    .map(pair => pair.slice(pair.indexOf('=') + 1))
    .filter(value => value.length >= LEAST_LENGTH.inQuery)
  return [...inPath, ...inQuery].flatMap(part => [part, percentDecoded(part)])
}

/** Whether a name of FIELDS may be in a body: looking at its bytes spares the walk through a long one that has none. */
function mayName(body: Uint8Array): boolean {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  return IN_NAMES.some(text => bytes.includes(text))
}

/** The outermost value under each name of FIELDS. */
function namedIn(json: unknown): unknown[] {
  const found = new Map<string, unknown>()
  for (const {value} of breadthFirst(json)) {
    const fields = fieldsOf(value)
    for (const field of FIELDS) {
      const inner = fields.get(field) ?? undefined
      if (inner !== undefined && !found.has(field)) found.set(field, inner)
    }
  }
  return [...found.values()]
}
