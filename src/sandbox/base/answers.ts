/**
 * The possible outcomes of an operation: an answer as plain data, a Refusal, which is thrown, or a dropped connection.
 * The codes and the body of a refusal are not in the interface (§7).
 */
import {ERROR_CODES, type ErrorCode, isRetryable} from '../../contract/error-codes.js'
import type {ErrorDetail} from '../../contract/records.js'

export interface Answer {
  readonly status: number
  readonly json: unknown
  readonly headers?: Record<string, string>
  /**
   * If true, the change is committed, but the connection is cut before the answer is sent. A client reference with a
   * certain ending selects this.
   */
  readonly dropAfterCommit?: boolean
}

/**
 * Returns the answer `{"data": …}` with status 200. `perform` replaces the status for operations that have another one.
 */
export function data(value: unknown): Answer {
  return {status: 200, json: {data: value}}
}

/** Returns an HTTP response with the status and headers of an answer. `text` is the JSON of the answer. */
export function jsonResponse(text: string, {status, headers}: Omit<Answer, 'json'>): Response {
  return new Response(text, {status, headers: {'Content-Type': 'application/json', ...headers}})
}

/**
 * Thrown to make the server cut the connection, at once or after it has sent `sent`. Without a server, `handle` rejects
 * with this error.
 */
export class ConnectionDrop extends Error {
  override readonly name = 'ConnectionDrop'

  constructor(readonly sent?: Response) {
    super('the local sandbox dropped the connection')
  }
}

/**
 * The error for a request that the service refuses. Clients see all of it, so it must not contain secrets or personal
 * data.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal'

  /**
   * `members` are added to the error object, for example `reservation_ref`. An injected fault passes a `status` other
   * than the one of its code.
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

/**
 * Returns the refusal of one field, with status 400 and code `validation_failed`. `field` is a path such as
 * `guests[0].identity.number`.
 */
export function invalidField(field: string, code: string, message: string): Refusal {
  return new Refusal('validation_failed', `${field}: ${message}`, {details: [{field, code, message}]})
}

type Findable = 'offer' | 'hotel' | 'tour' | 'reservation' | 'subscription' | 'delivery'

/** Returns the refusal, with status 404, of an id for which the client has no record. */
export function notFound(kind: Findable, id: string): Refusal {
  return new Refusal(`${kind}_not_found`, `${kind} "${id.slice(0, 100)}" not found`)
}
