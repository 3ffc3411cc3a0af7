/**
 * Cancelling: what it costs is asked first, shown, and agreed to; then it is sent. Where the service does not say
 * what it costs, nothing is cancelled: a fee nobody has seen is not agreed to.
 */
import {type CancellationCost, isSameCurrency} from '../../../api/answers/cancellation-cost.js'
import type {Money} from '../../../api/answers/facts.js'
import type {ReadReservation} from '../../../api/answers/reservations.js'
import {factsOfReservation} from '../../../api/answers/reservations.js'
import type {Cancelled} from '../../../api/operations/cancellations.js'
import {stateOf} from '../../../api/operations/change.js'
import {Failure, failureWith} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {compareAmounts, isAmount} from '../../../contract/money.js'
import {checkCurrency, invalid} from '../../input/checks.js'
import type {Connection} from '../../session/connect.js'
import type {Target} from '../../session/target.js'
import type {Change} from '../../terminal/prompts/ask.js'
import {type Result, single} from '../../terminal/result.js'
import {moneyText, onItsOwnClock} from '../../terminal/values.js'
import {noteOutcome} from '../reserve/follow.js'
import {howToLook, namingTheWay} from './reservations.js'

/** What is known before anything is cancelled. */
export interface CancelPlan {
  readonly reference: string
  readonly quote: CancellationCost & {readonly fee: NonNullable<CancellationCost['fee']>}
  /** Null where the service does not show it. */
  readonly reservation: ReadReservation | null
}

/** What is sent. Throws usage for a reason that is too long. */
export function checkReason(field: string, reason: string): string {
  if (reason.length <= 200) return reason
  throw invalid(field, 'must be at most 200 characters')
}

/** Asks what cancelling costs, and what it is that would be cancelled. Throws Failure. */
export async function planCancellation({api}: Connection, reference: string): Promise<CancelPlan> {
  const [{quoteCancellation, isCancelled}, {showReservation}] = await Promise.all([
    import('../../../api/operations/cancellations.js'),
    import('../../../api/operations/reservations.js'),
  ])
  const quote = await quoteCancellation(api, reference).catch(error => {
    throw cancelledAlready(withoutQuote(error), reference)
  })
  const reservation = await showReservation(api, reference).catch(error => {
    // Not every service that quotes shows the reservation too: what is not known is said to be so.
    if (error instanceof Failure && error.details.code !== 'another_reservation') return null
    throw error
  })
  if (reservation && isCancelled(stateOf(reservation.reservation) ?? ''))
    throw isCancelledNow(reference, quote)
  return {reference, quote, reservation}
}

function isCancelledNow(reference: string, quote: CancelPlan['quote']): unknown {
  const details = {code: 'already_cancelled', result: {quote: quoted(quote)}}
  const message = `${reference} is cancelled already; nothing was sent`
  return cancelledAlready(new Failure('refused', message, details), reference)
}

function withoutQuote(error: unknown): unknown {
  if (!(error instanceof Failure) || error.details.code !== 'path_not_shown') return error
  const why = 'what a cancellation costs is asked before it is sent, and this path is not shown'
  return new Failure(error.kind, `${why}: ${error.message}`, error.details)
}

/** Says both things it may mean. */
function cancelledAlready(error: unknown, reference: string): unknown {
  if (!(error instanceof Failure) || error.kind !== 'refused') return error
  const said = `${error.details.code} ${error.message}`
  if (!/already.{0,20}cancel|cancell?(ed|ation)\W+already/i.test(said)) return error
  const hint = `by an earlier attempt whose answer was lost, or by somebody else; fee and time: bookctl reservations show ${reference}`
  return new Failure(error.kind, error.message, {...error.details, hint})
}

/** What a person should see before agreeing, line by line. */
export function describeCancellation({reference, quote, reservation}: CancelPlan, target: Target): string[] {
  const facts = reservation && factsOfReservation(reservation)
  const dates = facts && [facts.check_in, facts.check_out].filter(Boolean).join(' to ')
  const lines = [
    ['Reservation', [reference, reservation?.status].filter(Boolean).join(', ')],
    ['Hotel', facts?.hotel ?? 'not known'],
    ['Dates', dates || 'not known'],
    ['Price', moneyText(facts?.price ?? null) ?? 'not known'],
    ['Free until', facts?.free_until ? onItsOwnClock(facts.free_until) : 'not known'],
    ['Fee now', moneyText(quote.fee) ?? ''],
    ['Refund', moneyText(quote.refund) ?? 'not known'],
    ['Service', `${target.mode.toUpperCase()}, ${new URL(target.baseUrl).host}, client ${target.clientId}`],
  ]
  return lines.map(([name = '', text = '']) => `${name.padEnd(12)} ${sanitizeLine(text, 200)}`)
}

