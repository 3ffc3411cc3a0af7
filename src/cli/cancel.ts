/**
 * Cancelling: what it costs is asked first, shown, and agreed to; then it is sent once. Where the service does not say
 * what it costs, nothing is cancelled: a fee nobody has seen is not agreed to.
 */
import type {Money} from '../api/facts.js'
import {factsOfReservation} from '../api/reservation-facts.js'
import type {CancellationCost, Cancelled} from '../api/reservations.js'
import type {ReadReservation} from '../api/shapes.js'
import {Failure, usage} from '../contract/failure.js'
import {sanitizeLine} from '../contract/foreign-text.js'
import {compareAmounts} from '../contract/money.js'
import type {Connection} from './connect.js'
import {onItsOwnClock} from './hotel-clock.js'
import {invalid} from './input/checks.js'
import {moneyText} from './money-text.js'
import {howToLook, namingTheWay} from './reservations.js'
import {type Result, single} from './result.js'
import type {Target} from './target.js'

/** What is known before anything is cancelled. */
export interface CancelPlan {
  readonly reference: string
  readonly quote: CancellationCost & {readonly fee: NonNullable<CancellationCost['fee']>}
  /** Null where the service does not show it. */
  readonly reservation: ReadReservation | null
}

/** What is sent. Throws usage for a reason that is too long. */
export function readReason(reason: string | undefined): {reason?: string} {
  if (reason !== undefined && reason.length > 200) throw invalid('--reason', 'must be at most 200 characters')
  return reason === undefined ? {} : {reason}
}

/** Asks what cancelling costs, and what it is that would be cancelled. Throws Failure. */
export async function planCancellation({api}: Connection, reference: string): Promise<CancelPlan> {
  const {quoteCancellation, showReservation} = await import('../api/reservations.js')
  const quote = await quoteCancellation(api, reference).catch(error => {
    throw cancelledAlready(withoutQuote(error), reference)
  })
  const reservation = await showReservation(api, reference).catch(error => {
    // Not every service that quotes shows the reservation too: what is not known is said to be so.
    if (error instanceof Failure) return null
    throw error
  })
  return {reference, quote, reservation}
}

function withoutQuote(error: unknown): unknown {
  if (!(error instanceof Failure) || error.details.code !== 'path_not_shown') return error
  const why = 'what a cancellation costs is asked before it is sent, and this path is not shown'
  return new Failure(error.kind, `${why}: ${error.message}`, error.details)
}

/** Says both things it may mean. */
function cancelledAlready(error: unknown, reference: string): unknown {
  if (!(error instanceof Failure) || !/already.?cancel/i.test(error.details.code)) return error
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

/** Throws usage when cancelling costs more than `maxFee`, an amount in the currency of the fee. */
export function checkFee({quote}: CancelPlan, maxFee: string | undefined): void {
  if (maxFee === undefined || compareAmounts(quote.fee.amount, maxFee) <= 0) return
  const message = `cancelling costs ${moneyText(quote.fee)}, more than --max-fee ${maxFee}; nothing was cancelled`
  throw new Failure('usage', message, {code: 'fee_too_high', result: {quote: quoted(quote)}})
}

/** `agreed`: what a person said, or undefined when nobody can be asked. Throws usage unless it is yes. */
export function requireAgreement(agreed: boolean | undefined, {quote}: CancelPlan): void {
  if (agreed) return
  if (agreed === false) throw usage('not_confirmed', 'not confirmed; nothing was cancelled')
  const message = `cancelling costs ${moneyText(quote.fee)} and has to be confirmed; nothing was cancelled`
  const details = {
    code: 'confirmation_needed',
    hint: 'add --yes, and --max-fee AMOUNT for the most it may cost',
  }
  throw new Failure('usage', message, {...details, result: {quote: quoted(quote)}})
}

/** Cancels. Throws Failure; one whose outcome is unknown names the way to find out. */
export async function cancel(
  {api}: Connection,
  {reference}: CancelPlan,
  body: {reason?: string},
): Promise<Cancelled> {
  const {cancelReservation} = await import('../api/reservations.js')
  return cancelReservation(api, reference, body).catch(error => {
    throw cancelledAlready(namingTheWay(error, howToLook(reference)), reference)
  })
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
    fee !== null && (compareAmounts(fee.amount, quote.fee.amount) !== 0 || otherCurrency(fee, quote.fee))
  return [
    ...(isOther ? [`Warning: the fee is ${moneyText(fee)}, where ${moneyText(quote.fee)} was quoted`] : []),
    ...(/cancel|accepted/.test(outcome)
      ? []
      : [`Warning: the service took it, and says ${sanitizeLine(outcome, 40)}; ${howToLook(reference)}`]),
  ]
}

function otherCurrency(left: Money, right: Money): boolean {
  return left.currency !== null && right.currency !== null && left.currency !== right.currency
}

function quoted({fee, refund}: CancellationCost): object {
  return {fee, refund}
}
