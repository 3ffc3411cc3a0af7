/** POST /reservations/hotel (§4.4). */
import {reservationRequest} from '../../contract/reservations.js'
import {data} from '../base/answer.js'
import {operationWithBody} from '../base/service.js'
import {convertOffer} from '../booking/convert.js'
import {dropsAfterCommit} from '../booking/scenarios.js'

export const createReservation = operationWithBody(
  reservationRequest,
  call => {
    const answer = data(convertOffer(call), 201)
    return dropsAfterCommit(call.body) ? {...answer, dropAfterCommit: true} : answer
  },
  {idempotent: true},
)
