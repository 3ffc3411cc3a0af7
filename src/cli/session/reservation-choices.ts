/** Lists reservations of the service as choices for a question, if the path for listing them is known. */
import {factsOfReservation} from '../../api/answers/reservations.js'
import {isCancelled, listReservations, stateOf} from '../../api/operations/reservations.js'
import type {Api} from '../../api/types.js'
import {Failure} from '../../contract/failure.js'
import type {JsonObject} from '../../contract/json.js'

/** Maximum number of reservations to choose from. An older reference can be typed. */
const MOST_CHOICES = 200

/** What a reservation is needed for: to download its voucher, or to cancel it. */
export type ReservationUse = 'voucher' | 'cancel'

/**
 * Reports whether a reservation in this state (lower case) can be used for `use`. A voucher needs the state
 * `confirmed`. Cancelling is allowed in unknown states too.
 */
export function mayBeFor(use: ReservationUse, state: string): boolean {
  if (use === 'voucher') return state === 'confirmed'
  return !isCancelled(state) && !['expired', 'refused', 'failed', 'rejected'].includes(state)
}

/**
 * Describes a reservation, for example `Ayşe Öğüt, Hotel Perla, 2030-06-01 to 2030-06-04`. Missing facts are left out.
 */
export function reservationText(reservation: JsonObject): string {
  const {lead_guest, hotel, check_in, check_out} = factsOfReservation({reservation})
  const dates = [check_in, check_out].filter(Boolean).join(' to ')
  return [lead_guest, hotel, dates].filter(Boolean).join(', ')
}

/**
 * Returns the references that the service lists, with descriptions, or an empty list if the service cannot be asked.
 */
export async function listedChoices(api: Api, use: ReservationUse): Promise<[ref: string, text: string][]> {
  const {reservations} = await listReservations(api, {limit: MOST_CHOICES}).catch(error => {
    // The question then offers only reservations of the local journal.
    if (error instanceof Failure && error.kind !== 'interrupted') return {reservations: []}
    throw error
  })
  return reservations.flatMap(({reservation, reservation_ref}) => {
    const state = stateOf(reservation) ?? ''
    if (!mayBeFor(use, state)) return []
    return [[reservation_ref, [reservationText(reservation), state].filter(Boolean).join(', ')]]
  })
}
