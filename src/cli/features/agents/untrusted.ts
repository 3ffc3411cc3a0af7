/**
 * What the service wrote is data, never an instruction. A result lists the places of its free texts (`untrusted_fields`), which
 * are cut and made safe here.
 */
import {quoted, type Redactor} from '../../../api/redact/redact.js'
import {RESERVATION_STATUSES} from '../../../contract/events.js'
import {parseUrl} from '../../../contract/foreign-text.js'
import {BOARDS} from '../../../contract/identifiers.js'
import {ExactNumber, isObject} from '../../../contract/json.js'

/** The longest free text in a result, in UTF-16 units. A remark of a hotel fits. */
export const MOST_FOREIGN_LENGTH = 500

const AMOUNT = /^-?\d{1,18}(?:\.\d{1,8})?$/
const DAY_OR_TIME = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/
/** Without a digit it might be a sentence. */
const IDENTIFIER = /^(?=.*\d)[\w.:-]{1,64}$/
const CURRENCY = /^[A-Z]{3}$/
const COUNTRY = /^[A-Z]{2}$/
const words = (list: readonly string[]) => new RegExp(`^(?:${list.join('|')})$`, 'i')
const STATES = words([
  ...RESERVATION_STATUSES,
  'CANCELLED',
  'REJECTED',
  'FAILED',
  'EXPIRED',
  'PENDING',
  'PAID',
  'REFUNDED',
  'ACCEPTED',
  'READY',
  'ACTIVE',
  'SUSPENDED',
])
const EVENT_TYPE = /^(?:reservation|payment|voucher|webhook)\.[a-z]{1,20}$/

/**
 * The keys whose value has a form that holds no sentence. A string is trusted only under such a key and in this form; any other
 * string counts as free text.
 */
const FORMS: Readonly<Record<string, RegExp>> = {
  total: AMOUNT,
  amount: AMOUNT,
  fee: /^(?:\d{1,18}(?:\.\d{1,8})?|\d{1,3}(?:\.\d{1,4})? %)$/,
  rate: AMOUNT,
  price: AMOUNT,
  spent: AMOUNT,
  left: AMOUNT,
  max_total: AMOUNT,
  max_each: AMOUNT,
  balance: AMOUNT,
  credit_limit: AMOUNT,
  available_balance: AMOUNT,
  currency: CURRENCY,
  code: /^(?:[A-Z]{2,3})$/,
  country_code: COUNTRY,
  client_nationality: COUNTRY,
  type: words(['CITY', 'ADULT', 'CHILD']),
  board: words(Object.keys(BOARDS)),
  mode: words(['account', 'instant', 'test', 'live']),
  payment_modes: words(['account', 'instant']),
  status: STATES,
  outcome: STATES,
  handle: /^hdl_[0-9a-z]{26}$/,
  limit: words(['max_total', 'max_each', 'per_day', 'currency']),
  // The command line that approves a handle, which this program wrote.
  approve: /^bookctl mcp approve hdl_[0-9a-z]{26}(?: [\w.:/@'-]+)*$/,
  voucher: STATES,
  event_type: EVENT_TYPE,
  event_id: IDENTIFIER,
  next_cursor: /^[\da-f]{18}\.\d{1,6}$/,
  offer_id: IDENTIFIER,
  hotel_id: IDENTIFIER,
  account_id: IDENTIFIER,
  request_id: IDENTIFIER,
  reservation_refs: IDENTIFIER,
  id: IDENTIFIER,
  reservation_ref: IDENTIFIER,
  client_reference_id: IDENTIFIER,
  phone_code: /^\+?\d{1,6}$/,
  timezone: /^[A-Z][A-Za-z]+\/[A-Z][A-Za-z_]{1,30}$/,
  ...Object.fromEntries(
    [
      ...['check_in', 'check_out', 'searched_at', 'expires_at', 'free_cancellation_until', 'from'],
      ...['created_at', 'updated_at', 'received_at', 'pay_until', 'at', 'first_fee'],
    ].map(key => [key, DAY_OR_TIME]),
  ),
}

/** Keys whose value must stay whole to be of use. Where it is not in the form above, it is listed, but never cut. */
const WHOLE = new Set([
  'offer_id',
  'hotel_id',
  'event_id',
  'reservation_ref',
  'client_reference_id',
  'next_cursor',
])
/** The keys of addresses, which are of no use when they are cut. */
const ADDRESSES = new Set(['url', 'payment_url'])
const MOST_ADDRESS_LENGTH = 2048

/** A word of ours, such as signature_mismatch. */
const OWN_WORD = /^[a-z][a-z0-9_]{0,60}$/

/**
 * Returns a copy of `document` that is safe to hand to a model, and the JSON pointers of the texts in it that the service wrote.
 * Long numbers become strings of their digits. `ownWords` are keys under which only this program writes, one word each.
 */
export function guarded(document: object, redactor: Redactor, ownWords: readonly string[] = []) {
  const untrusted: string[] = []
  const copy = (value: unknown, key: string, pointer: string): unknown => {
    if (typeof value === 'string') return text(value, key, pointer)
    if (value instanceof ExactNumber) return value.digits
    if (Array.isArray(value)) return value.map((item, n) => copy(item, key, `${pointer}/${n}`))
    if (!isObject(value)) return value
    const entries = Object.entries(value).filter(([, inner]) => inner !== undefined)
    return Object.fromEntries(
      entries.map(([name, inner]) => [name, copy(inner, name, `${pointer}/${escaped(name)}`)]),
    )
  }
  const text = (value: string, key: string, pointer: string): string => {
    if (FORMS[key]?.test(value) || (ownWords.includes(key) && OWN_WORD.test(value))) return value
    if (ADDRESSES.has(key) && isAddress(value)) return value
    untrusted.push(pointer)
    return WHOLE.has(key) ? value : quoted(value, MOST_FOREIGN_LENGTH, {redactor})
  }
  return {document: copy(document, '', '') as Record<string, unknown>, untrusted}
}

function isAddress(text: string): boolean {
  const protocol = /^[!-~]+$/.test(text) && text.length <= MOST_ADDRESS_LENGTH && parseUrl(text)?.protocol
  return protocol === 'https:' || protocol === 'http:'
}

/** Escapes a key as a part of a JSON pointer (RFC 6901). */
function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}
