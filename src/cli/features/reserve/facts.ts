/** What a person wants to know of a reservation: hotel, dates, price, until when it can be cancelled, where to pay. */
import {factsOfReservation, type ReadReservation} from '../../../api/answers/reservations.js'
import {instantOf, isCalendarDate, nightsBetween} from '../../../contract/dates.js'
import {isIdentifier} from '../../../contract/identifiers.js'
import type {SeenOffer} from '../../../contract/seen-offers.js'
import {counted, moneyText, onItsOwnClock} from '../../terminal/text.js'

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
  const {seen, payAt} = parts
  const facts = factsOfReservation(found)
  const {status, reservation_ref: reference} = found
  const hasVoucher = status?.toUpperCase() === 'CONFIRMED' && isIdentifier('reservation_ref', reference)
  const [arrival, departure] = [facts.check_in ?? seen?.check_in, facts.check_out ?? seen?.check_out]
  const seenPrice = seen?.total ? {amount: seen.total, currency: seen.currency} : null
  const until = facts.free_until ?? seen?.details?.free_cancellation_until ?? null
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
    'cancel by': cancelText(until, facts.created_at, parts),
    'cancellation fee': moneyText(facts.fee),
    voucher: hasVoucher ? `bookctl voucher download ${reference}` : facts.voucher,
  }
}

function datesText(arrival: string, departure: string): string {
  const isDays = isCalendarDate(arrival) && isCalendarDate(departure)
  const nights = isDays ? nightsBetween(arrival, departure) : 0
  return `${arrival} to ${departure}${nights > 0 ? `, ${counted(nights, 'night')}` : ''}`
}

/** A fee that counts from before the reservation was made leaves no free time that could have passed. */
function cancelText(until: string | null, made: string | null, {now, seen}: FactsParts): string | null {
  const end = (until === null ? undefined : instantOf(until)) ?? Number.POSITIVE_INFINITY
  const neverFree = end <= (instantOf(made ?? '') ?? Number.NEGATIVE_INFINITY)
  if (seen?.details?.refundable === false && (until === null || neverFree)) return 'not refundable'
  if (until === null) return null
  if (neverFree) return 'never free: cancelling costs a fee'
  const isOver = end <= now
  return `${onItsOwnClock(until)}, ${isOver ? 'which has passed: cancelling costs a fee' : 'free until then'}`
}
