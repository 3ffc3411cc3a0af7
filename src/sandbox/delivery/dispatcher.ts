/**
 * Sends what is due as soon as it is: several deliveries at a time, a few of each subscription, so that a slow subscriber
 * delays no other. Attempts are recorded in batches; after a kill those not yet recorded are made again, and no others.
 */
import type {Service} from '../base/service.js'
import {expirePayments} from '../booking/payment.js'
import {
  type DueDelivery,
  findDue,
  findForAttempt,
  findSubscriptionsDue,
  isLastOfSchedule,
  type MadeAttempt,
  nextAttemptAt,
  recordAttempts,
  type Taken,
} from '../store/deliveries.js'
import {removeExpired} from '../store/expiry.js'
import {nextPaymentExpiry} from '../store/reservations.js'
import {makeAttempt, stepAfter} from './attempt.js'
import type {Post} from './post.js'

/** Attempts at the same time, in all and of one subscription. */
const MOST_CONCURRENT = 128
const MOST_CONCURRENT_PER_SUBSCRIPTION = 8
const MOST_SLEEP_MILLISECONDS = 3_600_000
const WAIT_AFTER_FAULT_MILLISECONDS = 1000
const MOST_BATCH = 64
const MOST_BATCH_MILLISECONDS = 10

export class Dispatcher {
  /** Ids of deliveries from the start of an attempt until it is recorded. */
  readonly #underWay = new Set<string>()
  readonly #sending = new Map<string, number>()
  #sendingInAll = 0
  /** Attempts that are not on record yet: those that end close together are recorded in one commit. */
  #made: MadeAttempt[] = []
  #flushing: NodeJS.Timeout | undefined
  #waiting: (() => void)[] = []
  #timer: NodeJS.Timeout | undefined
  #soon: NodeJS.Immediate | undefined
  #fault: unknown
  /** Where the clock was before it was moved, in Unix seconds: what fell due since counts as made when it was due. */
  #movedFrom = Number.POSITIVE_INFINITY

  /** `origin` returns where the sandbox is served; nothing is sent before that, because links would lead nowhere. */
  constructor(
    private readonly service: Service,
    private readonly post: Post,
    private readonly origin: () => string | undefined,
  ) {}

