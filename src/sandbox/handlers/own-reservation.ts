/** The reservation a path names, if it is the caller's. */
import {Refusal} from '../base/refusal.js'
import type {ClientCall} from '../base/service.js'
import {findReservation, type StoredReservation} from '../store/reservations.js'

/** Throws Refusal `reservation_not_found`, for another client's reservation too. */
export function ownReservation({service, client, parameters}: ClientCall<unknown>): StoredReservation {
  const stored = findReservation(service.database, client.client_id, parameters.reservation_ref ?? '')
  if (!stored) throw new Refusal('reservation_not_found', 'you have no reservation with this reference')
  return stored
}
