/**
 * The deliveries in memory: what is being sent and what comes next (so many at once, and so many of one subscription), and
 * attempts that were made but are not on record yet. Knows neither the database nor the network.
 */
import type {MadeAttempt} from '../store/deliveries.js'

/** Ours: attempts at the same time, in all and of one subscription. */
const MAX_CONCURRENT = 128
const MAX_CONCURRENT_PER_SUBSCRIPTION = 8
/** Ours: queue length of a subscription, and the length at which no more are looked up. */
const MAX_QUEUED = 64
const ENOUGH_QUEUED = MAX_CONCURRENT_PER_SUBSCRIPTION

interface Sent {
  readonly deliveryId: string
  readonly subscriptionId: string
}

export class Outbox {
  /** Ids of deliveries from the start of an attempt until it is on record. */
  readonly #underWay = new Set<string>()
  /** Attempts that have not ended, by subscription. */
  readonly #sending = new Map<string, number>()
  #sendingInAll = 0
  /** By subscription, first to be sent first; never empty. */
  readonly #queues = new Map<string, string[]>()

  /** Whether nothing is queued, sent, or waits to be recorded. */
  get isIdle(): boolean {
    return this.#underWay.size === 0 && this.#queues.size === 0
  }

  get isSending(): boolean {
    return this.#sendingInAll > 0
  }

  isUnderWay(deliveryId: string): boolean {
    return this.#underWay.has(deliveryId)
  }

  /** Ids of all that is under way or queued. */
  deliveries(): string[] {
    return [...this.#underWay, ...[...this.#queues.values()].flat()]
  }

  /** Subscriptions at their limit of attempts. */
  full(): string[] {
    return [...this.#sending.keys()].filter(id => this.#isFull(id))
  }

  /** Subscriptions whose queue is long enough. */
  wellFilled(): string[] {
    return [...this.#queues].filter(([, queue]) => queue.length >= ENOUGH_QUEUED).map(([id]) => id)
  }

  /** Number of attempts that can still start. */
  get room(): number {
    return Math.max(0, MAX_CONCURRENT - this.#sendingInAll)
  }

  /** Number of deliveries that can still be queued for a subscription. */
  roomFor(subscriptionId: string): number {
    return MAX_QUEUED - (this.#queues.get(subscriptionId)?.length ?? 0)
  }

  queue(subscriptionId: string, deliveryIds: readonly string[]): void {
    if (deliveryIds.length === 0) return
    this.#queues.set(subscriptionId, [...(this.#queues.get(subscriptionId) ?? []), ...deliveryIds])
  }

  /** Takes the next delivery of a subscription below its limit; undefined when there is none. */
  next(): string | undefined {
    if (this.#sendingInAll >= MAX_CONCURRENT) return undefined
    for (const [subscriptionId, queue] of this.#queues) {
      if (this.#isFull(subscriptionId)) continue
      const deliveryId = queue.shift()
      // To the end, so that the subscriptions take turns.
      this.#queues.delete(subscriptionId)
      if (queue.length > 0) this.#queues.set(subscriptionId, queue)
      return deliveryId
    }
    return undefined
  }

  begin({deliveryId, subscriptionId}: Sent): void {
    this.#underWay.add(deliveryId)
    this.#sendingInAll += 1
    this.#sending.set(subscriptionId, (this.#sending.get(subscriptionId) ?? 0) + 1)
  }

  /** The attempt has ended; it is under way until `forget`. */
  ended({subscriptionId}: Sent): void {
    this.#sendingInAll -= 1
    const left = (this.#sending.get(subscriptionId) ?? 1) - 1
    if (left > 0) this.#sending.set(subscriptionId, left)
    else this.#sending.delete(subscriptionId)
  }

  forget(deliveryId: string): void {
    this.#underWay.delete(deliveryId)
  }

  #isFull(subscriptionId: string): boolean {
    return (this.#sending.get(subscriptionId) ?? 0) >= MAX_CONCURRENT_PER_SUBSCRIPTION
  }
}

/** Ours: size of a batch, and how long the first attempt in it waits for others. */
const MAX_BATCH = 64
const MAX_WAIT_MILLISECONDS = 10

export class Recorder {
  #made: MadeAttempt[] = []
  /** Called when the current batch is on record, or could not be recorded. */
  #waiting: (() => void)[] = []
  #timer: NodeJS.Timeout | undefined

  /** `record` puts attempts on record in one commit, and throws nothing. */
  constructor(private readonly record: (made: readonly MadeAttempt[]) => void) {}

  /** Whether the batch is full and must be recorded before another attempt starts. */
  get isFull(): boolean {
    return this.#made.length >= MAX_BATCH
  }

  add(made: MadeAttempt): void {
    this.#made.push(made)
    this.#timer ??= setTimeout(() => this.flush(), MAX_WAIT_MILLISECONDS)
  }

  /** Records the batch now. */
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
