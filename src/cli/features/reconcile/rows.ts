/** Converts reservations of the service into rows for the comparison. */
import type {Money} from '../../../api/answers/amounts.js'
import {
  factsOfReservation,
  priceOfReservation,
  type ReadReservation,
} from '../../../api/answers/reservations.js'
import {stateOf} from '../../../api/operations/reservations.js'
import {tripOfReservation} from '../../../api/reserve/trip-key.js'
import type {JsonObject} from '../../../contract/json.js'
import {compareAmounts} from '../../../contract/money.js'
import type {Row} from './books.js'
import {standingOfState} from './standing.js'

/**
 * Returns the facts of a reservation that are compared; null for each fact that the service does not state. `trip` is a
 * key shared by reservations for the same guests, hotel and dates; undefined if the service does not state them all.
 */
export function readRow(found: ReadReservation): {readonly row: Row; readonly trip: string | undefined} {
  const {reservation, reservation_ref} = found
  const facts = factsOfReservation(found)
  const status = found.status ?? stateOf(reservation) ?? null
  const price = facts.price ?? priceElsewhere(reservation)
  const {client_reference_id, created_at, fee} = facts
  const row = {
    reservationRef: reservation_ref,
    reference: client_reference_id,
    standing: status === null ? null : standingOfState(status),
    status,
    amount: price?.amount ?? null,
    currency: price?.currency ?? null,
    charged: facts.charged,
    createdAt: created_at,
    hasFee: fee !== null && compareAmounts(fee.amount, '0') > 0,
  }
  return {row, trip: tripOfReservation(reservation, facts)}
}

/** Returns the price stated in a part of the reservation or in its payment; null if there is no clear one. */
function priceElsewhere(reservation: JsonObject): Money | null {
  const price = priceOfReservation(reservation, reservation)
  return price === 'unclear' ? null : price
}

/**
 * Returns the row of a reservation that was read by itself (`shown`), completed with the facts that only the list
 * states.
 */
export function mergeRows(shown: Row, listed: Row): Row {
  const price = shown.amount === null ? listed : shown
  const state = shown.standing === null ? listed : shown
  return {
    ...shown,
    reference: shown.reference ?? listed.reference,
    standing: state.standing,
    status: state.status,
    amount: price.amount,
    currency: price.currency,
    createdAt: shown.createdAt ?? listed.createdAt,
  }
}
