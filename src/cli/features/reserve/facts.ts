/** What a person wants to know of a reservation: hotel, dates, price, until when it can be cancelled, where to pay. */
import {factsOfReservation, type ReadReservation} from '../../../api/answers/reservations.js'
import {isCalendarDate} from '../../../contract/dates.js'
import {isIdentifier} from '../../../contract/identifiers.js'
import type {SeenOffer} from '../../../contract/seen-offers.js'
import {moneyText, nightsText, onItsOwnClock} from '../../terminal/text.js'
import {cancellationText, firstFeeOf} from '../catalogue/cancellation.js'

interface FactsParts {
  /** Unix seconds. */
  readonly now: number
  /** The offer it was made from: what the reservation itself does not say. */
  readonly seen?: SeenOffer | undefined
  /** Where to pay, if it has to be paid and the address is safe to open. */
  readonly payAt: string | undefined
}

/** Null if unknown. */
export function factsShown(
  found: Pick<ReadReservation, 'reservation' | 'reservation_ref' | 'status'>,
  parts: FactsParts,
) {
  const {seen, payAt, now} = parts
  const facts = factsOfReservation(found)
  const {status, reservation_ref: reference} = found
  const hasVoucher = status?.toUpperCase() === 'CONFIRMED' && isIdentifier('reservation_ref', reference)
  const [arrival, departure] = [facts.check_in ?? seen?.check_in, facts.check_out ?? seen?.check_out]
  const seenPrice = seen?.total ? {amount: seen.total, currency: seen.currency} : null
  const {free_cancellation_until: stated, terms, refundable} = seen?.details ?? {}
  const until = facts.free_until ?? stated ?? firstFeeOf(terms)
  const room = [seen?.room_name, seen?.board].filter(Boolean).join(', ')
  return {
    reservation: reference,
    status,
    'your reference': facts.client_reference_id,
    hotel: facts.hotel ?? seen?.hotel_name,
    rooms: facts.rooms ?? room,
    dates: arrival && departure ? datesText(arrival, departure) : (arrival ?? null),
    guests: facts.guests,
    price: moneyText(facts.price ?? seenPrice),
    payment: [facts.payment_mode, facts.payment].filter(Boolean).join(', '),
    'pay at': payAt,
    'pay by': payAt && facts.pay_until && onItsOwnClock(facts.pay_until),
    cancellation: cancellationText(until, refundable, now),
    'cancellation fee': moneyText(facts.fee),
    voucher: hasVoucher ? `bookctl voucher download ${reference}` : facts.voucher,
  }
}

function datesText(arrival: string, departure: string): string {
  const isStay = isCalendarDate(arrival) && isCalendarDate(departure) && arrival < departure
  return `${arrival} to ${departure}${isStay ? `, ${nightsText(arrival, departure)}` : ''}`
}
