/**
 * Books the rows of a batch, several at a time. Each goes through the journal, so that none is booked twice. A failure
 * that would be the same for all remaining rows ends the batch.
 */
import {isSameCurrency, type Money} from '../../../api/answers/amounts.js'
import {resumeCommand} from '../../../api/reserve/failures.js'
import {reserve, resume} from '../../../api/reserve/reserve.js'
import {Failure} from '../../../contract/failure.js'
import type {SearchRequest} from '../../../contract/hotels.js'
import {BEGUN_ELSEWHERE, isNeverSent, type Journal} from '../../../contract/journal.js'
import {compareAmounts, sumOfAmounts} from '../../../contract/money.js'
import type {Connection} from '../../session/connect.js'
import {asFailure, type Described} from '../../shell/exit-codes.js'
import {moneyText} from '../../terminal/dates-and-amounts.js'
import {newestOf} from '../reserve/booking.js'
import {endsAll, NOT_TRIED} from '../several/each.js'
import {type BatchOffer, type BatchOffers, priceOf} from './offers.js'
import {inParallel} from './parallel.js'
import {applyEntry, intentFor, noOffer} from './plan.js'
import {type BatchRow, isBalanceEmpty} from './rows.js'
import type {Trip} from './trips.js'

/** The maximum cost of all trips in a file. It has a currency. */
export type Limit = Money & {readonly currency: string}

export interface RunOptions {
  readonly connection: Connection
  readonly journal: Journal
  readonly offers: BatchOffers
  /** Returns the search request of a row, or undefined for a row with an offer. */
  readonly requestOf: (row: BatchRow) => SearchRequest | undefined
  /** How many rows are booked at the same time. */
  readonly parallel: number
  /** Maximum number of reservations per second. Undefined for no maximum. */
  readonly ratePerSecond: number | undefined
  /** Whether new rows are sent although the outcome of another row is unknown. */
  readonly continues: boolean
  /** The maximum cost of all trips in the file. */
  readonly maxTotal: Limit | undefined
  readonly timeoutSeconds: number | undefined
  readonly warn: (text: string) => void
  /** Called when a row has ended. */
  readonly onEnd: (row: BatchRow) => void
}

/** How often a row is tried if another process, or a limit of the service, prevents it. */
const MOST_ROUNDS = 8

/**
 * After a signal, how many milliseconds to wait for answers to requests that were sent. Then their outcome is unknown.
 */
const GRACE_MILLISECONDS = 5000

export class BatchRun {
  /** The failure that ended the batch before its last row. */
  halt: Halt | undefined
  isStopped = false
  private reportStop = () => {}
  private readonly stopped = new Promise<void>(resolve => {
    this.reportStop = resolve
  })
  private readonly givingUp = new AbortController()
  /** The sum of everything that is booked or may be booked, in the currency of the limit. */
  private spent = '0'
  /** The prices of the rows that are being booked. */
  private readonly underWay = new Map<BatchRow, Money>()
  private nextAt = 0
  private running: Promise<unknown> = Promise.resolve()

  constructor(private readonly options: RunOptions) {}

  /**
   * Resumes rows with an unknown outcome, queries pending ones, and books planned ones. Throws only because of a bug.
   */
  async book(rows: readonly BatchRow[]): Promise<void> {
    const open: BatchRow[] = []
    const pending: BatchRow[] = []
    const planned: BatchRow[] = []
    for (const row of rows) {
      if (row.open) open.push(row)
      else if (row.outcome === 'pending') pending.push(row)
      else if (row.outcome === 'planned') planned.push(row)
      else {
        this.count(row)
        // If the file now describes a trip with an unknown outcome differently, it is not resumed. It ends the batch
        // like any other unknown outcome.
        if (row.outcome === 'unknown' && row.failure && !this.options.continues)
          this.halt ??= {failure: row.failure, trip: row.trip}
        this.options.onEnd(row)
      }
    }
    this.running = (async () => {
      await this.each(open, row => this.resume(row))
      await this.each(pending, row => this.refresh(row))
      await this.each(planned, row => this.bookRow(row))
    })()
    await this.running
  }

  /** Starts no further rows, and waits for those that were sent. */
  async stop(): Promise<void> {
    this.isStopped = true
    this.reportStop()
    const late = new Promise<void>(resolve => setTimeout(resolve, GRACE_MILLISECONDS).unref())
    const running = this.running.catch(() => {})
    await Promise.race([running, late])
    this.givingUp.abort()
    await running
  }

