/**
 * The types of the HTTP core. One word for one thing: a *call* (`Api`) is one operation with its path and bearer token; it is
 * *sent* (`Sender`) as a *request*, repeated where that is safe; each attempt is one *exchange* on the wire (`Transport`).
 */
import type {Clock} from '../contract/dates.js'
import type {OperationName, Scope} from '../contract/operations.js'
import type {Token} from '../contract/token-cache.js'

export interface WireRequest {
  readonly method: string
  readonly url: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /**
   * For a link that the service at this base URL gave: it is followed to public addresses alone, unless the service itself has
   * none, so that no service can reach into the network of its client.
   */
  readonly givenBy?: string
}

export interface WireAnswer {
  readonly status: number
  /** Lower-case names; a repeated header is joined with `, `. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

export interface ExchangeLimits {
  readonly connectMilliseconds: number
  readonly headersMilliseconds: number
  /** Between two pieces of the answer's body. */
  readonly bodyMilliseconds: number
  readonly totalMilliseconds: number
  readonly maxAnswerBytes: number
  readonly signal?: AbortSignal
}

/** One exchange: no retry, no redirect. Throws ExchangeError when no whole answer came. */
export type Transport = (request: WireRequest, limits: ExchangeLimits) => Promise<WireAnswer>

export type ExchangeFault =
  | 'dns'
  | 'refused'
  | 'connect_timeout'
  | 'tls'
  | 'proxy'
  /** The proxy refused the CONNECT, such as with 407: a repeat changes nothing. */
  | 'proxy_refused'
  | 'reset'
  | 'timeout'
  | 'cut'
  | 'too_large'
  | 'protocol'
  /** The command was stopped. */
  | 'stopped'

/** No whole answer came. Holds no URL query, header or body. */
export class ExchangeError extends Error {
  override readonly name = 'ExchangeError'

  constructor(
    readonly fault: ExchangeFault,
    /** Whether any byte of the request may have left: if not, the service cannot have acted. */
    readonly sent: boolean,
    /** Cause and place in words, for example `ECONNREFUSED 127.0.0.1:8080`. */
    readonly reason: string,
    /** Whether nothing listens at a port of this machine. It is not repeated: nobody starts a server that quickly. */
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
  /** Bound on all attempts and the waits between them. */
  readonly timeoutSeconds: number
  /** Bound on waiting for one attempt's headers (default `timeoutSeconds`). */
  readonly attemptTimeoutSeconds?: number
  readonly maxAnswerBytes?: number
  /** Awaited right before each attempt's transport call; what it throws ends the sending. */
  readonly beforeAttempt?: () => Promise<void>
  /** Whether an answer reports that the request is in progress: then it is sent again until the time is up. */
  readonly isInProgress?: (answer: WireAnswer) => boolean
  /** When aborted, no attempt starts, and the one under way ends. */
  readonly signal?: AbortSignal
}

export interface SentAnswer extends WireAnswer {
  /** Of the request, with its query. */
  readonly url: string
  readonly attempts: number
  /** Whether an attempt before this answer was lost or failed, and may have acted, or the answer says that one is in progress. */
  readonly mayHaveActed: boolean
  /** Secrets that the request carried, redacted wherever the answer is quoted. */
  readonly secrets?: readonly string[]
}

/** A link was not followed, because its host is not public though the service is (`WireRequest.givenBy`); nothing was sent. */
export class NotPublicError extends Error {
  override readonly name = 'NotPublicError'
}

/** All attempts ended without an answer. */
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

/** Sends with retries: full jitter, Retry-After honoured, at most four attempts. Any status is an answer. */
export interface Sender {
  send(request: WireRequest, policy: SendPolicy): Promise<SentAnswer>
}

export interface TokenSource {
  get(scopes: readonly Scope[]): Promise<Token>
  /** A token other than `refused`: another process's newer one, or a new one. */
  replace(refused: Token, scopes: readonly Scope[]): Promise<Token>
}

export interface CallOptions {
  readonly parameters?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly body?: unknown
  /** In place of `body`: JSON text, sent byte for byte. */
  readonly text?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Overrides of the operation's policy. */
  readonly policy?: Partial<SendPolicy>
}

/** An answer with its JSON parsed; `json` is undefined when the body is empty or not JSON. */
export interface Answer extends SentAnswer {
  readonly json: unknown
  readonly requestId: string | undefined
}

export interface Api {
  readonly baseUrl: string
  readonly clock: Clock
  /** Sends and returns the answer whatever its status; one renewal and one repeat on 401. Throws SendError. */
  callForAnswer(operation: OperationName, options?: CallOptions): Promise<Answer>
  /** As `callForAnswer`, but throws Failure unless it succeeded: `outcome_unknown` when a change may have been made. */
  call(operation: OperationName, options?: CallOptions): Promise<Answer>
  /** Fetches a foreign link with no Authorization header; used for `voucher.url` alone. Throws Failure. */
  fetchLink(url: string): Promise<SentAnswer>
}

/** One attempt, with secrets: it is redacted before it is shown or written. */
export interface AttemptRecord {
  readonly request: WireRequest
  /** From 1. */
  readonly attempt: number
  /** Unix seconds. */
  readonly startedAt: number
  readonly milliseconds: number
  readonly outcome: WireAnswer | ExchangeError
  /** How long the sender waits before it repeats; undefined when it does not. */
  readonly waitMilliseconds: number | undefined
}

export interface Trace {
  attempt(record: AttemptRecord): void
}
