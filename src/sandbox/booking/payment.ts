/** Instant payments (§3): paid confirms, failed leaves the reservation pending for another try, and in the end it expires. */
import {isoTime} from '../../contract/dates.js'
import {fromMinor} from '../../contract/money.js'
import type {Payment, Reservation} from '../../contract/reservations.js'
import {Refusal} from '../base/answers.js'
import {randomDigits} from '../base/random.js'
import type {Service} from '../base/service.js'
import {findUnpaid, type StoredReservation, saveReservation} from '../store/reservations.js'
import {recordConfirmation, recordEvent} from './events.js'

type PaymentResult = 'paid' | 'failed'

/** Applies the result in one transaction. Throws Refusal `payment_not_pending` when there is nothing to pay. */
export function settlePayment(
  service: Service,
  stored: StoredReservation,
  result: PaymentResult,
): Reservation {
  if (stored.record.status !== 'PENDING_PAYMENT') {
    throw new Refusal('payment_not_pending', 'the reservation is not waiting for a payment')
  }
  return service.database.transaction(() => (result === 'paid' ? capture : decline)(service, stored))
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
export function expirePayments(service: Service): void {
  const due = findUnpaid(service.database, service.clock.now())
  if (due.length === 0) return
  service.database.transaction(() => {
    for (const stored of due) expire(service, stored)
  })
}

function capture(service: Service, {clientId, record}: StoredReservation): Reservation {
  const now = service.clock.now()
  const before = withoutUrl(record.payment)
  const payment: Payment = {...before, status: 'PAID', paid_at: isoTime(now), failure_code: null}
  const paid = confirmed({...record, payment}, now)
  saveReservation(service.database, paid)
  recordEvent(service.database, 'payment.captured', {clientId, record: paid, now})
  recordConfirmation(service.database, {clientId, record: paid, now})
  return paid
}

function decline(service: Service, {clientId, record}: StoredReservation): Reservation {
  const now = service.clock.now()
  const declined: Reservation = {
    ...record,
    payment: {...record.payment, status: 'FAILED', failure_code: 'card_declined'},
    updated_at: isoTime(now),
  }
  saveReservation(service.database, declined)
  recordEvent(service.database, 'payment.failed', {clientId, record: declined, now})
  return declined
}

function expire(service: Service, {clientId, record}: StoredReservation): void {
  const at = record.payment.expires_at ?? isoTime(service.clock.now())
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
  saveReservation(service.database, expired)
  recordEvent(service.database, 'reservation.cancelled', {
    clientId,
    record: expired,
    now: Date.parse(at) / 1000,
  })
}

/** The payment page's address is shown only while an instant payment can be made. */
export function withoutUrl({url: _, ...payment}: Payment): Payment {
  return payment
}
