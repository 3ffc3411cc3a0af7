/** What is told about every attempt: lines for `--verbose`, records for `--har`. Nothing secret leaves this file. */

import {sanitizeLine} from '../../contract/foreign-text.js'
import {parseJson} from '../../contract/json.js'
import {requestIdOf} from '../answers/errors.js'
import {createRedactor, isOperation, type Redactor} from '../redact/redact.js'
import {secretsIn} from '../redact/secrets-in.js'
import {type AttemptRecord, ExchangeError, type Trace, type WireAnswer} from '../types.js'
import {describeBodies} from './bodies.js'
import {curlLine} from './curl.js'
import {toHar} from './har.js'
import {type AttemptSummary, summarise} from './summary.js'

export interface TraceParts {
  /** Takes each line of `--verbose`, without a line end. */
  readonly show?: (line: string) => void
  /** Whether `show` also takes headers and bodies, as `-vv` asks. */
  readonly bodies?: boolean
  /** Takes a line for the shell of each request, as `--print-curl` asks. */
  readonly showCurl?: (line: string) => void
  /** Takes what is kept of each attempt on this machine. */
  readonly note?: (summary: AttemptSummary) => void
  /** Whether records are kept, for `har`. */
  readonly keep?: boolean
  readonly redactor?: Redactor
  /** Told to the redactor beforehand. */
  readonly secrets?: readonly string[]
}

export interface TraceBook extends Trace {
  /** The HAR document of the records kept; `version` is bookctl's. */
  har(version: string): object
}

/** A trace that tells of each attempt as it ends, and keeps the records when asked to. */
export function createTrace(parts: TraceParts): TraceBook {
  const redactor = parts.redactor ?? createRedactor()
  for (const secret of parts.secrets ?? []) redactor.add(secret)
  const records: AttemptRecord[] = []
  return {
    attempt(record) {
      for (const secret of secretsIn(record.request, record.outcome)) redactor.add(secret)
      if (parts.keep) records.push(record)
      parts.note?.(summarise(record, redactor))
      parts.showCurl?.(curlLine(record.request, redactor))
      parts.show?.(describeAttempt(record, redactor))
      if (parts.show && parts.bodies) for (const line of describeBodies(record, redactor)) parts.show(line)
    },
    har: version => toHar(records, {creator: {name: 'bookctl', version}, redactor}),
  }
}

/** `GET https://host/v1/account: 200 in 41 ms, request req_1, attempt 1`. One line, redacted and sanitised. */
export function describeAttempt(record: AttemptRecord, redactor: Redactor): string {
  const {request, outcome, attempt} = record
  const url = redactor.url(request.url, isOperation(request))
  const time = `in ${Math.round(record.milliseconds)} ms`
  const wait = record.waitMilliseconds
  const parts = [
    outcome instanceof ExchangeError
      ? `${outcome.fault} ${time} (${outcome.reason})`
      : `${outcome.status} ${time}`,
    ...requestIdPart(outcome, redactor),
    `attempt ${attempt}`,
    ...(wait === undefined ? [] : [`again in ${Math.round(wait)} ms`]),
  ]
  const line = `${request.method} ${url}: ${parts.map(part => redactor.text(part)).join(', ')}`
  return sanitizeLine(line)
}

/** Redacted before it is cut: half a secret would not be known for one. */
function requestIdPart(outcome: WireAnswer | ExchangeError, redactor: Redactor): string[] {
  if (outcome instanceof ExchangeError) return []
  const id = requestIdOf({...outcome, redactor}, parseJson(outcome.body))
  return id === undefined ? [] : [`request ${id}`]
}
