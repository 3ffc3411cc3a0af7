/**
 * The limits on what agents spend. They are checked where a reservation is committed to the journal, one process at a time, so
 * that servers and parallel calls together never pass them. What was spent is read from the journal, so no restart forgets it.
 */
import {isSameCurrency, type Money} from '../../../api/answers/amounts.js'
import {costsOfCancellation, isEnded, priceOfReservation} from '../../../api/answers/reservations.js'
import {isCancelled} from '../../../api/operations/reservations.js'
import {moneyOf} from '../../../api/reserve/outcome.js'
import type {HandleStore} from '../../../contract/agent-handles.js'
import {Failure, usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {
  atServiceOf,
  isBookedBy,
  isNeverSent,
  isUnresolved,
  type Journal,
  type JournalEntry,
  type JournalStore,
  mayBeOwn,
  NOT_SENT,
  type Price,
} from '../../../contract/journal.js'
import {compareAmounts, differenceOfAmounts, moneyText, sumOfAmounts} from '../../../contract/money.js'
import type {Client} from '../../../contract/token-cache.js'
import type {Maximum} from '../../input/checks.js'
import {missing} from '../../input/usage-errors.js'

/** What agents may spend in 24 hours, of one client at one base URL. All amounts are in `currency`. */
export interface SpendingLimits {
  /** An ISO 4217 code. An offer in another currency is refused. */
  readonly currency: string
  /** The most that all reservations together may cost, a decimal string. */
  readonly maxTotal: string
  /** The most that one reservation may cost, a decimal string. */
  readonly maxEach: string
  /** The most reservations; undefined for any number. */
  readonly perDay: number | undefined
}

/** What the reservations of agents have cost in the last 24 hours, in the currency of the limits. */
export interface Spending {
  /** A decimal string. Of what is incomparable it has only the part that is known. */
  readonly total: string
  readonly reservations: number
  /** The client references of cancelled reservations that count with their price, because their fee is not known. */
  readonly withoutFee: readonly string[]
  /** The first reservation whose price is unclear, or cannot be compared with the limits. Nothing is reserved while there is one. */
  readonly incomparable: JournalEntry | undefined
}

/** Not in the interface. */
const WINDOW_SECONDS = 24 * 3600
/** How long a reservation waits until another one was counted. */
const WAIT_MILLISECONDS = 30_000

/**
 * Reads the flags `--max-total`, `--max-each` and `--per-day`. Throws a usage error that names each limit that is missing, or if one
 * has no currency, or if the currencies differ.
 */
export function readSpendingLimits(flags: {
  readonly 'max-total'?: Maximum | undefined
  readonly 'max-each'?: Maximum | undefined
  readonly 'per-day'?: number | undefined
}): SpendingLimits {
  const names = ['max-total', 'max-each'] as const
  const absent = names.filter(name => flags[name] === undefined).map(name => `--${name}`)
  if (absent.length > 0)
    throw missing(absent, 'without them an agent may not reserve, for example --max-total "500 EUR"')
  const read = (name: (typeof names)[number]) => {
    const {amount, currency} = flags[name] as Maximum
    if (currency !== null) return {amount, currency}
    const problem = `--${name}: must have a currency, because it limits what is spent`
    throw usage('invalid_flag', problem, `for example --${name} "500 EUR"`)
  }
  const total = read('max-total')
  const each = read('max-each')
  if (total.currency !== each.currency)
    throw usage(
      'invalid_flags',
      `--max-total is in ${total.currency} and --max-each in ${each.currency}, so no offer would fit both`,
      'give both in one currency',
    )
  const {currency} = total
  return {currency, maxTotal: total.amount, maxEach: each.amount, perDay: flags['per-day']}
}

/**
 * Adds up what the reservations of agents have cost, of all servers of `client` at its service. `now` is in Unix seconds.
 *
 * A reservation counts from its last change on for 24 hours, and for as long as its outcome is unknown. It counts with the price
 * that was booked or agreed, whichever is higher. One that was booked at an unclear price, or in another currency, is
 * incomparable. A cancelled one counts with its fee, or with its price where the fee is not
 * known. What was never sent, refused, or has expired without payment counts nothing.
 */
export async function readSpending(
  journal: Pick<JournalStore, 'list'>,
  client: Client,
  {currency}: Pick<SpendingLimits, 'currency'>,
  {now, except}: {readonly now: number; readonly except?: number | undefined},
): Promise<Spending> {
  const openOrChanged = {withinSeconds: WINDOW_SECONDS, now}
  const listed = await journal.list({byAgents: true, openOrChanged})
  const own = atServiceOf(client, listed).filter(entry => mayBeOwn(entry, client) && entry.id !== except)
  const counted = own.filter(entry => counts(entry, client, now))
  const costs = counted.map(entry => ({entry, cost: costOf(entry, currency)}))
  return {
    total: sumOfAmounts(costs.map(({cost}) => cost.amount)),
    reservations: counted.length,
    withoutFee: costs.flatMap(({entry, cost}) => (cost.isWithoutFee ? entry.clientReferenceId : [])),
    incomparable: costs.find(({cost}) => !cost.isComparable)?.entry,
  }
}

function counts(entry: JournalEntry, client: Client, now: number): boolean {
  if (isUnresolved(entry)) return true
  // Its process is about to send it, or was killed before.
  if (isNeverSent(entry)) return entry.outcome !== NOT_SENT && entry.updatedAt > now - WINDOW_SECONDS
  return isBookedBy(entry, client) && (isCancelled(entry.outcome) || !isEnded(entry.outcome))
}

interface Cost {
  /** What is known of it in the currency of the limits. */
  readonly amount: string
  /** Whether that is all: false if a price is unclear, not known, or in another currency. */
  readonly isComparable: boolean
  readonly isWithoutFee: boolean
}

/** Returns what an entry counts with, for limits in `currency`. */
function costOf(entry: JournalEntry, currency: string): Cost {
  const isIn = (money: Money) => money.currency?.toUpperCase() === currency
  const hasEnded = isCancelled(entry.outcome)
  const {fee} = costsOfCancellation({reservation: entry.result ?? {}})
  if (hasEnded && fee && isIn(fee)) return {amount: fee.amount, isComparable: true, isWithoutFee: false}
  const prices = [entry.agreed, entry.booked].filter(price => price !== null).map(moneyOf)
  const known = prices.filter(isIn).map(({amount}) => amount)
  const highest = known.reduce((high, amount) => (compareAmounts(amount, high) > 0 ? amount : high), '0')
  // The journal keeps no price of an answer that names several, but the answer itself.
  const {booked, result} = entry
  const isUnclear = booked === null && result !== null && priceOfReservation(result, result) === 'unclear'
  const isComparable = known.length > 0 && known.length === prices.length && !isUnclear
  return {amount: highest, isComparable, isWithoutFee: hasEnded}
}

/** What is left of the limits, for the result of a tool. Amounts are decimal strings in `currency`. */
export function leftOf({currency, maxTotal, maxEach, perDay}: SpendingLimits, spending: Spending) {
  // Nothing may be spent while it is not known what was.
  const hasLeft = spending.incomparable === undefined && compareAmounts(spending.total, maxTotal) < 0
  const left = hasLeft ? differenceOfAmounts(maxTotal, spending.total) : '0'
  return {
    currency,
    max_total: maxTotal,
    max_each: maxEach,
    per_day: perDay ?? null,
    spent: spending.total,
    left,
    reservations: spending.reservations,
    reservations_left: perDay === undefined ? null : Math.max(0, perDay - spending.reservations),
  }
}

/**
 * Throws a usage error `over_limit` if a reservation for `price` would pass a limit, which says what is left. `price` is null if
 * it is not known.
 */
export function checkLimits(limits: SpendingLimits, spending: Spending, price: Price | null): void {
  const {currency, maxEach, maxTotal, perDay} = limits
  const left = leftOf(limits, spending)
  const refusal = (limit: string, problem: string, hint: string) => {
    const message = `over the limit: ${problem}; nothing was sent`
    return new Failure('usage', message, {code: 'over_limit', hint, result: {limit, ...left}})
  }
  const text = (amount: string) => moneyText(amount, currency)
  const ask = 'only the person who started this server can change its limits'
  if (price === null)
    throw refusal('max_each', 'the price is not known', 'choose an offer whose price is known')
  const cost = moneyOf(price)
  if (cost.currency === null || !isSameCurrency(cost, {amount: '0', currency})) {
    const problem = `the offer costs ${moneyText(cost.amount, cost.currency)}, and the limits are in ${currency}`
    throw refusal('currency', problem, `search in that currency: ${currency}`)
  }
  if (compareAmounts(cost.amount, maxEach) > 0) {
    const problem = `the offer costs ${text(cost.amount)}, and one reservation may cost ${text(maxEach)}`
    throw refusal('max_each', problem, `choose an offer of at most ${text(maxEach)}; ${ask}`)
  }
  const {incomparable, reservations, total, withoutFee} = spending
  if (incomparable) {
    const reference = sanitizeLine(incomparable.clientReferenceId, 128)
    const problem = `what the reservation ${reference} of the last 24 hours costs is not known in ${currency}, so nothing may be spent; ${text(total)} are known to be spent`
    throw refusal('max_total', problem, ask)
  }
  if (perDay !== undefined && reservations >= perDay) {
    const problem = `${reservations} of ${perDay} reservations were made in the last 24 hours`
    throw refusal('per_day', problem, `try again later; ${ask}`)
  }
  if (compareAmounts(sumOfAmounts([total, cost.amount]), maxTotal) <= 0) return
  const whole =
    withoutFee.length > 0 ? '; a cancelled one counts with its price, because its fee is not known' : ''
  const problem = `the offer costs ${text(cost.amount)}, and ${text(left.left)} are left of ${text(maxTotal)} for 24 hours${whole}`
  throw refusal('max_total', problem, `choose an offer of at most ${text(left.left)}; ${ask}`)
}

/** What `withLimits` counts with. */
export interface Counting {
  readonly limits: SpendingLimits
  readonly store: Pick<JournalStore, 'list'>
  readonly handles: Pick<HandleStore, 'alone'>
}

/**
 * Decorates a journal, so that `begin` commits no new reservation over a limit. It counts and commits while no other process
 * counts for this service, and counts again afterwards: a process that stood still for so long that it lost a shared store's lock
 * then withdraws what it committed. Nothing else of the journal changes; `begin` throws the usage error of `checkLimits`, and a
 * Failure `unreachable` if another process counts for too long.
 */
export function withLimits(journal: Journal, {limits, store, handles}: Counting): Journal {
  return {
    ...journal,
    async begin(intent, now) {
      const known = await journal.peek(intent)
      // Nothing is sent, or what may have been sent before is repeated, which counts already.
      if (known && (known.kind !== 'repeat' || !isNeverSent(known.entry))) return journal.begin(intent, now)
      const requireRoom = async (except: number | undefined) => {
        const spending = await readSpending(store, journal.client, limits, {now, except})
        checkLimits(limits, spending, intent.agreed)
      }
      const beginAlone = async () => {
        await requireRoom((await journal.peek(intent))?.entry.id)
        const verdict = await journal.begin(intent, now)
        const {id, attempts} = verdict.entry
        if (!isNeverSent(verdict.entry)) return verdict
        await requireRoom(id).catch(async error => {
          await journal.notSent(id, attempts, now)
          throw error
        })
        return verdict
      }
      const nothing = async () => undefined
      const done = await handles.alone('spending', WAIT_MILLISECONDS, beginAlone, nothing)
      if (!done.gaveUp) return done.value
      const busy = 'another process is still counting what was spent; nothing was sent'
      throw new Failure('unreachable', busy, {code: 'busy', hint: 'call it again'})
    },
  }
}
