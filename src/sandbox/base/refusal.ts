/** Refusals of the service (§7; codes and body are ours): what is thrown, and the JSON that answers it. */
import {ERROR_CODES, type ErrorCode} from '../../contract/error-codes.js'
import type {ErrorDetail} from '../../contract/errors.js'
import {type Answer, jsonAnswer} from './answer.js'

const RETRYABLE = new Set<ErrorCode>([
  'idempotency_in_progress',
  'rate_limited',
  'internal_error',
  'service_unavailable',
  'upstream_timeout',
])

export interface RefusalExtras {
  readonly details?: readonly ErrorDetail[]
  /** Further members of the error object, for example `reservation_ref`. */
  readonly members?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
  /** Another status than the code's own; only for injected faults. */
  readonly status?: number
}

/** The service refuses a request. Holds no secret and no personal data, since it is answered whole. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly extras: RefusalExtras = {},
  ) {
    super(message)
    this.status = extras.status ?? ERROR_CODES[code]
  }

  /** The answer of service.md's envelope; `request_id` names the request that was refused. */
  toAnswer(requestId: string): Answer {
    const error = {
      code: this.code,
      message: this.message,
      request_id: requestId,
      retryable: RETRYABLE.has(this.code),
      ...this.extras.members,
      ...(this.extras.details && {details: this.extras.details}),
    }
    return jsonAnswer(this.status, {error}, this.extras.headers)
  }
}

/** 400 `validation_failed` on one field; `field` is a path such as `guests[0].identity.number`. */
export function invalidField(field: string, code: string, message: string): Refusal {
  return new Refusal('validation_failed', `${field}: ${message}`, {details: [{field, code, message}]})
}
