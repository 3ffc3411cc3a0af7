/**
 * Takes secrets and people's data out of whatever is shown or written about requests: by the names of fields and
 * headers, by the look of secrets, and by value for the secrets it was told.
 */
import {sanitizeLine} from '../contract/foreign-text.js'
import {LIVE_SECRET_PREFIX, SIGNING_SECRET_PREFIX, TEST_SECRET_PREFIX} from '../contract/identifiers.js'
import type {WireRequest} from './api.js'
import {snakeCase} from './field-names.js'
import {isObject, type JsonObject} from './json-walk.js'
import {hidePersonalNumbers} from './personal-numbers.js'
import {spellingsOf} from './spellings.js'

export const REDACTED = '[redacted]'

export interface Redactor {
  /** Tells it a secret, or a person's data, to be taken out wherever it turns up, also encoded. */
  add(secret: string): void
  /** A text of any kind. Links in it keep their origin only. */
  text(text: string): string
  /** A URL: origin and path stay when `keepPath`, the values of the query never do. */
  url(url: string, keepPath: boolean): string
  header(name: string, value: string): string
  /** A JSON value, as a new value. */
  json(value: unknown): unknown
}

/** Shorter values would take innocent text apart. */
const MIN_SECRET_LENGTH = 3
const MAX_DEPTH = 60
/** JSON in a string of JSON, and so on: nobody means more. */
const MAX_STRINGS_IN_STRINGS = 4

const SECRET_HEADERS = /authorization|authenticate|cookie|token|secret|api-?key|signature/
const SECRET_FIELDS =
  /(^|_)(token|secret|password|passwd|passphrase|authorization|cookie|cookies|credential|credentials|signature|(api|private|access)_key)$/
const IDENTITY_FIELDS = /identit(y|ies)|(^|_)(passport|tc|document|national_id|card)(_(number|no|id))?$/
const PEOPLE_FIELDS =
  /(^|_)(e_?mail|phone|mobile)(_|$)|(^|_)(birth_date|birthdate|birthday|date_of_birth|dob|surname|first_name|last_name|full_name|guest_name|family_name|given_name|holder_name)$/
const PEOPLE = /^(contacts?|guests?|lead_guest|holders?|customers?|passengers?|travell?ers?|pax(es)?)$/
/** What may be seen of a person. */
const HARMLESS_OF_PEOPLE = /^(type|is_lead|gender)$/
const LINK_HOLDERS = /^(voucher|payment)(s|_url|_link)?$/
const LINK_FIELDS = /^(url|link|href|.*_(url|link))$/

