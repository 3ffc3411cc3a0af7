/** Moves the sandbox's time forward from one due moment to the next, so that each thing happens at its own. */
import type {Service} from '../service.js'

/** So that the rounding of sums of seconds does not keep time from moving. */
const LEAST_STEP_SECONDS = 0.001

/** One move after the other. */
export class TimeMover {
  #last: Promise<void> = Promise.resolve()
  #stops = 0

  constructor(private readonly service: Service) {}

  /**
   * Moves time by `seconds` and resolves when everything that fell due meanwhile has happened. Rejects with
   * StorageError; time then stands where the fault was.
   */
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
    const {clock, dispatcher, closing} = this.service
    let left = seconds
    await dispatcher.settle()
    while (!closing.aborted && stops === this.#stops) {
      const next = dispatcher.nextDue()
      const until = next === null ? left : next - clock.now()
      const step = Math.min(left, Math.max(until, LEAST_STEP_SECONDS))
      clock.advance(step)
      left -= step
      await dispatcher.settle()
      if (left <= 0) return
    }
  }
}
