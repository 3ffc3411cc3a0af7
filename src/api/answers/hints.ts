/** Next steps after a refusal, a failure or no answer. Unknown codes (§7 shows none) fall back to keywords, then the status. */
import type {ErrorCode} from '../../contract/error-codes.js'
import {isObject, own, snakeCase} from '../../contract/json.js'
import {OFFER_VALIDITY_SECONDS} from '../../contract/limits.js'
import {retryAfterMilliseconds} from '../http/send.js'
import {quoted} from '../redact/redact.js'
import type {Answer, ExchangeError, ExchangeFault} from '../types.js'

const SEARCH_AGAIN = `offers expire after ${OFFER_VALIDITY_SECONDS / 60} minutes and can be used once; if bookctl journal has no booking of it, search again: bookctl hotels search`
const FIND_RESERVATION =
  'bookctl reservations list lists those of the service, bookctl journal those booked from here'
const FIND_SUBSCRIPTION = 'bookctl webhooks list lists the subscriptions'
const SHOW_RESERVATION = 'bookctl reservations show REF shows its state and its terms'
const LATER = 'try again later; if it lasts, tell the operator the time and the request id'
const RESUME =
  'bookctl reserve --resume REF finds out with the same key and body; bookctl journal lists what was tried'

export const BASE_URL_HINT = 'check that the base URL is the address of the service: bookctl whoami shows it'

const BY_CODE = {
  invalid_request:
    'send a JSON object as bookctl reserve --template prints one; --dry-run shows what is sent',
  guest_count_mismatch: 'name as many adults and children as were searched for, or search again with --room',
  nationality_mismatch: 'give the --nationality of the search, or search again with this one',
  invalid_identity_number: "check the number on the guest's document, and identity.type: TC or PASSPORT",
  idempotency_key_missing: 'add --header Idempotency-Key:UUID; bookctl reserve makes one by itself',
  idempotency_key_invalid: 'use 1 to 255 visible ASCII characters without spaces, for example a UUID',
  url_not_https:
    'give an https:// address; for a receiver on this machine: webhooks listen --tls, or sandbox start --allow-http-loopback',
  invalid_scope: 'ask for scopes that were granted to you: bookctl login --scope …',
  unsupported_grant_type: BASE_URL_HINT,
  invalid_client: 'check client id, secret and base URL, and log in again: bookctl login',
  insufficient_balance:
    'bookctl account shows the balance; top it up, or let the customer pay: --pay instant',
  insufficient_scope: 'log in with the scope as well: bookctl login --scope …',
  forbidden: 'bookctl whoami shows who you are to the service; ask the operator for access',
  offer_not_found: SEARCH_AGAIN,
  hotel_not_found: 'bookctl hotels search lists hotels; the id is in the raw offer with --json',
  tour_not_found: 'bookctl tours search lists the tours',
  reservation_not_found: FIND_RESERVATION,
  subscription_not_found: FIND_SUBSCRIPTION,
  delivery_not_found: 'bookctl sandbox deliveries lists them',
  offer_already_used: 'bookctl journal lists what was booked from here, with which offer',
  duplicate_client_reference:
    'bookctl journal shows what is booked under it; another --client-reference makes a second booking',
  price_changed: 'search again for the current price, bookctl hotels search, and bound it with --max-price',
  idempotency_in_progress: RESUME,
  reservation_not_confirmed: 'wait for it to be confirmed: bookctl voucher download REF --wait',
  already_cancelled: SHOW_RESERVATION,
  not_cancellable: `${SHOW_RESERVATION}; the operator may still cancel it`,
  not_updatable: `${SHOW_RESERVATION}; the operator may still change it`,
  payment_not_pending: SHOW_RESERVATION,
  subscription_passive: 'bookctl webhooks update ID --active makes it send again',
  offer_expired: SEARCH_AGAIN,
  rooms_unavailable: 'choose another offer: bookctl hotels search',
  idempotency_key_reused: 'bookctl journal shows what is booked with it; another key makes a second booking',
} as const satisfies Partial<Record<ErrorCode, string>>

/** What is missing or gone, by keywords in an unknown code, else in the scope of the operation; the first match wins. */
const BY_WORD: readonly (readonly [RegExp, string])[] = [
  [/offer|rate|availab|sold|hotels:read/, SEARCH_AGAIN],
  [/subscription|webhook/, FIND_SUBSCRIPTION],
  [/tour/, BY_CODE.tour_not_found],
  [/hotel|property/, BY_CODE.hotel_not_found],
  [/reservation|booking|voucher/, FIND_RESERVATION],
]

