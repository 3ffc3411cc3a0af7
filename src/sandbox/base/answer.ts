/** What a handler returns: plain data, so that it can be kept under an Idempotency-Key and answered again. */

export interface Answer {
  readonly status: number
  readonly json: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Scenario references: the change is kept, and the connection is cut instead of answering. */
  readonly dropAfterCommit?: boolean
}

export function jsonAnswer(
  status: number,
  json: unknown,
  headers?: Readonly<Record<string, string>>,
): Answer {
  return headers ? {status, json, headers} : {status, json}
}

/** `{"data": …}` of service.md, 200 unless told. */
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
