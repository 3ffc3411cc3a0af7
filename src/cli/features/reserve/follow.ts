/**
 * A reservation after it was made: its state now, by its own path (§4.9) where that can be called, else by whether there is
 * a voucher (§4.5), which means CONFIRMED (§3); waiting for the confirmation; and naming it in every failure.
 */
import {priceOfReservation, type ReadReservation} from '../../../api/answers/reservations.js'
import {repeatHint, resumeCommand} from '../../../api/reserve/failures.js'
import {
  asPrice,
  isPriceChanged,
  outcomeWord,
  type ReserveOutcome,
  withoutPeople,
} from '../../../api/reserve/outcome.js'
import {isEnded} from '../../../contract/events.js'
import {Failure, type FailureKind, usage} from '../../../contract/failure.js'
import {sanitizeLine, shellWord} from '../../../contract/foreign-text.js'
import type {Settlement} from '../../../contract/journal.js'
import {StorageError} from '../../../storage/errors.js'
import type {Connection} from '../../session/connect.js'
import {documentOf, isFinal, nameOf, paymentNote} from './payment.js'

type Warn = (text: string) => void

interface Look {
  readonly outcome: ReserveOutcome
  /** Why the service did not say whether it is confirmed. */
  readonly failure?: Failure
  /** Whether the service said what it is now. */
  readonly isShown: boolean
}

/** One look, of about `seconds` at most; `known` is what is known before. What it learns goes into the journal. */
async function lookAt(connection: Connection, known: ReserveOutcome, seconds: number, warn: Warn) {
  const latest = await lookNow(connection, known, seconds)
  const {outcome, reservation_ref, reservation, status, payment_url, booked} = latest.outcome
  if (outcome !== known.outcome && reservation_ref !== null) {
    const result = withoutPeople({reservation: reservation ?? {}, reservation_ref, status, payment_url})
    await noteOutcome(connection, reservation_ref, {outcome, booked, result}, warn)
  }
  return latest
}

async function lookNow({api}: Connection, known: ReserveOutcome, timeoutSeconds: number): Promise<Look> {
  const {showReservation} = await import('../../../api/operations/reservations.js')
  const reference = known.reservation_ref ?? ''
  const booking = {client_reference_id: known.client_reference_id}
  const shown = await orFailure(showReservation(api, reference, {booking, timeoutSeconds}))
  const isShown = !(shown instanceof Failure)
  const outcome = isShown ? asShown(shown, known) : known
  if (isFinal(outcome)) return {outcome, isShown}
  const {isVoucherReady} = await import('../../../api/operations/vouchers.js')
  const confirmed = await orFailure(isVoucherReady(api, reference, timeoutSeconds))
  if (confirmed === true) return {outcome: asConfirmed(outcome), isShown: true}
  if (confirmed instanceof Failure) return {outcome, isShown, failure: confirmed}
  // A path that may not be called says nothing of the service.
  const isExpected = isShown || shown.kind === 'usage' || shown.kind === 'not_allowed'
  return isExpected ? {outcome, isShown} : {outcome, isShown, failure: shown}
}

async function orFailure<T>(work: Promise<T>): Promise<T | Failure> {
  return work.catch(error => {
    if (error instanceof Failure) return error
    throw error
  })
}

function asShown(found: ReadReservation, known: ReserveOutcome): ReserveOutcome {
  const {reservation, status, payment_url} = found
  if (!status?.trim()) return known
  const address = payment_url ?? known.payment_url
  const booked = bookedPrice(found) ?? known.booked
  return {...known, outcome: outcomeWord(found), status, reservation, payment_url: address, booked}
}

/** What a reservation that is shown costs. */
export const bookedPrice = ({reservation}: Pick<ReadReservation, 'reservation'>) =>
  asPrice(priceOfReservation(reservation, reservation))

/** Drops the earlier state of the payment, which is no longer true. */
function asConfirmed(known: ReserveOutcome): ReserveOutcome {
  const {payment, ...rest} = known.reservation ?? {}
  const {status: _, ...kept} = (payment ?? {}) as Record<string, unknown>
  const reservation = {...rest, ...(payment === undefined ? {} : {payment: kept}), status: 'CONFIRMED'}
  return {...known, outcome: 'confirmed', status: 'CONFIRMED', reservation}
}

/** `booking` as it is now, where an earlier run or another process made it and it may have changed since. */
export async function newestOf(connection: Connection, booking: ReserveOutcome, warn: Warn) {
  if (!booking.repeated || isFinal(booking)) return booking
  const {outcome, isShown, failure} = await lookAt(connection, booking, connection.timeoutSeconds, warn)
  if (!isShown) {
    const why = failure ? `: ${failure.message}` : ''
    warn(`Warning: the service does not report its current state; this is its last known state${why}`)
  }
  return outcome
}

