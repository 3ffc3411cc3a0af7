/** What may happen to a reservation (ours): its contact and guests change, or it is cancelled, for a fee by its policies. */
import {isoTime} from '../../contract/dates.js'
import {fromMinor, toMinor} from '../../contract/money.js'
import type {Contact, Payment, Reservation, ReservationUpdate} from '../../contract/reservations.js'
import {Refusal} from '../base/answers.js'
import type {Service} from '../base/service.js'
import {convert} from '../catalogue/countries-and-currencies.js'
import {findBookedHotel} from '../catalogue/hotels.js'
import {localTime} from '../catalogue/zones.js'
import {changeBalance, findClient} from '../store/clients.js'
import {type StoredReservation, saveReservation} from '../store/reservations.js'
import {checkGuests} from './check-guests.js'
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
  const paid = record.payment.status === 'PAID' ? toMinor(total, currency) : 0n
  const now = service.clock.now()
  const policy = record.cancellation_policies.findLast(({from}) => Date.parse(from) / 1000 <= now)
  const due = policy ? toMinor(policy.amount, policy.currency) : 0n
  const fee = due < paid ? due : paid
  return {fee: fromMinor(fee, currency), refund: fromMinor(paid - fee, currency)}
}

/** Cancels, refunds the rest after the fee, and records the event, in one transaction. */
export function cancelReservation(service: Service, stored: StoredReservation, reason: string): Reservation {
  const now = service.clock.now()
  const {clientId, record, debitedMinor} = stored
  const {fee, refund} = quoteCancellation(service, record)
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
    const client = findClient(service.database, clientId)
    // Instant payments, of which nothing was debited, are refunded to the customer's card, not here.
    const kept = client ? convert(toMinor(fee, currency), currency, client.currency) : 0n
    if (debitedMinor > kept) changeBalance(service.database, clientId, debitedMinor - kept, now)
    saveReservation(service.database, cancelled)
    recordEvent(service.database, 'reservation.cancelled', {clientId, record: cancelled, now})
  })
  return cancelled
}

/** Whether the hour of check-in has come on the hotel's wall clock. */
function hasCheckedIn(service: Service, record: Reservation): boolean {
  const hotel = findBookedHotel(record.hotel.hotel_id)
  const checkIn = `${record.check_in}T${hotel?.check_in_from ?? '14:00'}`
  return localTime(service.clock.now(), hotel?.timezone ?? 'UTC') >= checkIn
}

function paymentAfter(payment: Payment, refundMinor: bigint): Payment {
  if (payment.status !== 'PAID') return {...withoutUrl(payment), status: 'EXPIRED'}
  return refundMinor > 0n ? {...payment, status: 'REFUNDED'} : payment
}

/** Records `reservation.updated` if anything changes. Throws Refusal `not_updatable`, or those of `checkGuests`. */
export function updateReservation(
  service: Service,
  {clientId, record}: StoredReservation,
  update: ReservationUpdate,
): Reservation {
  const now = service.clock.now()
  const open = record.status === 'CONFIRMED' || record.status === 'PENDING_PAYMENT'
  if (!open || hasCheckedIn(service, record)) {
    const {status} = record
    throw new Refusal('not_updatable', 'the reservation can no longer be changed', {status})
  }
  const guests = update.guests ?? record.guests
  checkGuests(guests, record.rooms, record.check_in, now)
  const contact = {...record.contact, ...update.contact} as Contact
  const changes = [
    ...changesBetween('contact', record.contact, contact),
    ...changesBetween('guests', record.guests, guests),
  ]
  if (changes.length === 0) return record
  const updated: Reservation = {...record, contact, guests, updated_at: isoTime(now)}
  service.database.transaction(() => {
    saveReservation(service.database, updated)
    recordEvent(service.database, 'reservation.updated', {clientId, record: updated, now}, changes)
  })
  return updated
}

/** The fields in which two values differ, down to their innermost members; absent is null. */
function changesBetween(field: string, before: unknown, after: unknown): object[] {
  if (!isRecord(before) || !isRecord(after)) {
    return Object.is(before, after) ? [] : [{field, old: before ?? null, new: after ?? null}]
  }
  const keys = new Set([...Object.keys(before), ...Object.keys(after)])
  const path = (key: string) => (Array.isArray(after) ? `${field}[${key}]` : `${field}.${key}`)
  return [...keys].flatMap(key => changesBetween(path(key), before[key], after[key]))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
