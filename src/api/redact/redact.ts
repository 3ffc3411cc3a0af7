/**
 * Takes secrets and people's data out of whatever is shown or written about requests: by the names of fields and
 * headers, by the look of secrets, and by value for the secrets it was told.
 */

import {snakeCase} from '../../contract/field-names.js'
import {sanitizeLine} from '../../contract/foreign-text.js'
import {isObject, type JsonObject} from '../../contract/json.js'
import type {WireRequest} from '../types.js'
import {hide, REDACTED} from './hidden-ranges.js'
import {createKnownValues} from './known-values.js'
import {hideNamed} from './named-in-text.js'
import {looksIn} from './secret-looks.js'
import {isHarmlessOfPeople, isLinkName, isPeopleName, isTelling} from './telling-names.js'

export {REDACTED}

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

const MAX_DEPTH = 60

const SECRET_HEADERS = /authorization|authenticate|cookie|token|secret|api-?key|signature/
const LINK_HOLDERS = /^(voucher|payment)(s|_url|_link)?$/
/** What ends the sentence or the clause is not of the link. */
const LINK = /\bhttps?:\/\/[^\s"'<>\\]*[^\s"'<>\\.,;:!?)]/gi

/** A redactor that knows no secret by value yet. */
export function createRedactor(): Redactor {
  const known = createKnownValues()
  const text = (input: string): string => {
    const withoutNamed = hideNamed(hide(input, known.find))
    return hide(
      withoutNamed.replace(LINK, link => redactUrl(link, false)),
      looksIn,
    )
  }
  return {
    text,
    add: known.add,
    url: (url, keepPath) => hide(redactUrl(url, keepPath), known.find),
    header(name, value) {
      return SECRET_HEADERS.test(name.toLowerCase()) ? REDACTED : text(value)
    },
    json: value => redactJson(value, {text, isPeople: false, isLinkHolder: false, depth: 0}),
  }
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
      const isLink = context.isLinkHolder && isLinkName(key) && typeof inner === 'string'
      if (inner !== null && isTelling(key)) return [context.text(key), REDACTED]
      if (isLink) return [context.text(key), redactUrl(inner, false)]
      if (isHarmlessOfPeople(key)) return [key, redactJson(inner, {...context, isPeople: false})]
      const isPeople = context.isPeople || isPeopleName(key)
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
