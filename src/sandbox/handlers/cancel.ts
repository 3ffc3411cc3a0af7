/** GET /reservations/{reservation_ref}/cancellation-quote and POST …/cancel (ours). */
import {isoTime} from '../../contract/dates.js'
import type {CancellationQuote} from '../../contract/reservations.js'
import {cancellationRequest} from '../../contract/reservations.js'
import {data} from '../base/answer.js'
import {operation, operationWithBody} from '../base/service.js'
import {cancelReservation, quoteCancellation} from '../booking/cancel.js'
import {ownReservation} from './own-reservation.js'

export const quoteOwnCancellation = operation(call => {
  const {record} = ownReservation(call)
  const {fee, refund} = quoteCancellation(call.service, record)
  const quote: CancellationQuote = {
    reservation_ref: record.reservation_ref,
    fee,
    refund_amount: refund,
    currency: record.price.currency,
    quoted_at: isoTime(call.now),
  }
  return data(quote)
})

export const cancelOwnReservation = operationWithBody(
  cancellationRequest,
  call =>
    data(cancelReservation(call.service, ownReservation(call), call.body.reason || 'requested_by_partner')),
  {bodyOptional: true},
)
