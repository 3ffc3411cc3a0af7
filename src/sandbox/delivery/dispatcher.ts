/**
 * Sends what is due as soon as it is: several deliveries at a time, a few of each subscription, so that a slow subscriber
 * delays no other. After a kill, attempts that were not yet recorded are made again, and no others. Also moves the clock, from
 * one due moment to the next, so that each thing happens at its own.
 */
import {setImmediate as nextTurn} from 'node:timers/promises'
import type {Service} from '../base/service.js'
import {expirePayments} from '../booking/pay-change-cancel.js'
import {nextPaymentExpiry} from '../store/reservations.js'
import {removeExpired} from '../store/schema.js'
import * as store from '../store/webhooks.js'
import {makeAttempt, type PostOptions} from './attempt.js'

/** Attempts at the same time, in all and of one subscription. */
const MOST_CONCURRENT = 128
const MOST_CONCURRENT_PER_SUBSCRIPTION = 8
const MOST_SLEEP_MILLISECONDS = 3_600_000
const WAIT_AFTER_FAULT_MILLISECONDS = 1000

/** Rounding of sums of seconds must not stop the clock. */
const LEAST_STEP_SECONDS = 0.001
/** Attempts that are due within this time are made together; less than the shortest delay between two (§6.4). */
const TOGETHER_SECONDS = 30

export class Dispatcher {
  /** Attempts by the id of the delivery, from their start until they are recorded. */
  readonly #underWay = new Map<string, {readonly subscriptionId: string; readonly recorded: Promise<void>}>()
  #unrecorded: store.DeliveryAttempt[] = []
  #commit: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #soon: NodeJS.Immediate | undefined
  #fault: unknown
  /** Where the clock was before it was moved, in Unix seconds: what fell due since counts as made when it was due. */
  #movedFrom = Number.POSITIVE_INFINITY
  #lastMove: Promise<void> = Promise.resolve()
  #stops = 0

  /** Nothing is sent before the sandbox is served, because links would lead nowhere. */
  constructor(
    private readonly service: Service,
    private readonly options: PostOptions,
  ) {}

