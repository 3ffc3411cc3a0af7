/** The parts of the local sandbox that everything else works with. */
import type {Database} from '../../storage/database.js'

export interface Service {
  readonly database: Database
  /** In Unix seconds, with a fraction. */
  readonly clock: {
    now(): number
    /** Real time, by which receivers check signatures. */
    realNow(): number
    /** Moves the service's time forward by `seconds`, for good. */
    advance(seconds: number): void
  }
  /** Number of offers each search finds; undefined for those of the city's own hotels. */
  readonly offers: number | undefined
  /** Client references ending `-unknown_soldout` whose first request was dropped. Lost at a restart. */
  readonly droppedReferences: Set<string>
  readonly allowHttpLoopback: boolean
  /** Where the sandbox listens; undefined while it is only called in process. */
  readonly served: () => string | undefined
  readonly closing: AbortSignal
}
