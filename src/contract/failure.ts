/** Everything that can go wrong in an expected way is a Failure. What a kind means: `EXITS` (cli/shell/exit-codes.ts). */
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
  /** Stable word for scripts, for example `offer_expired`. */
  readonly code: string
  /** What to do next, one line. */
  readonly hint?: string | undefined
  /** HTTP status, when the service answered. */
  readonly status?: number | undefined
  readonly requestId?: string | undefined
  /** `host:port` where it failed, when that is not the service. */
  readonly host?: string | undefined
  /** Whether nothing listens at a port of this machine, where the service should be. */
  readonly nothingListens?: boolean
  /** What lies beneath, in words: `ECONNREFUSED 127.0.0.1:8080`. Never holds headers, bodies or secrets. */
  readonly reason?: string
  /** Fields of the request that the service complains about, as it names them. */
  readonly fields?: readonly string[]
  /** Further keys for the result printed with `--json`, for example the state of a reservation. */
  readonly result?: object
  /** Whether it is kept at any length: it is the result of work that is not repeated. */
  readonly keepsResult?: boolean
}

/** A failure with a next step. It holds no request, header, token or secret, so it may be printed whole. */
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

/** Refuses wrong input before any request. */
export function usage(code: string, message: string, hint?: string): Failure {
  return new Failure('usage', message, {code, hint})
}

/** The same failure with other details. */
export function failureWith({kind, message, details}: Failure, more: Partial<FailureDetails>): Failure {
  return new Failure(kind, message, {...details, ...more})
}
