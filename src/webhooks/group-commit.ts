/**
 * Many waiting for one flush to disk: what comes in while a transaction is on its way goes into the next one. The
 * queue is bounded, and full it says so at once: the sender comes again, which costs less than running out of memory.
 */

export interface GroupCommit<Item, Outcome> {
  /** Queues `item`; `settle` is told how it ended. False, and nothing queued, when the queue is full. */
  add(item: Item, settle: (settled: Settled<Outcome>) => void): boolean
  /** How many are queued or on their way. */
  readonly waiting: number
}

export type Settled<Outcome> = {readonly outcome: Outcome} | {readonly error: unknown}

export interface GroupCommitParts<Item, Outcome> {
  /** Makes `items` durable in one transaction; one outcome each, in their order. Never called twice at a time. */
  commit(items: readonly Item[]): Promise<readonly Outcome[]>
  /** How many may wait at most. */
  readonly maxWaiting: number
  /** How many go into one transaction at most. */
  readonly maxBatch: number
  /** Told once a batch, after everyone in it was told. */
  readonly onError?: (error: unknown) => void
}

interface Entry<Item, Outcome> {
  readonly item: Item
  readonly settle: (settled: Settled<Outcome>) => void
}

export function createGroupCommit<Item, Outcome>(
  parts: GroupCommitParts<Item, Outcome>,
): GroupCommit<Item, Outcome> {
  let queue: Entry<Item, Outcome>[] = []
  let onItsWay = 0
  let scheduled = false

  const schedule = () => {
    if (scheduled || onItsWay > 0 || queue.length === 0) return
    scheduled = true
    // After this turn of the event loop, so that all requests it read are in the batch.
    setImmediate(() => void flush())
  }
  const flush = async () => {
    const batch = queue.slice(0, parts.maxBatch)
    queue = queue.slice(batch.length)
    onItsWay = batch.length
    scheduled = false
    try {
      const outcomes = await parts.commit(batch.map(entry => entry.item))
      batch.forEach(({settle}, n) => {
        settle({outcome: outcomes[n] as Outcome})
      })
    } catch (error) {
      for (const {settle} of batch) settle({error})
      parts.onError?.(error)
    }
    onItsWay = 0
    schedule()
  }
  return {
    get waiting() {
      return queue.length + onItsWay
    },
    add(item, settle) {
      if (queue.length + onItsWay >= parts.maxWaiting) return false
      queue.push({item, settle})
      schedule()
      return true
    },
  }
}
