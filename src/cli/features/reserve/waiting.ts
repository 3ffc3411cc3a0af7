/** Waiting until a reservation is confirmed. */

import {repeatHint, resumeCommand} from '../../../api/reserve/failures.js'
import type {ReserveOutcome} from '../../../api/reserve/outcome.js'
import {Failure, type FailureKind} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import type {Connection} from '../../session/connect.js'
import {lookAt} from './current.js'
import {isFinal, paymentNote} from './payment.js'

/** Ours. */
const FIRST_LOOK_SECONDS = 1
const LONGEST_PAUSE_SECONDS = 5

export interface WaitHooks {
  /** Takes what should be known while it is waited for. */
  readonly warn: (text: string) => void
  /** Takes each newer state. */
  readonly learn: (newest: ReserveOutcome) => void
}

/**
 * Waits until the reservation is CONFIRMED (§3), and returns it as it is then. A service that fails or is away is waited
 * for. Throws Failure: `refused` when it has ended otherwise, `pending` when time runs out, `not_allowed`.
 */
export async function waitUntilConfirmed(
  connection: Connection,
  outcome: ReserveOutcome,
  seconds: number,
  {warn, learn}: WaitHooks,
): Promise<ReserveOutcome> {
  const {api, clock, state, timeoutSeconds} = connection
  const deadline = clock.now() + seconds
  let newest = outcome
  for (let pause = FIRST_LOOK_SECONDS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_SECONDS)) {
    const reference = newest.reservation_ref
    if (newest.outcome === 'confirmed' || reference === null) return newest
    if (isFinal(newest)) throw neverConfirmed(newest, reference)
    const before = deadline - clock.now()
    const look = await lookAt(connection, newest, Math.min(timeoutSeconds, Math.max(1, before)), warn)
    if (look.failure && !PASSING_FAILURES.has(look.failure.kind)) throw look.failure
    newest = look.outcome
    learn(newest)
    if (isFinal(newest)) continue
    const left = deadline - clock.now()
    if (left <= 0) throw stillPending(newest, reference, state.writable)
    await api.clock.sleep(Math.min(pause, left) * 1000)
  }
}

/** How a service says "not confirmed yet" is not shown (§4.5): only missing rights end the wait. */
const PASSING_FAILURES: ReadonlySet<FailureKind> = new Set(['refused', 'service_failed', 'unreachable'])

function neverConfirmed(outcome: ReserveOutcome, reference: string): Failure {
  const {reservation, idempotency_key, client_reference_id, attempts} = outcome
  const message = `reservation ${sanitizeLine(reference, 64)} is ${sanitizeLine(outcome.outcome)}, and will not be confirmed`
  return new Failure('refused', message, {
    code: 'not_confirmed',
    hint: 'choose an offer again: bookctl hotels search',
    result: {outcome: outcome.outcome, reservation, idempotency_key, client_reference_id, attempts},
  })
}

function stillPending(outcome: ReserveOutcome, reference: string, journalKept: boolean): Failure {
  const {reservation, idempotency_key, client_reference_id, attempts} = outcome
  const name = sanitizeLine(reference, 64)
  const entry = {clientReferenceId: client_reference_id, idempotencyKey: idempotency_key}
  const note = paymentNote(outcome)
  const message = `reservation ${name} is still ${sanitizeLine(outcome.outcome)}${note === undefined ? '' : `: ${note}`}`
  return new Failure('pending', message, {
    code: 'payment_pending',
    hint: journalKept ? `wait again with: ${resumeCommand(client_reference_id)} --wait` : repeatHint(entry),
    result: {outcome: outcome.outcome, reservation, idempotency_key, client_reference_id, attempts},
  })
}
