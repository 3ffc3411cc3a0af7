/** After a reservation was made: whatever fails from here on, the reservation is named. */

import {resumeCommand} from '../../../api/reserve/failures.js'
import type {ReserveOutcome} from '../../../api/reserve/outcome.js'
import {Failure} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {StorageError} from '../../../storage/errors.js'

/**
 * Does `work`, which only shows or awaits what was made, and calls `learn` with each newer state of it. Throws Failure with
 * the reservation, as it was last seen, in its words and its result; a defect of ours is thrown as it is, after `warn` was
 * told of the reservation.
 */
export async function namingReservation<T>(
  made: ReserveOutcome,
  warn: (text: string) => void,
  work: (learn: (newest: ReserveOutcome) => void) => Promise<T>,
): Promise<T> {
  let newest = made
  const learn = (outcome: ReserveOutcome) => {
    newest = outcome
  }
  try {
    return await work(learn)
  } catch (error) {
    if (error instanceof Failure) throw named(error.kind, error.message, error.details, newest)
    if (error instanceof StorageError) {
      throw named('usage', error.message, {code: `storage_${error.fault}`, hint: error.hint}, newest)
    }
    warn(describeMade(newest))
    throw error
  }
}

function named(
  kind: Failure['kind'],
  message: string,
  details: Failure['details'],
  made: ReserveOutcome,
): Failure {
  const {outcome, reservation, reservation_ref, idempotency_key, client_reference_id, attempts} = made
  const result = {outcome, reservation, reservation_ref, idempotency_key, client_reference_id, attempts}
  const hint =
    details.hint ?? `it is there, so do not reserve again; look at it: ${resumeCommand(client_reference_id)}`
  return new Failure(kind, `${message}; ${describeMade(made)}`, {result, ...details, hint})
}

function describeMade({reservation_ref, client_reference_id, outcome}: ReserveOutcome): string {
  const name = reservation_ref ?? `with the client reference ${client_reference_id}`
  return `the reservation ${sanitizeLine(name, 128)} was made (${sanitizeLine(outcome, 40)})`
}
