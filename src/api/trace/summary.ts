/** An attempt in a few words, without headers and bodies: what is kept of it on this machine. */
import {sanitizeLine} from '../../contract/foreign-text.js'
import {parseJson} from '../../contract/json.js'
import {describeError, requestIdOf} from '../answers/errors.js'
import {peopleIn} from '../redact/names.js'
import {isOperation, type Redactor} from '../redact/redact.js'
import type {AttemptRecord} from '../types.js'
import {ExchangeError} from '../types.js'

export interface AttemptSummary {
  /** ISO 8601. */
  readonly at: string
  readonly method: string
  /** Without the values of its query. */
  readonly url: string
  /** Null when no answer came; then `fault` and `reason` say why. */
  readonly status: number | null
  readonly ms: number
  readonly attempt: number
  readonly request_id?: string
  readonly idempotency_key?: string
  /** The service's own word for a refusal. */
  readonly error_code?: string
  readonly fault?: string
  readonly reason?: string
}

export function summarise(record: AttemptRecord, redactor: Redactor): AttemptSummary {
  const {request, outcome, attempt} = record
  // A service may repeat a guest's name in any word of a refusal.
  const sent = request.body === undefined ? undefined : parseJson(Buffer.from(request.body))
  for (const value of peopleIn(sent)) redactor.add(value)
  const key = request.headers['idempotency-key']
  const common = {
    at: new Date(record.startedAt * 1000).toISOString(),
    method: request.method,
    url: shownUrl(redactor.url(request.url, isOperation(request)), redactor),
    ms: Math.round(record.milliseconds),
    attempt,
    ...(key === undefined ? {} : {idempotency_key: redactor.text(sanitizeLine(key, 100))}),
  }
  if (outcome instanceof ExchangeError)
    return {...common, status: null, fault: outcome.fault, reason: redactor.text(outcome.reason)}
  const json = parseJson(outcome.body)
  const id = requestIdOf({...outcome, redactor}, json)
  return {
    ...common,
    status: outcome.status,
    ...(id === undefined ? {} : {request_id: redactor.text(id)}),
    ...(outcome.status < 400 ? {} : codePart(describeError({...outcome, redactor}, json).code, redactor)),
  }
}

/** One word alone: some services give a sentence in place of a code, and it may name somebody. */
function codePart(code: string, redactor: Redactor): {error_code?: string} {
  return /^[A-Za-z][\w.:-]*$/.test(code) ? {error_code: redactor.text(code)} : {}
}

/** A person's data may stand in a path, too. */
function shownUrl(url: string, redactor: Redactor): string {
  if (!URL.canParse(url)) return redactor.text(url)
  const {origin} = new URL(url)
  const rest = url.slice(origin.length)
  try {
    return sanitizeLine(origin + redactor.text(decodeURIComponent(rest)), 1000)
  } catch {
    return sanitizeLine(origin + redactor.text(rest), 1000)
  }
}