  /** Soon looks for due deliveries. Call it whenever one may have become due. */
  wake(): void {
    this.#soon ??= setImmediate(() => {
      this.#soon = undefined
      this.#startDue()
    })
  }

  /** Makes an attempt now, whatever the schedule says, also for a passive subscription. False: no such delivery. */
  async deliverNow(deliveryId: string): Promise<boolean> {
    // All waiting calls resume together, so nothing may be awaited between this check and the start, or two would start.
    while (this.#underWay.has(deliveryId)) await this.#underWay.get(deliveryId)?.recorded
    const delivery = store.findForAttempt(this.service.database, deliveryId)
    if (!delivery) return false
    this.#fault = undefined
    await this.#start(delivery, this.service.clock.now())
    this.#throwFault()
    return true
  }

  /** Moves time by `seconds` and resolves when everything that fell due has happened. Rejects with StorageError. */
  moveClock(seconds: number): Promise<void> {
    const stops = this.#stops
    const moved = this.#lastMove.then(() => this.#move(seconds, stops))
    this.#lastMove = moved.catch(() => undefined)
    return moved
  }

  /** Ends the moves of the clock under way and those that wait: they resolve with time where it stands. */
  stopClock(): void {
    this.#stops += 1
  }

  /** Call after `closing`: ended attempts are recorded; those under way are made again at the next start. */
  close(): void {
    this.#record()
    clearTimeout(this.#timer)
    clearImmediate(this.#soon)
  }

  async #move(seconds: number, stops: number): Promise<void> {
    const {clock, closing} = this.service
    let left = seconds
    await this.#settle(clock.now())
    while (!closing.aborted && stops === this.#stops) {
      const until = this.#together(this.#nextDue()) - clock.now()
      const step = Math.min(left, Math.max(until, LEAST_STEP_SECONDS))
      const from = clock.now()
      clock.advance(step)
      left -= step
      await this.#settle(from)
      // Lets other requests be answered in between, also where nothing was sent.
      await nextTurn()
      if (left <= 0) return
    }
  }

  /** The moment of the last attempt that is made with what is due at `next`: no payment expires in between. */
  #together(next: number): number {
    const {database} = this.service
    const last = store.lastAttemptBy(database, next + TOGETHER_SECONDS)
    return Math.max(next, Math.min(last, nextPaymentExpiry(database)))
  }

  /** Resolves when nothing is due or under way. `movedFrom`: the clock before it was moved. Rejects with StorageError. */
  async #settle(movedFrom: number): Promise<void> {
    this.#movedFrom = movedFrom
    this.#fault = undefined
    try {
      for (;;) {
        this.#startDue()
        this.#throwFault()
        if (this.#underWay.size === 0 || this.service.closing.aborted) return
        await Promise.race([...this.#underWay.values()].map(({recorded}) => recorded))
        this.#throwFault()
      }
    } finally {
      this.#movedFrom = Number.POSITIVE_INFINITY
    }
  }

  /** When something falls due next, except for subscriptions at their limit, on the sandbox's clock; Infinity when nothing does. */
  #nextDue(): number {
    const {database} = this.service
    const expiry = nextPaymentExpiry(database)
    return this.service.served() === undefined
      ? expiry
      : Math.min(expiry, store.nextAttemptAt(database, this.#taken()))
  }

  /** Starts what is due and sleeps until the next; after a fault of the storage it tries again a little later. */
  #startDue(): void {
    const {database, clock, closing} = this.service
    if (closing.aborted) return
    try {
      expirePayments(this.service)
      const now = clock.now()
      const room =
        this.service.served() === undefined ? 0 : Math.max(0, MOST_CONCURRENT - this.#underWay.size)
      for (const id of room > 0 ? store.findSubscriptionsDue(database, now, this.#taken(), room) : []) {
        const limit = MOST_CONCURRENT_PER_SUBSCRIPTION - this.#sendingTo(id)
        for (const delivery of store.findDue(database, id, now, this.#taken(), limit)) {
          const {dueAt} = delivery
          void this.#start(delivery, dueAt !== null && dueAt >= this.#movedFrom ? Math.min(dueAt, now) : now)
        }
      }
      this.#sleep((Math.min(this.#nextDue(), removeExpired(database, now)) - clock.now()) * 1000)
    } catch (error) {
      this.#failed(error)
    }
  }

  #taken(): store.Taken {
    const busy = new Set([...this.#underWay.values()].map(({subscriptionId}) => subscriptionId))
    const full = [...busy].filter(id => this.#sendingTo(id) >= MOST_CONCURRENT_PER_SUBSCRIPTION)
    return {deliveries: [...this.#underWay.keys()], subscriptions: full}
  }

  #sendingTo(id: string): number {
    return [...this.#underWay.values()].filter(({subscriptionId}) => subscriptionId === id).length
  }

  /** `at`: when the attempt counts as made, in Unix seconds of the sandbox's clock. Resolves when it is recorded. */
  #start(delivery: store.DueDelivery, at: number): Promise<void> {
    const {deliveryId, subscriptionId} = delivery
    const recorded = this.#attempt(delivery, at).finally(() => this.#underWay.delete(deliveryId))
    this.#underWay.set(deliveryId, {subscriptionId, recorded})
    return recorded
  }

  async #attempt(delivery: store.DueDelivery, at: number): Promise<void> {
    const times = {now: at, realNow: this.service.clock.realNow()}
    const record = await makeAttempt(this.options, delivery, times, this.service.served() ?? '')
    // An attempt that ended because the sandbox stops says nothing about the subscriber.
    if (this.service.closing.aborted) return
    this.#unrecorded.push(record)
    // Attempts that end while others are written to the disk share the next commit.
    this.#commit ??= nextTurn().then(() => this.#record())
    await this.#commit
  }

  #record(): void {
    this.#commit = undefined
    const records = this.#unrecorded.splice(0)
    try {
      if (records.length > 0) store.recordAttempts(this.service.database, records)
      this.wake()
    } catch (error) {
      this.#failed(error)
    }
  }

  #failed(error: unknown): void {
    this.#fault = error
    this.#sleep(WAIT_AFTER_FAULT_MILLISECONDS)
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
