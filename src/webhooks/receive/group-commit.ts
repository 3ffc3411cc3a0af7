/**
 * Commits many items in few transactions. Items that are added in one turn of the event loop, or while the maximum
 * number of transactions is running, share a transaction. If there are many, the first transaction starts before the
 * turn ends.
 */

export type Settled<Outcome> = {readonly outcome: Outcome} | {readonly error: unknown}

interface GroupCommitOptions<Item, Outcome> {
  /** Makes the items durable in one transaction. Returns an outcome for each item, in order. */
  readonly commit: (items: readonly Item[]) => Promise<readonly Outcome[]>
  readonly maxWaiting: number
  readonly maxBatch: number
  /**
   * Maximum number of transactions at the same time (default 1). More are useful for a store that queues them itself.
   */
  readonly maxRunning?: number
  /**
   * If this many items are waiting and no transaction is running, one starts at once, before the end of the turn
   * (default: never).
   */
  readonly enough?: number
  readonly onError?: (error: unknown) => void
}

interface Entry<Item, Outcome> {
  readonly item: Item
  readonly settle: (settled: Settled<Outcome>) => void
}

export class GroupCommit<Item, Outcome> {
  /** Number of items that are waiting, including those in running transactions. */
  waiting = 0
  private queue: Entry<Item, Outcome>[] = []
  private running = 0
  private isScheduled = false

  constructor(private readonly options: GroupCommitOptions<Item, Outcome>) {}

  /**
   * Adds an item. Calls `settle` once the item is durable or has failed. If too many items are waiting, returns false
   * and never calls `settle`.
   */
  add(item: Item, settle: (settled: Settled<Outcome>) => void): boolean {
    const {maxWaiting, maxRunning = 1, enough = Number.POSITIVE_INFINITY} = this.options
    if (this.waiting >= maxWaiting) return false
    this.waiting += 1
    this.queue.push({item, settle})
    if (this.running === 0 && this.queue.length >= enough) this.send()
    else if (!this.isScheduled && this.running < maxRunning) {
      this.isScheduled = true
      // It starts at the end of this turn of the event loop, so that it includes all requests that are read in this
      // turn.
      setImmediate(() => {
        this.isScheduled = false
        this.send()
      })
    }
    return true
  }

  private send(): void {
    const {commit, maxBatch, maxRunning = 1, onError} = this.options
    while (this.running < maxRunning && this.queue.length > 0) {
      const batch = this.queue.slice(0, maxBatch)
      this.queue = this.queue.slice(batch.length)
      this.running += 1
      commit(batch.map(({item}) => item)).then(
        outcomes => this.settle(batch, n => ({outcome: outcomes[n] as Outcome})),
        error => {
          this.settle(batch, () => ({error}))
          onError?.(error)
        },
      )
    }
  }

  private settle(batch: readonly Entry<Item, Outcome>[], settled: (n: number) => Settled<Outcome>): void {
    this.running -= 1
    this.waiting -= batch.length
    // Items that arrived in the meantime are sent first, so that the disk writes while this batch is answered.
    this.send()
    for (const [n, entry] of batch.entries()) entry.settle(settled(n))
  }
}
