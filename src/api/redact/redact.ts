/**
 * Redacts secrets and personal data: known values, the values of headers and fields with a sensitive name, and texts
 * that look like a secret. The end of a field name decides, so `guest_email` is as sensitive as `email`. Secrets of a
 * request are redacted wherever else they appear.
 */
import {parseUrl, percentDecoded, REDACTED, sanitizeLine} from '../../contract/foreign-text.js'
import {
  isTcNumber,
  LIVE_SECRET_PREFIX,
  SIGNING_SECRET_PREFIX,
  TEST_SECRET_PREFIX,
} from '../../contract/identifiers.js'
import {
  breadthFirst,
  ExactNumber,
  fieldsOf,
  isObject,
  type JsonObject,
  onceForEachName,
  parseJson,
  snakeCase,
  stringify,
} from '../../contract/json.js'
import type {ExchangeError, WireAnswer, WireRequest} from '../types.js'

export type Redactor = ReturnType<typeof createRedactor>

const LINK_HOLDERS = /^(voucher|payment)(s|_url|_link)?$/
/** Matches a link without the punctuation after it. */
const LINK = /\bhttps?:\/\/[^\s"'<>\\]*[^\s"'<>\\.,;:!?)]/gi

/** Creates a redactor for `secrets` and for those added later. */
export function createRedactor(secrets: readonly string[] = []) {
  const spellings = new Set<string>()
  const add = (value: string): void => {
    for (const spelling of spellingsOf(value)) spellings.add(spelling)
  }
  for (const secret of secrets) add(secret)
  const findKnown = (text: string) => {
    const found: Range[] = []
    for (const spelling of spellings) {
      if (!text.includes(spelling)) continue
      if (spelling.length < LEAST_LENGTH_INSIDE) {
        found.push(...rangesOf(wholeWord(spelling), text, spelling.length))
        continue
      }
      // A plain search also finds overlapping matches, and a token can be too long for a pattern.
      for (let at = text.indexOf(spelling); at >= 0; at = text.indexOf(spelling, at + 1))
        found.push([at, at + spelling.length])
    }
    return found
  }
  const text = (input: string): string => {
    try {
      const withoutNamed = hideNamed(hide(input, findKnown))
      return hide(
        withoutNamed.replace(LINK, link => redactUrl(link, false)),
        formsIn,
      )
    } catch (error) {
      // Some texts overflow the stack of a pattern, such as millions of groups of digits. A text that cannot be
      // searched is not shown.
      if (error instanceof RangeError) return REDACTED
      throw error
    }
  }
  /**
   * Redacts a URL. The values in its query are always removed. With `keepPath` the path stays, else only the origin
   * does.
   */
  const url = (link: string, keepPath: boolean) => hide(redactUrl(link, keepPath), findKnown)
  return {
    /** Redacts a text of any kind. A link in the text keeps only its origin. */
    text,
    /**
     * Adds a secret or personal value of at least three characters. It is redacted wherever it occurs, in any encoding.
     */
    add,
    /** Redacts only the values that were given or added, not what looks like a secret or a person's number. */
    known: (input: string) => hide(input, findKnown),
    url,
    /** Redacts the value of a header. */
    header(name: string, value: string) {
      const lower = name.toLowerCase()
      if (lower === 'location') return url(value, false)
      return SECRET_HEADERS.test(lower) ? REDACTED : text(value)
    },
    /** Redacts a JSON value and returns a copy. */
    json: (value: unknown) => redactJson(value, {text, isPeople: false, isLinkHolder: false, depth: 0}),
  }
}

/** The secrets of a request, or a redactor that knows them. */
export type EchoOf = {readonly secrets?: readonly string[]; readonly redactor?: Redactor}

/**
 * Quotes `text` from an answer: redacts it, sanitises it and only then cuts it to `maxLength`, so that no part of a
 * secret remains.
 */
export function quoted(text: string, maxLength: number, answer: EchoOf): string {
  return sanitizeLine(redactorOf(answer).text(text), maxLength)
}

/** Like `quoted`, for an http URL. Its origin and path stay; the values in its query are redacted. */
export function quotedUrl(url: string, answer: EchoOf, maxLength: number = 200) {
  return sanitizeLine(redactorOf(answer).url(url, true), maxLength)
}

const redactorOf = ({secrets, redactor}: EchoOf): Redactor => redactor ?? createRedactor(secrets)

/** Replaces everything that `find` matches in `text`, and every word whose percent-decoded form it matches. */
function hide(text: string, find: (text: string) => readonly Range[]): string {
  const parts: string[] = []
  let kept = 0
  for (const [start, end] of [...find(text)].sort(([left], [right]) => left - right)) {
    if (start >= kept) parts.push(text.slice(kept, start), REDACTED)
    kept = Math.max(kept, end)
  }
  const visible = parts.join('') + text.slice(kept)
  if (!visible.includes('%')) return visible
  return visible.replace(/\S+/g, word => {
    const decoded = word.replace(/(%[0-9a-f]{2})+/gi, run =>
      Buffer.from(run.replaceAll('%', ''), 'hex').toString(),
    )
    return find(decoded).length > 0 ? REDACTED : word
  })
}

const NAME = /"([\w-]{1,64})\\*"\s*:\s*/g

/**
 * In a text that is broken JSON, redacts everything after the first sensitive field name, because the end of its value
 * is unknown.
 */
function hideNamed(text: string): string {
  for (const {0: all, 1: name = '', index} of text.matchAll(NAME)) {
    const start = index + all.length
    // A link that is only a path is redacted here. A link with a host is redacted later and keeps its origin.
    const isPath = isLinkName(name) && /^\\*"\\*\//.test(text.slice(start, start + 20))
    if (!isPath && !isTelling(name) && !isPeopleName(name)) continue
    const rest = text.slice(start)
    if (rest !== '' && rest !== REDACTED && !/^(null|true|false)\b/.test(rest))
      return text.slice(0, start) + REDACTED
  }
  return text
}

const FORMS = [
  new RegExp(`(${LIVE_SECRET_PREFIX}|${TEST_SECRET_PREFIX}|${SIGNING_SECRET_PREFIX})[\\w+/=.~-]+`, 'g'),
  /\b(Bearer|Basic)\s+[\w+/=.~-]{4,}/gi,
  /\beyJ[\w-]{5,1000}\.[\w-]+(\.[\w-]*)?/g,
  // An e-mail address. The match starts only at the start of a word, because trying each character of a long text would take
  // hours.
  /(?<![\p{L}\p{M}\p{N}_.+-])[\p{L}\p{M}\p{N}_.+-]+@[\p{L}\p{M}\p{N}_-]+(\.[\p{L}\p{M}\p{N}_-]+)+/gu,
  // The value of a sensitive query parameter, even in a link without a host.
  /(?<=[?&;](?:[\w-]{0,64}(?:token|sig|signature|secret|key|expires|credential|code|auth)[\w-]{0,64})=)[^&\s"'<>]+/gi,
]
/** Digits in groups, as people write numbers. */
const DIGITS = /(?<![\w-]|\d\.)\d+(?:([ \u00a0-])\d+(?:\1\d+)*)?(?!\w|-\w)/g
/** The maximum number of digits of a payment card number. */
const MOST_DIGITS = 19

/**
 * Returns the ranges of a text that look like a secret, or that are an identity or card number according to their
 * checksum.
 */
function formsIn(text: string): Range[] {
  const found = FORMS.flatMap(form => rangesOf(form, text))
  for (const {0: run, index: offset} of text.matchAll(DIGITS)) {
    // Consecutive groups may form one number.
    const groups = [...run.matchAll(/\d+/g)]
    for (const [from, {index: start}] of groups.entries()) {
      let digits = ''
      for (const {0: group, index} of groups.slice(from, from + MOST_DIGITS)) {
        digits += group
        if (digits.length > MOST_DIGITS) break
        if (isPersonal(digits)) found.push([offset + start, offset + index + group.length])
      }
    }
  }
  return found
}

/** Reports whether the digits are an identity number (TC) or a card number (Luhn) according to their checksum. */
function isPersonal(digits: string): boolean {
  if (digits.length === 11) return isTcNumber(digits)
  if (digits.length < 14 || !/^[2-6]/.test(digits)) return false
  const sum = [...digits].reverse().reduce((total, digit, place) => {
    const value = Number(digit) * (place % 2 === 0 ? 1 : 2)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}

interface Context {
  readonly text: (input: string) => string
  readonly isPeople: boolean
  readonly isLinkHolder: boolean
  readonly depth: number
}

function redactJson(value: unknown, context: Context): unknown {
  if (context.depth > MOST_DEPTH) return REDACTED
  const inner = {...context, depth: context.depth + 1}
  if (Array.isArray(value)) return value.map(item => redactJson(item, inner))
  if (isObject(value)) return redactObject(value, inner)
  const isNumber = typeof value === 'number' || value instanceof ExactNumber
  if (typeof value !== 'string' && !isNumber) return value
  // In an object about a person, a number can be personal data too, such as a birth year, an identity number or a PIN.
  if (context.isPeople) return REDACTED
  if (typeof value !== 'string') return context.text(String(value)) === String(value) ? value : REDACTED
  // If a string contains JSON, the field names in it are checked as well.
  const json = /^\s*[[{]/.test(value) ? parseJson(Buffer.from(value)) : undefined
  return json === undefined ? context.text(value) : (stringify(redactJson(json, inner)) ?? '')
}

function redactObject(value: JsonObject, context: Context): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const isHolder = LINK_HOLDERS.test(snakeCase(key))
      const isLink = typeof inner === 'string' && (isHolder || (context.isLinkHolder && isLinkName(key)))
      if (inner !== null && typeof inner !== 'boolean' && isTelling(key)) return [context.text(key), REDACTED]
      if (isLink) return [context.text(key), redactUrl(inner, false)]
      if (isHarmlessOfPeople(key)) return [key, redactJson(inner, {...context, isPeople: false})]
      const isPeople = context.isPeople || isPeopleName(key)
      const isLinkHolder = context.isLinkHolder || isHolder
      return [context.text(key), redactJson(inner, {...context, isPeople, isLinkHolder})]
    }),
  )
}

function redactUrl(text: string, keepPath: boolean): string {
  const url = /^https?:/i.test(text) ? parseUrl(text) : undefined
  if (url === undefined) return REDACTED
  if (!keepPath) return `${url.origin}/${REDACTED}`
  const names = [...url.searchParams.keys()].map(name => `${encodeURIComponent(name)}=${REDACTED}`)
  return sanitizeLine(url.origin + url.pathname + (names.length === 0 ? '' : `?${names.join('&')}`))
}

/** Matches a long run of letters and digits, which may be a credential. */
const OPAQUE = /(?<![\w~+-])(?=[\w~+-]*\d)(?=[\w~+-]*[A-Za-z])[\w~+-]{20,}/g

/** Redacts a stack trace. It is stricter than `redactText`, because an error message may contain any value. */
export function redactStack(stack: string): string {
  const parts = stack.split(/\n(?=\s+at )/)
  return parts.map(part => redactText(part).replace(OPAQUE, REDACTED)).join('\n')
}

/** Redacts a text for which no secrets are known, by the form of what is in it. */
export function redactText(text: string): string {
  return createRedactor().text(text)
}

/** A range in a text, in UTF-16 units. */
type Range = readonly [start: number, before: number]

const LEAST_LENGTH = 3
/** Shorter values are matched only as whole words, because they occur in ordinary words and numbers. */
const LEAST_LENGTH_INSIDE = 6
/** A word may also start after an escape sequence in a link or in JSON. */
const WORD_BEGINS = `(?<=^|[^\\p{L}\\p{N}]|%[\\da-fA-F]{2}|\\\\(?:[bfnrt]|u[\\da-fA-F]{4}))(?<!\\d\\.)`
/** Matches the end of a word or number, but not the position after 101 in 101.00. */
const WORD_ENDS = `(?![\\p{L}\\p{N}]|[.,]\\d{1,2}(?!\\d))`

/** Returns the ranges of all matches of a global pattern; with `length`, only the first `length` characters of each. */
function rangesOf(pattern: RegExp, text: string, length?: number): Range[] {
  return Array.from(text.matchAll(pattern), ({0: all, index}) => [index, index + (length ?? all.length)])
}

function wholeWord(spelling: string): RegExp {
  const escaped = spelling.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
  // Only a letter or digit at either end can continue a longer word.
  const begin = /^[\p{L}\p{N}]/u.test(spelling) ? WORD_BEGINS : ''
  const end = /[\p{L}\p{N}]$/u.test(spelling) ? WORD_ENDS : ''
  return new RegExp(begin + escaped + end, 'gu')
}

/**
 * Returns a secret in all encodings: plain, percent-encoded, as a JSON string, hex, and base64 at each of the three
 * offsets. Returns nothing for a secret shorter than LEAST_LENGTH, because short texts occur everywhere.
 */
export function spellingsOf(secret: string): string[] {
  if (secret.length < LEAST_LENGTH) return []
  const bytes = Buffer.from(secret)
  // The base64 characters that depend only on the secret, if it starts `offset` bytes (mod 3) into a longer text.
  const base64 = [0, 1, 2].flatMap(offset => {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes])
    const start = Math.ceil((offset * 8) / 6)
    const end = Math.floor((padded.length * 8) / 6)
    return [padded.toString('base64').slice(start, end), padded.toString('base64url').slice(start, end)]
  })
  const spellings = [
    secret,
    // A lone surrogate, which JSON can contain, is sent as U+FFFD.
    bytes.toString(),
    encodeURIComponent(bytes.toString()),
    JSON.stringify(secret).slice(1, -1),
    bytes.toString('hex'),
    ...base64,
  ]
  return [...new Set(spellings)].filter(spelling => spelling.length >= Math.min(4, secret.length))
}

