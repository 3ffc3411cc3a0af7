/** GET /reservations, GET and PATCH /reservations/{reservation_ref} (ours). */
import {dayNumber, instantOf} from '../../contract/dates.js'
import {RESERVATION_STATUSES} from '../../contract/reservation-statuses.js'
import {reservationUpdate} from '../../contract/reservations.js'
import {data, page} from '../base/answer.js'
import {invalidField} from '../base/refusal.js'
import {operation, operationWithBody} from '../base/service.js'
import {updateReservation} from '../booking/update.js'
import {withOrigin} from '../links.js'
import {listReservations} from '../store/reservations.js'
import {ownReservation} from './own-reservation.js'
import {cursorOf, readPaging} from './paging.js'

/** Newest first. */
export const listOwnReservations = operation(({service, client, origin, query}) => {
  const {limit, after} = readPaging(query)
  const status = query.get('status')
  if (status !== null && !(RESERVATION_STATUSES as readonly string[]).includes(status)) {
    throw invalidField('status', 'invalid_value', `must be one of ${RESERVATION_STATUSES.join(', ')}`)
  }
  const found = listReservations(service.database, {
    clientId: client.client_id,
    clientReferenceId: query.get('client_reference_id'),
    status,
    createdFrom: readInstant(query, 'created_from'),
    createdTo: readInstant(query, 'created_to'),
    before: after,
    limit: limit + 1,
  })
  const shown = found.slice(0, limit)
  const last = shown.at(-1)
  return page(
    shown.map(({record}) => withOrigin(record, origin)),
    {limit, after: found.length > limit && last ? cursorOf(last.sequence) : null},
  )
})

export const showReservation = operation(call => data(withOrigin(ownReservation(call).record, call.origin)))

export const updateOwnReservation = operationWithBody(reservationUpdate, call =>
  data(withOrigin(updateReservation(call.service, ownReservation(call), call.body), call.origin)),
)

/** Unix seconds of a timestamp with an offset, or of a date: its start in UTC, for `created_to` its end. */
function readInstant(query: URLSearchParams, name: 'created_from' | 'created_to'): number | null {
  const text = query.get(name)
  if (text === null) return null
  const day = dayNumber(text)
  if (day !== undefined) return (day + (name === 'created_to' ? 1 : 0)) * 86_400
  const instant = /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(text) ? instantOf(text) : undefined
  if (instant === undefined) {
    throw invalidField(name, 'invalid_format', 'must be a date, or a timestamp with an offset')
  }
  return instant
}
