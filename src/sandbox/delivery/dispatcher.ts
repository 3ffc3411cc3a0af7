/**
 * Sends what is due, as soon as it is: deliveries side by side, a few of each subscription, so that a slow subscriber
 * holds up no other. What is under way lives in memory alone: killed, it is made again, and nothing else is.
 */
import {expirePayments} from '../booking/payment.js'
import type {Service} from '../service.js'
import {
  type DueDelivery,
  findDue,
  findForAttempt,
  nextAttemptAt,
  recordAttempt,
  type Taken,
} from '../store/deliveries.js'
import {nextPaymentExpiry} from '../store/reservations.js'
import {makeAttempt} from './attempt.js'
import type {Post} from './post.js'
import {stepAfter} from './schedule.js'

/** Ours. */
const MOST_AT_ONCE = 128
const MOST_AT_ONCE_OF_A_SUBSCRIPTION = 8
const LONGEST_SLEEP_MILLISECONDS = 3_600_000
const WAIT_AFTER_FAULT_MILLISECONDS = 1000

export class Dispatcher {
  /** By delivery; each settles when its attempt is on record. */
  readonly #underWay = new Map<string, {subscriptionId: string; done: Promise<void>}>()
  #timer: NodeJS.Timeout | undefined
  #soon: NodeJS.Immediate | undefined
  #fault: unknown

  /** `origin` gives where the sandbox is served; nothing is sent before that, since links could not be followed. */
  constructor(
    private readonly service: Service,
    private readonly post: Post,
    private readonly origin: () => string | undefined,
  ) {}

  /** Looks for what is due, soon. To be called whenever something may have become so. */
  wake(): void {
    this.#soon ??= setImmediate(() => {
      this.#soon = undefined
      this.#look()
    })
  }

  /** Resolves when nothing is due or under way. Rejects with StorageError when an attempt cannot be recorded. */
  async settle(): Promise<void> {
    this.#fault = undefined
    for (;;) {
      this.#look()
      this.#throwFault()
      if (this.#underWay.size === 0) return
      await Promise.race([...this.#underWay.values()].map(({done}) => done))
      this.#throwFault()
    }
  }

  /** Makes an attempt now, whatever the schedule says and also for a passive subscription. False: there is no such. */
  async deliverNow(deliveryId: string): Promise<boolean> {
    for (let running = this.#underWay.get(deliveryId); running; running = this.#underWay.get(deliveryId)) {
      await running.done
    }
    const delivery = findForAttempt(this.service.database, deliveryId)
    if (!delivery) return false
    this.#fault = undefined
    await this.#start(delivery)
    this.#throwFault()
    return true
  }

  /**
   * When something falls due next, on the sandbox's clock; null when nothing does. What waits for a subscription that
   * is full is left out: the end of an attempt wakes it.
   */
  nextDue(): number | null {
    const {database} = this.service
    const attempt = this.origin() === undefined ? null : nextAttemptAt(database, this.#taken())
    const times = [attempt, nextPaymentExpiry(database)].filter(time => time !== null)
    return times.length === 0 ? null : Math.min(...times)
  }

  close(): void {
    clearTimeout(this.#timer)
    clearImmediate(this.#soon)
  }

  /** Starts what is due and sleeps until the next; a fault of the storage is tried again a little later. */
  #look(): void {
    if (this.service.closing.aborted) return
    try {
      expirePayments(this.service)
      this.#startDue()
      const next = this.nextDue()
      if (next !== null) this.#sleep((next - this.service.clock.now()) * 1000)
    } catch (error) {
      this.#fault = error
      this.#sleep(WAIT_AFTER_FAULT_MILLISECONDS)
    }
  }

  #startDue(): void {
    const free = MOST_AT_ONCE - this.#underWay.size
    if (this.origin() === undefined || free <= 0) return
    const {database, clock} = this.service
    const due = findDue(database, clock.now(), this.#taken(), free)
    for (const delivery of due) {
      if (!this.#full().includes(delivery.subscriptionId)) void this.#start(delivery)
    }
  }

  #taken(): Taken {
    return {deliveries: [...this.#underWay.keys()], subscriptions: this.#full()}
  }

  /** Subscriptions that have as many deliveries under way as they may. */
  #full(): string[] {
    const counts = new Map<string, number>()
    for (const {subscriptionId} of this.#underWay.values()) {
      counts.set(subscriptionId, (counts.get(subscriptionId) ?? 0) + 1)
    }
    return [...counts].filter(([, count]) => count >= MOST_AT_ONCE_OF_A_SUBSCRIPTION).map(([id]) => id)
  }

  #start(delivery: DueDelivery): Promise<void> {
    const {deliveryId, subscriptionId} = delivery
    const done = this.#attempt(delivery)
      .finally(() => this.#underWay.delete(deliveryId))
      .then(
        () => this.wake(),
        error => {
          this.#fault = error
          this.#sleep(WAIT_AFTER_FAULT_MILLISECONDS)
        },
      )
    this.#underWay.set(deliveryId, {subscriptionId, done})
    return done
  }

  async #attempt(delivery: DueDelivery): Promise<void> {
    const {database, clock, closing} = this.service
    const times = {now: clock.now(), realNow: clock.realNow()}
    const {attempt, signedAt} = await makeAttempt(this.post, delivery, times, this.origin() ?? '')
    // An attempt that was ended by our own stopping tells nothing of the subscriber.
    if (closing.aborted) return
    const next = stepAfter(attempt.n, times.now, attempt.error === null)
    recordAttempt(database, delivery, attempt, signedAt, next)
  }

  #sleep(milliseconds: number): void {
    clearTimeout(this.#timer)
    if (this.service.closing.aborted) return
    const wait = Math.min(Math.max(milliseconds, 1), LONGEST_SLEEP_MILLISECONDS)
    this.#timer = setTimeout(() => this.#look(), wait).unref()
  }

  #throwFault(): void {
    const fault = this.#fault
    this.#fault = undefined
    if (fault !== undefined) throw fault
  }
}
