/** Cuts a reservation of the service to what an assistant needs, in every result that has one. */
import {factsOfReservation, type ReadReservation, readReservation} from '../../../api/answers/reservations.js'

/** Returns what an assistant needs of the service's own object of a reservation; null if it is none. */
export function cutOrNull(reservation: object | null) {
  const found = reservation === null ? undefined : readReservation(reservation)
  return found === undefined ? null : cutReservation(found)
}

/** Returns what an assistant needs of a reservation: neither documents nor addresses of people. */
export function cutReservation(found: ReadReservation) {
  const {reservation_ref, status, payment_url} = found
  const facts = factsOfReservation(found)
  return {
    reservation_ref,
    status,
    client_reference_id: facts.client_reference_id,
    hotel_name: facts.hotel,
    rooms: facts.rooms,
    check_in: facts.check_in,
    check_out: facts.check_out,
    lead_guest: facts.lead_guest,
    guest_count: facts.guest_count,
    price: {total: facts.price?.amount ?? null, currency: facts.price?.currency ?? null},
    payment: {
      mode: facts.payment_mode,
      status: facts.payment,
      url: payment_url,
      pay_until: facts.pay_until,
    },
    voucher: facts.voucher,
    free_cancellation_until: facts.free_until,
    cancellation_fee: facts.fee,
    created_at: facts.created_at,
    updated_at: facts.updated_at,
  }
}
