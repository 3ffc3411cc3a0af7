/** POST /reservations/hotel (§4.4). */
import {isClientReference} from '../../contract/identifiers.js'
import {reservationRequest} from '../../contract/reservations.js'
import {convertOffer} from '../booking/convert.js'
import {dropsAfterCommit} from '../booking/scenarios.js'
import {data} from '../http/answer.js'
import {invalidField} from '../refusal.js'
import {operationWithBody} from '../service.js'

export const createReservation = operationWithBody(
  reservationRequest,
  call => {
    if (!isClientReference(call.body.client_reference_id)) {
      throw invalidField('client_reference_id', 'invalid_value', 'must be 1 to 128 visible characters')
    }
    const answer = data(convertOffer(call), 201)
    return dropsAfterCommit(call.body) ? {...answer, dropAfterCommit: true} : answer
  },
  {idempotent: true},
)
