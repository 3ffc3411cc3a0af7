/** Turns an answer that is no success, or no answer at all, into a Failure with a next step. */
import {Failure, type FailureDetails} from '../../contract/failure.js'
import {sanitizeLine} from '../../contract/foreign-text.js'
import {isObject, own} from '../../contract/json.js'
import {retryAfterMilliseconds} from '../http/retry.js'
import type {Answer, ExchangeFault, SendError} from '../types.js'
import {describeError, fieldsIn, quoteBody, quoted, wordsOf} from './errors.js'
import {nextStep} from './next-steps.js'

/**
 * The Failure for an answer that is not a success. `now` is Unix seconds, for Retry-After; `scope` is what the operation
 * needs, named where the answer does not name one itself.
 */
export function refusalOf(answer: Answer, now: number, scope?: string | null): Failure {
  const {status} = answer
  if (status >= 300 && status < 400) return redirected(answer)
  if (status < 200 || status >= 500) return serviceFailed(answer, now)
  const {code, requestId} = describeError(answer, answer.json)
  const fields = fieldsIn(answer)
  const details = {
    ...detailsOf(code, status, requestId, hintFor(answer, code, now, scope ?? undefined)),
    ...(fields.length === 0 ? {} : {fields}),
  }
  const said = saidIn(answer) ?? (status === 429 ? 'too many requests (429)' : `no reason given (${status})`)
  if (status === 401) return new Failure('not_allowed', `not authenticated: ${said}`, details)
  if (status === 403) return new Failure('not_allowed', `not allowed: ${said}`, details)
  return new Failure('refused', `the service refused: ${said}`, details)
}

/** The Failure for a success whose body is not what was promised. */
export function notUnderstood(answer: Answer, problem: string): Failure {
  return incomprehensible(answer, problem, quoteUnlessJson(answer))
}

/** The Failure for a success without `what`: an account, a list. What is there instead is quoted. */
export function holdsNo(answer: Answer, what: string): Failure {
  return incomprehensible(answer, `it holds no ${what}`, quoteBody(answer))
}

function incomprehensible(answer: Answer, problem: string, quote: string | undefined): Failure {
  return new Failure(
    'service_failed',
    `the service's answer cannot be understood: ${problem}${quote === undefined ? '' : `: ${quote}`}`,
    detailsOf('answer_not_understood', answer.status, answer.requestId, BASE_URL_HINT),
  )
}

/** Who did not answer, where that is not the service itself. */
export interface Elsewhere {
  /** As a sentence begins: `the host of the voucher's link`. */
  readonly name: string
  readonly host: string
  readonly hint: string
}

/**
 * The Failure for no whole answer. `changes` says whether the request would change something: then a lost answer
 * leaves the outcome unknown.
 */
export function unanswered(error: SendError, changes: boolean, elsewhere?: Elsewhere): Failure {
  const {fault, reason} = error.last
  const who = elsewhere === undefined ? 'the service' : `${elsewhere.name}, ${elsewhere.host},`
  const details = {
    ...{code: fault, reason, ...hinted(elsewhere?.hint ?? faultHint(fault))},
    ...(elsewhere === undefined ? {} : {host: elsewhere.host}),
  }
  const times = error.attempts > 1 ? ` (${error.attempts} attempts)` : ''
  if (changes && error.mayHaveActed) {
    return new Failure(
      'outcome_unknown',
      `the answer was lost, so it may have been done: ${reason}${times}`,
      details,
    )
  }
  if (fault === 'cut' || fault === 'too_large' || fault === 'protocol') {
    return new Failure(
      'service_failed',
      elsewhere === undefined
        ? `the service's answer cannot be understood: ${reason}${times}`
        : `${who} gave no answer that can be understood: ${reason}${times}`,
      details,
    )
  }
  return new Failure('unreachable', `${who} cannot be reached: ${reason}${times}`, details)
}

const BASE_URL_HINT = 'check that the base URL is the address of the service: bookctl whoami shows it'

function redirected(answer: Answer): Failure {
  return new Failure(
    'service_failed',
    `the service answered with ${redirectIn(answer)}, which is never followed`,
    detailsOf(
      'redirected',
      answer.status,
      answer.requestId,
      'set the base URL to the address the service has now',
    ),
  )
}

