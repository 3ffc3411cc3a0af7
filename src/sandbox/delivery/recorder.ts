/** Attempts that were made but are not on record yet: those that end close together are recorded in one commit. */
import type {MadeAttempt} from '../store/deliveries.js'

const MAX_BATCH = 64
const MAX_WAIT_MILLISECONDS = 10

export class Recorder {
  #made: MadeAttempt[] = []
  #waiting: (() => void)[] = []
  #timer: NodeJS.Timeout | undefined

  /** `record` records attempts in one commit, and throws nothing. */
  constructor(private readonly record: (made: readonly MadeAttempt[]) => void) {}

  /** Whether the batch must be recorded before another attempt starts. */
  get isFull(): boolean {
    return this.#made.length >= MAX_BATCH
  }

  add(made: MadeAttempt): void {
    this.#made.push(made)
    this.#timer ??= setTimeout(() => this.flush(), MAX_WAIT_MILLISECONDS)
  }

  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const made = this.#made
    this.#made = []
    if (made.length > 0) this.record(made)
    for (const resolve of this.#waiting.splice(0)) resolve()
  }

  /** Resolves after the next batch, also if it could not be recorded. */
  next(): Promise<void> {
    return new Promise(resolve => this.#waiting.push(resolve))
  }
}
