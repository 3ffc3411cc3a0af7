/** What is told about every attempt: lines for `--verbose`, records for `--har`. Nothing secret leaves this file. */
import {sanitizeLine} from '../contract/foreign-text.js'
import {ExchangeError, type WireAnswer, type WireRequest} from './api.js'
import {parseJson, requestIdOf} from './error-shapes.js'
import type {Redactor} from './redact.js'

/** One attempt as it was: with secrets, so it is redacted before it is shown or written. */
export interface AttemptRecord {
  readonly request: WireRequest
  /** From 1. */
  readonly attempt: number
  /** Unix seconds. */
  readonly startedAt: number
  readonly milliseconds: number
  readonly outcome: WireAnswer | ExchangeError
  /** How long the sender waits before it repeats; undefined when it does not. */
  readonly waitMilliseconds: number | undefined
}

export interface Trace {
  attempt(record: AttemptRecord): void
}

export interface TraceParts {
  readonly redactor: Redactor
  /** Takes each line of `--verbose`, without a line end. */
  readonly onLine?: (line: string) => void
  /** Whether records are kept, for `toHar`. */
  readonly keepRecords?: boolean
}

/** A trace that tells of each attempt as it ends, and keeps the records when asked to. */
export function createTrace(parts: TraceParts): Trace & {readonly records: readonly AttemptRecord[]} {
  const records: AttemptRecord[] = []
  return {
    records,
    attempt(record) {
      if (parts.keepRecords) records.push(record)
      parts.onLine?.(describeAttempt(record, parts.redactor))
    },
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
    ...requestIdPart(outcome),
    `attempt ${attempt}`,
    ...(wait === undefined ? [] : [`again in ${Math.round(wait)} ms`]),
  ]
  const line = `${request.method} ${url}: ${parts.map(part => redactor.text(part)).join(', ')}`
  return sanitizeLine(line)
}

function requestIdPart(outcome: WireAnswer | ExchangeError): string[] {
  if (outcome instanceof ExchangeError) return []
  const id = requestIdOf(outcome, parseJson(outcome.body))
  return id === undefined ? [] : [`request ${id}`]
}

/**
 * Whether a request is an operation of the service, whose path may be shown. A request without a bearer token that is
 * not one of the OAuth operations (§5.2) is a signed link, of which only the origin may.
 */
export function isOperation(request: WireRequest): boolean {
  return request.headers.authorization !== undefined || /\/oauth\/(token|revoke)$/.test(request.url)
}
