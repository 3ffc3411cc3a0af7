/**
 * Sends what is due as soon as it is: several deliveries at a time, a few of each subscription, so that a slow subscriber
 * delays no other. Due deliveries are looked up many at a time, and attempts that end close together are recorded in one
 * commit. Until then they are only in memory: after a kill those attempts are made again, and no others.
 */

import type {Service} from '../base/service.js'
import {expirePayments} from '../booking/payment.js'
import {
  type DueDelivery,
  findDue,
  findForAttempt,
  findSubscriptionsDue,
  isDue,
  type MadeAttempt,
  nextAttemptAt,
  recordAttempts,
  type Taken,
} from '../store/deliveries.js'
import {nextPaymentExpiry} from '../store/reservations.js'
import {makeAttempt, stepAfter} from './attempt.js'
import {Outbox, Recorder} from './outbox.js'
import type {Post} from './post.js'

/** Ours. */
const MAX_SLEEP_MILLISECONDS = 3_600_000
const WAIT_AFTER_FAULT_MILLISECONDS = 1000

export class Dispatcher {
  readonly #outbox = new Outbox()
  readonly #recorder = new Recorder(made => this.#record(made))
  #timer: NodeJS.Timeout | undefined
  #soon: NodeJS.Immediate | undefined
  #fault: unknown
  /** The time was moved on from here, in Unix seconds: what fell due since then counts as made when it was due. */
  #movedFrom = Number.POSITIVE_INFINITY

  /** `origin` gives where the sandbox is served; nothing is sent before that, since links could not be followed. */
  constructor(
    private readonly service: Service,
    private readonly post: Post,
    private readonly origin: () => string | undefined,
  ) {}

