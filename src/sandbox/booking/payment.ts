/** Instant payments (§3): paid confirms, failed leaves the reservation pending for another try, and in the end it expires. */
import {isoTime} from '../../contract/dates.js'
import {fromMinor} from '../../contract/money.js'
import type {Payment, Reservation} from '../../contract/reservations.js'
import {Refusal} from '../base/answers.js'
import {randomDigits} from '../base/random.js'
import type {Service} from '../base/service.js'
import {findUnpaid, type StoredReservation, saveReservation} from '../store/reservations.js'
import {recordConfirmation, recordEvent} from './events.js'

/** Applies the result in one transaction. Throws Refusal `payment_not_pending` when there is nothing to pay. */
export function settlePayment(
  {database, clock}: Service,
  {clientId, record}: StoredReservation,
  result: 'paid' | 'failed',
): Reservation {
  if (record.status !== 'PENDING_PAYMENT') {
    throw new Refusal('payment_not_pending', 'the reservation is not waiting for a payment')
  }
  const isPaid = result === 'paid'
  const now = clock.now()
  const at = isoTime(now)
  const payment: Payment = isPaid
    ? {...withoutUrl(record.payment), status: 'PAID', paid_at: at, failure_code: null}
    : {...record.payment, status: 'FAILED', failure_code: 'card_declined'}
  const settled = isPaid ? confirmed({...record, payment}, now) : {...record, payment, updated_at: at}
  const event = {clientId, record: settled, now}
  database.transaction(() => {
    saveReservation(database, settled)
    recordEvent(database, isPaid ? 'payment.captured' : 'payment.failed', event)
    if (isPaid) recordConfirmation(database, event)
  })
  return settled
}

/** The reservation, confirmed at `now` (Unix seconds). */
export function confirmed(record: Reservation, now: number): Reservation {
  return {
    ...record,
    status: 'CONFIRMED',
    hotel_confirmation_number: `HC${randomDigits(8)}`,
    voucher: {status: 'READY'},
    updated_at: isoTime(now),
    confirmed_at: isoTime(now),
  }
}

/** Expires every reservation whose time to pay has run out, each at the instant it did. */
export function expirePayments({database, clock}: Service): void {
  const due = findUnpaid(database, clock.now())
  if (due.length === 0) return
  database.transaction(() => {
    for (const {clientId, record} of due) {
      const at = record.payment.expires_at ?? isoTime(clock.now())
      const {currency} = record.price
      const nothing = fromMinor(0n, currency)
      const reason = 'payment_expired'
      const expired: Reservation = {
        ...record,
        status: 'EXPIRED',
        payment: {...withoutUrl(record.payment), status: 'EXPIRED'},
        cancellation: {cancelled_at: at, reason, fee: nothing, refund_amount: nothing, currency},
        updated_at: at,
      }
      saveReservation(database, expired)
      const event = {clientId, record: expired, now: Date.parse(at) / 1000}
      recordEvent(database, 'reservation.cancelled', event)
    }
  })
}

/** The payment page's address is shown only while an instant payment can be made. */
export function withoutUrl({url: _, ...payment}: Payment): Payment {
  return payment
}
