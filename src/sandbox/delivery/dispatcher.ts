/**
 * Sends deliveries when they are due. Several are sent at the same time, but only a few for each subscription, so that
 * a slow subscriber does not delay others. After the process was killed, only attempts that were not recorded are
 * repeated. Also moves the clock, from one due time to the next, so that everything happens at its own time.
 */
import {setImmediate as nextTurn} from 'node:timers/promises'
import type {Service} from '../base/service.js'
import {expirePayments} from '../booking/pay-change-cancel.js'
import type {Forgery} from '../certify/evidence.js'
import {nextPaymentExpiry} from '../store/reservations.js'
import {removeExpired} from '../store/schema.js'
import * as store from '../store/webhooks.js'
import {makeAttempt, type PostOptions} from './attempt.js'

/** Maximum number of attempts at the same time, in total and for one subscription. */
const MOST_CONCURRENT = 128
const MOST_CONCURRENT_PER_SUBSCRIPTION = 8
const MOST_SLEEP_MILLISECONDS = 3_600_000
const WAIT_AFTER_FAULT_MILLISECONDS = 1000

/** The clock always advances by at least this, because rounding could otherwise stop it. */
const LEAST_STEP_SECONDS = 0.001
/**
 * Attempts that are due within this time of each other are made together. It is less than the shortest delay between
 * two attempts (§6.4).
 */
const TOGETHER_SECONDS = 30

export class Dispatcher {
  /** Attempts that are not recorded yet, by delivery id. */
  readonly #underWay = new Map<string, {readonly subscriptionId: string; readonly recorded: Promise<void>}>()
  #unrecorded: store.DeliveryAttempt[] = []
  #commit: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #soon: NodeJS.Immediate | undefined
  #fault: unknown
  /**
   * The time before the clock was moved, in Unix seconds. A delivery that fell due after this time is attempted with
   * its due time.
   */
  #movedFrom = Number.POSITIVE_INFINITY
  #lastMove: Promise<void> = Promise.resolve()
  #stops = 0

  /** The dispatcher sends nothing until the sandbox is served, because links in events would lead nowhere. */
  constructor(
    private readonly service: Service,
    private readonly options: PostOptions,
  ) {}

  /**
   * Looks for due deliveries in the next turn of the event loop. Must be called whenever a delivery may have become
   * due.
   */
  wake(): void {
    this.#soon ??= setImmediate(() => {
      this.#soon = undefined
      this.#startDue()
    })
  }

  /**
   * Makes an attempt now, whatever the schedule says, and even for an inactive subscription. Returns false if there is
   * no such delivery. With `forgery`, the attempt is forged, so that its receiver must refuse it. Rejects with a
   * StorageError.
   */
  async deliverNow(deliveryId: string, forgery: Forgery | null = null): Promise<boolean> {
    // All waiting calls resume together. There must be no await between this check and the start, or two attempts would
    // start.
    while (this.#underWay.has(deliveryId)) await this.#underWay.get(deliveryId)?.recorded
    const delivery = store.findForAttempt(this.service.database, deliveryId)
    if (!delivery) return false
    this.#fault = undefined
    await this.#start(delivery, this.service.clock.now(), forgery)
    this.#throwFault()
    return true
  }

  /** Moves the clock by `seconds`. Resolves when everything that fell due has happened. Rejects with a StorageError. */
  moveClock(seconds: number): Promise<void> {
    const stops = this.#stops
    const moved = this.#lastMove.then(() => this.#move(seconds, stops))
    this.#lastMove = moved.catch(() => undefined)
    return moved
  }

  /** Ends all moves of the clock that are running or waiting. They resolve without advancing the clock further. */
  stopClock(): void {
    this.#stops += 1
  }

  /**
   * Records the attempts that have ended. Must be called after `closing` is aborted. Attempts that have not ended are
   * repeated after the next start.
   */
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
      // Even if nothing was sent, other requests can be answered here.
      await nextTurn()
      if (left <= 0) return
    }
  }

  /**
   * Returns the time of the last attempt that can be made together with those due at `next`. No payment expires before
   * it.
   */
  #together(next: number): number {
    const {database} = this.service
    const last = store.lastAttemptBy(database, next + TOGETHER_SECONDS)
    return Math.max(next, Math.min(last, nextPaymentExpiry(database)))
  }

  /**
   * Resolves when nothing is due or being sent. `movedFrom` is the time before the clock was moved. Rejects with a
   * StorageError.
   */
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

  /**
   * Returns when something falls due next, in Unix seconds of the sandbox's clock, ignoring subscriptions that are at
   * their limit of attempts. Returns Infinity if nothing will fall due.
   */
  #nextDue(): number {
    const {database} = this.service
    const expiry = nextPaymentExpiry(database)
    return this.service.served() === undefined
      ? expiry
      : Math.min(expiry, store.nextAttemptAt(database, this.#taken()))
  }

  /**
   * Starts the attempts that are due, and sets a timer for the next ones. After a storage error, tries again a little
   * later.
   */
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

  /**
   * Starts an attempt, recorded with the time `at` (Unix seconds of the sandbox's clock). Resolves when the attempt is
   * recorded.
   */
  #start(delivery: store.DueDelivery, at: number, forgery: Forgery | null = null): Promise<void> {
    const {deliveryId, subscriptionId} = delivery
    const recorded = this.#attempt(delivery, at, forgery).finally(() => this.#underWay.delete(deliveryId))
    this.#underWay.set(deliveryId, {subscriptionId, recorded})
    return recorded
  }

  async #attempt(delivery: store.DueDelivery, at: number, forgery: Forgery | null): Promise<void> {
    const times = {now: at, realNow: this.service.clock.realNow()}
    const origin = this.service.served() ?? ''
    const record = await makeAttempt(this.options, delivery, times, origin, forgery)
    // If the attempt failed because the sandbox stops, it says nothing about the subscriber.
    if (this.service.closing.aborted) return
    this.#unrecorded.push(record)
    // Attempts that end during a commit are recorded together in the next one.
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