  /** Returns the result of `work`. Throws a Failure if the batch is stopped before that. */
  async unlessStopped<T>(work: Promise<T>): Promise<T> {
    const stop = this.stopped.then(() => {
      throw notTried(undefined)
    })
    return Promise.race([work, stop])
  }

  /** Calls `work` for rows, at most `parallel` at a time. After a halt or a stop, the remaining rows are not sent. */
  private async each(rows: readonly BatchRow[], work: (row: BatchRow) => Promise<void>): Promise<void> {
    await inParallel(rows, this.options.parallel, async row => {
      if (this.isStopped || this.halt) this.leave(row)
      else await this.attempt(row, work)
      this.options.onEnd(row)
    })
  }

  private async attempt(row: BatchRow, work: (row: BatchRow) => Promise<void>): Promise<void> {
    try {
      await work(row)
    } catch (error) {
      const failure = asFailure(error)
      if (failure.kind === 'unexpected') throw error
      row.fail(error, row.open && failure.kind !== 'refused' ? 'unknown' : undefined)
    }
    this.underWay.delete(row)
    this.count(row)
    const {failure, trip} = row
    if (failure === undefined || row.isBooked) return
    const isUnknown = row.outcome === 'unknown' && !this.options.continues
    if (isUnknown || isBalanceEmpty(failure) || endsAll({reference: trip.reference, failure}))
      this.halt ??= {failure, trip}
  }

  /** Adds to the sum what the reservation of a finished row costs, or may cost. */
  private count(row: BatchRow): void {
    const mayCost = row.isBooked || row.outcome === 'unknown' ? row.cost : undefined
    if (mayCost) this.spent = sumOfAmounts([this.spent, mayCost.amount])
  }

  /** Marks a row as not started. If its outcome is unknown, it stays unknown. */
  private leave(row: BatchRow): void {
    if (!row.isBooked) row.fail(notTried(this.halt), row.open ? 'unknown' : 'not_sent')
  }

  /** Finds out the outcome of an earlier attempt, with that attempt's key. */
  private async resume(row: BatchRow): Promise<void> {
    row.settle(await resume(this.sending(), row.trip.reference))
  }

  /** Reads the current state of a reservation that was waiting for payment. */
  private async refresh(row: BatchRow): Promise<void> {
    const {connection, warn} = this.options
    if (row.booking) row.settle(await newestOf(connection, row.booking, warn))
  }

  private async bookRow(row: BatchRow): Promise<void> {
    const {journal} = this.options
    for (let round = 1; ; round++) {
      // The wait comes before taking the offer, which could expire during the wait.
      await this.pace()
      const offer = await this.offerFor(row)
      if (this.isStopped || this.halt) return this.leave(row)
      this.spend(row, offer)
      row.offer = offer
      const price = offer && priceOf(offer)
      const agreed = price ? {price: price.amount, currency: price.currency} : null
      const intent = await intentFor(row, row.trip.offerId ?? offer?.offer_id ?? '', agreed)
      try {
        return row.settle(await reserve(this.sending(), intent))
      } catch (error) {
        const {code, status} = asFailure(error).details
        const isRepeatable = round < MOST_ROUNDS && !this.isStopped
        if (isRepeatable && OF_ANOTHER_PROCESS.has(code)) {
          // Another process is booking this trip. Its outcome counts here too.
          const entry = await journal.find(row.trip.reference)
          if (entry && !isNeverSent(entry)) await applyEntry(row, entry, journal, this.options.warn)
          if (row.open && (await this.wasSent(row))) return
          if (row.outcome !== 'planned') return
          continue
        }
        const isOfOffer = row.trip.search !== undefined && OF_THE_OFFER.has(code)
        if (isRepeatable && (status === 429 || isOfOffer)) continue
        throw error
      }
    }
  }

  /**
   * Finds out the outcome of another process's attempt. Returns false if that attempt was never sent, so that the row
   * must be booked here.
   */
  private async wasSent(row: BatchRow): Promise<boolean> {
    try {
      await this.resume(row)
      return true
    } catch (error) {
      if (asFailure(error).details.code !== 'never_sent') throw error
      row.open = undefined
      row.outcome = 'planned'
      return false
    }
  }

