/** Reservations of the service as rows of the comparison. */
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
 * Reads what is compared; what the service does not say is null. `trip` is a key that reservations for the same guests, hotel and
 * dates share.
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

/** Returns the price where it is not in the reservation itself, but in a part of it, or in its payment. */
function priceElsewhere(reservation: JsonObject): Money | null {
  const price = priceOfReservation(reservation, reservation)
  return price === 'unclear' ? null : price
}

/** Returns what the service shows of a reservation, with what only its list says. */
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
