/** Summarises a booking: its stay, state, price and cancellation terms, without the names of guests. */
import {factsOfReservation} from '../../../api/answers/reservations.js'
import {type OfferTerms, termsOf} from '../../../api/answers/terms-and-fees.js'
import {moneyOf} from '../../../api/reserve/outcome.js'
import {zonedInstantOf} from '../../../contract/dates.js'
import {moneyText} from '../../terminal/dates-and-amounts.js'
import {termsIn} from '../catalogue/offer-lines.js'
import {courseOfFacts, stateOfFacts} from './course.js'
import {type BookingSummary, type Cancelling, type ReservationFacts, recordOf, type Stay} from './facts.js'

type SummaryFacts = Pick<ReservationFacts, 'service' | 'entry' | 'events' | 'offer'>

/** Returns the stay, from the record of the reservation, the journal entry, or the offer. */
export function stayOf({service, entry, offer}: Pick<ReservationFacts, 'service' | 'entry' | 'offer'>): Stay {
  const {hotel, check_in, check_out} = factsOfReservation({reservation: recordOf({service, entry})})
  return {
    hotel: hotel ?? offer?.hotel_name ?? null,
    checkIn: check_in ?? entry?.trip?.stay?.check_in ?? offer?.check_in ?? null,
    checkOut: check_out ?? entry?.trip?.stay?.check_out ?? offer?.check_out ?? null,
  }
}

/** Returns the summary of a booking. `now` is in Unix seconds on the service's clock. */
export function summaryOf(facts: SummaryFacts, now: number): BookingSummary {
  const {entry} = facts
  const {isPaid, madeAt} = courseOfFacts(facts)
  const {client_reference_id, price} = factsOfReservation({reservation: recordOf(facts)})
  const booked = entry?.booked ?? null
  return {
    clientReferenceId: entry?.clientReferenceId ?? client_reference_id,
    state: stateOfFacts(facts),
    isPaid,
    madeAt,
    price: price ?? (booked && moneyOf(booked)),
    cancelling: cancellingOf(facts, Math.max(now, madeAt ?? 0)),
  }
}

function cancellingOf(facts: SummaryFacts, now: number): Cancelling | null {
  const {offer} = facts
  const record = recordOf(facts)
  const {refundable, free_cancellation_until: stated = null} = offer?.details ?? {}
  if (refundable === false) return {kind: 'not_refundable'}
  const ofOffer: Partial<OfferTerms> = termsIn(offer)
  const {free_until} = factsOfReservation({reservation: record})
  const until = zonedInstantOf(free_until ?? stated ?? ofOffer.firstFee ?? '')
  if (until === undefined) return null
  const steps = (termsOf(record).policies ?? ofOffer.policies ?? []).map(({from, fee, currency}) => ({
    from: zonedInstantOf(from ?? ''),
    fee: moneyText({amount: fee, currency}),
  }))
  const isReadable = steps.every(({from}) => from !== undefined)
  const feeAt = (time: number) => {
    const begun = steps.filter(({from}) => from !== undefined && from <= time)
    begun.sort((left, right) => (left.from ?? 0) - (right.from ?? 0))
    return isReadable ? (begun.at(-1)?.fee ?? null) : null
  }
  if (until > now) return {kind: 'free', until, feeAfterwards: feeAt(until)}
  return {kind: 'costs', fee: feeAt(now)}
}
