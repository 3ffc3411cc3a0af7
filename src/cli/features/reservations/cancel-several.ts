/**
 * Cancels several reservations: requests every fee, asks one question about the sum, then sends one cancellation after
 * another.
 */
import type {Money} from '../../../api/answers/amounts.js'
import {factsOfReservation} from '../../../api/answers/reservations.js'
import {Failure, usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import type {Connection} from '../../session/connect.js'
import {type DryRequest, describeRequest} from '../../session/dry-run.js'
import {serviceText, type Target} from '../../session/resolve.js'
import type {BaseCommand} from '../../shell/base-command.js'
import {factLines, moneyText} from '../../terminal/dates-and-amounts.js'
import type {OutputFlags} from '../../terminal/output.js'
import {jsonResult, type Result} from '../../terminal/result.js'
import {attemptEach, endsAll, notTriedAfter, type Outcome, warningAbout, workOnEach} from '../several/each.js'
import {
  CANCEL_COLUMNS,
  type Cancelled,
  type CancelPlan,
  cancelOnce,
  changeOf,
  checkFee,
  feesOf,
  feesText,
  howToCheck,
  planCancellation,
} from './reservations.js'

/** The flags of the cancellation. */
interface Cancelling extends OutputFlags {
  readonly reason?: string | undefined
  readonly 'max-fee'?: Money | undefined
  readonly yes: boolean
}

/**
 * Cancels several reservations and prints the outcome of each. Nothing is cancelled before all fees were read and
 * agreed to. A reservation whose fee cannot be read is not cancelled; with --max-fee, no reservation is then cancelled.
 * Throws Failure.
 */
export async function cancelSeveral(
  command: BaseCommand,
  connection: Connection,
  references: readonly string[],
  flags: Cancelling,
): Promise<void> {
  const {'max-fee': maxFee, yes, reason} = flags
  command.stopNote = {state: 'nothing was cancelled', hint: 'run the command again to cancel them'}
  const outcomes = await readFees(connection, references)
  const plans = plansOf(outcomes)
  const end = outcomes.find(endsAll)
  if (!end && plans.length > 0) {
    requireAllFees(outcomes, maxFee)
    checkFee(plans, maxFee)
    const atStake = describe(outcomes, connection.target)
    const question = `Cancel ${plans.length === 1 ? 'this reservation' : `these ${plans.length} reservations`}?`
    await command.consent(yes, question, changeOf(plans), atStake)
  }
  const outcomeOf = new Map(outcomes.map(outcome => [outcome.reference, outcome]))
  const body = reason === undefined ? {} : {reason}
  await workOnEach<Cancelled>(command, flags, references, {
    key: 'cancellations',
    columns: CANCEL_COLUMNS,
    shown: CANCEL_COLUMNS.slice(0, -1),
    id: 'reservation_ref',
    entry: (reference, done, failure) => {
      const outcome = failure?.kind === 'outcome_unknown' ? 'unknown' : null
      const nothing = {outcome, reservation: null, fee: null, refund: null}
      const quote = outcomeOf.get(reference)?.done?.quote ?? null
      return {reservation_ref: reference, ...(done?.document ?? {...nothing, quote})}
    },
    row: ({row}) => row,
    atStep: connection.atStep,
    underWay: reference => {
      const message = 'stopped before the answer came, so it may be cancelled'
      return new Failure('outcome_unknown', message, {code: 'outcome_unknown', hint: howToCheck(reference)})
    },
    known: reference => {
      const outcome = outcomeOf.get(reference)
      if (outcome?.failure) return {reference, failure: outcome.failure, bug: outcome.bug}
      return end && notTriedAfter(reference, end)
    },
    attempt: reference => {
      const {done} = outcomeOf.get(reference) as Required<Outcome<CancelPlan>>
      return cancelOnce(connection, done, body, warningAbout(command, reference))
    },
  })
}

function readFees(connection: Connection, references: readonly string[]): Promise<Outcome<CancelPlan>[]> {
  return attemptEach(references, {
    attempt: reference => planCancellation(connection, reference),
    before: index => connection.atStep(`${index + 1} of ${references.length}`),
  })
}

function plansOf(outcomes: readonly Outcome<CancelPlan>[]): CancelPlan[] {
  return outcomes.flatMap(({done}) => done ?? [])
}

/**
 * Throws a usage error if --max-fee is given and a fee could not be read. A reservation that the service refuses to
 * cancel has no fee.
 */
function requireAllFees(outcomes: readonly Outcome<CancelPlan>[], maxFee: Money | undefined): void {
  if (maxFee === undefined) return
  const unknown = outcomes.find(({failure}) => failure && failure.kind !== 'refused')
  if (!unknown?.failure) return
  const {reference, failure} = unknown
  const problem = `the fee of ${reference} is not known, so the sum cannot be compared with --max-fee`
  const hint = `leave it out, or find out more: bookctl reservations cancel ${reference} --dry-run`
  throw usage('fee_unknown', `${problem}; nothing was cancelled: ${failure.message}`, hint)
}

/** Returns a line for each reservation, and one for the sum of the fees. */
function describe(outcomes: readonly Outcome<CancelPlan>[], target: Target): string[] {
  const lines = outcomes.map(({reference, done, failure}) => {
    if (!done) return sanitizeLine(`${reference}  not to be cancelled: ${failure?.message}`, 300)
    const {quote, reservation} = done
    const facts = reservation && factsOfReservation(reservation)
    const dates = facts && [facts.check_in, facts.check_out].filter(Boolean).join(' to ')
    const texts = [facts?.hotel, dates, facts?.lead_guest, `fee ${moneyText(quote.fee)}`]
    return `${reference}  ${texts.filter(Boolean).join(', ')}`
  })
  const plans = plansOf(outcomes)
  const sums = {
    Reservations: `${plans.length}`,
    'Fees now': feesText(feesOf(plans)),
    Service: serviceText(target),
  }
  return [...lines, ...factLines(sums)]
}

/** Returns what a dry run shows: the cancellation requests and their fees. Only reads from the service. */
export async function previewSeveral(
  command: BaseCommand,
  target: Target,
  references: readonly string[],
  flags: Cancelling,
): Promise<Result> {
  const {'max-fee': maxFee, reason} = flags
  const body = reason === undefined ? {} : {reason}
  const state = await command.state()
  const requests: DryRequest[] = references.map(reference =>
    describeRequest('reservations.cancel', target, state, {parameters: {reservation_ref: reference}, body}),
  )
  const connection = await command.connect(target)
  const outcomes = await readFees(connection, references)
  const lines = describe(outcomes, target)
  try {
    requireAllFees(outcomes, maxFee)
    checkFee(plansOf(outcomes), maxFee)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    lines.push(`Warning: ${error.message}`)
  }
  command.tell(lines)
  const cancellations = outcomes.map(({reference, done, failure}) => ({
    reservation_ref: reference,
    quote: done?.quote ?? null,
    ...(failure ? {fee_unknown: failure.message} : {}),
  }))
  return jsonResult({requests, changes: [], cancellations})
}
