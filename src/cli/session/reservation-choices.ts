/** Reservations to choose from at a question: those that the service lists, if its path for that may be called. */
import {factsOfReservation} from '../../api/answers/reservations.js'
import {isCancelled, listReservations, stateOf} from '../../api/operations/reservations.js'
import type {Api} from '../../api/types.js'
import {Failure} from '../../contract/failure.js'
import type {JsonObject} from '../../contract/json.js'

/** More are no longer a list to choose from; a reference that is older can be typed. */
const MOST_LISTED = 200

/** What a reservation is for: one whose voucher can be downloaded, or one that can be cancelled. */
export type ReservationUse = 'voucher' | 'cancel'

/** Whether a reservation in this state, in lower case, is for `use`; an unknown state may be. */
export function mayBeFor(use: ReservationUse, state: string): boolean {
  if (use === 'voucher') return state === 'confirmed'
  return !isCancelled(state) && !['expired', 'refused', 'failed', 'rejected'].includes(state)
}

/** `Ayşe Öğüt, Hotel Perla, 2030-06-01 to 2030-06-04`: as far as the record says. */
export function reservationText(reservation: JsonObject): string {
  const {lead_guest, hotel, check_in, check_out} = factsOfReservation({reservation})
  const dates = [check_in, check_out].filter(Boolean).join(' to ')
  return [lead_guest, hotel, dates].filter(Boolean).join(', ')
}

/** References with their texts, as the service lists them; none where it cannot be asked. */
export async function listedChoices(api: Api, use: ReservationUse): Promise<[ref: string, text: string][]> {
  const {reservations} = await listReservations(api, {limit: MOST_LISTED}).catch(error => {
    // What this machine knows is offered then.
    if (error instanceof Failure && error.kind !== 'interrupted') return {reservations: []}
    throw error
  })
  return reservations.flatMap(({reservation, reservation_ref}) => {
    const state = stateOf(reservation) ?? ''
    if (!mayBeFor(use, state)) return []
    return [[reservation_ref, [reservationText(reservation), state].filter(Boolean).join(', ')]]
  })
}
