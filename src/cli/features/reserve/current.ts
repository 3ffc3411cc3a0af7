/**
 * What a reservation that was made earlier is now. The service is asked before anything is said of it: what this machine
 * wrote down then may be long untrue. Its own path (§4.9 names it) is asked where it may be called; else only whether there
 * is a voucher (§4.5), which says that it is CONFIRMED (§3).
 */
import type {ReserveOutcome} from '../../../api/reserve/outcome.js'
import {Failure} from '../../../contract/failure.js'
import type {Connection} from '../../session/connect.js'
import {noteOutcome} from './noted.js'
import {isFinal} from './payment.js'

export interface Look {
  /** The newest that is known. */
  readonly outcome: ReserveOutcome
  /** Why the service did not say whether it is confirmed. */
  readonly failure?: Failure
  /** Whether the service said what it is now. */
  readonly isShown: boolean
}

/** One look, of about `seconds` at most; `known` is what is known before. What it learns goes into the journal. */
export async function lookAt(
  connection: Connection,
  known: ReserveOutcome,
  seconds: number,
  warn: (text: string) => void,
): Promise<Look> {
  const look = await lookNow(connection, known, seconds)
  const {outcome, reservation_ref} = look.outcome
  if (outcome !== known.outcome && reservation_ref !== null)
    noteOutcome(connection, reservation_ref, outcome, warn)
  return look
}

async function lookNow(connection: Connection, known: ReserveOutcome, seconds: number): Promise<Look> {
  const shown = await show(connection, known, seconds)
  const isShown = !(shown instanceof Failure)
  const outcome = isShown ? shown : known
  if (isFinal(outcome)) return {outcome, isShown}
  const confirmed = await isConfirmed(connection, outcome, seconds)
  if (confirmed === true) return {outcome: asConfirmed(outcome), isShown: true}
  if (confirmed instanceof Failure) return {outcome, isShown, failure: confirmed}
  // That it may not be looked at is said by the path that may be called, if by any.
  const isTold = isShown || shown.kind === 'usage' || shown.kind === 'not_allowed'
  return isTold ? {outcome, isShown} : {outcome, isShown, failure: shown}
}

/** As the service shows it, or why it does not. */
async function show(
  {api}: Connection,
  known: ReserveOutcome,
  timeoutSeconds: number,
): Promise<ReserveOutcome | Failure> {
  const [{showReservation}, {outcomeWord}] = await Promise.all([
    import('../../../api/operations/reservations.js'),
    import('../../../api/reserve/outcome.js'),
  ])
  const booking = {client_reference_id: known.client_reference_id}
  try {
    const found = await showReservation(api, known.reservation_ref ?? '', {booking, timeoutSeconds})
    if (!found.status?.trim()) return known
    const {reservation, payment_url} = found
    return {...known, outcome: outcomeWord(found), reservation, payment_url: payment_url ?? known.payment_url}
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}

async function isConfirmed(
  {api}: Connection,
  {reservation_ref}: ReserveOutcome,
  timeoutSeconds: number,
): Promise<boolean | Failure> {
  const {isVoucherReady} = await import('../../../api/operations/vouchers.js')
  try {
    return await isVoucherReady(api, reservation_ref ?? '', timeoutSeconds)
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}

/** What was said of its payment before is no longer true. */
function asConfirmed(known: ReserveOutcome): ReserveOutcome {
  const {payment, ...rest} = known.reservation ?? {}
  const {status: _, ...kept} = (payment ?? {}) as Record<string, unknown>
  const reservation = {...rest, ...(payment === undefined ? {} : {payment: kept}), status: 'CONFIRMED'}
  return {...known, outcome: 'confirmed', reservation}
}

/** `made` as it is now, where an earlier run or another process made it and it may have changed since. */
export async function newestOf(
  connection: Connection,
  made: ReserveOutcome,
  warn: (text: string) => void,
): Promise<ReserveOutcome> {
  if (!made.repeated || isFinal(made)) return made
  const {outcome, isShown, failure} = await lookAt(connection, made, connection.timeoutSeconds, warn)
  if (!isShown) {
    const why = failure ? `: ${failure.message}` : ''
    warn(`Warning: the service does not say what became of it since; this is its last known state${why}`)
  }
  return outcome
}
