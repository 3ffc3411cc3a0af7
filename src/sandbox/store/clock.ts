/** The service's clock: real time plus an offset that is kept in the database, and can only be moved forward. */
import type {Database} from '../../storage/database.js'
import {readMeta, writeMeta} from './meta.js'

export interface SandboxClock {
  /** Unix seconds, with a fraction. */
  now(): number
  /** Unix seconds of real time, which receivers live in. */
  realNow(): number
  /** Moves the service's time forward by `seconds`, for good. */
  advance(seconds: number): void
}

/** `realTime` gives Unix seconds. */
export function createClock(database: Database, realTime: () => number): SandboxClock {
  const offset = () => Number(readMeta(database, 'clock_offset_seconds') ?? 0)
  return {
    now: () => realTime() + offset(),
    realNow: realTime,
    advance: seconds => writeMeta(database, 'clock_offset_seconds', String(offset() + seconds)),
  }
}
