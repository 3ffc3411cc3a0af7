/** Reservations: POST /reservations/hotel (§4.4), the voucher link (§4.5), and ours: list, show, update, quote, cancel. */
import {dayNumber, instantOf, isoTime} from '../../contract/dates.js'
import {RESERVATION_STATUSES} from '../../contract/events.js'
import type {CancellationQuote, VoucherLink} from '../../contract/reservations.js'
import {data, invalidField, Refusal} from '../base/answers.js'
import {convertOffer} from '../booking/convert.js'
import {cancelReservation, quoteCancellation, updateReservation} from '../booking/pay-change-cancel.js'
import type {Call, Handlers} from '../http/perform.js'
import {pageOf, readPaging} from '../store/lists.js'
import {listReservations, requireReservation, withOrigin} from '../store/reservations.js'
import {signVoucherLink} from '../store/sealed-ids-and-links.js'

export const RESERVATIONS = {
  'reservations.create': call => {
    const answer = data(convertOffer(call))
    // The kept answer comes on a repeat.
    return {...answer, dropAfterCommit: call.body.client_reference_id.endsWith('-unknown_success')}
  },

  'reservations.list': ({service, client, origin, query}) => {
    const paging = readPaging(query)
    const status = query.get('status')
    if (status !== null && !(RESERVATION_STATUSES as readonly string[]).includes(status)) {
      throw invalidField('status', 'invalid_value', `must be one of ${RESERVATION_STATUSES.join(', ')}`)
    }
    const filter = {
      clientId: client.client_id,
      clientReferenceId: query.get('client_reference_id'),
      status,
      createdFrom: readInstant(query, 'created_from'),
      createdTo: readInstant(query, 'created_to'),
    }
    const {items, next} = listReservations(service.database, filter, paging)
    return pageOf({items: items.map(({record}) => withOrigin(record, origin)), next}, paging.limit)
  },

  'reservations.show': call => data(withOrigin(ownReservation(call).record, call.origin)),

  'reservations.update': call =>
    data(withOrigin(updateReservation(call.service, ownReservation(call), call.body), call.origin)),

  'reservations.quote': call => {
    const {record} = ownReservation(call)
    const {fee, refund} = quoteCancellation(call.service, record)
    const {reservation_ref, price} = record
    const at = {currency: price.currency, quoted_at: isoTime(call.now)}
    return data({reservation_ref, fee, refund_amount: refund, ...at} satisfies CancellationQuote)
  },

  'reservations.cancel': call =>
    data(cancelReservation(call.service, ownReservation(call), call.body.reason || 'requested_by_partner')),

  'voucher.show': call => {
    const {record} = ownReservation(call)
    if (record.status !== 'CONFIRMED') {
      const message = 'only a confirmed reservation has a voucher'
      throw new Refusal('reservation_not_confirmed', message, {status: record.status})
    }
    const {path, expiresAt} = signVoucherLink(call.service.database, record.reservation_ref, call.now)
    const voucher = {url: call.origin + path, expires_at: isoTime(expiresAt)}
    return data({reservation_ref: record.reservation_ref, voucher} satisfies VoucherLink)
  },
} satisfies Partial<Handlers>

function ownReservation({service, client, parameters}: Call<unknown>) {
  return requireReservation(service.database, parameters.reservation_ref ?? '', client.client_id)
}

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
