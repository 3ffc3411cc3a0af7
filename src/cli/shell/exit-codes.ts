/** Converts a thrown error to an exit code, an error text and an error document. */
import {Failure, type FailureKind} from '../../contract/failure.js'
import {sanitizeLine} from '../../contract/foreign-text.js'
import {StorageError} from '../../storage/errors.js'
import {jsonText} from '../terminal/json-text.js'
import {FILES_MISSING, SIGNAL_EXITS} from './running.js'

/** The exit codes, in one table: one for each kind of failure, and one for success. */
export const EXITS = {
  done: {code: 0, meaning: 'done'},
  unexpected: {
    code: 1,
    meaning:
      'internal error: a bug in bookctl; or files of it are missing, or the result could not be written',
    hint: 'run it again with BOOKCTL_DEBUG=1 and report the output',
  },
  usage: {
    code: 2,
    meaning: 'usage error: refused before any request',
    hint: 'correct it and run the command again; run with --help for usage',
  },
  not_as_agreed: {
    code: 3,
    meaning:
      'done in part, or not as agreed: a reservation is made at another price or in another currency; or a check found a problem (explain, webhooks events missing, sandbox certify)',
    hint: 'the result says what was agreed and what was booked: check it before you go on',
  },
  not_allowed: {
    code: 4,
    meaning: 'not authenticated or not allowed (401, 403, a missing scope)',
    hint: 'check your credentials: bookctl whoami; log in again: bookctl login',
  },
  refused: {
    code: 5,
    meaning: 'the service refused (any other 4xx)',
    hint: 'change what the service objects to and run the command again; --verbose shows the exchange',
  },
  service_failed: {
    code: 6,
    meaning: 'the service failed (5xx), or its answer cannot be understood',
    hint: 'try again later; --verbose shows the exchange for support',
  },
  unreachable: {
    code: 7,
    meaning: 'unreachable, TLS, proxy or timeout, and the service cannot have acted',
    hint: 'check the network and the base URL: bookctl whoami',
  },
  pending: {
    code: 8,
    meaning:
      'still pending when the wait ended: not paid yet, or the expected event did not arrive; or no receiver works (webhooks status)',
    hint: 'run the command again to keep waiting',
  },
  signature: {
    code: 9,
    meaning: 'a signature is invalid or stale',
    hint: 'find out why: bookctl webhooks verify',
  },
  outcome_unknown: {
    code: 10,
    meaning: 'outcome unknown: a reservation or change may have been made; the message says how to find out',
    hint: 'check its state before you retry, with the command that lists or shows it',
  },
  interrupted: {
    code: SIGNAL_EXITS.SIGINT,
    meaning: 'interrupted by Ctrl-C (SIGINT)',
    hint: 'nothing was sent after the interruption; run the command again to restart',
  },
} as const satisfies Record<
  FailureKind | 'done' | 'unexpected',
  {code: number; meaning: string; hint?: string}
>

/** Kinds of failures that concern the service. Their error text names the service. */
const OF_SERVICE = ['not_allowed', 'refused', 'service_failed', 'unreachable', 'outcome_unknown']

const MOST_ERROR_BYTES = 4000

export type Described = Pick<Failure, 'message' | 'details'> & {readonly kind: Failure['kind'] | 'unexpected'}

/** Converts a thrown value to a failure. Its kind is `unexpected` for a bug or missing files. */
export function asFailure(thrown: unknown): Described {
  if (thrown instanceof Failure) return thrown
  if (thrown instanceof StorageError) {
    const {fault, kind, message, hint} = thrown
    return new Failure(kind, message, {code: `storage_${fault}`, hint})
  }
  if ((thrown as NodeJS.ErrnoException | null)?.code === 'MODULE_NOT_FOUND') {
    const {message, ...details} = FILES_MISSING
    return {kind: 'unexpected', message, details}
  }
  const message = 'internal error; this is a bug in bookctl'
  return {kind: 'unexpected', message, details: {code: 'unexpected'}}
}

/**
 * Describes an error by its exit code, the `document` for stdout with `--json`, and the `text` for stderr without it.
 * `service` describes the service in use, if it is known.
 */
export function describeFailure(thrown: unknown, service?: string) {
  const failure = asFailure(thrown)
  // A store that cannot be reached is not the booking service.
  const isOfService = OF_SERVICE.includes(failure.kind) && !(thrown instanceof StorageError)
  const text = textOf(failure, isOfService ? service : undefined)
  return {exit: EXITS[failure.kind].code, document: documentOf(failure), text}
}

/** Returns the hint of a failure, or that of its kind if it has none. */
function hintOf({kind, details}: Described): string {
  return details.hint ?? EXITS[kind].hint
}

/** Returns a failure in the form of the JSON document, under `error`. Long texts are cut. */
export function errorOf(failure: Described) {
  const {code, status, requestId, reason} = failure.details
  return {
    code: cut(code, 100),
    message: cut(failure.message, 1000),
    ...(status === undefined ? {} : {status}),
    ...(requestId === undefined ? {} : {request_id: cut(requestId, 200)}),
    hint: cut(hintOf(failure), 800),
    ...(reason === undefined ? {} : {cause: cut(reason, 500)}),
  }
}

function documentOf(failure: Described) {
  const {result, keepsResult} = failure.details
  const error = errorOf(failure)
  if (keepsResult) return {error, ...result}
  // Only these two keys can be long. `payment_url` is dropped last, because the customer needs it to pay.
  const {reservation: _, ...short} = (result ?? {}) as Record<string, unknown>
  const {payment_url: __, ...shortest} = short
  const candidates = [result, short, shortest].map(more => ({error, ...more}))
  const fits = (document: object) => Buffer.byteLength(jsonText(document, 2)) < MOST_ERROR_BYTES
  return candidates.find(fits) ?? {error}
}

function textOf(failure: Described, service: string | undefined): string {
  const {kind, message, details} = failure
  // If the user declined, it is not an error.
  if (kind === 'usage' && details.code === 'not_confirmed')
    return sanitizeLine(`${message.charAt(0).toUpperCase()}${message.slice(1)}.`)
  const {reason, requestId, host, lines: [first, ...others] = [message]} = details
  const lines = [`Error: ${first}`, ...others.map(line => `       ${line}`)]
  if (reason !== undefined && !message.includes(reason)) lines.push(`Cause: ${reason}`)
  if (host !== undefined) lines.push(`Host: ${host}`)
  else if (service !== undefined) lines.push(`Service: ${service}`)
  if (requestId !== undefined) lines.push(`Request: ${requestId}`)
  lines.push(`Hint: ${hintOf(failure)}`)
  return lines.map(line => sanitizeLine(line)).join('\n')
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`
}
