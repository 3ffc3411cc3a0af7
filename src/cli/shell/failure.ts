/** What was thrown → exit code, error text, error JSON. The one place that decides (commands.md, exit table). */
import {Failure, type FailureKind, usage} from '../../contract/failure.js'
import {sanitizeLine} from '../../contract/foreign-text.js'
import {StorageError} from '../../storage/errors.js'
import {jsonText} from '../terminal/json-text.js'

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

/** What the user should know when a signal stops the command. */
export interface StopNote {
  /** What is certain: `nothing was sent`. */
  readonly state?: string
  /** How to find out what became of it, or to go on. */
  readonly hint: string
}

/** What is printed with `--json` when a signal stopped the command. */
export function stoppedDocument(signal: StopSignal, note: StopNote | undefined): ErrorDocument & object {
  const code = signal === 'SIGINT' ? 'interrupted' : 'terminated'
  const {state, hint} = note ?? {}
  const message = `stopped by ${signal} before it ended${state === undefined ? '' : `: ${state}`}`
  return {error: {code, message, ...(hint === undefined ? {} : {hint})}}
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
const DEFECT_HINT = 'run it again with BOOKCTL_DEBUG=1 and report the output'

/** Turns anything thrown into a Failure; undefined means a defect of ours. */
function failureOf(thrown: unknown): Failure | undefined {
  if (thrown instanceof Failure) return thrown
  if (thrown instanceof StorageError) return usage(`storage_${thrown.fault}`, thrown.message, thrown.hint)
  return undefined
}

/** Exit code, and what is said of it: on stdout with `--json`, else on stderr. `service`: which one was meant, in words. */
export function describeFailure(
  thrown: unknown,
  service?: string,
): {
  exit: number
  document: ErrorDocument & object
  text: string
} {
  const failure = failureOf(thrown)
  if (!failure) {
    const message = 'internal error; this is a bug in bookctl'
    return {
      exit: EXIT_CODES.unexpected,
      document: {error: {code: 'unexpected', message, hint: DEFECT_HINT}},
      text: `Error: ${message}\nHint: ${DEFECT_HINT}`,
    }
  }
  return {exit: EXIT_CODES[failure.kind], document: documentOf(failure), text: textOf(failure, service)}
}

/** What can be done about a failure of the kind, where it does not say so itself. */
const NEXT_STEPS: Readonly<Record<FailureKind, string>> = {
  usage: 'correct it and run the command again; run with --help for usage',
  not_allowed: 'check your credentials: bookctl whoami; log in again: bookctl login',
  refused: 'change what the service objects to and run the command again; --verbose shows the exchange',
  service_failed: 'try again later; --verbose shows the exchange for support',
  unreachable: 'check the network and the base URL: bookctl whoami',
  pending: 'run the command again to keep waiting',
  signature: 'find out why: bookctl webhooks verify',
  outcome_unknown: 'check its state before you retry, with the command that lists or shows it',
  interrupted: 'nothing was sent after the interruption; run the command again to restart',
}

function hintOf({kind, details}: Failure): string {
  return details.hint ?? NEXT_STEPS[kind]
}

function documentOf(failure: Failure): ErrorDocument & object {
  const {code, status, requestId, reason, result} = failure.details
  const error = {
    code: cut(code, 100),
    message: cut(failure.message, 1000),
    ...(status === undefined ? {} : {status}),
    ...(requestId === undefined ? {} : {request_id: cut(requestId, 200)}),
    hint: cut(hintOf(failure), 800),
    ...(reason === undefined ? {} : {cause: cut(reason, 500)}),
  }
  if (failure.details.keepsResult) return {error, ...result}
  // The two that may be long.
  const {reservation: _, payment_url: __, ...rest} = (result ?? {}) as Record<string, unknown>
  const candidates = [
    {error, ...result},
    {error, ...rest},
  ]
  return candidates.find(document => fits(document)) ?? {error}
}

function fits(document: object): boolean {
  return Buffer.byteLength(jsonText(document, 2)) < MAX_ERROR_BYTES
}

/** Kinds of failure that have to do with a service. */
const OF_SERVICE: ReadonlySet<FailureKind> = new Set([
  'not_allowed',
  'refused',
  'service_failed',
  'unreachable',
  'outcome_unknown',
])

function textOf(failure: Failure, service: string | undefined): string {
  const {reason, requestId} = failure.details
  const lines = [`Error: ${failure.message}`]
  if (reason !== undefined && !failure.message.includes(reason)) lines.push(`Cause: ${reason}`)
  if (failure.details.host !== undefined) lines.push(`Host: ${failure.details.host}`)
  else if (service !== undefined && OF_SERVICE.has(failure.kind)) lines.push(`Service: ${service}`)
  if (requestId !== undefined) lines.push(`Request: ${requestId}`)
  lines.push(`Hint: ${hintOf(failure)}`)
  return lines.map(line => sanitizeLine(line)).join('\n')
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`
}
