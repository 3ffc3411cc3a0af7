/**
 * The outcomes of an operation: an answer as plain data, a refusal, which is thrown (§7; codes and body are ours), or a dropped
 * connection.
 */
import {ERROR_CODES, type ErrorCode, isRetryable} from '../../contract/error-codes.js'
import type {ErrorDetail} from '../../contract/records.js'

export interface Answer {
  readonly status: number
  readonly json: unknown
  readonly headers?: Record<string, string>
  /** If true, the change is committed and the connection is cut instead of answered (a scenario of client references). */
  readonly dropAfterCommit?: boolean
}

/** Returns the answer `{"data": …}` with status 200. `perform` replaces the status where the operation has another. */
export function data(value: unknown): Answer {
  return {status: 200, json: {data: value}}
}

/** Returns the response with the JSON `text`, whose JSON `answer` has as a value. */
export function jsonResponse(text: string, {status, headers}: Omit<Answer, 'json'>): Response {
  return new Response(text, {status, headers: {'Content-Type': 'application/json', ...headers}})
}

/** Makes the server cut the connection, at once or after `sent` was sent. In process, `handle` rejects with this error. */
export class ConnectionDrop extends Error {
  override readonly name = 'ConnectionDrop'

  constructor(readonly sent?: Response) {
    super('the local sandbox dropped the connection')
  }
}

/** The service refuses a request. Clients see the whole error, so it must not contain secrets or personal data. */
export class Refusal extends Error {
  override readonly name = 'Refusal'

  /**
   * `members` are added to the error object, for example `reservation_ref`. Injected faults pass a `status` that differs from
   * that of the code.
   */
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly members: {readonly details?: readonly ErrorDetail[]; readonly [name: string]: unknown} = {},
    readonly headers: Record<string, string> = {},
    readonly status: number = ERROR_CODES[code],
  ) {
    super(message)
  }

  toAnswer(requestId: string) {
    const {code, message, members, headers, status} = this
    const error = {code, message, request_id: requestId, retryable: isRetryable(code), ...members}
    return {status, json: {error}, headers}
  }
}

/** Returns the refusal of one field: 400 `validation_failed`. `field` is a path such as `guests[0].identity.number`. */
export function invalidField(field: string, code: string, message: string): Refusal {
  return new Refusal('validation_failed', `${field}: ${message}`, {details: [{field, code, message}]})
}

type Findable = 'offer' | 'hotel' | 'tour' | 'reservation' | 'subscription' | 'delivery'

/** Returns the 404 for an id of which the client has no record. */
export function notFound(kind: Findable, id: string): Refusal {
  return new Refusal(`${kind}_not_found`, `${kind} "${id.slice(0, 100)}" not found`)
}
