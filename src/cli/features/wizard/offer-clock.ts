/** The time left on an offer: a line for every question, and a signal that withdraws the question when it is over. */
import {minutesLeft} from './clocks.js'
import {SearchAgain} from './draft.js'
import type {Clocked} from './questions.js'

export interface OfferClock extends Clocked {
  stop(): void
}

/** Runs until `expiresAt` (Unix seconds); `now` is this machine's clock. The signal's reason is a SearchAgain. */
export function startClock(expiresAt: number, now: () => number, what: string): OfferClock {
  const controller = new AbortController()
  const expire = () => controller.abort(new SearchAgain(`${what} expired: searching again for the same.`))
  const timer = setTimeout(expire, Math.max(0, (expiresAt - now()) * 1000))
  timer.unref()
  return {
    status: () => `${what}: ${minutesLeft(expiresAt - now())} left`,
    signal: controller.signal,
    stop: () => clearTimeout(timer),
  }
}
