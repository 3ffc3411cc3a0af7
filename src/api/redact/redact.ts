/**
 * Redacts secrets and personal data: by value, by the names of headers and fields, and by prefix and form. The last word of a
 * name decides. Values that a request and its answer carry are taken out wherever else they turn up.
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
/** Punctuation after a link is not part of it. */
const LINK = /\bhttps?:\/\/[^\s"'<>\\]*[^\s"'<>\\.,;:!?)]/gi

/** A redactor that knows these secrets by value, and those added to it. */
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
      // Overlapping places too, and by no pattern: a service decides how long a token is, and a pattern has a limit.
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
      // Millions of groups of digits, for example, overflow the stack of a pattern: what cannot be searched is not shown.
      if (error instanceof RangeError) return REDACTED
      throw error
    }
  }
  /** A URL: origin and path stay when `keepPath`, the values of the query never do. */
  const url = (link: string, keepPath: boolean) => hide(redactUrl(link, keepPath), findKnown)
  return {
    /** A text of any kind. Links in it keep their origin only. */
    text,
    /** Adds a secret or a person's data of three characters or more, to be redacted wherever it occurs, also encoded. */
    add,
    url,
    /** The value of a header. */
    header(name: string, value: string) {
      const lower = name.toLowerCase()
      if (lower === 'location') return url(value, false)
      return SECRET_HEADERS.test(lower) ? REDACTED : text(value)
    },
    /** A JSON value, as a new value. */
    json: (value: unknown) => redactJson(value, {text, isPeople: false, isLinkHolder: false, depth: 0}),
  }
}

/** The secrets of the request, or a redactor that knows them. */
export type EchoOf = {readonly secrets?: readonly string[]; readonly redactor?: Redactor}

/** `text` of the answer, redacted, sanitised and then cut, so that no half of a secret is left. */
export function quoted(text: string, maxLength: number, answer: EchoOf): string {
  return sanitizeLine(redactorOf(answer).text(text), maxLength)
}

/** As `quoted`, for an http address: its origin and path are shown, the values of its query never. */
export function quotedUrl(url: string, answer: EchoOf, maxLength: number = 200) {
  return sanitizeLine(redactorOf(answer).url(url, true), maxLength)
}

const redactorOf = ({secrets, redactor}: EchoOf): Redactor => redactor ?? createRedactor(secrets)

/** `text` with REDACTED for all that `find` finds, and for words in which it finds something once they are decoded. */
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

