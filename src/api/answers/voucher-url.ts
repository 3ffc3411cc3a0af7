/** Finds the voucher's signed link (§2.6) in an answer of any shape. */
import {
  createFieldReader,
  type FieldReader,
  type Fields,
  firstObject,
  snakeCase,
} from '../../contract/field-names.js'
import {isObject} from '../../contract/json.js'
import {breadthFirst, textOf} from '../../contract/json-walk.js'

/** Fields, by snake_case name, that hold the link of a voucher wherever they stand. */
const VOUCHER_URL_FIELDS = [
  'voucher_url',
  'voucher_link',
  'pdf_url',
  'pdf_link',
  'download_url',
  'download_link',
]
/** Fields that hold a link of what they stand in. */
const LINK_FIELDS = ['url', 'link', 'href', 'redirect_url', ...VOUCHER_URL_FIELDS]
/** Fields by which a document says what it is. */
const KIND_FIELDS = ['type', 'kind', 'document_type', 'rel', 'name']
const ENVELOPES = ['data', 'result', 'response', 'payload']
const MAX_ENVELOPES = 3

/** The link, absolute: one that begins with `/` is of the service's own origin. Undefined when there is none. */
export function findVoucherUrl(json: unknown, baseUrl: string): string | undefined {
  const finder = {read: createFieldReader(), origin: new URL(baseUrl).origin}
  for (const {value} of breadthFirst(json)) {
    const found = urlOfVoucher(finder, finder.read(value))
    if (found !== undefined) return found
  }
  return urlOfAnswer(finder, json)
}

interface Finder {
  readonly read: FieldReader
  readonly origin: string
}

function urlOfVoucher(finder: Finder, fields: Fields): string | undefined {
  return (
    urlUnder(finder, fields.get('voucher')) ??
    urlUnder(finder, fields.get('vouchers')) ??
    firstUrl(finder, fields, VOUCHER_URL_FIELDS) ??
    (isVoucher(fields) ? firstUrl(finder, fields, LINK_FIELDS) : undefined)
  )
}

function isVoucher(fields: Fields): boolean {
  const kinds = KIND_FIELDS.map(name => snakeCase(textOf(fields.get(name)) ?? ''))
  return kinds.some(kind => /^((hotel|reservation|booking)_)?voucher(_pdf)?$/.test(kind))
}

function urlUnder(finder: Finder, value: unknown): string | undefined {
  if (typeof value === 'string') return asUrl(finder, value)
  for (const {value: inner} of breadthFirst(value)) {
    const found = firstUrl(finder, finder.read(inner), LINK_FIELDS)
    if (found !== undefined) return found
  }
  return undefined
}

/** The answer is about the voucher, so a link of its own, under no name, is the voucher's. */
function urlOfAnswer(finder: Finder, json: unknown): string | undefined {
  let content = json
  for (let depth = 0; depth < MAX_ENVELOPES && isObject(content); depth++) {
    const fields = finder.read(content)
    const inner = ENVELOPES.map(name => fields.get(name)).find(value => value !== undefined && value !== null)
    if (inner === undefined) break
    content = inner
  }
  const record = firstObject(content)
  return record ? firstUrl(finder, finder.read(record), LINK_FIELDS) : asUrl(finder, content)
}

function firstUrl(finder: Finder, fields: Fields, names: readonly string[]): string | undefined {
  for (const name of names) {
    const found = asUrl(finder, fields.get(name))
    if (found !== undefined) return found
  }
  return undefined
}

function asUrl({origin}: Finder, value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  if (/^https?:\/\//i.test(value)) return URL.canParse(value) ? value : undefined
  if (!value.startsWith('/') || !URL.canParse(value, origin)) return undefined
  // `//elsewhere/` and its disguises are of another origin, which a relative link never names.
  const url = new URL(value, origin)
  return url.origin === origin ? url.href : undefined
}