const SECRET_LOOKS = [
  new RegExp(`(${LIVE_SECRET_PREFIX}|${TEST_SECRET_PREFIX}|${SIGNING_SECRET_PREFIX})[\\w+/=.~-]+`, 'g'),
  /\b(Bearer|Basic)\s+[\w+/=.~-]{4,}/gi,
  /\beyJ[\w-]{5,1000}\.[\w-]+(\.[\w-]*)?/g,
  // From the beginning of the word alone: from each of its characters anew would take hours for a long one.
  /(?<![\w.+-])[\w.+-]+@[\w-]+(\.[\w-]+)+/g,
  // The value of a telling parameter, also in a link without a host.
  /(?<=[?&;](?:[\w-]{0,64}(?:token|sig|signature|secret|key|expires|credential|code|auth)[\w-]{0,64})=)[^&\s"'<>]+/gi,
]
/** A name and the text after it, as in JSON: what of a document came cut off or broken is no value to walk through. */
const NAMED_TEXT = /"([\w-]{1,64})(\\*)"\s*:\s*\2"((?:[^"\\]|\\[\s\S])*)/g
/** A name and what follows it. */
const NAME = /"([\w-]{1,64})\\*"\s*:\s*/g
const NUMBER = /-?\d[\d.]*/y
const LINK = /\bhttps?:\/\/[^\s"'<>\\]+/gi

/** A redactor that knows no secret by value yet. */
export function createRedactor(): Redactor {
  const spellings = new Set<string>()
  let longestFirst: string[] = []

  const text = (input: string): string => {
    const plain = hideKnown(input, longestFirst)
    const withoutNamed = hideNamed(plain)
    const withoutLinks = withoutNamed.replace(LINK, link => redactUrl(link, false))
    const result = hideLooks(withoutLinks)
    // `a%40b.example`, and a card's number after `%20`, which makes it another number.
    const decoded = percentDecoded(result)
    return decoded !== result && hideLooks(decoded) !== decoded ? REDACTED : result
  }
  return {
    text,
    add(secret) {
      if (secret.length < MIN_SECRET_LENGTH) return
      for (const spelling of spellingsOf(secret)) spellings.add(spelling)
      longestFirst = [...spellings].sort((left, right) => right.length - left.length)
    },
    url: (url, keepPath) => hideKnown(redactUrl(url, keepPath), longestFirst),
    header(name, value) {
      return SECRET_HEADERS.test(name.toLowerCase()) ? REDACTED : text(value)
    },
    json: value => redactJson(value, {text, isPeople: false, isLinkHolder: false, depth: 0}),
  }
}

/** Whether the name of a field says that a secret, or a person's data, stands under it. */
function isTelling(field: string): boolean {
  const name = snakeCase(field)
  return SECRET_FIELDS.test(name) || IDENTITY_FIELDS.test(name) || PEOPLE_FIELDS.test(name)
}

/** What people's data a request body holds: values that must not turn up anywhere else either. */
export function peopleIn(value: unknown, isPeople = false, depth = 0): string[] {
  if (depth > MAX_DEPTH) return []
  if (typeof value === 'string') return isPeople ? [value] : []
  if (Array.isArray(value)) return value.flatMap(item => peopleIn(item, isPeople, depth + 1))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const name = snakeCase(key)
    if (/^(nationality|phone_country_code)$/.test(name) || HARMLESS_OF_PEOPLE.test(name)) return []
    const concerns = isPeople || PEOPLE.test(name) || PEOPLE_FIELDS.test(name) || IDENTITY_FIELDS.test(name)
    return peopleIn(inner, concerns, depth + 1)
  })
}

/** Numbers of identity documents and cards in a request body: of a person's data, those that must not be told back to anybody. */
export function identityNumbersIn(value: unknown, isIdentity = false, depth = 0): string[] {
  if (depth > MAX_DEPTH) return []
  if (typeof value === 'string' || typeof value === 'number') return isIdentity ? [String(value)] : []
  if (Array.isArray(value)) return value.flatMap(item => identityNumbersIn(item, isIdentity, depth + 1))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const name = snakeCase(key)
    // Of which kind a document is, and whose, is no secret.
    if (/(^|_)(type|nationality|country|country_code)$/.test(name)) return []
    return identityNumbersIn(inner, isIdentity || IDENTITY_FIELDS.test(name), depth + 1)
  })
}

/**
 * Whether a request is an operation of the service, whose path may be shown. A request without a bearer token that is
 * not one of the OAuth operations (§5.2) is a signed link, of which only the origin may.
 */
export function isOperation(request: WireRequest): boolean {
  return request.headers.authorization !== undefined || /\/oauth\/(token|revoke)$/.test(request.url)
}

interface Context {
  readonly text: (input: string) => string
  readonly isPeople: boolean
  readonly isLinkHolder: boolean
  readonly depth: number
}

function redactJson(value: unknown, context: Context): unknown {
  if (context.depth > MAX_DEPTH) return REDACTED
  const inner = {...context, depth: context.depth + 1}
  if (Array.isArray(value)) return value.map(item => redactJson(item, inner))
  if (isObject(value)) return redactObject(value, inner)
  if (typeof value === 'string') return context.isPeople ? REDACTED : redactString(value, inner)
  // A number or a boolean can be a secret as well: a birth year, an identity number, a PIN.
  if (typeof value === 'number') return context.isPeople ? REDACTED : redactNumber(value, context.text)
  return value
}

function redactObject(value: JsonObject, context: Context): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const name = snakeCase(key)
      const isLink = context.isLinkHolder && LINK_FIELDS.test(name) && typeof inner === 'string'
      if (inner !== null && isTelling(key)) return [context.text(key), REDACTED]
      if (isLink) return [context.text(key), redactUrl(inner, false)]
      if (HARMLESS_OF_PEOPLE.test(name)) return [key, redactJson(inner, {...context, isPeople: false})]
      const isPeople = context.isPeople || PEOPLE.test(name)
      const isLinkHolder = context.isLinkHolder || LINK_HOLDERS.test(name)
      if (LINK_HOLDERS.test(name) && typeof inner === 'string') return [key, redactUrl(inner, false)]
      return [context.text(key), redactJson(inner, {...context, isPeople, isLinkHolder})]
    }),
  )
}