  /** Looks for what is due, soon. Call it whenever something may have fallen due. */
  wake(): void {
    this.#soon ??= setImmediate(() => {
      this.#soon = undefined
      this.#look()
    })
  }

  /**
   * Resolves when nothing is due or under way; `movedFrom` is where the clock stood before it was moved (Unix seconds).
   * Rejects with StorageError when an attempt cannot be recorded.
   */
  async settle(movedFrom: number): Promise<void> {
    this.#movedFrom = movedFrom
    await this.#untilIdle().finally(() => {
      this.#movedFrom = Number.POSITIVE_INFINITY
    })
  }

  async #untilIdle(): Promise<void> {
    this.#fault = undefined
    for (;;) {
      this.#look()
      this.#throwFault()
      if (this.#outbox.isIdle || this.service.closing.aborted) return
      await this.#recorder.next()
      this.#throwFault()
    }
  }

  /** Makes an attempt now, whatever the schedule says, also for a passive subscription. False: no such delivery. */
  async deliverNow(deliveryId: string): Promise<boolean> {
    // All waiting calls resume together, so nothing may be awaited between this check and the start, or two would start.
    while (this.#isBusyWith(deliveryId)) await this.#recorder.next()
    const delivery = findForAttempt(this.service.database, deliveryId)
    if (!delivery) return false
    this.#fault = undefined
    this.#start(delivery, this.service.clock.now())
    while (this.#isBusyWith(deliveryId)) await this.#recorder.next()
    this.#throwFault()
    return true
  }

  /**
   * When something falls due next, on the sandbox's clock; null when nothing does. Deliveries of a subscription at
   * its limit are left out: the end of an attempt wakes them.
   */
  nextDue(): number | null {
    const {database} = this.service
    const attempt = this.origin() === undefined ? null : nextAttemptAt(database, this.#taken())
    const times = [attempt, nextPaymentExpiry(database)].filter(time => time !== null)
    return times.length === 0 ? null : Math.min(...times)
  }

  /** Call after `closing`: ended attempts are recorded; those under way are made again at the next start. */
  close(): void {
    this.#recorder.flush()
    clearTimeout(this.#timer)
    clearImmediate(this.#soon)
  }

  /** Starts what is due and sleeps until the next; after a fault of the storage it tries again a little later. */
  #look(): void {
    if (this.service.closing.aborted) return
    try {
      expirePayments(this.service)
      this.#fill()
      this.#startQueued()
      const next = this.nextDue()
      if (next !== null) this.#sleep((next - this.service.clock.now()) * 1000)
    } catch (error) {
      this.#fault = error
      this.#sleep(WAIT_AFTER_FAULT_MILLISECONDS)
    }
  }

  /** Queues what is due for the subscriptions of which little is queued. */
  #fill(): void {
    if (this.origin() === undefined) return
    const {database, clock} = this.service
    const now = clock.now()
    const {deliveries} = this.#taken()
    const taken = {deliveries, subscriptions: this.#outbox.wellFilled()}
    for (const id of findSubscriptionsDue(database, now, taken, this.#outbox.room)) {
      const room = this.#outbox.roomFor(id)
      if (room > 0) this.#outbox.queue(id, findDue(database, id, now, deliveries, room))
    }
  }

  /** Queued deliveries may have changed since: each is read again, and sent if it is still due. */
  #startQueued(): void {
    for (let id = this.#outbox.next(); id !== undefined; id = this.#outbox.next()) {
      const delivery = findForAttempt(this.service.database, id)
      const now = this.service.clock.now()
      if (delivery && isDue(delivery, now) && !this.#outbox.isUnderWay(id)) {
        const {dueAt} = delivery
        this.#start(delivery, dueAt !== null && dueAt >= this.#movedFrom ? Math.min(dueAt, now) : now)
      }
    }
  }

  #taken(): Taken {
    return {deliveries: this.#outbox.deliveries(), subscriptions: this.#outbox.full()}
  }

  /** `at`: when the attempt counts as made, in Unix seconds of the sandbox's clock. */
  #start(delivery: DueDelivery, at: number): void {
    this.#outbox.begin(delivery)
    const times = {now: at, realNow: this.service.clock.realNow()}
    void makeAttempt(this.post, delivery, times, this.origin() ?? '').then(({attempt, signedAt}) => {
      this.#outbox.ended(delivery)
      // An attempt that ended because the sandbox stops says nothing about the subscriber.
      if (this.service.closing.aborted) return
      const next = stepAfter({n: attempt.n, at, status: delivery.status}, attempt.error === null)
      this.#recorder.add({delivery, attempt, signedAt, next})
      this.#afterAttempt(next.makesPassive)
    })
  }

  /** Starts the next attempt at once, unless this one must be recorded first. */
  #afterAttempt(decidesOthers: boolean): void {
    try {
      if (!decidesOthers && !this.#recorder.isFull) this.#startQueued()
    } catch (error) {
      this.#fault = error
    }
    if (decidesOthers || this.#recorder.isFull || !this.#outbox.isSending) this.#recorder.flush()
  }

  #record(made: readonly MadeAttempt[]): void {
    try {
      recordAttempts(this.service.database, made)
      this.wake()
    } catch (error) {
      this.#fault = error
      this.#sleep(WAIT_AFTER_FAULT_MILLISECONDS)
    }
    for (const {delivery} of made) this.#outbox.forget(delivery.deliveryId)
  }

  /** Whether an attempt of it is under way or waits to be recorded. */
  #isBusyWith(deliveryId: string): boolean {
    return this.#outbox.isUnderWay(deliveryId) && !this.service.closing.aborted
  }

  #sleep(milliseconds: number): void {
    clearTimeout(this.#timer)
    if (this.service.closing.aborted) return
    const wait = Math.min(Math.max(milliseconds, 1), MAX_SLEEP_MILLISECONDS)
    this.#timer = setTimeout(() => this.#look(), wait).unref()
  }

  #throwFault(): void {
    const fault = this.#fault
    this.#fault = undefined
    if (fault !== undefined) throw fault
  }
}
