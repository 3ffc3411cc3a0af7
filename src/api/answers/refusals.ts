/**
 * Reads error answers of any shape (§7 shows none) and turns them into a Failure with a hint. Does the same for
 * requests that got no answer. Every quotation passes through `quoted`, because a service may echo secrets of the
 * request.
 */

import {Failure} from '../../contract/failure.js'
import {parseUrl, sanitizeLine} from '../../contract/foreign-text.js'
import {
  type Fields,
  fieldsOf,
  firstObject,
  firstText,
  isObject,
  type JsonObject,
  own,
  parseJson,
  textOf,
  whyNotJson,
} from '../../contract/json.js'
import {isSuccess} from '../../contract/operations.js'
import {mayHaveActed} from '../http/send.js'
import {type EchoOf, quoted, quotedUrl} from '../redact/redact.js'
import {type Answer, SendError, type SentAnswer, type WireAnswer} from '../types.js'
import {textIn} from './facts.js'
import {faultHint, type HintContext, hintFor} from './hints.js'
import HINTS from './hints.json' with {type: 'json'}
import {ERROR} from './vocabulary.js'

/**
 * Returns the Failure for an answer that reports an error or cannot be read, else undefined. `changes` says that the
 * request changes something; its answer may have an empty body (204).
 */
export function failureIn(answer: Answer, changes: boolean, context: HintContext): Failure | undefined {
  const {status, json, body} = answer
  if (!isSuccess(answer)) {
    if (!changes || !mayHaveActed(answer)) return refusalOf(answer, context)
    return mayBeDone(answer, redirectIn(answer) ?? `status ${status}`)
  }
  if (json !== undefined) return errorInAnswer(answer)
  if (!changes) return notUnderstood(answer, whyNotJson(body))
  return body.length === 0 ? undefined : mayBeDone(answer, 'something that is not JSON')
}

/** Returns the Failure for a change whose answer neither confirms nor denies it. `what` describes the answer. */
export function mayBeDone(answer: Answer, what: string): Failure {
  const words = wordsOf(answer)
  return outcomeUnknown(answer, `${what}, so it may have been done${words === undefined ? '' : `: ${words}`}`)
}

export function outcomeUnknown(answer: Answer, what: string, more: {result?: object} = {}): Failure {
  const {status, requestId} = answer
  const details = {code: 'outcome_unknown', status, requestId, ...more}
  return new Failure('outcome_unknown', `the service answered with ${what}`, details)
}

/** Returns the Failure for an answer outside 2xx. */
export function refusalOf(answer: Answer, context: HintContext): Failure {
  const {status, requestId} = answer
  const redirect = redirectIn(answer)
  if (redirect !== undefined) {
    const message = `the service answered with ${redirect}, which is never followed`
    const hint = 'set the base URL to the address the service has now'
    return new Failure('service_failed', message, {code: 'redirected', status, requestId, hint})
  }
  const {code} = describeError(answer)
  const words = wordsOf(answer) ?? quoteUnlessJson(answer)
  const hint = hintFor(answer, code, context)
  if (status < 200 || status >= 500) {
    const message = `the service failed with status ${status}${words === undefined ? '' : `: ${words}`}`
    return new Failure('service_failed', message, {code, status, requestId, hint})
  }
  const fields = complaintsIn(answer)
    .map(complaint => complaint.split(': ', 1)[0] ?? '')
    .filter(field => /^[\w./[\]-]{1,80}$/.test(field))
  const details = {code, status, requestId, hint, ...(fields.length > 0 && {fields})}
  const why = words ?? (status === 429 ? 'too many requests (429)' : `no reason given (${status})`)
  if (status === 401) return new Failure('not_allowed', `not authenticated: ${why}`, details)
  if (status === 403) return new Failure('not_allowed', `not allowed: ${why}`, details)
  return new Failure('refused', `the service refused: ${why}`, details)
}

/** Returns the Failure for a 2xx answer whose body cannot be understood. */
export function notUnderstood(answer: Answer, problem: string, quote = quoteUnlessJson(answer)): Failure {
  const {status, requestId} = answer
  const message = `the service's answer cannot be understood: ${problem}${quote === undefined ? '' : `: ${quote}`}`
  const details = {code: 'answer_not_understood', status, requestId, hint: HINTS.baseUrl}
  return new Failure('service_failed', message, details)
}

/** Returns the Failure for a 2xx answer that lacks `what`, such as an account or a list. The message quotes the body. */
export function holdsNo(answer: Answer, what: string): Failure {
  return notUnderstood(answer, `it holds no ${what}`, quoteBody(answer))
}

/** A host that is not the service itself, for messages about a request that it did not answer. */
export interface Elsewhere {
  /** The host in words, which begin the message: `the host of the voucher's link`. */
  readonly name: string
  readonly host: string
  readonly hint: string
}

/**
 * Returns a handler for `catch` that turns a SendError into its Failure, as `unanswered` does. It rethrows any other
 * error.
 */
