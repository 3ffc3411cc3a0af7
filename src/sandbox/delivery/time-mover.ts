/** Moves time from one due moment to the next, so that each thing happens at its own. */
import {setImmediate} from 'node:timers/promises'
import type {Service} from '../base/service.js'
import {lastAttemptBy} from '../store/deliveries.js'
import {nextPaymentExpiry} from '../store/reservations.js'
import type {Dispatcher} from './dispatcher.js'

/** Rounding of sums of seconds must not stop the clock. */
const MIN_STEP_SECONDS = 0.001

/** Attempts that are due within this time are made together; less than the shortest delay between two (§6.4). */
const TOGETHER_SECONDS = 30

export class TimeMover {
  #last: Promise<void> = Promise.resolve()
  #stops = 0

  constructor(
    private readonly service: Service,
    private readonly dispatcher: Dispatcher,
  ) {}

  /** Moves time by `seconds` and resolves when everything that fell due has happened. Rejects with StorageError. */
  move(seconds: number): Promise<void> {
    const stops = this.#stops
    const moved = this.#last.then(() => this.#step(seconds, stops))
    this.#last = moved.catch(() => undefined)
    return moved
  }

  /** Ends the moves under way and those that wait: they resolve with time where it stands. */
  stop(): void {
    this.#stops += 1
  }

  async #step(seconds: number, stops: number): Promise<void> {
    const {clock, closing} = this.service
    const {dispatcher} = this
    let left = seconds
    await dispatcher.settle(clock.now())
    while (!closing.aborted && stops === this.#stops) {
      const next = dispatcher.nextDue()
      const until = next === null ? left : this.#together(next) - clock.now()
      const step = Math.min(left, Math.max(until, MIN_STEP_SECONDS))
      const from = clock.now()
      clock.advance(step)
      left -= step
      await dispatcher.settle(from)
      // Lets other requests be answered in between, also where nothing was sent.
      await setImmediate()
      if (left <= 0) return
    }
  }

  /** The moment of the last attempt that is made with what is due at `next`: no payment expires in between. */
  #together(next: number): number {
    const {database} = this.service
    const last = lastAttemptBy(database, next + TOGETHER_SECONDS) ?? next
    const expiry = nextPaymentExpiry(database) ?? Number.POSITIVE_INFINITY
    return Math.max(next, Math.min(last, expiry))
  }
}
