/**
 * Makes many items durable in few transactions: those added in one turn of the event loop, or while no more transactions
 * may run, go into one, and the disk is not left idle while many are still being added.
 */

export type Settled<Outcome> = {readonly outcome: Outcome} | {readonly error: unknown}

interface GroupCommitParts<Item, Outcome> {
  /** Makes the items durable in one transaction; an outcome for each, in their order. */
  readonly commit: (items: readonly Item[]) => Promise<readonly Outcome[]>
  /** How many may wait; more are refused at once. */
  readonly maxWaiting: number
  /** How many go into one transaction. */
  readonly maxBatch: number
  /** How many transactions may run at once (default 1), for a store that takes them one by one itself. */
  readonly maxOnTheirWay?: number
  /** So many are not kept waiting for the end of the turn when no transaction is running (default: they are). */
  readonly enough?: number
  /** Called for every transaction that failed. */
  readonly onError?: (error: unknown) => void
}

export function createGroupCommit<Item, Outcome>(parts: GroupCommitParts<Item, Outcome>) {
  const {maxOnTheirWay = 1, enough = Number.POSITIVE_INFINITY} = parts
  type Entry = {readonly item: Item; readonly settle: (settled: Settled<Outcome>) => void}
  let queue: Entry[] = []
  let waiting = 0
  let onTheirWay = 0
  let scheduled = false
  const send = () => {
    while (onTheirWay < maxOnTheirWay && queue.length > 0) {
      const batch = queue.slice(0, parts.maxBatch)
      queue = queue.slice(batch.length)
      onTheirWay += 1
      parts.commit(batch.map(entry => entry.item)).then(
        outcomes => settle(batch, n => ({outcome: outcomes[n] as Outcome})),
        error => {
          settle(batch, () => ({error}))
          parts.onError?.(error)
        },
      )
    }
  }
  const settle = (batch: readonly Entry[], settled: (n: number) => Settled<Outcome>) => {
    onTheirWay -= 1
    waiting -= batch.length
    // What has come meanwhile goes first, so that the disk writes while this batch is answered.
    send()
    for (const [n, entry] of batch.entries()) entry.settle(settled(n))
  }
  return {
    /** How many are waiting, with those in running transactions. */
    get waiting() {
      return waiting
    },
    /** Calls `settle` when the item is durable, or is not; false, and `settle` is never called, when too many wait. */
    add(item: Item, settle: (settled: Settled<Outcome>) => void): boolean {
      if (waiting >= parts.maxWaiting) return false
      waiting += 1
      queue.push({item, settle})
      if (onTheirWay === 0 && queue.length >= enough) send()
      else if (!scheduled && onTheirWay < maxOnTheirWay) {
        scheduled = true
        // After this turn of the event loop, so that all requests it read are in the batch.
        setImmediate(() => {
          scheduled = false
          send()
        })
      }
      return true
    },
  }
}