export function throwUnanswered(changes: boolean, elsewhere?: Elsewhere): (error: unknown) => never {
  return error => {
    throw error instanceof SendError ? unanswered(error, changes, elsewhere) : error
  }
}

/**
 * Returns the Failure for a request without a complete answer. If the request changes something and may have arrived,
 * the Failure says that the outcome is unknown. `elsewhere` is the host, if it is not the service.
 */
export function unanswered(error: SendError, changes: boolean, elsewhere?: Elsewhere): Failure {
  const {fault, reason} = error.last
  const details = {
    code: fault,
    reason,
    hint: elsewhere?.hint ?? faultHint(error.last),
    host: elsewhere?.host,
    nothingListens: error.last.isRefusedHere && elsewhere === undefined,
  }
  const what = `${reason}${error.attempts > 1 ? ` (${error.attempts} attempts)` : ''}`
  if (changes && error.mayHaveActed)
    return new Failure('outcome_unknown', `the answer was lost, so it may have been done: ${what}`, details)
  const who = elsewhere && `${elsewhere.name}, ${elsewhere.host},`
  if (fault !== 'cut' && fault !== 'too_large' && fault !== 'protocol')
    return new Failure('unreachable', `${who ?? 'the service'} cannot be reached: ${what}`, details)
  const problem = who
    ? `${who} gave no answer that can be understood`
    : "the service's answer cannot be understood"
  return new Failure('service_failed', `${problem}: ${what}`, details)
}

/**
 * Describes a redirect: `a redirect (302) to https://elsewhere.example`. The path is left out, because it may be a
 * secret link. Returns undefined for an answer that is not a redirect.
 */
export function redirectIn(answer: Pick<Answer, 'status' | 'headers' | 'url'>): string | undefined {
  const {status, headers, url} = answer
  if (status < 300 || status > 399) return undefined
  const redirect = `a redirect (${status})`
  if (!headers.location) return `${redirect}, without saying where to`
  // The location is resolved as a browser does it: `//host/path` and `/\\host` name another host.
  const origin = parseUrl(headers.location, url)?.origin
  if (origin === undefined || origin === 'null') return `${redirect} to what is no address of the web`
  if (origin === new URL(url).origin) return `${redirect} to another path of its own`
  return `${redirect} to ${sanitizeLine(origin, 200)}`
}

function quoteUnlessJson(answer: Answer): string | undefined {
  return answer.json === undefined ? quoteBody(answer) : undefined
}

/** An answer, and the secrets of its request, which the answer may repeat. */
type EchoingAnswer = WireAnswer & EchoOf

/** Maximum length of a quotation in UTF-16 units, by kind of field. Not in the interface. */
const QUOTE_LIMITS = {code: 80, message: 500, body: 200, detail: 200, fact: 80, id: 100} as const
const MOST_DETAILS = 3
/** Far more bytes than are quoted, because a secret is redacted only if all of it was read. */
const MOST_BYTES_READ = 16_384

/**
 * Returns the error code, message and request id of an error answer, sanitised for a terminal. The code is
 * `http_<status>` if the service sent none. Never throws.
 */
export function describeError(answer: EchoingAnswer) {
  const json = parseJson(answer.body)
  const [error, first, body] = errorPlaces(json)
  const bare = isObject(json) ? own(json, 'error') : undefined
  const code = textOf(error.get('code'), bare) ?? textIn(first, ERROR.codeInList) ?? textIn(body, ERROR.code)
  const message =
    textOf(error.get('message'), body.get('error_description')) ??
    textIn(first, ERROR.message) ??
    textIn(body, ERROR.message)
  const rest = {
    message: message === null ? undefined : quoted(message, QUOTE_LIMITS.message, answer),
    requestId: requestIdOf(answer),
  }
  if (code === null) return {code: `http_${answer.status}`, ...rest}
  // The code may be a URL (RFC 9457), whose path identifies the error.
  const isAddress = /^https?:/i.test(code) && parseUrl(code) !== undefined
  return {
    code: isAddress ? quotedUrl(code, answer, QUOTE_LIMITS.code) : quoted(code, QUOTE_LIMITS.code, answer),
    ...rest,
  }
}

/**
 * Returns the fields of the objects that may describe an error: `error`, the first of `errors`, and the body itself.
 */
function errorPlaces(json: unknown): [error: Fields, first: Fields, body: Fields] {
  const body = fieldsOf(json)
  const errors = body.get('errors')
  const first = Array.isArray(errors) ? errors[0] : undefined
  const firstFields = fieldsOf(typeof first === 'string' ? {message: first} : firstObject(first))
  return [fieldsOf(firstObject(body.get('error'))), firstFields, body]
}

/** Returns the request id of an answer, from its header or its body, sanitised, or undefined. */
export function requestIdOf(answer: EchoingAnswer): string | undefined {
  const [error, first, body] = errorPlaces(parseJson(answer.body))
  const places = [body, error, fieldsOf(firstObject(body.get('meta'))), first]
  const id = firstText([answer.headers['x-request-id'], ...places.map(place => place.get('request_id'))])
  return id === undefined ? undefined : quoted(id, QUOTE_LIMITS.id, answer)
}