/** A string may be JSON itself, and its field names count then. */
function redactString(value: string, context: Context): string {
  if (/^\s*[[{]/.test(value)) {
    try {
      return JSON.stringify(redactJson(JSON.parse(value), context))
    } catch {
      // It only looked like JSON.
    }
  }
  return context.text(value)
}

function redactNumber(value: number, text: (input: string) => string): unknown {
  return text(String(value)) === String(value) ? value : REDACTED
}

function redactUrl(text: string, keepPath: boolean): string {
  if (!/^https?:/i.test(text) || !URL.canParse(text)) return REDACTED
  const url = new URL(text)
  if (!keepPath) return `${url.origin}/${REDACTED}`
  const names = [...url.searchParams.keys()].map(name => `${encodeURIComponent(name)}=${REDACTED}`)
  return sanitizeLine(url.origin + url.pathname + (names.length === 0 ? '' : `?${names.join('&')}`))
}

/** Takes out what stands under telling names in text that is JSON, was to be JSON, or holds JSON in its strings. */
function hideNamed(text: string, depth = 0): string {
  if (depth > MAX_STRINGS_IN_STRINGS) return REDACTED
  return withoutNamedOthers(text).replace(NAMED_TEXT, (all, name: string, _, value: string) => {
    const before = all.slice(0, all.length - value.length)
    // A link without a host: where links have one, it stays.
    const isPath = LINK_FIELDS.test(snakeCase(name)) && /^\\*\//.test(value)
    return before + (isPath || isTelling(name) ? REDACTED : hideNamed(value, depth + 1))
  })
}

/** The same for what stands there and is no text: a number, an object, a list. */
function withoutNamedOthers(text: string): string {
  const parts: string[] = []
  let kept = 0
  for (const {0: all, 1: name = '', index} of text.matchAll(NAME)) {
    const start = index + all.length
    if (start <= kept || !isTelling(name)) continue
    const end = endOfOther(text, start)
    if (end === start) continue
    parts.push(text.slice(kept, start), REDACTED)
    kept = end
  }
  return parts.join('') + text.slice(kept)
}

/** Where the number, object or list ends that begins at `start`, or the text; `start` where none does. */
function endOfOther(text: string, start: number): number {
  if (text.startsWith(REDACTED, start)) return start
  NUMBER.lastIndex = start
  const number = NUMBER.exec(text)
  if (number) return start + number[0].length
  let depth = 0
  for (let index = start; index < text.length; index++) {
    if ('[{'.includes(text[index] as string)) depth++
    else if (']}'.includes(text[index] as string)) depth--
    if (depth <= 0) return depth === 0 && index > start ? index + 1 : start
  }
  return text.length
}

/** Takes out what looks like a secret, or like the number of a person's telephone, card or identity. */
function hideLooks(text: string): string {
  const withoutSecrets = SECRET_LOOKS.reduce((result, look) => result.replace(look, REDACTED), text)
  return hidePersonalNumbers(withoutSecrets, REDACTED)
}

/** Takes known secrets out, also when the whole is percent-encoded in an unusual way. */
function hideKnown(input: string, secrets: readonly string[]): string {
  let result = input
  for (const secret of secrets) result = result.replaceAll(secret, REDACTED)
  const decoded = percentDecoded(result)
  return decoded !== result && secrets.some(secret => decoded.includes(secret)) ? REDACTED : result
}

function percentDecoded(text: string): string {
  return text.replace(/(%[0-9a-f]{2})+/gi, encoded => {
    try {
      return decodeURIComponent(encoded)
    } catch {
      return encoded
    }
  })
}

/** What is no word and no number: nobody could guess it, so it may open something. */
const OPAQUE = /(?<![\w~+-])(?=[\w~+-]*\d)(?=[\w~+-]*[A-Za-z])[\w~+-]{20,}/g

/** A stack trace: an error may hold any value, also one that its sender alone knows to be a secret. */
export function redactStack(stack: string): string {
  return redactText(stack).replace(OPAQUE, REDACTED)
}

/** A text with everything taken out that looks like a secret or a link. */
export function redactText(text: string): string {
  return createRedactor().text(text)
}
