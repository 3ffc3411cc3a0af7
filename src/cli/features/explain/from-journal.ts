/** Makes the timeline of offers and of attempts to reserve, from the stores of this machine or its shared store. */
import {isNeverSent, isUnresolved, type JournalEntry} from '../../../contract/journal.js'
import type {SeenOffer} from '../../../contract/seen-offers.js'
import {counted} from '../../terminal/dates-and-amounts.js'
import type {Moment} from './facts.js'
import {priceText} from './words.js'

export function offerMoments(offer: SeenOffer): Moment[] {
  const {offer_id, hotel_name, room_name, board, total, currency, check_in, check_out} = offer
  const what = [hotel_name, room_name, board].filter(Boolean).join(', ')
  const price = total === null ? 'without a price' : `for ${priceText({amount: total, currency})}`
  const seen = `offer ${offer_id} found: ${what || 'hotel not named'}, ${check_in} to ${check_out}, ${price}`
  const moments: Moment[] = [{at: offer.searched_at, what: seen, source: 'offers', offer_id}]
  // An offer that was not used ends when it expires. Another one became a reservation.
  if (offer.used_by_reference === null)
    moments.push({at: offer.expires_at, what: `offer ${offer_id} expires`, source: 'offers', offer_id})
  return moments
}

export function entryMoments(entry: JournalEntry): Moment[] {
  const {clientReferenceId, offerId, idempotencyKey, reservationRef, agreed, createdAt, updatedAt} = entry
  const ids = {
    client_reference_id: clientReferenceId,
    offer_id: offerId,
    idempotency_key: idempotencyKey,
    ...(reservationRef !== null && {reservation_ref: reservationRef}),
  }
  const price = agreed === null ? 'at a price that was not recorded' : `at ${priceText(agreed)}`
  const started = `reservation ${clientReferenceId} of offer ${offerId} started ${price}, Idempotency-Key ${idempotencyKey}`
  return [
    {at: createdAt, what: started, source: 'journal', ...ids},
    {at: updatedAt, what: outcomeText(entry), source: 'journal', ...ids},
  ]
}

function outcomeText(entry: JournalEntry): string {
  const {outcome, attempts, reservationRef, clientReferenceId, booked, lost} = entry
  const times = counted(attempts, 'attempt')
  if (isNeverSent(entry)) return `nothing was sent for ${clientReferenceId}`
  if (outcome === 'forgotten') return `${clientReferenceId} was given up here after ${times}`
  if (isUnresolved(entry)) return `no outcome known for ${clientReferenceId} after ${times}`
  if (reservationRef === null) return `${clientReferenceId} was ${outcome} after ${times}: nothing was booked`
  const price = booked === null ? '' : `, ${priceText(booked)}`
  const loss = lost ? '; an earlier answer was lost' : ''
  return `${reservationRef} recorded as ${outcome}${price}, after ${times}${loss}`
}