/** The most a cancellation may cost; without a currency it is in that of the reservation's price. */
export type MaxFee = Money

/** `5`, or `5 EUR`. Throws usage. */
export function readMaxFee(field: string, text: string): MaxFee {
  const [, amount = '', code] = /^(\S*?\d)(?:\s*([A-Za-z]{3}))?$/.exec(text.trim()) ?? []
  if (!isAmount(amount)) throw invalid(field, 'must be an amount such as 450 or "450.00 EUR"', text)
  return {amount, currency: code === undefined ? null : checkCurrency(field, code)}
}

/** Throws usage when cancelling costs more than `maxFee`, or when that cannot be told for want of one currency. */
export function checkFee({quote, reservation}: CancelPlan, maxFee: MaxFee | undefined): void {
  if (maxFee === undefined || compareAmounts(quote.fee.amount, '0') === 0) return
  const price = reservation && factsOfReservation(reservation).price
  const meant = maxFee.currency ?? price?.currency ?? quote.fee.currency
  const [code, problem] =
    quote.fee.currency === null
      ? ['fee_not_comparable', 'and the service does not say in which currency']
      : meant?.toUpperCase() !== quote.fee.currency.toUpperCase()
        ? ['fee_not_comparable', `which cannot be compared with ${moneyText({...maxFee, currency: meant})}`]
        : compareAmounts(quote.fee.amount, maxFee.amount) > 0
          ? ['fee_too_high', `more than --max-fee ${moneyText(maxFee)}`]
          : []
  if (code === undefined) return
  const message = `cancelling costs ${moneyText(quote.fee)}, ${problem}; nothing was cancelled`
  const hint = `name the most it may cost with its currency: --max-fee "${maxFee.amount} ${quote.fee.currency ?? 'EUR'}"`
  throw new Failure('usage', message, {code, hint: sanitizeLine(hint, 200), result: {quote: quoted(quote)}})
}

/** What has to be agreed to. */
export function changeOf({quote}: CancelPlan): Change {
  return {
    what: `cancelling costs ${moneyText(quote.fee)} and`,
    undone: 'nothing was cancelled',
    hint: 'add --yes, and --max-fee AMOUNT for the most it may cost',
    result: {quote: quoted(quote)},
  }
}

/** Cancels. Throws Failure; one whose outcome is unknown names the way to find out. */
export async function cancel(
  connection: Connection,
  {reference, quote}: CancelPlan,
  body: {reason?: string},
  warn: (text: string) => void,
): Promise<Cancelled> {
  const {cancelReservation, isCancelled} = await import('../../../api/operations/cancellations.js')
  const done = await cancelReservation(connection.api, reference, body).catch(error => {
    const named = cancelledAlready(namingTheWay(error, howToLook(reference)), reference)
    const {result} = named instanceof Failure ? named.details : {}
    throw named instanceof Failure && result ? failureWith(named, {...result, quote: quoted(quote)}) : named
  })
  if (isCancelled(done.outcome)) noteOutcome(connection, reference, {outcome: 'cancelled'}, warn)
  return done
}

export const CANCEL_COLUMNS = ['outcome', 'reservation_ref', 'fee', 'refund', 'quoted_fee']

/** What the service answered; what it does not answer is null, and never taken from the quote. */
export function cancelResult(done: Cancelled, {reference, quote}: CancelPlan): Result {
  const {outcome, reservation, fee, refund} = done
  const row = {
    outcome,
    reservation_ref: reference,
    fee: moneyText(fee),
    refund: moneyText(refund),
    quoted_fee: moneyText(quote.fee),
  }
  return single({outcome, reservation, fee, refund, quote: quoted(quote)}, row, reference)
}

/** What has to be said after it was sent, if anything. */
export function surprises({outcome, fee}: Cancelled, {quote, reference}: CancelPlan): string[] {
  const isOther =
    fee !== null && (compareAmounts(fee.amount, quote.fee.amount) !== 0 || !isSameCurrency(fee, quote.fee))
  return [
    ...(isOther ? [`Warning: the fee is ${moneyText(fee)}, where ${moneyText(quote.fee)} was quoted`] : []),
    ...(/^(cancell?ed|accepted)/.test(outcome)
      ? []
      : [`Warning: the service took it, and says ${sanitizeLine(outcome, 40)}; ${howToLook(reference)}`]),
  ]
}

function quoted({fee, refund}: CancellationCost): object {
  return {fee, refund}
}
