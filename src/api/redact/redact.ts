/** Redacts secrets and personal data: by value, by the names of headers and fields, and by prefix and form. */
import {snakeCase} from '../../contract/field-names.js'
import {parseUrl, REDACTED, sanitizeLine} from '../../contract/foreign-text.js'
import {
  isTcNumber,
  LIVE_SECRET_PREFIX,
  SIGNING_SECRET_PREFIX,
  TEST_SECRET_PREFIX,
} from '../../contract/identifiers.js'
import {ExactNumber, isObject, type JsonObject, parseJson, stringify} from '../../contract/json.js'
import {
  isHarmlessOfPeople,
  isLinkName,
  isPeopleName,
  isSecretHeader,
  isTelling,
  MOST_DEPTH,
} from './secret-names.js'

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
  const findKnown = (text: string) => [...spellings].flatMap(spelling => placesOf(spelling, text))
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
  return {
    /** A text of any kind. Links in it keep their origin only. */
    text,
    /** Adds a secret or a person's data of three characters or more, to be redacted wherever it occurs, also encoded. */
    add,
    /** A URL: origin and path stay when `keepPath`, the values of the query never do. */
    url: (url: string, keepPath: boolean) => hide(redactUrl(url, keepPath), findKnown),
    header: (name: string, value: string) => (isSecretHeader(name) ? REDACTED : text(value)),
    /** A JSON value, as a new value. */
    json: (value: unknown) => redactJson(value, {text, isPeople: false, isLinkHolder: false, depth: 0}),
  }
}

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
  return visible.replace(/\S+/g, word => (find(runsDecoded(word)).length > 0 ? REDACTED : word))
}

function runsDecoded(word: string): string {
  return word.replace(/(%[0-9a-f]{2})+/gi, run => Buffer.from(run.replaceAll('%', ''), 'hex').toString())
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
/** Of a card, the most. */
const MOST_DIGITS = 19

/** Where in a text something has the form of a secret, or is the number of a card or an identity by its checksum. */
function formsIn(text: string): Range[] {
  return [
    ...FORMS.flatMap(form => rangesOf(form, text)),
    ...[...text.matchAll(DIGITS)].flatMap(({0: run, index}) => numbersIn(run, index)),
  ]
}

/** Those among the groups of `run`, one after the other, that are a person's; `run` is at `offset`. */
function numbersIn(run: string, offset: number): Range[] {
  const groups = [...run.matchAll(/\d+/g)]
  return groups.flatMap(({index: start}, from) => {
    let digits = ''
    const found: Range[] = []
    for (const {0: group, index} of groups.slice(from, from + MOST_DIGITS)) {
      digits += group
      if (digits.length > MOST_DIGITS) break
      if (isPersonal(digits)) found.push([offset + start, offset + index + group.length])
    }
    return found
  })
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
  if (typeof value === 'string') return redactString(value, inner)
  return context.text(String(value)) === String(value) ? value : REDACTED
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

/** A string may be JSON itself, and its field names count then. */
function redactString(value: string, context: Context): string {
  const json = /^\s*[[{]/.test(value) ? parseJson(Buffer.from(value)) : undefined
  return json === undefined ? context.text(value) : (stringify(redactJson(json, context)) ?? '')
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

/** Where `text` has the spelling, overlapping places too. A service decides how long a token is, and a pattern has a limit. */
function placesOf(spelling: string, text: string): Range[] {
  if (!text.includes(spelling)) return []
  if (spelling.length < LEAST_LENGTH_INSIDE) return rangesOf(wholeWord(spelling), text, spelling.length)
  const found: Range[] = []
  for (let at = text.indexOf(spelling); at >= 0; at = text.indexOf(spelling, at + 1))
    found.push([at, at + spelling.length])
  return found
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
  const spellings = [
    secret,
    // Half a surrogate pair, which JSON can hold, goes out as U+FFFD.
    bytes.toString(),
    encodeURIComponent(bytes.toString()),
    JSON.stringify(secret).slice(1, -1),
    bytes.toString('hex'),
    ...[0, 1, 2].flatMap(offset => base64Cores(bytes, offset)),
  ]
  return [...new Set(spellings)].filter(spelling => spelling.length >= Math.min(4, secret.length))
}

/** The base64 characters that depend only on the secret when it starts at `offset` bytes (mod 3) in a longer text. */
function base64Cores(bytes: Buffer, offset: number): string[] {
  const padded = Buffer.concat([Buffer.alloc(offset), bytes])
  const from = Math.ceil((offset * 8) / 6)
  const to = Math.floor((padded.length * 8) / 6)
  return (['base64', 'base64url'] as const).map(encoding => padded.toString(encoding).slice(from, to))
}
