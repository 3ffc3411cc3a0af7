/** Turns an answer that is no success, or no answer at all, into a Failure with a next step. */
import {isSuccess} from '../../contract/error-codes.js'
import {Failure} from '../../contract/failure.js'
import {parseUrl, sanitizeLine} from '../../contract/foreign-text.js'
import {whyNotJson} from '../../contract/json.js'
import {mayHaveActed} from '../http/retry.js'
import {type Answer, SendError} from '../types.js'
import {describeError, errorInAnswer, fieldsIn, quoteBody, wordsOf} from './errors.js'
import {type Asking, BASE_URL_HINT, faultHint, hintFor} from './hints.js'

/** The Failure of an answer that is no success or cannot be read; a change may be answered with nothing (204). */
export function failureIn(answer: Answer, changes: boolean, asking: Asking): Failure | undefined {
  const {status, json, body} = answer
  if (!isSuccess(answer)) {
    if (!changes || !mayHaveActed(answer)) return refusalOf(answer, asking)
    return mayBeDone(answer, redirectIn(answer) ?? `status ${status}`)
  }
  if (json !== undefined) return errorInAnswer(answer)
  if (!changes) return notUnderstood(answer, whyNotJson(body))
  return body.length === 0 ? undefined : mayBeDone(answer, 'something that is not JSON')
}

/** The Failure of a change that was answered with `what`, and may have been made. */
export function mayBeDone(answer: Answer, what: string): Failure {
  const words = wordsOf(answer)
  return outcomeUnknown(answer, `${what}, so it may have been done${words === undefined ? '' : `: ${words}`}`)
}

export function outcomeUnknown(answer: Answer, what: string, more: {result?: object} = {}): Failure {
  const {status, requestId} = answer
  const details = {code: 'outcome_unknown', status, requestId, ...more}
  return new Failure('outcome_unknown', `the service answered with ${what}`, details)
}

/** The Failure for an answer that is not a success. */
export function refusalOf(answer: Answer, asking: Asking): Failure {
  const {status, requestId} = answer
  const redirect = redirectIn(answer)
  if (redirect !== undefined) {
    const message = `the service answered with ${redirect}, which is never followed`
    const hint = 'set the base URL to the address the service has now'
    return new Failure('service_failed', message, {code: 'redirected', status, requestId, hint})
  }
  const {code} = describeError(answer)
  const words = wordsOf(answer) ?? quoteUnlessJson(answer)
  const hint = hintFor(answer, code, asking)
  if (status < 200 || status >= 500) {
    const message = `the service failed with status ${status}${words === undefined ? '' : `: ${words}`}`
    return new Failure('service_failed', message, {code, status, requestId, hint})
  }
  const fields = fieldsIn(answer)
  const details = {code, status, requestId, hint, ...(fields.length > 0 && {fields})}
  const why = words ?? (status === 429 ? 'too many requests (429)' : `no reason given (${status})`)
  if (status === 401) return new Failure('not_allowed', `not authenticated: ${why}`, details)
  if (status === 403) return new Failure('not_allowed', `not allowed: ${why}`, details)
  return new Failure('refused', `the service refused: ${why}`, details)
}

/** The Failure for a success whose body is not what was promised. */
export function notUnderstood(answer: Answer, problem: string, quote = quoteUnlessJson(answer)): Failure {
  const {status, requestId} = answer
  const message = `the service's answer cannot be understood: ${problem}${quote === undefined ? '' : `: ${quote}`}`
  const details = {code: 'answer_not_understood', status, requestId, hint: BASE_URL_HINT}
  return new Failure('service_failed', message, details)
}

/** The Failure for a success without `what`: an account, a list. What is there instead is quoted. */
export function holdsNo(answer: Answer, what: string): Failure {
  return notUnderstood(answer, `it holds no ${what}`, quoteBody(answer))
}

/** The host that did not answer, where that is not the service. */
export interface Elsewhere {
  /** As a sentence begins: `the host of the voucher's link`. */
  readonly name: string
  readonly host: string
  readonly hint: string
}

/** For `catch`: throws the Failure of a SendError, and any other error as it is. */
export function throwUnanswered(changes: boolean, elsewhere?: Elsewhere): (error: unknown) => never {
  return error => {
    throw error instanceof SendError ? unanswered(error, changes, elsewhere) : error
  }
}

/** The Failure for no whole answer. Where the request `changes` something, a lost answer leaves the outcome unknown. */
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

/** `a redirect (302) to https://elsewhere.example`; undefined for any other answer. */
export function redirectIn({
  status,
  headers,
  url,
}: Pick<Answer, 'status' | 'headers' | 'url'>): string | undefined {
  if (status < 300 || status > 399) return undefined
  return `a redirect (${status})${destinationOf(headers.location, new URL(url))}`
}

/** Where a Location leads from `asked`, without its path, which may open something by itself. */
function destinationOf(location: string | undefined, asked: URL): string {
  if (location === undefined || location === '') return ', without saying where to'
  // Read as a client would that follows it: `//host/path` and `/\\host` are other hosts.
  const origin = parseUrl(location, asked.href)?.origin
  if (origin === undefined || origin === 'null') return ' to what is no address of the web'
  return origin === asked.origin ? ' to another path of its own' : ` to ${sanitizeLine(origin, 200)}`
}

function quoteUnlessJson(answer: Answer): string | undefined {
  return answer.json === undefined ? quoteBody(answer) : undefined
}
