/** Outcomes of an operation: an answer, as plain data; a refusal, which is thrown (§7; codes and body are ours); a dropped connection. */
import {ERROR_CODES, type ErrorCode, isRetryable} from '../../contract/error-codes.js'
import type {ErrorDetail} from '../../contract/records.js'

export interface Answer {
  readonly status: number
  readonly json: unknown
  readonly headers?: Record<string, string>
  /** Scenario references: the change is kept, and the connection is cut instead of answering. */
  readonly dropAfterCommit?: boolean
}

/** `{"data": …}`; another status than 200 is in the operation's details. */
export function data(value: unknown): Answer {
  return {status: 200, json: {data: value}}
}

/** Cuts the connection instead of answering, or after `sent`. In process, `handle` rejects with it. */
export class ConnectionDrop extends Error {
  override readonly name = 'ConnectionDrop'

  constructor(readonly sent?: Response) {
    super('the local sandbox dropped the connection')
  }
}

/** The service refuses a request. Contains no secret and no personal data, because it is answered whole. */
export class Refusal extends Error {
  override readonly name = 'Refusal'

  /** `members`: more of the error object, such as `reservation_ref`; `status`: not the code's own, for injected faults. */
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

/** 400 `validation_failed` on one field; `field` is a path such as `guests[0].identity.number`. */
export function invalidField(field: string, code: string, message: string): Refusal {
  return new Refusal('validation_failed', `${field}: ${message}`, {details: [{field, code, message}]})
}

type Findable = 'offer' | 'hotel' | 'tour' | 'reservation' | 'subscription' | 'delivery'

/** 404 for the id of a path or body that nothing of the client's has. */
export function notFound(kind: Findable, id: string): Refusal {
  return new Refusal(`${kind}_not_found`, `${kind} "${id.slice(0, 100)}" not found`)
}