/** Notes in the journal what the service says of a reservation made here. Failures only warn. */
export async function noteOutcome(
  {state, target, clock}: Pick<Connection, 'state' | 'target' | 'clock'>,
  reference: string,
  newest: Settlement,
  warn: Warn,
): Promise<void> {
  try {
    if (state.remembers) await state.journal.noteStatus(target, reference, newest, clock.now())
  } catch (error) {
    const problem = `could not be written to the journal: ${(error as Error).message}`
    warn(`Warning: that it is ${newest.outcome} ${problem}`)
  }
}

/** The answer for "not confirmed yet" is not shown (§4.5), so only missing rights end the wait. */
const PASSING_FAILURES: ReadonlySet<FailureKind> = new Set(['refused', 'service_failed', 'unreachable'])

export interface WaitHooks {
  readonly warn: Warn
  readonly learn: (newest: ReserveOutcome) => void
}

/** Waits for CONFIRMED (§3), also while the service fails. Throws refused, pending, not_allowed. */
export async function waitUntilConfirmed(
  connection: Connection,
  outcome: ReserveOutcome,
  seconds: number,
  {warn, learn}: WaitHooks,
): Promise<ReserveOutcome> {
  const {api, clock, state, timeoutSeconds} = connection
  const deadline = clock.now() + seconds
  let newest = outcome
  for (let pauseSeconds = 1; ; pauseSeconds = Math.min(pauseSeconds * 2, 5)) {
    if (newest.outcome === 'confirmed' || newest.reservation_ref === null) return newest
    requireStanding(newest)
    const before = deadline - clock.now()
    const latest = await lookAt(connection, newest, Math.min(timeoutSeconds, Math.max(1, before)), warn)
    if (latest.failure && !PASSING_FAILURES.has(latest.failure.kind)) throw latest.failure
    newest = latest.outcome
    learn(newest)
    if (isFinal(newest)) continue
    const left = deadline - clock.now()
    if (left <= 0) throw stillPending(newest, clock.now(), state.remembers)
    await api.clock.sleep(Math.min(pauseSeconds, left) * 1000)
  }
}

/** Throws refused for a reservation that was rejected, cancelled or the like, with all that is known of it beside the error. */
export function requireStanding(outcome: ReserveOutcome): void {
  if (!isEnded(outcome.outcome)) return
  const {reservation_ref: reference} = outcome
  const state = `the service refused: reservation ${nameOf(outcome)} is ${sanitizeLine(outcome.outcome, 40)}`
  const show = reference === null ? 'journal' : `reservations show ${shellWord(reference)}`
  throw new Failure('refused', `${state}, and will not be confirmed`, {
    code: 'not_confirmed',
    hint: `check it before you book again: bookctl ${show}`,
    result: documentOf(outcome),
    keepsResult: true,
  })
}

/** How to go on waiting for it. */
export function waitingHint(outcome: ReserveOutcome, journalKept: boolean): string {
  const {client_reference_id: clientReferenceId, idempotency_key: idempotencyKey} = outcome
  if (!journalKept) return repeatHint({clientReferenceId, idempotencyKey})
  return `keep waiting: ${resumeCommand(clientReferenceId)} --wait`
}

function stillPending(outcome: ReserveOutcome, now: number, journalKept: boolean): Failure {
  const note = paymentNote(outcome, now)
  const state = `reservation ${nameOf(outcome)} is still ${sanitizeLine(outcome.outcome)}`
  // A script that waits on must not miss that something else was booked than it agreed to.
  const kind = isPriceChanged(outcome) ? 'not_as_agreed' : 'pending'
  return new Failure(kind, note === undefined ? state : `${state}: ${note}`, {
    code: 'payment_pending',
    hint: waitingHint(outcome, journalKept),
    result: documentOf(outcome),
  })
}

/** Does `work`; a Failure then names the reservation as last learned, other errors follow a warning. */
export async function namingReservation<T>(
  booking: ReserveOutcome,
  warn: Warn,
  work: (learn: (newest: ReserveOutcome) => void) => Promise<T>,
): Promise<T> {
  let newest = booking
  try {
    return await work(outcome => {
      newest = outcome
    })
  } catch (error) {
    const name = nameOf(newest)
    const text = `the reservation ${name} was made (${sanitizeLine(newest.outcome, 40)})`
    const failure =
      error instanceof StorageError ? usage(`storage_${error.fault}`, error.message, error.hint) : error
    if (!(failure instanceof Failure)) {
      warn(text)
      throw error
    }
    const {kind, message, details} = failure
    const check = `it exists, so do not reserve again; check it: ${resumeCommand(newest.client_reference_id)}`
    const named = {result: documentOf(newest), ...details}
    const saying = message.includes(name) ? message : `${message}; ${text}`
    throw new Failure(kind, saying, {...named, hint: details.hint ?? check})
  }
}
