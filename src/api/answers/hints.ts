/** Next steps after a refusal, a failure or no answer. Unknown codes (§7 shows none) fall back to keywords, then the status. */
import type {ErrorCode} from '../../contract/error-codes.js'
import {isObject, own, snakeCase} from '../../contract/json.js'
import {MOST_KEY_LENGTH, OFFER_VALIDITY_SECONDS} from '../../contract/limits.js'
import {retryAfterMilliseconds} from '../http/send.js'
import {quoted} from '../redact/redact.js'
import type {Answer, ExchangeError} from '../types.js'
import HINTS from './hints.json' with {type: 'json'}

const SEARCH_AGAIN = `offers expire after ${OFFER_VALIDITY_SECONDS / 60} minutes and can be used once; if bookctl journal has no booking of it, search again: bookctl hotels search`

const BY_CODE: Readonly<Partial<Record<ErrorCode, string>>> = {
  ...HINTS.codes,
  offer_not_found: SEARCH_AGAIN,
  offer_expired: SEARCH_AGAIN,
  idempotency_key_invalid: `use 1 to ${MOST_KEY_LENGTH} visible ASCII characters without spaces, for example a UUID`,
}

/** What is missing or gone, by keywords in an unknown code, else in the scope of the operation; the first match wins. */
const BY_WORD: readonly (readonly [RegExp, ErrorCode])[] = [
  [/offer|rate|availab|sold|hotels:read/, 'offer_not_found'],
  [/subscription|webhook/, 'subscription_not_found'],
  [/tour/, 'tour_not_found'],
  [/hotel|property/, 'hotel_not_found'],
  [/reservation|booking|voucher/, 'reservation_not_found'],
]

/** One line, for a refusal with `code` and `status` of an operation that needs `scope`. */
export function nextStep(code: string, status: number, scope = ''): string | undefined {
  const name = snakeCase(code)
  const known = own(BY_CODE, name)
  if (known !== undefined) return known
  if (status === 404 || status === 410) {
    const [place] = [name, scope].flatMap(text => BY_WORD.filter(([words]) => words.test(text)))
    if (place) return BY_CODE[place[1]]
  }
  return (
    own<string>(HINTS.statuses, String(status)) ?? (status < 200 || status >= 500 ? HINTS.later : undefined)
  )
}

/** What a hint takes from the request. */
export interface HintContext {
  /** Unix seconds, for Retry-After. */
  readonly now: number
  /** What the operation needs, named where the answer does not name one itself. */
  readonly scope?: string | null | undefined
  /** The reservation or subscription that the request names. */
  readonly about?: string | undefined
}

/** The hint for a refusal, or a failure of the service, with `code`. */
export function hintFor(answer: Answer, code: string, {now, scope, about}: HintContext): string | undefined {
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
  return status === 404 && json === undefined ? HINTS.baseUrl : step
}

/** Names the missing scope: the one in WWW-Authenticate (RFC 6750) or the body, else that of §5. */
function scopeHint(answer: Answer, needed: HintContext['scope']): string | undefined {
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

/** The hint where no whole answer came. */
export function faultHint(error: ExchangeError): string | undefined {
  if (!error.isRefusedHere) return own<string>(HINTS.faults, error.fault)
  return 'nothing listens there: is the sandbox running? start it in another terminal: bookctl sandbox start'
}
