/** What the senders tell about every attempt, for `--verbose` and `--har`. */
import type {ExchangeError, WireAnswer, WireRequest} from './api.js'

/** One attempt as it was: with secrets, so it is redacted before it is shown or written. */
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
