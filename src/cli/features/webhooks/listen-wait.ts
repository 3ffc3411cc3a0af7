/** What `listen` waits for: work with a time limit, and the expected events. */
import {setTimeout as sleep} from 'node:timers/promises'
import {Failure} from '../../../contract/failure.js'
import type {ListenPlan} from './listen-flags.js'

/** About 25 days. A longer timer would end at once. */
export const LONGEST_TIMER_MILLISECONDS = 2 ** 31 - 1

/** Returns the result of `work`, or that of `late` if `work` takes longer than `milliseconds`. */
export async function within<T>(milliseconds: number, work: Promise<T>, late: () => T): Promise<T> {
  const timeout = sleep(Math.min(milliseconds, LONGEST_TIMER_MILLISECONDS), undefined, {ref: false})
  return Promise.race([work, timeout.then(late)])
}

/** The events that --exit-after, --within and --expect wait for. */
export class Expectation {
  private seen = 0
  private onEnough = () => {}
  private readonly enough = new Promise<void>(resolve => {
    this.onEnough = resolve
  })

  constructor(
    private readonly wait: NonNullable<ListenPlan['wait']>,
    private readonly matches: (event: unknown) => unknown,
  ) {}

  see(event: unknown): void {
    if (this.matches(event) !== true) return
    this.seen += 1
    if (this.seen >= this.wait.count) this.onEnough()
  }

  /** Starts the time limit. Resolves when enough events came; rejects with `pending` (exit 8) if the time is over first. */
  async fulfilled(): Promise<void> {
    const {count, seconds} = this.wait
    if (seconds === undefined) return this.enough
    return within(seconds * 1000, this.enough, () => {
      throw new Failure('pending', `${this.seen} of ${count} expected events came within ${seconds} s`, {
        code: 'events_missing',
        hint: 'list all received events: bookctl webhooks events list',
      })
    })
  }
}