const SECRET_HEADERS = /authorization|authenticate|cookie|token|secret|api-?key|signature/
const SECRET =
  /(^|_)(token|secret|password|passwd|passphrase|authorization|cookies?|credentials?|signature|(api|private|access)_key)$/
const IDENTITY =
  /(^|_)(identit(y|ies)|(identity|passport|tc|document|card|national_id)_(number|no|id)|passport|tc|national_id|(travel|identity)_document|credit_card)$|^(card|document)$/
const PERSONAL =
  /(^|_)((e_?mail|mobile|(tele)?phone)s?(_(address|number|phone|no|\d+))?|birth_?date|birthday|date_of_birth|dob|surname|(first|last|full|guest|family|given|holder)_name)$/
const PEOPLE = /^(contacts?|guests?|lead_guest|holders?|customers?|passengers?|travell?ers?|pax(es)?)$/

/** Returns a function that reports whether a field name matches one of `forms`, in any spelling such as camelCase. */
const named = (...forms: RegExp[]) =>
  onceForEachName(field => forms.some(form => form.test(snakeCase(field))))

/** Reports whether a field with this name contains a secret or personal data. */
const isTelling = named(SECRET, IDENTITY, PERSONAL)
const isPeopleName = named(PEOPLE)
/** Matches fields of a person that may be shown. */
const isHarmlessOfPeople = named(/^(type|is_lead|gender)$/)
const isLinkName = named(/^(url|link|href|.*_(url|link))$/)
const isOfPeople = named(PEOPLE, IDENTITY, PERSONAL)
/** Matches fields of a person whose values are too common to be redacted elsewhere. */
const isCommonOfPeople = named(/^(type|is_lead|gender|nationality|phone_country_code)$/)
const isIdentity = named(IDENTITY)
/** Matches the kind and country of a document, which are not secret. */
const isAboutIdentity = named(/(^|_)(type|nationality|country|country_code)$/)

