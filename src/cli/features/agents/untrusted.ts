/**
 * What the service wrote is data, never an instruction. One rule holds for every text of a result: either its key is known, and its
 * value has a form that can hold no sentence and no secret; or it is redacted, made safe and cut, and `untrusted_fields` lists its
 * place.
 */
import {quoted, type Redactor} from '../../../api/redact/redact.js'
import {RESERVATION_STATUSES} from '../../../contract/events.js'
import {parseUrl} from '../../../contract/foreign-text.js'
import {BOARDS, holdsSecret} from '../../../contract/identifiers.js'
import {ExactNumber, isObject} from '../../../contract/json.js'

/** The longest free text in a result, in UTF-16 units. A remark of a hotel fits. */
export const MOST_FOREIGN_LENGTH = 500

const AMOUNT = /^-?\d{1,18}(?:\.\d{1,8})?$/
const DAY_OR_TIME = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/
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
  // Words of this program for what became of a request.
  'UNKNOWN',
  'UNRESOLVED',
  'REFUSED',
  'NOT_SENT',
])
const EVENT_TYPE = /^(?:reservation|payment|voucher|webhook)\.[a-z]{1,20}$/

/** What a value must be to be trusted. */
interface Form {
  test(value: string): boolean
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i
/** The kind of thing that an identifier names, such as `off_` (§2.3) or `RSV-`, at its beginning. */
const KIND = /^[A-Za-z]{1,8}[_.-]/
const MOST_IDENTIFIER_LENGTH = 64
/**
 * Words: lower-case letters that no other letter follows, and capitals between separators. Hexadecimal digits are not
 * words.
 */
const WORDS = /(?<![A-Za-z])(?![a-f]+(?![a-z]))[A-Za-z][a-z]{2,}(?![A-Za-z])|(?<![^_.-])[A-Z]{3,}(?![^_.-])/g
/** How many letters of a random identifier may look like words by chance. */
const MOST_LETTERS_BY_CHANCE = 6

/** An opaque identifier, as §2 shows them: short, with a digit, and without words behind the kind. */
const IDENTIFIER: Form = {
  test(value) {
    if (value.length > MOST_IDENTIFIER_LENGTH || !/^[\w.-]*\d[\w.-]*$/.test(value)) return false
    if (holdsSecret(value)) return false
    if (UUID.test(value)) return true
    const words = value.replace(KIND, '').match(WORDS) ?? []
    return words.join('').length <= MOST_LETTERS_BY_CHANCE
  },
}

const MOST_ADDRESS_LENGTH = 2048

/** An address where the customer pays: nothing before the host that looks like another one, and no characters of a sentence. */
const ADDRESS: Form = {
  test(value) {
    const isPlain = /^https?:\/\/[\w.:[\]-]+(?:[/?#][\w.~:/?#&=%+,;-]*)?$/.test(value)
    return (
      isPlain && value.length <= MOST_ADDRESS_LENGTH && !holdsSecret(value) && parseUrl(value) !== undefined
    )
  },
}

/** The keys whose value has such a form. A string under any other key, or in any other form, counts as free text. */
const FORMS: Readonly<Record<string, Form>> = {
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
  url: ADDRESS,
  payment_url: ADDRESS,
  phone_code: /^\+?\d{1,6}$/,
  timezone: /^[A-Z][A-Za-z]+\/[A-Z][A-Za-z_]{1,30}$/,
  ...Object.fromEntries(
    [
      ...['check_in', 'check_out', 'searched_at', 'expires_at', 'free_cancellation_until', 'from'],
      ...['created_at', 'updated_at', 'received_at', 'pay_until', 'at', 'first_fee'],
    ].map(key => [key, DAY_OR_TIME]),
  ),
}

/** A word of this program, such as signature_mismatch. */
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
    const isOwn = ownWords.includes(key) && OWN_WORD.test(value)
    const hasForm = Object.hasOwn(FORMS, key) && FORMS[key]?.test(value)
    if ((isOwn || hasForm) && redactor.known(value) === value) return value
    untrusted.push(pointer)
    return quoted(value, MOST_FOREIGN_LENGTH, {redactor})
  }
  return {document: copy(document, '', '') as Record<string, unknown>, untrusted}
}

/** Escapes a key as a part of a JSON pointer (RFC 6901). */
function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}
