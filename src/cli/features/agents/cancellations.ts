/** What agents may cancel. The fee is asked first and fixed under a handle; a person agrees to it before anything is cancelled. */
import {isSameCurrency, type Money} from '../../../api/answers/amounts.js'
import {costsOfCancellation} from '../../../api/answers/reservations.js'
import {isCancelled, showReservation, stateOf} from '../../../api/operations/reservations.js'
import {feeToKeep, moneyOf} from '../../../api/reserve/outcome.js'
import {
  type AgentHandle,
  handleNotValid,
  isHandle,
  mintHandle,
  type PreparedCancellation,
} from '../../../contract/agent-handles.js'
import {isoTime} from '../../../contract/dates.js'
import {Failure, failureWith} from '../../../contract/failure.js'
import {compareAmounts} from '../../../contract/money.js'
import {checkIdentifier} from '../../input/checks.js'
import {moneyText} from '../../terminal/dates-and-amounts.js'
import {cancelOnce, describeCancellation, planCancellation} from '../reservations/reservations.js'
import {noteOutcome} from '../reserve/booking.js'
import {type Booking, type Caller, programOf} from './booking.js'
import {decide, requireAlive, requireApproval, risen} from './consent.js'

/** How long a handle of a cancellation is valid. Not in the interface: a fee may rise from one day to the next. */
const VALIDITY_SECONDS = 15 * 60
/** How long a cancellation waits until another one of the same reservation has ended. */
const WAIT_MILLISECONDS = 60_000

/** What became of a cancellation. A fee or a refund that the service does not state is null. */
export interface CancelledReservation {
  /** `cancelled`, or the service's own word. */
  readonly outcome: string
  readonly reservation_ref: string
  readonly fee: Money | null
  readonly refund: Money | null
  /** The fee that a person agreed to. */
  readonly quoted_fee: Money
  readonly warnings: readonly string[]
}

/**
 * Prepares a cancellation: asks for the fee, and stores it under a new handle. Cancels nothing. Throws a Failure, also when the
 * service states no fee, or several.
 */
export async function prepareCancellation(
  {connection, handles}: Booking,
  reference: string,
  caller: Pick<Caller, 'program'>,
) {
  const {target, clock} = connection
  checkIdentifier('reservation_ref', 'reservation_ref', reference)
  const plan = await planCancellation(connection, reference)
  const {fee, refund} = plan.quote
  const handle = mintHandle()
  const now = clock.now()
  const expiresAt = now + VALIDITY_SECONDS
  const prepared: PreparedCancellation = {
    kind: 'cancellation',
    reservationRef: reference,
    fee: {price: fee.amount, currency: fee.currency},
    lines: describeCancellation(plan, target),
  }
  await handles.create({handle, prepared, program: programOf(caller), expiresAt}, now)
  const reservation = plan.reservation?.reservation ?? null
  return {handle, expires_at: isoTime(expiresAt), fee, refund, reservation}
}

/**
 * Cancels what was prepared, once a person has agreed. Called again with the same handle, returns the stored result; if that is
 * unknown, looks whether it is cancelled, and only then sends the cancellation again.
 *
 * Throws a Failure: `handle_not_valid`, `declined`, `approval_needed`, `approval_closed`, `price_rose` if the fee has risen, or as
 * cancelling does.
 */
export async function cancelHandle(
  booking: Booking,
  handle: string,
  caller: Caller,
): Promise<CancelledReservation> {
  const {connection, handles, journal, consent, approveCommand} = booking
  const {state, target, clock} = connection
  const now = () => clock.now()
  if (!isHandle(handle)) throw handleNotValid()
  const found = await requireCancellation(booking, handle)
  if (found.result) return found.result as unknown as CancelledReservation
  const {prepared} = found
  // A person has agreed to one that began to be carried out.
  if (found.usedAt === null) {
    const channel = {handles, state, target, consent, ask: caller.ask, approveCommand, now}
    await requireApproval(found, prepared, channel)
  }
  const done = await journal.alone(
    `cancel ${prepared.reservationRef}`,
    WAIT_MILLISECONDS,
    () => cancelAlone(booking, handle),
    async () => undefined,
  )
  if (!done.gaveUp) return done.value
  const busy = 'another process is cancelling this reservation'
  throw new Failure('unreachable', busy, {code: 'busy', hint: 'call it again with the same handle'})
}

type Found = AgentHandle & {readonly prepared: PreparedCancellation}

async function requireCancellation({connection, handles}: Booking, handle: string): Promise<Found> {
  const found = await handles.find(handle, connection.clock.now())
  if (found === undefined || found.kind !== 'cancellation') throw handleNotValid()
  const {prepared} = found
  if (found.result === null && prepared?.kind !== 'cancellation') throw handleNotValid()
  requireAlive(found)
  return found as Found
}

/** Cancels while no other process works on this reservation. */
async function cancelAlone(booking: Booking, handle: string): Promise<CancelledReservation> {
  const {connection, handles} = booking
  const {clock} = connection
  // Another call may have cancelled it, or voided the handle, meanwhile.
  const {result, prepared, usedAt} = await requireCancellation(booking, handle)
  if (result) return result as unknown as CancelledReservation
  const {reservationRef: reference} = prepared
  const quoted_fee = moneyOf(prepared.fee)
  const warnings: string[] = []
  const warn = (text: string) => void warnings.push(text)
  const end = async (cancelled: Omit<CancelledReservation, 'quoted_fee' | 'warnings'>) => {
    const whole = {...cancelled, quoted_fee, warnings}
    await handles.end(handle, whole, clock.now()).catch(error => {
      warn(`the result could not be stored: ${(error as Error).message}`)
    })
    return whole
  }
  if (usedAt !== null) {
    const costs = await costsIfCancelled(booking, reference, warn)
    if (costs) return end({outcome: 'cancelled', reservation_ref: reference, ...costs})
  }
  const plan = await planCancellation(connection, reference)
  const {fee} = plan.quote
  if (!isSameCurrency(fee, quoted_fee) || compareAmounts(fee.amount, quoted_fee.amount) > 0) {
    await decide(handles, handle, 'void', {by: 'server', now: clock.now()})
    throw risen(handle, `cancelling costs ${moneyText(fee)} now, and ${moneyText(quoted_fee)} was prepared`)
  }
  await handles.use(handle, clock.now())
  const {document} = await cancelOnce(connection, plan, {}, warn).catch(error => {
    if (!(error instanceof Failure) || error.kind !== 'outcome_unknown') throw error
    const hint = 'call it again with the same handle, which looks whether it is cancelled'
    throw failureWith(error, {hint})
  })
  const {outcome, refund} = document
  return end({outcome, reservation_ref: reference, fee: document.fee, refund})
}

/** Returns what a cancellation has cost whose answer was lost; undefined if the reservation is not cancelled, or not shown. */
async function costsIfCancelled({connection}: Booking, reference: string, warn: (text: string) => void) {
  const shown = await showReservation(connection.api, reference).catch(error => {
    if (error instanceof Failure && error.kind !== 'interrupted') return undefined
    throw error
  })
  if (shown === undefined || !isCancelled(stateOf(shown.reservation) ?? '')) return undefined
  const costs = costsOfCancellation(shown)
  const fee = costs.fee === null ? undefined : feeToKeep(costs.fee)
  await noteOutcome(connection, reference, {outcome: 'cancelled', fee}, warn)
  return costs
}
