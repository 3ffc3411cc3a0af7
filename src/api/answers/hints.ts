/**
 * Returns hints for the next step after an error. An unknown code falls back to keywords in it, then to the status,
 * because §7 lists no codes.
 */
import type {ErrorCode} from '../../contract/error-codes.js'
import {isObject, own, snakeCase} from '../../contract/json.js'
import {MOST_KEY_LENGTH, OFFER_VALIDITY_SECONDS} from '../../contract/limits.js'
import {retryAfterMilliseconds} from '../http/send.js'
import {quoted} from '../redact/redact.js'
import type {Answer, ExchangeError} from '../types.js'
import HINTS from './hints.json' with {type: 'json'}
import {missingScope} from './scopes.js'

const SEARCH_AGAIN = `offers expire after ${OFFER_VALIDITY_SECONDS / 60} minutes and can be used once; if bookctl journal has no booking of it, search again: bookctl hotels search`

const BY_CODE: Readonly<Partial<Record<ErrorCode, string>>> = {
  ...HINTS.codes,
  offer_not_found: SEARCH_AGAIN,
  offer_expired: SEARCH_AGAIN,
  idempotency_key_invalid: `use 1 to ${MOST_KEY_LENGTH} visible ASCII characters without spaces, for example a UUID`,
}

/**
 * Keywords that show which kind of record is missing. They are matched in the code first, then in the scope; the first
 * match wins.
 */
const BY_WORD: readonly (readonly [RegExp, ErrorCode])[] = [
  [/offer|rate|availab|sold|hotels:read/, 'offer_not_found'],
  [/subscription|webhook/, 'subscription_not_found'],
  [/tour/, 'tour_not_found'],
  [/hotel|property/, 'hotel_not_found'],
  [/reservation|booking|voucher/, 'reservation_not_found'],
]

/**
 * Returns a one-line hint for an error answer with this code and status, or undefined. `scope` is the scope that the
 * operation needs.
 */
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

/** Facts about the request that a hint may mention. */
export interface HintContext {
  /** Unix seconds, to convert a Retry-After with a date. */
  readonly now: number
  /** The scope that the operation needs. The hint names it if the answer does not name a scope. */
  readonly scope?: string | null | undefined
  /** The reference of the reservation, or the id of the subscription, in the request. */
  readonly about?: string | undefined
}

/** Maximum length of a hint in UTF-16 units, because a service may name scopes of any length. */
const MOST_HINT_LENGTH = 600

/** Returns the hint for an error answer with `code`. */
export function hintFor(answer: Answer, code: string, {now, scope, about}: HintContext): string | undefined {
  const {status, json} = answer
  const named = nextStep(code, status, scope ?? '')
  // `--resume REF` is not replaced, because its REF is a client reference.
  const step = about ? named?.replace(/(?<=(show|download|update) )(REF|ID)\b/, () => about) : named
  if (status < 200 || status >= 500 || status === 429) {
    const wait = retryAfterMilliseconds(answer, now)
    if (wait === undefined) return step
    const seconds = Math.ceil(wait / 1000)
    return `try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}`
  }
  if (status === 403) return scopeHint(answer, code, scope) ?? step
  return status === 404 && json === undefined ? HINTS.baseUrl : step
}

/**
 * Says which scope is missing: the one in WWW-Authenticate (RFC 6750), else in the body, else the one that the
 * operation needs (§5).
 */
function scopeHint(answer: Answer, code: string, needed: HintContext['scope']): string | undefined {
  const header = /\bscope="?([\w:. -]+)"?/.exec(answer.headers['www-authenticate'] ?? '')?.[1]
  const body = isObject(answer.json) ? JSON.stringify(own(answer.json, 'error') ?? answer.json) : ''
  const named = /\b(?:hotels|tours|reservations|account|content|webhooks):(?:read|write)\b/.exec(body)?.[0]
  const [only, ...others] = answer.grant?.needed ?? []
  const ofOperation = needed ?? (others.length === 0 ? only : undefined)
  const scope = header ?? named ?? ofOperation
  if (scope === undefined) return undefined
  const isNamed = scope !== ofOperation || snakeCase(code) === 'insufficient_scope'
  const words = missingScope(scope.trim(), answer.grant, isNamed)
  return words === undefined ? undefined : quoted(words, MOST_HINT_LENGTH, answer)
}

/** Returns the hint for a request that got no complete answer, or undefined. */
export function faultHint(error: ExchangeError): string | undefined {
  if (!error.isRefusedHere) return own<string>(HINTS.faults, error.fault)
  return 'nothing listens there: is the sandbox running? start it in another terminal: bookctl sandbox start'
}