/**
 * Values nested deeper than this are not searched for secrets. Where they would be shown, they are redacted completely.
 * Not in the interface.
 */
const MOST_DEPTH = 60

/** Returns the personal data in a request body, which is then redacted elsewhere. */
export function peopleIn(value: unknown): string[] {
  return valuesUnder(value, isOfPeople, isCommonOfPeople).filter(each => typeof each === 'string')
}

/** Returns the numbers of identity documents and cards in a request body. */
export function identityNumbersIn(value: unknown): string[] {
  return valuesUnder(value, isIdentity, isAboutIdentity).map(String)
}

/**
 * Returns the texts and numbers at any depth below a field name for which `isMeant` holds, leaving out field names for
 * which `isOther` holds.
 */
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

/**
 * Reports whether a request calls an operation. The path of an operation may be shown. A request without a bearer token
 * (§5.2), other than to the OAuth endpoints, is a signed link.
 */
export function isOperation(request: WireRequest): boolean {
  return request.headers.authorization !== undefined || /\/oauth\/(token|revoke)$/.test(request.url)
}

const FIELDS = ['client_secret', 'token', 'access_token', 'refresh_token', 'secret']
/** Texts of which each possible spelling of FIELDS contains one: `accessToken`, `\u0074oken`. */
const IN_NAMES = ['token', 'Token', 'TOKEN', 'secret', 'Secret', 'SECRET', '\\u00']

