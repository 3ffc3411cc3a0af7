/** Cancelling (ours): the fee of the policies, the refund, and until when it can be done. */
import {isoTime} from '../../contract/dates.js'
import {fromMinor, toMinor} from '../../contract/money.js'
import type {Payment, Reservation} from '../../contract/reservations.js'
import {Refusal} from '../base/answers.js'
import type {Service} from '../base/service.js'
import {convert} from '../catalogue/currencies.js'
import {findBookedHotel} from '../catalogue/hotels.js'
import {localTime} from '../catalogue/zones.js'
import {changeBalance, findClient} from '../store/clients.js'
import {type StoredReservation, saveReservation} from '../store/reservations.js'
import {recordEvent} from './events.js'
import {withoutUrl} from './payment.js'

/** In the currency of the price. Throws Refusal `already_cancelled`, `not_cancellable` (expired, or after check-in). */
export function quoteCancellation(service: Service, record: Reservation): {fee: string; refund: string} {
  if (record.status === 'CANCELLED') {
    throw new Refusal('already_cancelled', 'the reservation is already cancelled')
  }
  if (record.status === 'EXPIRED' || hasCheckedIn(service, record)) {
    throw new Refusal('not_cancellable', 'the reservation can no longer be cancelled')
  }
  const {currency, total} = record.price
  const isPaid = record.payment.status === 'PAID'
  const paid = isPaid ? toMinor(total, currency) : 0n
  const due = isPaid ? feeOf(record, service.clock.now()) : 0n
  const fee = due < paid ? due : paid
  return {fee: fromMinor(fee, currency), refund: fromMinor(paid - fee, currency)}
}

/** Cancels, refunds the rest after the fee, and records the event, in one transaction. */
export function cancelReservation(service: Service, stored: StoredReservation, reason: string): Reservation {
  const now = service.clock.now()
  const {fee, refund} = quoteCancellation(service, stored.record)
  const {record} = stored
  const {currency} = record.price
  const cancelled: Reservation = {
    ...record,
    status: 'CANCELLED',
    payment: paymentAfter(record.payment, toMinor(refund, currency)),
    voucher: {status: 'PENDING'},
    cancellation: {cancelled_at: isoTime(now), reason, fee, refund_amount: refund, currency},
    updated_at: isoTime(now),
  }
  service.database.transaction(() => {
    refundToAccount(service, stored, toMinor(fee, currency), now)
    saveReservation(service.database, cancelled)
    recordEvent(service.database, 'reservation.cancelled', {
      clientId: stored.clientId,
      record: cancelled,
      now,
    })
  })
  return cancelled
}

/** Whether the hour of check-in has come on the hotel's wall clock. */
export function hasCheckedIn(service: Service, record: Reservation): boolean {
  const hotel = findBookedHotel(record.hotel.hotel_id)
  const checkIn = `${record.check_in}T${hotel?.check_in_from ?? '14:00'}`
  return localTime(service.clock.now(), hotel?.timezone ?? 'UTC') >= checkIn
}

function feeOf(record: Reservation, now: number): bigint {
  const inForce = record.cancellation_policies.filter(policy => Date.parse(policy.from) / 1000 <= now)
  const last = inForce.at(-1)
  return last ? toMinor(last.amount, last.currency) : 0n
}

function paymentAfter(payment: Payment, refundMinor: bigint): Payment {
  if (payment.status !== 'PAID') return {...withoutUrl(payment), status: 'EXPIRED'}
  return refundMinor > 0n ? {...payment, status: 'REFUNDED'} : payment
}

/** Refunds the debited amount less the fee. Instant payments are refunded to the customer's card, not here. */
function refundToAccount(
  service: Service,
  {clientId, record, debitedMinor}: StoredReservation,
  feeMinor: bigint,
  now: number,
): void {
  const client = findClient(service.database, clientId)
  if (!client || debitedMinor === 0n) return
  const back = debitedMinor - convert(feeMinor, record.price.currency, client.currency)
  if (back > 0n) changeBalance(service.database, clientId, back, now)
}
