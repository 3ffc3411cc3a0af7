/** A reservation's outcome as it is printed. */
import type {ReserveOutcome} from '../../../api/reserve/outcome.js'
import {type Result, single} from '../../terminal/result.js'
import {paymentAddress} from './payment.js'

export const RESERVATION_COLUMNS = [
  ...['outcome', 'reservation_ref', 'payment_url'],
  ...['client_reference_id', 'idempotency_key', 'attempts'],
]

export function reservationResult(outcome: ReserveOutcome): Result<Record<string, unknown>> {
  const {reservation, idempotency_key, client_reference_id, attempts} = outcome
  const row = {
    outcome: outcome.outcome,
    reservation_ref: outcome.reservation_ref,
    payment_url: paymentAddress(outcome) ?? null,
    client_reference_id,
    idempotency_key,
    attempts,
  }
  const document = {outcome: outcome.outcome, reservation, idempotency_key, client_reference_id, attempts}
  return single(document, row, outcome.reservation_ref)
}