/** In broken JSON, redacts all that follows a telling name, because the end of its value is unknown. */
function hideNamed(text: string): string {
  for (const {0: all, 1: name = '', index} of text.matchAll(NAME)) {
    const start = index + all.length
    // A link without a host: where links have one, it stays.
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
  // An e-mail address, only from the start of a word: from each of its characters a long one would take hours.
  /(?<![\p{L}\p{M}\p{N}_.+-])[\p{L}\p{M}\p{N}_.+-]+@[\p{L}\p{M}\p{N}_-]+(\.[\p{L}\p{M}\p{N}_-]+)+/gu,
  // The value of a telling parameter, also in a link without a host.
  /(?<=[?&;](?:[\w-]{0,64}(?:token|sig|signature|secret|key|expires|credential|code|auth)[\w-]{0,64})=)[^&\s"'<>]+/gi,
]
/** Groups of digits, as people write them. */
const DIGITS = /(?<![\w-]|\d\.)\d+(?:([ \u00a0-])\d+(?:\1\d+)*)?(?!\w|-\w)/g
/** The longest number of a card. */
const MOST_DIGITS = 19

/** Where in a text something has the form of a secret, or is the number of a card or an identity by its checksum. */
function formsIn(text: string): Range[] {
  const found = FORMS.flatMap(form => rangesOf(form, text))
  for (const {0: run, index: offset} of text.matchAll(DIGITS)) {
    // Groups in a row may make up a personal number.
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

/** Whether a checksum says that it is an identity number (TC), or the number of a card (Luhn). */
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
  // A number can be a secret as well: a birth year, an identity number, a PIN.
  if (context.isPeople) return REDACTED
  if (typeof value !== 'string') return context.text(String(value)) === String(value) ? value : REDACTED
  // A string may be JSON itself, and its field names count then.
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

/** Neither a word nor a number: it may be a credential. */
const OPAQUE = /(?<![\w~+-])(?=[\w~+-]*\d)(?=[\w~+-]*[A-Za-z])[\w~+-]{20,}/g

/** A stack trace: the message of an error may hold any value. */
export function redactStack(stack: string): string {
  const parts = stack.split(/\n(?=\s+at )/)
  return parts.map(part => redactText(part).replace(OPAQUE, REDACTED)).join('\n')
}

/** Without known values: by form only. */
export function redactText(text: string): string {
  return createRedactor().text(text)
}

/** In UTF-16 units. */
type Range = readonly [start: number, before: number]

const LEAST_LENGTH = 3
/** Shorter values may be part of innocent words and numbers, so they are found as whole words only. */
const LEAST_LENGTH_INSIDE = 6
/** A word may follow an escape in a link or in JSON. */
const WORD_BEGINS = `(?<=^|[^\\p{L}\\p{N}]|%[\\da-fA-F]{2}|\\\\(?:[bfnrt]|u[\\da-fA-F]{4}))(?<!\\d\\.)`
/** 101 is not in 101.00. */
const WORD_ENDS = `(?![\\p{L}\\p{N}]|[.,]\\d{1,2}(?!\\d))`

/** The matches of a global pattern: the first `length` characters of each, or all. */
function rangesOf(pattern: RegExp, text: string, length?: number): Range[] {
  return Array.from(text.matchAll(pattern), ({0: all, index}) => [index, index + (length ?? all.length)])
}

function wholeWord(spelling: string): RegExp {
  const escaped = spelling.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
  // Only a letter or digit at its ends can belong to a longer word.
  const begin = /^[\p{L}\p{N}]/u.test(spelling) ? WORD_BEGINS : ''
  const end = /[\p{L}\p{N}]$/u.test(spelling) ? WORD_ENDS : ''
  return new RegExp(begin + escaped + end, 'gu')
}

/**
 * The secret itself, percent-encoded, inside a JSON string, in hex, and in base64 wherever in it it may begin. None for less
 * than LEAST_LENGTH, because an empty text is found everywhere.
 */
export function spellingsOf(secret: string): string[] {
  if (secret.length < LEAST_LENGTH) return []
  const bytes = Buffer.from(secret)
  // The characters that depend only on the secret when it starts at `offset` bytes (mod 3) in a longer text.
  const base64 = [0, 1, 2].flatMap(offset => {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes])
    const start = Math.ceil((offset * 8) / 6)
    const end = Math.floor((padded.length * 8) / 6)
    return [padded.toString('base64').slice(start, end), padded.toString('base64url').slice(start, end)]
  })
  const spellings = [
    secret,
    // Half a surrogate pair, which JSON can hold, goes out as U+FFFD.
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

/** Whether the name of a field has one of these forms, however it is written. */
const named = (...forms: RegExp[]) =>
  onceForEachName(field => forms.some(form => form.test(snakeCase(field))))

/** Whether the name is that of a secret or of personal data. */
const isTelling = named(SECRET, IDENTITY, PERSONAL)
const isPeopleName = named(PEOPLE)
/** Harmless fields of a person. */
const isHarmlessOfPeople = named(/^(type|is_lead|gender)$/)
const isLinkName = named(/^(url|link|href|.*_(url|link))$/)
const isOfPeople = named(PEOPLE, IDENTITY, PERSONAL)
/** Values of a person that are too common to be redacted elsewhere. */
const isCommonOfPeople = named(/^(type|is_lead|gender|nationality|phone_country_code)$/)
const isIdentity = named(IDENTITY)
/** Kind and country of a document are no secret. */
const isAboutIdentity = named(/(^|_)(type|nationality|country|country_code)$/)

/** Values further inside are not searched here, and are redacted whole where one is shown. Not in the interface. */
const MOST_DEPTH = 60

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
const LEAST_LINK_PART = {inPath: 16, inQuery: 8} as const
/** The local sandbox's own controls take no token and are no links. */
const CONTROLS = '/_sandbox/'

/** The bearer token, the parts of a signed link, identity numbers of guests, and secrets by name in both bodies. */
export function secretsIn(request: WireRequest, outcome?: WireAnswer | ExchangeError): string[] {
  const sent = request.body === undefined ? undefined : parseJson(Buffer.from(request.body))
  const body = outcome && 'body' in outcome ? outcome.body : new Uint8Array()
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  // Looking at the bytes spares the walk through a long body that has none of the names.
  const received = IN_NAMES.some(text => bytes.includes(text)) ? parseJson(body) : undefined
  // The outermost value under each name counts.
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

/** The parts of a signed link (§2.6) that cannot be guessed, as they are written and as they are meant. */
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