/**
 * Minimum length in UTF-16 units of a part of a link that counts as secret. Shorter parts are words, dates or
 * references that must stay readable. Not in the interface.
 */
const LEAST_LINK_PART = {inPath: 16, inQuery: 8} as const
/** The path of the local sandbox's controls. They take no token, but they are not signed links. */
const CONTROLS = '/_sandbox/'

/**
 * Returns the secrets of a request and its answer: the bearer token, the parts of a signed link, identity numbers of guests,
 * and the fields named in FIELDS.
 */
export function secretsIn(request: WireRequest, outcome?: WireAnswer | ExchangeError): string[] {
  const sent = request.body === undefined ? undefined : parseJson(Buffer.from(request.body))
  const body = outcome && 'body' in outcome ? outcome.body : new Uint8Array()
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  // The bytes are searched first, so that a long body without a secret need not be parsed.
  const received = IN_NAMES.some(text => bytes.includes(text)) ? parseJson(body) : undefined
  // Only the outermost value of each name counts.
  const [named, echoed] = [sent, received].map(json => {
    const found = new Map<string, unknown>()
    for (const {value} of breadthFirst(json)) {
      const fields = fieldsOf(value)
      for (const field of FIELDS) {
        const inner = fields.get(field) ?? undefined
        if (inner !== undefined && !found.has(field)) found.set(field, inner)
      }
    }
    return [...found.values()]
  })
  const authorization = request.headers.authorization?.split(' ').at(-1)
  const linkParts = isOperation(request) ? [] : linkPartsOf(request.url)
  const values = [
    authorization,
    ...linkParts,
    ...(named ?? []),
    ...identityNumbersIn(sent),
    ...(echoed ?? []),
  ]
  return values.filter(value => typeof value === 'string')
}

/** Returns the parts of a signed link (§2.6) that look random, both encoded and decoded. */
function linkPartsOf(link: string): string[] {
  const url = parseUrl(link)
  if (url === undefined || url.pathname.startsWith(CONTROLS)) return []
  const {pathname, search} = url
  const isTelling = (part: string) => /\d/.test(part) && /[a-z]/i.test(part)
  const inPath = pathname.split('/').filter(part => part.length >= LEAST_LINK_PART.inPath && isTelling(part))
  const inQuery = search
    .slice(1)
    .split('&')
    .map(pair => pair.slice(pair.indexOf('=') + 1))
    .filter(value => value.length >= LEAST_LINK_PART.inQuery)
  return [...inPath, ...inQuery].flatMap(part => [part, percentDecoded(part)])
}
