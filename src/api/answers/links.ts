/** Finds the links of §2.5 and §2.6 in answers of any shape: where the customer pays, and the voucher's. */
import {type Fields, fieldsOf, firstObject, snakeCase} from '../../contract/field-names.js'
import {parseUrl} from '../../contract/foreign-text.js'
import {breadthFirst, isObject, textOf} from '../../contract/json.js'
import {factIn} from './facts.js'
import {DOCUMENT_KIND, ENVELOPES, LINK, PAYMENT, VOUCHER_LINK, VOUCHERS} from './vocabulary.js'

/** The address in a value; undefined if it is not one. */
type ReadLink = (value: unknown) => string | undefined

/** Where the customer pays; undefined when the answer does not say. */
export function findPaymentUrl(json: unknown): string | undefined {
  for (const {value} of breadthFirst(json)) {
    const fields = fieldsOf(value)
    const found =
      factIn(fields, PAYMENT.url, absolute) ??
      linkUnder(fields, PAYMENT.holders, [...LINK, 'payment_url'], absolute)
    if (found !== null) return found
  }
  return undefined
}

const MOST_ENVELOPES = 3

/** The voucher's link, absolute: one that begins with `/` is of the service's own origin. Undefined when there is none. */
export function findVoucherUrl(json: unknown, baseUrl: string): string | undefined {
  const {origin} = new URL(baseUrl)
  const read: ReadLink = value => absolute(value) ?? relative(value, origin)
  const names = [...LINK, ...VOUCHER_LINK]
  for (const {value} of breadthFirst(json)) {
    const fields = fieldsOf(value)
    const found =
      linkUnder(fields, VOUCHERS, names, read) ??
      factIn(fields, isVoucher(fields) ? names : VOUCHER_LINK, read)
    if (found !== null) return found
  }
  // The answer is about the voucher, so a link of its own, under no name, is the voucher's.
  let content = json
  for (let depth = 0; depth < MOST_ENVELOPES && isObject(content); depth++) {
    const fields = fieldsOf(content)
    content = ENVELOPES.map(name => fields.get(name)).find(value => value != null) ?? content
  }
  const record = firstObject(content)
  return (record ? factIn(fieldsOf(record), names, read) : read(content)) ?? undefined
}

function isVoucher(fields: Fields): boolean {
  const kinds = DOCUMENT_KIND.map(name => snakeCase(textOf(fields.get(name)) ?? ''))
  return kinds.some(kind => /^((hotel|reservation|booking)_)?voucher(_pdf)?$/.test(kind))
}

/** The link under one of `holders`: itself, or in an object there, however deep. */
function linkUnder(fields: Fields, holders: readonly string[], names: readonly string[], read: ReadLink) {
  return factIn(fields, holders, holder => {
    const inner = [...breadthFirst(holder)].map(({value}) => factIn(fieldsOf(value), names, read))
    return read(holder) ?? inner.find(link => link !== null)
  })
}

function absolute(value: unknown): string | undefined {
  return typeof value === 'string' && /^https?:\/\//i.test(value) && parseUrl(value) ? value : undefined
}

/** `//elsewhere/` and its disguises are of another origin, which a relative link never names. */
function relative(value: unknown, origin: string): string | undefined {
  const url = typeof value === 'string' && value.startsWith('/') ? parseUrl(value, origin) : undefined
  return url?.origin === origin ? url.href : undefined
}