const CORRECT = 'correct the fields that are named; --dry-run shows what is sent'

const BY_STATUS: Readonly<Record<number, string>> = {
  400: CORRECT,
  401: 'log in again: bookctl login',
  402: BY_CODE.insufficient_balance,
  404: 'check the identifier in the command, and the base URL: bookctl whoami shows it',
  405: 'check method and path; bookctl sandbox openapi lists both',
  408: LATER,
  409: 'check its state before you retry, with the command that shows or lists it',
  410: 'it is gone: search or list again',
  413: 'send less at once; --dry-run shows what is sent',
  417: 'send no Expect header',
  422: CORRECT,
  429: 'too many requests: wait a moment',
  431: 'send fewer or shorter headers',
}

/** One line, for a refusal with `code` and `status` of an operation that needs `scope`. */
export function nextStep(code: string, status: number, scope = ''): string | undefined {
  const name = snakeCase(code)
  if (Object.hasOwn(BY_CODE, name)) return BY_CODE[name as keyof typeof BY_CODE]
  const isGone = status === 404 || status === 410
  const place = [name, scope].flatMap(text => BY_WORD.filter(([words]) => isGone && words.test(text)))[0]
  return place?.[1] ?? BY_STATUS[status] ?? (status < 200 || status >= 500 ? LATER : undefined)
}

/** What a hint takes from the request. */
export interface Asking {
  /** Unix seconds, for Retry-After. */
  readonly now: number
  /** What the operation needs, named where the answer does not name one itself. */
  readonly scope?: string | null | undefined
  /** The reservation or subscription that the request names. */
  readonly about?: string | undefined
}

/** The hint for a refusal, or a failure of the service, with `code`. */
export function hintFor(answer: Answer, code: string, {now, scope, about}: Asking): string | undefined {
  const {status, json} = answer
  const named = nextStep(code, status, scope ?? '')
  // The REF of `--resume REF` is a client reference.
  const step = about ? named?.replace(/(?<=(show|download|update) )(REF|ID)\b/, () => about) : named
  if (status < 200 || status >= 500 || status === 429) {
    const wait = retryAfterMilliseconds(answer, now)
    if (wait === undefined) return step
    const seconds = Math.ceil(wait / 1000)
    return `try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}`
  }
  if (status === 403) return scopeHint(answer, scope) ?? step
  return status === 404 && json === undefined ? BASE_URL_HINT : step
}

/** Names the missing scope: the one in WWW-Authenticate (RFC 6750) or the body, else that of §5. */
function scopeHint(answer: Answer, needed: Asking['scope']): string | undefined {
  const header = /\bscope="?([\w:. -]+)"?/.exec(answer.headers['www-authenticate'] ?? '')?.[1]
  const body = isObject(answer.json) ? JSON.stringify(own(answer.json, 'error') ?? answer.json) : ''
  const named = /\b(?:hotels|tours|reservations|account|content|webhooks):(?:read|write)\b/.exec(body)?.[0]
  const scope = header ?? named
  if (scope !== undefined) {
    return `log in with this scope as well: ${quoted(scope, 100, answer)} (bookctl login --scope …, or BOOKCTL_SCOPES)`
  }
  if (needed == null) return undefined
  return `this needs the scope ${needed}: bookctl login --scope ${needed}, with the others you use; the operator issues it`
}

const CHECK_PROXY = 'check HTTPS_PROXY and NO_PROXY, or use --proxy URL'

const FAULT_HINTS: Readonly<Partial<Record<ExchangeFault, string>>> = {
  dns: 'check the host name in the base URL, and DNS on this machine',
  refused: 'check the base URL, and whether the service is running',
  tls: 'if the service has its own certificate authority, add it with --ca-file FILE',
  proxy: CHECK_PROXY,
  proxy_refused: CHECK_PROXY,
  connect_timeout: 'a firewall may drop the connection: ask for access, set HTTPS_PROXY, or raise --timeout',
  timeout: 'allow more time with --timeout SECONDS',
}

/** The hint where no whole answer came. */
export function faultHint(error: ExchangeError): string | undefined {
  if (!error.isRefusedHere) return FAULT_HINTS[error.fault]
  return 'nothing listens there: is the sandbox running? start it in another terminal: bookctl sandbox start'
}
