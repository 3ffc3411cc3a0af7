/** GET /reservations/{reservation_ref}/voucher (§4.5): a signed link that is valid for an hour. */
import {isoTime} from '../../contract/dates.js'
import type {VoucherLink} from '../../contract/vouchers.js'
import {data} from '../base/answer.js'
import {Refusal} from '../base/refusal.js'
import {operation} from '../base/service.js'
import {signVoucherLink} from '../voucher/link.js'
import {ownReservation} from './own-reservation.js'

export const showVoucher = operation(call => {
  const {record} = ownReservation(call)
  if (record.status !== 'CONFIRMED') {
    throw new Refusal('reservation_not_confirmed', 'only a confirmed reservation has a voucher', {
      members: {status: record.status},
    })
  }
  const {path, expiresAt} = signVoucherLink(call.service.database, record.reservation_ref, call.now)
  const link: VoucherLink = {
    reservation_ref: record.reservation_ref,
    voucher: {url: call.origin + path, expires_at: isoTime(expiresAt)},
  }
  return data(link)
})
