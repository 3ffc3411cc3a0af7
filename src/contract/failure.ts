/** The kinds of expected errors. `EXITS` (cli/shell/exit-codes.ts) maps each kind to an exit code. */
export type FailureKind =
  | 'usage'
  | 'not_as_agreed'
  | 'not_allowed'
  | 'refused'
  | 'service_failed'
  | 'unreachable'
  | 'pending'
  | 'signature'
  | 'outcome_unknown'
  | 'interrupted'

export interface FailureDetails {
  /** A stable word for scripts, for example `offer_expired`. */
  readonly code: string
  /** The next step for the user, on one line. */
  readonly hint?: string | undefined
  /** The HTTP status, if the service answered. */
  readonly status?: number | undefined
  readonly requestId?: string | undefined
  /** `host:port` of the host that failed, if it is not the service itself. */
  readonly host?: string | undefined
  /** Whether the service's address is a port of this machine where nothing listens. */
  readonly nothingListens?: boolean
  /** The underlying cause in words: `ECONNREFUSED 127.0.0.1:8080`. It never contains headers, bodies or secrets. */
  readonly reason?: string
  /** Fields of the request that the service complains about, under the service's names. */
  readonly fields?: readonly string[]
  /** The message split into lines, which are printed one by one, for a message with a long list. */
  readonly lines?: readonly string[]
  /** Additional keys for the document printed with `--json`, for example the state of a reservation. */
  readonly result?: object
  /**
   * Whether the result is printed in full whatever its length, because the work that produced it cannot be repeated.
   */
  readonly keepsResult?: boolean
}

/**
 * An expected error, with a hint for the next step. It contains no request, header, token or secret, so all of it may be
 * printed.
 */
export class Failure extends Error {
  override readonly name = 'Failure'

  constructor(
    readonly kind: FailureKind,
    message: string,
    readonly details: FailureDetails,
  ) {
    super(message)
  }
}

/** Creates a Failure for wrong input that was refused before any request. */
export function usage(code: string, message: string, hint?: string): Failure {
  return new Failure('usage', message, {code, hint})
}

/** Returns a copy of the Failure with the details in `more` replaced. */
export function failureWith({kind, message, details}: Failure, more: Partial<FailureDetails>): Failure {
  return new Failure(kind, message, {...details, ...more})
}

/**
 * Returns `error` if it is a Failure after which a command may continue. Throws every other error, and also a Failure
 * of the kind `interrupted` (Ctrl-C).
 */
export function requireFailure(error: unknown): Failure {
  if (error instanceof Failure && error.kind !== 'interrupted') return error
  throw error
}
