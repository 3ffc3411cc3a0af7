/**
 * What the sandbox keeps of each request and of each attempt to deliver an event, to judge partners' programs. Secrets, tokens,
 * keys and bodies are kept as hashes: equal ones are recognised, but none can be read.
 */

/** Number of requests, and of attempts, that are kept: the latest. */
export const KEPT_EVIDENCE = 100_000

/**
 * How a request ended: it was answered; the sandbox cut the connection, at once or in the middle of the answer; the client hung
 * up before the answer; or it is not over yet.
 */
export type Ending = 'answered' | 'cut' | 'gone' | 'running'

export interface SeenRequest {
  /** Its place in the order of arrival. */
  readonly sequence: number
  readonly requestId: string
  /** The client whose token or credentials it has; null if it has none that are valid. */
  readonly clientId: string | null
  /** The operation, or a page such as `voucher.download`; null for an unknown path. */
  readonly operation: string | null
  /** When it arrived: Unix seconds of the sandbox's clock. */
  readonly at: number
  /** By how many seconds the clock had been moved by then, in all. */
  readonly moved: number
  /** Real times of arrival and end in milliseconds, which the clock does not change. They are for comparisons only. */
  readonly begun: number
  readonly ended: number
  /** When its connection was opened, in the same milliseconds, which tells connections apart; null in process. */
  readonly connection: number | null
  /** When the connection was opened for it, or `begun` if the connection was open before: it waited from then on. */
  readonly connected: number
  /** Null if no answer was sent. */
  readonly status: number | null
  readonly ending: Ending
  /** The code of the error in the answer. */
  readonly code: string | null
  /** The kind of fault that was injected into it. The refusal then says nothing about the request. */
  readonly fault: string | null
  /** The seconds of the answer's Retry-After. */
  readonly retryAfter: number | null
  /** Hash of the bearer token. */
  readonly token: string | null
  /** Hash of method, URL and body; that of a reservation does not depend on the order of the fields. */
  readonly content: string
  /** Whether it came through a proxy that says so (`Via`, `X-Forwarded-For`). */
  readonly isProxied: boolean
  readonly facts: Facts
}

/** A request with its method and path, which are only for people to read. The path has no secrets. */
export interface RecordedRequest {
  readonly seen: SeenRequest
  readonly method: string
  readonly path: string
}

/** Facts of some operations. All identifiers but the service's own are hashes. */
export interface Facts {
  /** Of a token request: the scopes asked for. If it succeeded, hash and granted scopes of the token. */
  readonly askedScopes?: string
  readonly issued?: string
  readonly scopes?: string
  /** Of a revocation: the hash of the token. */
  readonly revoked?: string
  /** Of a reservation: hash of the body. */
  readonly body?: string
  /** Hash of the Idempotency-Key, and whether it is a UUID. */
  readonly key?: string
  readonly keyIsUuid?: boolean
  /** Hashes of offer and client reference: of a reservation, and of a search for a reservation by its reference. */
  readonly offer?: string
  readonly reference?: string
  /** The service's reference of the reservation that it is about or that it made. */
  readonly reservation?: string
  /** Of a list: whether it had no entries. */
  readonly isEmpty?: boolean
  /** When the offer, or the voucher link, expired or will: Unix seconds of the sandbox's clock. */
  readonly expiresAt?: number
  /** Of a cancellation: the fee, if there was one. */
  readonly fee?: string
  /** Of the voucher link: whether it was fetched with an Authorization header. */
  readonly isAuthorized?: boolean
  /** Where a client secret or a token was seen that does not belong there. */
  readonly misplaced?: Misplaced
}

export type Misplaced = 'secret in header' | 'secret in url' | 'secret in body' | 'token in url'

/** How a delivery was made wrong on purpose: another secret, an old timestamp, a body changed after it was signed. */
export type Forgery = 'signature' | 'timestamp' | 'body'

export interface SeenAttempt {
  readonly deliveryId: string
  readonly subscriptionId: string
  readonly eventId: string
  readonly reservation: string | null
  /** When the event happened, and when the attempt was made: Unix seconds of the sandbox's clock. */
  readonly created: number
  readonly at: number
  /** Real times in milliseconds, for comparisons only. */
  readonly begun: number
  readonly ended: number
  /** Null if there was no answer. */
  readonly status: number | null
  /** Whether the answer was complete in time, and 2xx. */
  readonly isAccepted: boolean
  /** Whether the whole request was sent. If not, nothing listened there, or its certificate was not trusted. */
  readonly isSent: boolean
  /** Whether it was not accepted, and the schedule (§6.4) has no other attempt after it. */
  readonly isLast: boolean
  readonly forgery: Forgery | null
}

export interface Evidence {
  /** In the order of arrival. */
  readonly requests: readonly SeenRequest[]
  /** In the order in which they ended. */
  readonly attempts: readonly SeenAttempt[]
}
