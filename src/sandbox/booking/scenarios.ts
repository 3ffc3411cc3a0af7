/** Client references that choose a scenario by their ending, as service.md lists them (ours). */
import type {Offer} from '../../contract/hotels.js'
import {fromMinor, toMinor} from '../../contract/money.js'
import type {ReservationRequest} from '../../contract/reservations.js'
import {ConnectionDrop} from '../base/answer.js'
import {Refusal} from '../base/refusal.js'
import type {ClientCall} from '../base/service.js'

type CreateCall = ClientCall<ReservationRequest>

/**
 * Throws what the reference asks for before anything is changed: `rooms_unavailable`, `price_changed`, or for
 * `-unknown_soldout` a dropped connection the first time and `rooms_unavailable` from then on.
 */
export function playScenario(call: CreateCall, offer: Offer): void {
  const reference = call.body.client_reference_id
  if (reference.endsWith('-sold_out')) throw soldOut()
  if (reference.endsWith('-price_changed')) throw priceChanged(offer)
  if (!reference.endsWith('-unknown_soldout')) return
  const {droppedReferences} = call.service
  const mine = JSON.stringify([call.client.client_id, reference])
  if (droppedReferences.has(mine)) throw soldOut()
  droppedReferences.add(mine)
  throw new ConnectionDrop()
}

/** Whether the connection is to be dropped after the reservation is committed: the kept answer comes on a repeat. */
export function dropsAfterCommit(request: ReservationRequest): boolean {
  return request.client_reference_id.endsWith('-unknown_success')
}

function soldOut(): Refusal {
  return new Refusal('rooms_unavailable', 'the rooms of this offer are gone; search again')
}

/** Ten percent dearer. */
function priceChanged({price: {total, currency}}: Offer): Refusal {
  const dearer = (toMinor(total, currency) * 110n + 50n) / 100n
  return new Refusal('price_changed', 'the price of this offer has changed; search again', {
    members: {old: total, new: fromMinor(dearer, currency), currency},
  })
}