  /** Returns an offer for the row alone that costs no more than planned. Throws a Failure if there is none. */
  private async offerFor(row: BatchRow): Promise<BatchOffer | undefined> {
    const request = this.options.requestOf(row)
    if (request === undefined) return row.offer
    const {offer, found} = await this.options.offers.take(request, row.trip.choose, row.offer)
    if (offer === undefined) throw noOffer(found)
    const {planned} = row
    const now = priceOf(offer)
    if (planned && now && (!isSameCurrency(planned, now) || compareAmounts(now.amount, planned.amount) > 0))
      throw dearer(planned, now)
    return offer
  }

  /** Adds the price of an offer to the sum before it is booked. Throws a Failure if the sum would exceed the limit. */
  private spend(row: BatchRow, offer: BatchOffer | undefined): void {
    const price = offer && priceOf(offer)
    const {maxTotal} = this.options
    // In a later round, the row already has a price.
    this.underWay.delete(row)
    const others = [...this.underWay.values()].map(({amount}) => amount)
    const total = sumOfAmounts([this.spent, ...others, price?.amount ?? '0'])
    if (maxTotal && compareAmounts(total, maxTotal.amount) > 0) {
      const failure = overTotal(total, maxTotal)
      this.halt ??= {failure, trip: row.trip}
      throw failure
    }
    if (price) this.underWay.set(row, price)
  }

  /** Waits until the rate limit allows another reservation. */
  private async pace(): Promise<void> {
    const {ratePerSecond, connection} = this.options
    if (ratePerSecond === undefined) return
    const now = connection.clock.now()
    const at = Math.max(now, this.nextAt)
    this.nextAt = at + 1 / ratePerSecond
    // The wait is in short steps, so that a stop need not wait for it.
    while (!this.isStopped && !this.halt) {
      const left = at - connection.clock.now()
      if (left <= 0) return
      await connection.clock.sleep(Math.min(left, 0.5) * 1000)
    }
  }

  private sending() {
    const {connection, journal, timeoutSeconds, warn} = this.options
    return {
      api: connection.api,
      clock: connection.clock,
      journal,
      timeoutSeconds,
      signal: this.givingUp.signal,
      warn: (text: string) => warn(`Warning: ${text}`),
    }
  }
}

/** The failure that ended a batch before its last trip, and the trip where it occurred. */
export interface Halt {
  readonly failure: Described
  readonly trip: Trip
}

/** Returns the failure of a trip that was not started, because of `halt` or, without it, a signal. */
export function notTried(halt: Halt | undefined): Failure {
  const again = 'the same command again goes on where it ended'
  if (halt === undefined)
    return new Failure('interrupted', 'not sent: the command was stopped', {code: NOT_TRIED, hint: again})
  const {failure, trip} = halt
  const {kind, message, details} = failure
  if (kind === 'outcome_unknown' || details.code === 'reference_in_use') {
    const problem = `not sent: the batch ended because the outcome of line ${trip.line} is unknown`
    const hint = `find out: ${resumeCommand(trip.reference)}; or go on without it: add --continue`
    return new Failure('outcome_unknown', problem, {code: NOT_TRIED, hint})
  }
  const problem = `not sent: the batch ended at line ${trip.line}: ${message}`
  return new Failure(kind === 'unexpected' ? 'interrupted' : kind, problem, {code: NOT_TRIED, hint: again})
}

/** Codes of conflicts that another process may cause by booking the same file. */
const OF_ANOTHER_PROCESS: ReadonlySet<string> = new Set(['reference_in_use', BEGUN_ELSEWHERE, 'busy'])
/** Codes after which another offer of the same search may work. Nothing was booked with this one. */
const OF_THE_OFFER: ReadonlySet<string> = new Set(['offer_in_use', 'offer_expired'])

function dearer(planned: Money, now: Money): Failure {
  const problem = `it costs ${moneyText(now)} now, and ${moneyText(planned)} was planned; not booked`
  return new Failure('refused', problem, {
    code: 'price_changed',
    hint: 'run the same command again for a new plan',
  })
}

function overTotal(total: string, {amount, currency}: Money): Failure {
  const problem = `it would bring the total to ${moneyText({amount: total, currency})}, more than --max-total ${moneyText({amount, currency})}`
  return new Failure('not_as_agreed', problem, {
    code: 'max_total_exceeded',
    hint: 'run the same command again with a higher --max-total',
  })
}