  /** Soon looks for due deliveries. Call it whenever one may have become due. */
  wake(): void {
    this.#soon ??= setImmediate(() => {
      this.#soon = undefined
      this.#startDue()
    })
  }

  /** Resolves when nothing is due or under way. `movedFrom`: the clock before it was moved. Rejects with StorageError. */
  async settle(movedFrom: number): Promise<void> {
    this.#movedFrom = movedFrom
    this.#fault = undefined
    try {
      for (;;) {
        this.#startDue()
        this.#throwFault()
        if (this.#underWay.size === 0 || this.service.closing.aborted) return
        await this.#nextCommit()
        this.#throwFault()
      }
    } finally {
      this.#movedFrom = Number.POSITIVE_INFINITY
    }
  }

  /** Makes an attempt now, whatever the schedule says, also for a passive subscription. False: no such delivery. */
  async deliverNow(deliveryId: string): Promise<boolean> {
    // All waiting calls resume together, so nothing may be awaited between this check and the start, or two would start.
    while (this.#isBusyWith(deliveryId)) await this.#nextCommit()
    const delivery = findForAttempt(this.service.database, deliveryId)
    if (!delivery) return false
    this.#fault = undefined
    this.#start(delivery, this.service.clock.now())
    while (this.#isBusyWith(deliveryId)) await this.#nextCommit()
    this.#throwFault()
    return true
  }

  /** When something falls due next, except for subscriptions at their limit, on the sandbox's clock; null when nothing does. */
  nextDue(): number | null {
    const {database} = this.service
    const attempt = this.origin() === undefined ? null : nextAttemptAt(database, this.#taken())
    const times = [attempt, nextPaymentExpiry(database)].filter(time => time !== null)
    return times.length === 0 ? null : Math.min(...times)
  }

  /** Call after `closing`: ended attempts are recorded; those under way are made again at the next start. */
  close(): void {
    this.#flush()
    clearTimeout(this.#timer)
    clearImmediate(this.#soon)
  }

  /** Starts what is due and sleeps until the next; after a fault of the storage it tries again a little later. */
  #startDue(): void {
    const {database, clock, closing} = this.service
    if (closing.aborted) return
    try {
      expirePayments(this.service)
      const now = clock.now()
      const room = this.origin() === undefined ? 0 : Math.max(0, MOST_CONCURRENT - this.#sendingInAll)
      for (const id of room > 0 ? findSubscriptionsDue(database, now, this.#taken(), room) : []) {
        const limit = MOST_CONCURRENT_PER_SUBSCRIPTION - (this.#sending.get(id) ?? 0)
        for (const delivery of findDue(database, id, now, this.#taken(), limit)) {
          const {dueAt} = delivery
          this.#start(delivery, dueAt !== null && dueAt >= this.#movedFrom ? Math.min(dueAt, now) : now)
        }
      }
      const next = [this.nextDue(), removeExpired(database, now)].filter(time => time !== null)
      if (next.length > 0) this.#sleep((Math.min(...next) - clock.now()) * 1000)
    } catch (error) {
      this.#fault = error
      this.#sleep(WAIT_AFTER_FAULT_MILLISECONDS)
    }
  }

  #taken(): Taken {
    const full = [...this.#sending].filter(([, count]) => count >= MOST_CONCURRENT_PER_SUBSCRIPTION)
    return {deliveries: [...this.#underWay], subscriptions: full.map(([id]) => id)}
  }

  /** `at`: when the attempt counts as made, in Unix seconds of the sandbox's clock. */
  #start(delivery: DueDelivery, at: number): void {
    this.#underWay.add(delivery.deliveryId)
    this.#count(delivery, 1)
    const times = {now: at, realNow: this.service.clock.realNow()}
    void makeAttempt(this.post, delivery, times, this.origin() ?? '').then(({attempt, signedAt}) => {
      this.#count(delivery, -1)
      // An attempt that ended because the sandbox stops says nothing about the subscriber.
      if (this.service.closing.aborted) return
      const next = stepAfter({n: attempt.n, at, status: delivery.status}, attempt.error === null)
      this.#made.push({delivery, attempt, signedAt, next})
      this.#flushing ??= setTimeout(() => this.#flush(), MOST_BATCH_MILLISECONDS)
      const isFull = this.#made.length >= MOST_BATCH || this.#sendingInAll === 0
      if (isFull || isLastOfSchedule({delivery, next})) this.#flush()
      else this.wake()
    })
  }

  #count({subscriptionId}: DueDelivery, change: 1 | -1): void {
    this.#sendingInAll += change
    const sending = (this.#sending.get(subscriptionId) ?? 0) + change
    if (sending > 0) this.#sending.set(subscriptionId, sending)
    else this.#sending.delete(subscriptionId)
  }

  #nextCommit(): Promise<void> {
    return new Promise(resolve => this.#waiting.push(resolve))
  }

  #flush(): void {
    clearTimeout(this.#flushing)
    this.#flushing = undefined
    const made = this.#made.splice(0)
    for (const {delivery} of made) this.#underWay.delete(delivery.deliveryId)
    try {
      if (made.length > 0) recordAttempts(this.service.database, made)
      this.wake()
    } catch (error) {
      this.#fault = error
      this.#sleep(WAIT_AFTER_FAULT_MILLISECONDS)
    }
    for (const resolve of this.#waiting.splice(0)) resolve()
  }

  /** Whether an attempt of it is under way or waits to be recorded. */
  #isBusyWith(deliveryId: string): boolean {
    return this.#underWay.has(deliveryId) && !this.service.closing.aborted
  }

  #sleep(milliseconds: number): void {
    clearTimeout(this.#timer)
    if (this.service.closing.aborted) return
    const wait = Math.min(Math.max(milliseconds, 1), MOST_SLEEP_MILLISECONDS)
    this.#timer = setTimeout(() => this.#startDue(), wait).unref()
  }

  #throwFault(): void {
    const fault = this.#fault
    this.#fault = undefined
    if (fault !== undefined) throw fault
  }
}
