/**
 * The types of the HTTP core. A *call* (`Api`) is one operation, with its path and bearer token. The `Sender` *sends* a
 * call as a *request*, and repeats it where that is safe. Each attempt is one *exchange* on the wire (`Transport`).
 */
import type {Clock} from '../contract/dates.js'
import type {OperationName, Scope} from '../contract/operations.js'
import type {Token} from '../contract/token-cache.js'

export interface WireRequest {
  readonly method: string
  readonly url: string
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /**
   * For a link, the base URL of the service that returned it. The link must lead to a public address, unless the
   * service itself has none, so that a service cannot reach into the client's network.
   */
  readonly givenBy?: string
}

export interface WireAnswer {
  readonly status: number
  /** Header names are in lower case; a repeated header is joined with `, `. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

export interface ExchangeLimits {
  readonly connectMilliseconds: number
  readonly headersMilliseconds: number
  /** Limit on the time between two pieces of the answer's body. */
  readonly bodyMilliseconds: number
  readonly totalMilliseconds: number
  readonly maxAnswerBytes: number
  readonly signal?: AbortSignal
}

/** Makes one exchange, without retries or redirects. Throws an ExchangeError if no complete answer arrives. */
export type Transport = (request: WireRequest, limits: ExchangeLimits) => Promise<WireAnswer>

export type ExchangeFault =
  | 'dns'
  | 'refused'
  | 'connect_timeout'
  | 'tls'
  | 'proxy'
  /** The proxy refused the CONNECT, for example with 407. A repeat would be refused too. */
  | 'proxy_refused'
  | 'reset'
  | 'timeout'
  | 'cut'
  | 'too_large'
  | 'protocol'
  /** The user stopped the command. */
  | 'stopped'

/** The error of an exchange without a complete answer. It contains no URL query, header or body. */
export class ExchangeError extends Error {
  override readonly name = 'ExchangeError'

  constructor(
    readonly fault: ExchangeFault,
    /** Whether any byte of the request may have been sent. If not, the service cannot have acted. */
    readonly sent: boolean,
    /** The cause and the address in words, for example `ECONNREFUSED 127.0.0.1:8080`. */
    readonly reason: string,
    /**
     * Whether nothing listens at the port, which is on this machine. Such an attempt is not repeated, because a server
     * does not start that quickly.
     */
    readonly isRefusedHere = false,
  ) {
    super(reason)
  }
}

export interface SendPolicy {
  /** Whether a lost or failed attempt may be repeated with the same bytes. */
  readonly repeatable: boolean
  /** Maximum number of attempts (default 4). */
  readonly mostAttempts?: number
  /** Time limit on all attempts together, including the waits between them. */
  readonly timeoutSeconds: number
  /** Time limit on waiting for the response headers of one attempt (default `timeoutSeconds`). */
  readonly attemptTimeoutSeconds?: number
  readonly maxAnswerBytes?: number
  /** Runs just before each attempt. If it throws, sending ends with that error. */
  readonly beforeAttempt?: () => Promise<void>
  /**
   * Reports whether an answer says that the request is in progress. If so, the request is sent again until the time is
   * up.
   */
  readonly isInProgress?: (answer: WireAnswer) => boolean
  /** Once the signal is aborted, no attempt starts, and the current one ends. */
  readonly signal?: AbortSignal
}

export interface SentAnswer extends WireAnswer {
  /** The URL of the request, including its query. */
  readonly url: string
  readonly attempts: number
  /**
   * Whether an earlier attempt was lost or failed and may have acted, or an answer said that the request is in
   * progress.
   */
  readonly mayHaveActed: boolean
  /** The secrets of the request. They are redacted wherever the answer is quoted. */
  readonly secrets?: readonly string[]
  /** The scopes of the token of the request, if it had one. */
  readonly grant?: Grant
}

/** What is known about the scopes of a token. */
export interface Grant {
  /** The scopes that the operation needs. */
  readonly needed: readonly Scope[]
  /** The scopes that the token was requested with. Undefined for BOOKCTL_TOKEN, whose scopes are unknown. */
  readonly asked: readonly string[] | undefined
  readonly granted: readonly string[]
}

/**
 * The error for a link that was not followed because its host is not public although the service's is
 * (`WireRequest.givenBy`). Nothing was sent.
 */
export class NotPublicError extends Error {
  override readonly name = 'NotPublicError'
}

/** The error of a request whose last attempt ended without an answer. */
export class SendError extends Error {
  override readonly name = 'SendError'

  constructor(
    readonly last: ExchangeError,
    readonly attempts: number,
    readonly mayHaveActed: boolean,
  ) {
    super(last.message)
  }
}

/**
 * Sends requests with retries: at most four attempts, with full jitter and honouring Retry-After. Returns the answer,
 * whatever its status. Throws a SendError if there is none.
 */
export interface Sender {
  send(request: WireRequest, policy: SendPolicy): Promise<SentAnswer>
}

export interface TokenSource {
  get(scopes: readonly Scope[]): Promise<Token>
  /** Returns a token other than `refused`: a newer one from another process, or a new one. */
  replace(refused: Token, scopes: readonly Scope[]): Promise<Token>
}

export interface CallOptions {
  readonly parameters?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly body?: unknown
  /** JSON text that is sent byte for byte instead of `body`. */
  readonly text?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Replaces parts of the operation's send policy. */
  readonly policy?: Partial<SendPolicy>
}

/** An answer with its JSON parsed. `json` is undefined when the body is empty or not JSON. */
export interface Answer extends SentAnswer {
  readonly json: unknown
  readonly requestId: string | undefined
}

export interface Api {
  readonly baseUrl: string
  readonly clock: Clock
  /**
   * Calls the operation and returns the answer, whatever its status. After a 401, renews the token and repeats the
   * request once. Throws a SendError if there is no answer.
   */
  callForAnswer(operation: OperationName, options?: CallOptions): Promise<Answer>
  /**
   * Like `callForAnswer`, but throws a Failure unless the call succeeded, of kind `outcome_unknown` if a change may
   * have been made.
   */
  call(operation: OperationName, options?: CallOptions): Promise<Answer>
  /**
   * Fetches a link outside the API, without an Authorization header. Only used for `voucher.url`. Throws a Failure if
   * there is no answer.
   */
  fetchLink(url: string): Promise<SentAnswer>
}

/** One attempt, including its secrets. It must be redacted before it is shown or stored. */
export interface AttemptRecord {
  readonly request: WireRequest
  /** The number of the attempt, from 1. */
  readonly attempt: number
  /** Unix seconds. */
  readonly startedAt: number
  readonly milliseconds: number
  readonly outcome: WireAnswer | ExchangeError
  /** Milliseconds until the next attempt, or undefined if there is none. */
  readonly waitMilliseconds: number | undefined
}

export interface Trace {
  attempt(record: AttemptRecord): void
}
