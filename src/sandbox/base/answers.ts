/**
 * What an operation answers: plain data, which can be kept under an Idempotency-Key and answered again; a refusal of the
 * service (§7; codes and body are ours), which is thrown; or a dropped connection.
 */
import {ERROR_CODES, type ErrorCode} from '../../contract/error-codes.js'
import type {ErrorDetail} from '../../contract/errors.js'

export interface Answer {
  readonly status: number
  readonly json: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Scenario references: the change is kept, and the connection is cut instead of answering. */
  readonly dropAfterCommit?: boolean
}

/** `{"data": …}` of service.md. */
export function data(value: unknown, status = 200): Answer {
  return {status, json: {data: value}}
}

/** One page of a list; `after` is the cursor of the next page, null on the last. */
export function page(values: readonly unknown[], meta: {limit: number; after: string | null}): Answer {
  return {status: 200, json: {data: values, meta: {...meta, before: null}}}
}

export function toResponse(answer: Answer): Response {
  return new Response(JSON.stringify(answer.json), {
    status: answer.status,
    headers: {'Content-Type': 'application/json', ...answer.headers},
  })
}

/**
 * The connection is to be cut with no answer, or with no further byte of it. In process, where there is no
 * connection, it is what `handle` rejects with.
 */
export class ConnectionDrop extends Error {
  override readonly name = 'ConnectionDrop'

  constructor() {
    super('the local sandbox dropped the connection')
  }
}

const RETRYABLE = new Set<ErrorCode>([
  'idempotency_in_progress',
  'rate_limited',
  'internal_error',
  'service_unavailable',
  'upstream_timeout',
])

interface RefusalExtras {
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
    const {headers} = this.extras
    return {status: this.status, json: {error}, ...(headers && {headers})}
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
