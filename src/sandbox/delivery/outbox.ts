/**
 * The deliveries in memory: what is being sent and what comes next (so many at once, and so many of one subscription), and
 * attempts that were made but are not on record yet. Knows neither the database nor the network.
 */
import type {MadeAttempt} from '../store/deliveries.js'

/** Ours: places for attempts, altogether and for one subscription. */
const MOST_AT_ONCE = 128
const MOST_AT_ONCE_OF_A_SUBSCRIPTION = 8
/** Ours: so many are queued for a subscription, and no more are looked up while so many are left. */
const MOST_QUEUED = 64
const ENOUGH_QUEUED = MOST_AT_ONCE_OF_A_SUBSCRIPTION

interface Sent {
  readonly deliveryId: string
  readonly subscriptionId: string
}

export class Outbox {
  /** From the beginning of an attempt until it is on record, by delivery. */
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

  /** Subscriptions that have as many attempts as they may. */
  full(): string[] {
    return [...this.#sending.keys()].filter(id => this.#isFull(id))
  }

  /** Subscriptions for which nothing has to be looked up yet. */
  wellFilled(): string[] {
    return [...this.#queues].filter(([, queue]) => queue.length >= ENOUGH_QUEUED).map(([id]) => id)
  }

  /** How many subscriptions more can be served. */
  get room(): number {
    return Math.max(0, MOST_AT_ONCE - this.#sendingInAll)
  }

  /** How many deliveries of a subscription may be queued beside those that are. */
  roomFor(subscriptionId: string): number {
    return MOST_QUEUED - (this.#queues.get(subscriptionId)?.length ?? 0)
  }

  queue(subscriptionId: string, deliveryIds: readonly string[]): void {
    if (deliveryIds.length === 0) return
    this.#queues.set(subscriptionId, [...(this.#queues.get(subscriptionId) ?? []), ...deliveryIds])
  }

  /** Takes the next from a queue whose subscription has a free place; undefined when there is none. */
  next(): string | undefined {
    if (this.#sendingInAll >= MOST_AT_ONCE) return undefined
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
    return (this.#sending.get(subscriptionId) ?? 0) >= MOST_AT_ONCE_OF_A_SUBSCRIPTION
  }
}

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
