/** What every part of the local sandbox works with. */
import type {Database} from '../../storage/database.js'

export interface SandboxClock {
  /** Unix seconds, with a fraction. */
  now(): number
  /** Unix seconds of real time, which receivers live in. */
  realNow(): number
  /** Moves the service's time forward by `seconds`, for good. */
  advance(seconds: number): void
}

export interface Service {
  readonly database: Database
  readonly clock: SandboxClock
  /** What the catalogue is made from: the same seed gives the same hotels and prices. */
  readonly seed: string
  /** Number of offers each search finds; undefined for those of the city's own hotels. */
  readonly offers: number | undefined
  /** Client references ending `-unknown_soldout` whose first request was dropped. Forgotten at restart. */
  readonly droppedReferences: Set<string>
  /** Whether a subscription may have an http address on loopback. */
  readonly allowHttpLoopback: boolean
  /** Aborted when the sandbox closes, so that nothing hangs on. */
  readonly closing: AbortSignal
}
