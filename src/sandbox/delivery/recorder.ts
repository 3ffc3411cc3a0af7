/**
 * Attempts that were made and are not on record yet: those that end close together go into one commit, since every
 * commit waits for the disk. What ends the process before that only has them made again.
 */
import type {MadeAttempt} from '../store/deliveries.js'

/** Ours: how many wait at most, and how long the first of them waits for others. */
const MOST_TOGETHER = 64
const LONGEST_WAIT_MILLISECONDS = 10

export class Recorder {
  #made: MadeAttempt[] = []
  /** Called when what is made now is on record, or cannot be. */
  #waiting: (() => void)[] = []
  #timer: NodeJS.Timeout | undefined

  /** `record` puts attempts on record in one commit, and throws nothing. */
  constructor(private readonly record: (made: readonly MadeAttempt[]) => void) {}

  /** Whether what is made is to be recorded before anything else is begun. */
  get isFull(): boolean {
    return this.#made.length >= MOST_TOGETHER
  }

  add(made: MadeAttempt): void {
    this.#made.push(made)
    this.#timer ??= setTimeout(() => this.flush(), LONGEST_WAIT_MILLISECONDS)
  }

  /** Records what is made, now. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const made = this.#made
    this.#made = []
    if (made.length > 0) this.record(made)
    for (const tell of this.#waiting.splice(0)) tell()
  }

  /** Resolves after the next time something was recorded, or could not be. */
  next(): Promise<void> {
    return new Promise(resolve => this.#waiting.push(resolve))
  }
}
