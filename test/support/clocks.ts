/** A clock that advances only by sleeps, which take no time, and by `advance`. */
import type {Clock} from '../../src/contract/dates.js'

export interface FakeClock extends Clock {
  readonly sleeps: number[]
  advance(seconds: number): void
}

export function fakeClock(start = 1_800_000_000): FakeClock {
  let now = start
  const sleeps: number[] = []
  return {
    sleeps,
    now: () => now,
    advance: seconds => {
      now += seconds
    },
    async sleep(milliseconds) {
      sleeps.push(milliseconds)
      now += milliseconds / 1000
    },
  }
}