/** Adds the parsed JSON and the request id to an answer. */
export function readAnswer(answer: SentAnswer): Answer {
  return {...answer, json: parseJson(answer.body), requestId: requestIdOf(answer)}
}

/** Returns the start of the body as one sanitised line of at most 200 characters, or undefined if the body is empty. */
export function quoteBody(answer: EchoingAnswer): string | undefined {
  const text = new TextDecoder().decode(answer.body.subarray(0, MOST_BYTES_READ))
  const line = quoted(text.replace(/\s+/g, ' ').trim(), QUOTE_LIMITS.body, answer)
  return line === '' ? undefined : line
}

/**
 * Returns the reason that the service gives, for people: its message or code, and the fields to correct. The text is
 * sanitised and has at most about 1300 characters.
 */
export function wordsOf(answer: Answer): string | undefined {
  const {code, message} = describeError(answer)
  const words = message ?? (code === `http_${answer.status}` ? undefined : code)
  const facts = factsIn(answer).filter(fact => !words?.includes(fact))
  if (facts.length === 0) return words
  return words === undefined ? facts.join('; ') : `${words} (${facts.join('; ')})`
}

/**
 * Returns facts in an error answer as texts: the fields that it complains about, the reservation, amounts and prices.
 */
function factsIn(answer: Answer): string[] {
  const [error, , body] = errorPlaces(answer.json)
  /** Returns the text under one of the names, or the amount if the value is a price. */
  const fact = (names: readonly string[]) => {
    const values = [error, body].flatMap(place => names.map(name => place.get(name)))
    const text = firstText(values.flatMap(value => (isObject(value) ? [value.total, value.amount] : [value])))
    return text === undefined ? undefined : quoted(text, QUOTE_LIMITS.fact, answer)
  }
  const facts = complaintsIn(answer)
  const reference = fact(['reservation_ref'])
  if (reference) facts.push(`reservation ${reference}`)
  const currency = fact(['currency'])
  const unit = currency === undefined ? '' : ` ${currency}`
  const needed = fact(ERROR.needed)
  const available = fact(ERROR.available)
  if (needed && available) facts.push(`needed ${needed}, available ${available}${unit}`)
  const before = fact(ERROR.old)
  const now = fact(ERROR.new)
  if (before && now) facts.push(`was ${before}, now ${now}${unit}`)
  return facts
}

/** Returns `field: problem` for the first fields of the request that the answer complains about. */
function complaintsIn(answer: Answer): string[] {
  const [error, , body] = errorPlaces(answer.json)
  const complaints: string[] = []
  for (const details of [error, body].flatMap(place => ERROR.details.map(name => place.get(name)))) {
    // The details are either a list of objects that each name a field, or an object with the fields as keys.
    const isList = Array.isArray(details)
    const entries = isList ? details.entries() : Object.entries(isObject(details) ? details : {})
    for (const [name, detail] of entries) {
      if (complaints.length === MOST_DETAILS) break
      const fields = fieldsOf(detail)
      const field = isList ? textIn(fields, ERROR.field) : String(name)
      const problem = isList ? textIn(fields, ERROR.problem) : firstText([detail].flat())
      if (field !== null && typeof problem === 'string')
        complaints.push(quoted(`${field}: ${problem}`, QUOTE_LIMITS.detail, answer))
    }
  }
  return [...new Set(complaints)]
}

/**
 * Returns the Failure for a 2xx answer whose body reports an error (`{"success": false}`) and has no other content.
 * Returns undefined for any other answer.
 */
export function errorInAnswer(answer: Answer): Failure | undefined {
  const {json, status, requestId} = answer
  if (!isObject(json)) return undefined
  if (!reportsError(json)) return undefined
  const facts = Object.entries(json).filter(([name]) => name === 'data' || !ERROR.aboutAnswer.test(name))
  if (facts.some(([, value]) => says(value))) return undefined
  const {code} = describeError(answer)
  const words = wordsOf(answer) ?? 'without saying why'
  return new Failure('service_failed', `the service answered ${status} with an error: ${words}`, {
    code: code === `http_${status}` ? 'error_in_answer' : code,
    status,
    requestId,
  })
}

/** Reports whether an object in a 2xx answer says that there was an error. Its other fields are then unreliable. */
export function reportsError(value: JsonObject): boolean {
  return [...fieldsOf(value)].some(([name, field]) => {
    if (ERROR.successFlags.includes(name)) return field === false
    // `error_code: "0"` reports no error.
    const isNone = typeof field === 'string' && /^\s*(0*|none|null|false|ok|success)\s*$/i.test(field)
    return ERROR.report.test(name) && says(field) && !isNone
  })
}

/** Reports whether a field has a value. `null`, `[]`, `false` and the like are no value. */
function says(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  if (isObject(value)) return Object.keys(value).length > 0
  return value !== undefined && value !== null && value !== '' && value !== false && value !== 0
}
