/** What was thrown → exit code, error text, error JSON. The one place that decides (commands.md, exit table). */
import {Failure, type FailureKind, usage} from '../contract/failure.js'
import {sanitizeLine} from '../contract/foreign-text.js'
import {StorageError} from '../storage/errors.js'
import {jsonText} from './json-text.js'
import {describeParseError} from './parse-errors.js'

export const EXIT_CODES = {
  done: 0,
  unexpected: 1,
  usage: 2,
  not_allowed: 4,
  refused: 5,
  service_failed: 6,
  unreachable: 7,
  pending: 8,
  signature: 9,
  outcome_unknown: 10,
  interrupted: 130,
} as const satisfies Record<FailureKind | 'done' | 'unexpected', number>

/** A signal that lets the command tidy up before it ends. */
export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

/** What is printed with `--json` when a signal stopped the command; `hint` says how to find out what became of it. */
export function stoppedDocument(signal: StopSignal, hint: string | undefined): ErrorDocument & object {
  const code = signal === 'SIGINT' ? 'interrupted' : 'terminated'
  return {
    error: {code, message: `stopped by ${signal} before it ended`, ...(hint === undefined ? {} : {hint})},
  }
}

export interface ErrorDocument {
  readonly error: {
    readonly code: string
    readonly message: string
    readonly status?: number
    readonly request_id?: string
    readonly hint?: string
    readonly cause?: string
  }
}

const MAX_ERROR_BYTES = 4000

/** Turns anything thrown into a Failure; undefined means a defect of ours. */
function failureOf(thrown: unknown): Failure | undefined {
  if (thrown instanceof Failure) return thrown
  if (thrown instanceof StorageError) return usage(`storage_${thrown.fault}`, thrown.message, thrown.hint)
  return describeParseError(thrown)
}

/** Exit code, and what is said of it: on stdout with `--json`, else on stderr. */
export function describeFailure(thrown: unknown): {
  exit: number
  document: ErrorDocument & object
  text: string
} {
  const failure = failureOf(thrown)
  if (!failure) {
    const message = 'unexpected error, a defect of bookctl; BOOKCTL_DEBUG=1 shows where'
    return {
      exit: EXIT_CODES.unexpected,
      document: {error: {code: 'unexpected', message}},
      text: `Error: ${message}`,
    }
  }
  return {exit: EXIT_CODES[failure.kind], document: documentOf(failure), text: textOf(failure)}
}

function documentOf(failure: Failure): ErrorDocument & object {
  const {code, status, requestId, hint, reason, result} = failure.details
  const error = {
    code: cut(code, 100),
    message: cut(failure.message, 1000),
    ...(status === undefined ? {} : {status}),
    ...(requestId === undefined ? {} : {request_id: cut(requestId, 200)}),
    ...(hint === undefined ? {} : {hint: cut(hint, 800)}),
    ...(reason === undefined ? {} : {cause: cut(reason, 500)}),
  }
  const {reservation: _, ...rest} = (result ?? {}) as Record<string, unknown>
  const candidates = [
    {error, ...result},
    {error, ...rest},
  ]
  return candidates.find(document => fits(document)) ?? {error}
}

function fits(document: object): boolean {
  return Buffer.byteLength(jsonText(document, 2)) < MAX_ERROR_BYTES
}

function textOf(failure: Failure): string {
  const {reason, requestId, hint} = failure.details
  const lines = [`Error: ${failure.message}`]
  if (reason !== undefined && !failure.message.includes(reason)) lines.push(`Cause: ${reason}`)
  if (requestId !== undefined) lines.push(`Request: ${requestId}`)
  if (hint !== undefined) lines.push(`Hint: ${hint}`)
  return lines.map(line => sanitizeLine(line)).join('\n')
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`
}