/** `a redirect (302) to https://elsewhere.example`; undefined when the answer is none. */
export function redirectIn({status, headers}: Pick<Answer, 'status' | 'headers'>): string | undefined {
  if (status < 300 || status > 399) return undefined
  return `a redirect (${status})${originOf(headers.location)}`
}

/** Where a Location leads, without its path, which may open something by itself. */
function originOf(location: string | undefined): string {
  if (location === undefined || location === '') return ', without saying where to'
  if (!URL.canParse(location)) return ' to another path of its own'
  const {origin} = new URL(location)
  return origin === 'null' ? ' to what is no address of the web' : ` to ${sanitizeLine(origin, 200)}`
}

function serviceFailed(answer: Answer, now: number): Failure {
  const {code, requestId} = describeError(answer, answer.json)
  const said = saidIn(answer)
  return new Failure(
    'service_failed',
    `the service failed with status ${answer.status}${said === undefined ? '' : `: ${said}`}`,
    detailsOf(
      code,
      answer.status,
      requestId,
      waitHint(answer, now) ?? nextStep(code, answer.status, undefined) ?? 'try again later',
    ),
  )
}

function detailsOf(
  code: string,
  status: number,
  requestId: string | undefined,
  hint: string | undefined,
): FailureDetails {
  return {code, status, ...(requestId === undefined ? {} : {requestId}), ...hinted(hint)}
}

function hinted(hint: string | undefined): {hint?: string} {
  return hint === undefined ? {} : {hint}
}

function hintFor(answer: Answer, code: string, now: number, scope: string | undefined): string | undefined {
  const step = nextStep(code, answer.status, scope)
  if (answer.status === 401) return step ?? 'log in again with: bookctl login'
  if (answer.status === 403) return scopeHint(answer, scope) ?? step
  if (answer.status === 429) return waitHint(answer, now) ?? step ?? 'too many requests: wait a moment'
  if (answer.status === 404 && answer.json === undefined) return BASE_URL_HINT
  return step
}

function waitHint(answer: Answer, now: number): string | undefined {
  const wait = retryAfterMilliseconds(answer, now)
  return wait === undefined ? undefined : `try again in ${Math.ceil(wait / 1000)} seconds`
}

/** Names the scope that is missing: as the answer does, in WWW-Authenticate (RFC 6750) or its body, else as §5 does. */
function scopeHint(answer: Answer, needed: string | undefined): string | undefined {
  const header = /\bscope="?([\w:. -]+)"?/.exec(answer.headers['www-authenticate'] ?? '')?.[1]
  const scope = header ?? scopeInBody(answer.json)
  if (scope !== undefined) {
    const named = quoted(scope, 100, answer)
    return `log in with this scope as well: ${named} (bookctl login --scope …, or BOOKCTL_SCOPES)`
  }
  if (needed === undefined) return undefined
  return `this needs the scope ${needed}: bookctl login --scope ${needed}, with the others you use; the operator issues it`
}

function scopeInBody(json: unknown): string | undefined {
  const text = isObject(json) ? JSON.stringify(own(json, 'error') ?? json) : ''
  return /\b(?:hotels|tours|reservations|account|content|webhooks):(?:read|write)\b/.exec(text)?.[0]
}

function faultHint(fault: ExchangeFault): string | undefined {
  switch (fault) {
    case 'dns':
    case 'refused':
      return 'check the base URL and the network'
    case 'tls':
      return 'if the service has its own authority, name its certificate with --ca-file FILE'
    case 'proxy':
    case 'proxy_refused':
      return 'check HTTPS_PROXY and NO_PROXY'
    case 'connect_timeout':
    case 'timeout':
      return 'allow more time with --timeout SECONDS'
    default:
      return undefined
  }
}

/** What the service said, or the beginning of what it sent where that is no JSON; undefined when it said nothing. */
export function saidIn(answer: Answer): string | undefined {
  return wordsOf(answer) ?? quoteUnlessJson(answer)
}

function quoteUnlessJson(answer: Answer): string | undefined {
  return answer.json === undefined ? quoteBody(answer) : undefined
}
