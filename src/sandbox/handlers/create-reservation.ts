/** POST /reservations/hotel (§4.4). */
import {reservationRequest} from '../../contract/reservations.js'
import {convertOffer} from '../booking/convert.js'
import {dropsAfterCommit} from '../booking/scenarios.js'
import {data} from '../http/answer.js'
import {operationWithBody} from '../service.js'

export const createReservation = operationWithBody(
  reservationRequest,
  call => {
    const answer = data(convertOffer(call), 201)
    return dropsAfterCommit(call.body) ? {...answer, dropAfterCommit: true} : answer
  },
  {idempotent: true},
)
