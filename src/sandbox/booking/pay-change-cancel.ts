/**
 * Pays, expires, changes and cancels reservations, and records the events of each change (§3, §6.1, §2.8). The
 * interface does not show the data of events, changes of contact or guests, cancellation fees, or checks of guests.
 * Here, guests must match the rooms of the offer, include exactly one lead guest, and have identity numbers with a
 * valid checksum.
 */
import {randomInt} from 'node:crypto'
import {ageOn, instantOf, isoTime} from '../../contract/dates.js'
import type {ErrorCode} from '../../contract/error-codes.js'
import type {EventType} from '../../contract/events.js'
import type {Offer} from '../../contract/hotels.js'
import {isTcNumber, SANDBOX_RESERVATION_REF_PREFIX} from '../../contract/identifiers.js'
import {fromMinor, toMinor} from '../../contract/money.js'
import type {ErrorDetail} from '../../contract/records.js'
import type {Contact, Guest, Payment, Reservation, ReservationUpdate} from '../../contract/reservations.js'
import type {Database} from '../../storage/database.js'
import {Refusal} from '../base/answers.js'
import type {Service} from '../base/service.js'
import {cancellationFee} from '../catalogue/cancellation.js'
import {findBookedHotel} from '../catalogue/hotels.js'
import {localTime} from '../catalogue/zones.js'
import {findUnpaid, type StoredReservation, saveReservation} from '../store/reservations.js'
import {signVoucherLink} from '../store/sealed-ids-and-links.js'
import {addEvent} from '../store/webhooks.js'
import {refundAccount} from './account.js'

/**
 * Sets the outcome of a pending payment and records its events, in one transaction. Returns the changed reservation.
 * Throws the Refusal `payment_not_pending` if no payment is pending.
 */
export function settlePayment(service: Service, stored: StoredReservation, result: 'paid' | 'failed') {
  const {database, clock} = service
  const {clientId, record} = stored
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
    if (isPaid) recordConfirmation(service, event)
  })
  return settled
}

/** Returns a copy of the record that was confirmed at `now` (Unix seconds). */
export function confirmed(record: Reservation, now: number): Reservation {
  return {
    ...record,
    status: 'CONFIRMED',
    hotel_confirmation_number: `HC${String(randomInt(100_000_000)).padStart(8, '0')}`,
    voucher: {status: 'READY'},
    updated_at: isoTime(now),
    confirmed_at: isoTime(now),
  }
}

/** Sets unpaid reservations to EXPIRED if their time to pay is over. The time of the change is the end of that time. */
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

/** Returns the payment without the URL of the payment page, which is shown only while the reservation can be paid. */
function withoutUrl({url: _, ...payment}: Payment): Payment {
  return payment
}

/**
 * Returns the fee and the refund if the reservation is cancelled now, in the currency of the price. Throws the Refusal
 * `already_cancelled`, or `not_cancellable` if the reservation expired or check-in has begun.
 */
export function quoteCancellation(service: Service, record: Reservation): {fee: string; refund: string} {
  if (record.status === 'CANCELLED') {
    throw new Refusal('already_cancelled', 'the reservation is already cancelled')
  }
  if (record.status === 'EXPIRED' || hasCheckedIn(service, record)) {
    throw new Refusal('not_cancellable', 'the reservation can no longer be cancelled')
  }
  const {currency, total} = record.price
  const paid = record.payment.status === 'PAID' ? toMinor(total, currency) : 0n
  const fee = cancellationFee(record.cancellation_policies, paid, service.clock.now())
  return {fee: fromMinor(fee, currency), refund: fromMinor(paid - fee, currency)}
}

/**
 * Cancels the reservation, refunds the price minus the fee, and records the event, in one transaction. Returns the
 * changed reservation. Throws a Refusal as `quoteCancellation` does.
 */
export function cancelReservation(service: Service, stored: StoredReservation, reason: string): Reservation {
  const now = service.clock.now()
  const {clientId, record} = stored
  const {fee, refund} = quoteCancellation(service, record)
  const {currency} = record.price
  const isRefunded = toMinor(refund, currency) > 0n
  const paid: Payment = isRefunded ? {...record.payment, status: 'REFUNDED'} : record.payment
  const unpaid: Payment = {...withoutUrl(record.payment), status: 'EXPIRED'}
  const cancelled: Reservation = {
    ...record,
    status: 'CANCELLED',
    payment: record.payment.status === 'PAID' ? paid : unpaid,
    voucher: {status: 'PENDING'},
    cancellation: {cancelled_at: isoTime(now), reason, fee, refund_amount: refund, currency},
    updated_at: isoTime(now),
  }
  service.database.transaction(() => {
    refundAccount(service.database, stored, fee, now)
    saveReservation(service.database, cancelled)
    recordEvent(service.database, 'reservation.cancelled', {clientId, record: cancelled, now})
  })
  return cancelled
}

/** Reports whether the hour of check-in at the hotel has come. */
function hasCheckedIn(service: Service, record: Reservation): boolean {
  const hotel = findBookedHotel(record.hotel.hotel_id)
  const checkIn = `${record.check_in}T${hotel?.check_in_from ?? '14:00'}`
  return localTime(service.clock.now(), hotel?.timezone ?? 'UTC') >= checkIn
}

/**
 * Changes contact or guests, and records `reservation.updated` if anything changed. Returns the reservation. Throws the
 * Refusal `not_updatable`, or one of those that `checkGuests` throws.
 */
export function updateReservation(service: Service, stored: StoredReservation, update: ReservationUpdate) {
  const {clientId, record} = stored
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

/**
 * Lists the innermost fields in which two values differ, with their old and new value. A missing field counts as null.
 */
function changesBetween(field: string, before: unknown, after: unknown): object[] {
  if (!isNested(before) || !isNested(after)) {
    return Object.is(before, after) ? [] : [{field, old: before ?? null, new: after ?? null}]
  }
  const keys = new Set([...Object.keys(before), ...Object.keys(after)])
  const path = (key: string) => (Array.isArray(after) ? `${field}[${key}]` : `${field}.${key}`)
  return [...keys].flatMap(key => changesBetween(path(key), before[key], after[key]))
}

function isNested(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** The reservation reference in events that are not about a stored reservation. */
export const NO_RESERVATION = `${SANDBOX_RESERVATION_REF_PREFIX}0000000000`

type EventSubject = Pick<
  Reservation,
  'reservation_ref' | 'client_reference_id' | 'status' | 'cancellation'
> & {readonly payment: Pick<Payment, 'status' | 'amount' | 'currency' | 'failure_code'>}

/**
 * Returns the `data` of an event at `now` (Unix seconds). If it contains a voucher link, the link is valid from `now`.
 */
function eventData(
  database: Database,
  type: EventType,
  {reservation_ref, client_reference_id, status, payment, cancellation}: EventSubject,
  now: number,
  changes: readonly object[] = [],
): Record<string, unknown> {
  const always = {object: 'reservation', reservation_ref, client_reference_id, status}
  if (type === 'reservation.confirmed') return always
  if (type === 'reservation.updated') return {...always, changes}
  if (type === 'reservation.cancelled') return {...always, ...cancellation, cancelled_at: undefined}
  if (type === 'voucher.ready') {
    const {path, expiresAt} = signVoucherLink(database, reservation_ref, now)
    return {...always, voucher: {url: path, expires_at: isoTime(expiresAt)}}
  }
  const {amount, currency, status: payment_status, failure_code} = payment
  return {...always, amount, currency, payment_status, failure_code}
}

/** The subject of an event that is not about a stored reservation. */
export const PLACEHOLDER: EventSubject = {
  reservation_ref: NO_RESERVATION,
  client_reference_id: 'triggered',
  status: 'CONFIRMED',
  payment: {status: 'PAID', amount: '100.00', currency: 'EUR', failure_code: null},
  cancellation: null,
}

/**
 * Returns the `data` of an event at `now` (Unix seconds), for a change that did not happen. It describes the
 * reservation in the state that the event type implies, by default one that does not exist.
 */
export function sampleEvent(
  database: Database,
  type: EventType,
  now: number,
  record: EventSubject = PLACEHOLDER,
): Record<string, unknown> {
  const {payment} = record
  const {amount, currency} = payment
  const fee = fromMinor(0n, currency)
  const cancellation = {cancelled_at: '', reason: 'triggered', fee, refund_amount: amount, currency}
  const declined: EventSubject['payment'] = {...payment, status: 'FAILED', failure_code: 'card_declined'}
  const paid: EventSubject['payment'] = {...payment, status: 'PAID', failure_code: null}
  const confirmed: EventSubject = {...record, status: 'CONFIRMED', payment: paid}
  const subjects: Partial<Record<EventType, EventSubject>> = {
    'reservation.updated': record,
    'reservation.cancelled': {...record, status: 'CANCELLED', cancellation},
    'payment.failed': {...record, status: 'PENDING_PAYMENT', payment: declined},
  }
  const changes = [{field: 'contact.email', old: 'before@example.com', new: 'after@example.com'}]
  return eventData(database, type, subjects[type] ?? confirmed, now, changes)
}

type Subject = {readonly clientId: string; readonly record: Reservation; readonly now: number}

function recordEvent(database: Database, type: EventType, subject: Subject, changes?: readonly object[]) {
  const {clientId, record, now} = subject
  addEvent(database, {clientId, type, data: eventData(database, type, record, now, changes), now})
}

export function recordConfirmation(service: Service, event: Subject): void {
  const {database} = service
  const {clientId, record, now} = event
  recordEvent(database, 'reservation.confirmed', event)
  recordEvent(database, 'voucher.ready', {...event, now: now + voucherDelay(service, clientId, record)})
}

const SLOW_VOUCHER_SECONDS = 30

/** Returns how many seconds after its confirmation the voucher of a reservation is ready. */
function voucherDelay({slowVouchers}: Service, clientId: string, {client_reference_id}: Reservation): number {
  return slowVouchers.has(JSON.stringify([clientId, client_reference_id])) ? SLOW_VOUCHER_SECONDS : 0
}

/** Returns the record as answers show it: with a pending voucher until the voucher is ready. */
export function withVoucher(
  service: Service,
  {clientId, record}: Pick<StoredReservation, 'clientId' | 'record'>,
): Reservation {
  const delay = voucherDelay(service, clientId, record)
  const confirmedAt = instantOf(record.confirmed_at ?? '')
  const isReady = delay === 0 || confirmedAt === undefined || confirmedAt + delay <= service.clock.now()
  return isReady ? record : {...record, voucher: {status: 'PENDING'}}
}

/**
 * The age at check-in from which a guest is an adult. §2.2 has the ages of children, for which OLDEST_CHILD is the
 * limit.
 */
const ADULT_AGE = 18

type Rooms = Offer['rooms']

/**
 * Checks the guests against the rooms. Throws the Refusal `validation_failed`, `guest_count_mismatch` or
 * `invalid_identity_number`, which lists the wrong fields. `now` is in Unix seconds.
 */
export function checkGuests(guests: readonly Guest[], rooms: Rooms, checkIn: string, now: number): void {
  /** Returns an error about `field` for each guest for which `isWrong` returns true. */
  const wrong = (field: string, code: string, message: string, isWrong: (guest: Guest) => boolean) =>
    guests.flatMap((guest, n) => (isWrong(guest) ? [{field: `guests[${n}].${field}`, code, message}] : []))
  const leads = guests.filter(guest => guest.is_lead).length
  const message = `exactly one must have is_lead, not ${leads}`
  const isOtherType = ({type}: Guest) => !/^(ADULT|CHILD)$/.test(type)
  const isUnborn = ({birth_date = ''}: Guest) => birth_date > isoTime(now).slice(0, 10)
  refuse('validation_failed', 'the guests are not valid', [
    ...wrong('type', 'invalid_value', 'must be one of ADULT, CHILD', isOtherType),
    ...(leads === 1 ? [] : [{field: 'guests', code: 'lead_guest', message}]),
    ...wrong('birth_date', 'invalid_value', 'must not be in the future', isUnborn),
  ])
  const ageOf = ({birth_date}: Guest) => (birth_date === undefined ? undefined : ageOn(birth_date, checkIn))
  const isYoung = (guest: Guest) => guest.type === 'ADULT' && (ageOf(guest) ?? ADULT_AGE) < ADULT_AGE
  const left = rooms.flatMap(room => room.children_ages)
  // The age of each child with a birth date must be among the ages in the search. Children without one take the
  // remaining ages.
  const isOtherAge = (guest: Guest) => {
    const age = guest.type === 'ADULT' ? undefined : ageOf(guest)
    if (age === undefined) return false
    const index = left.indexOf(age)
    if (index >= 0) left.splice(index, 1)
    return index < 0
  }
  const mismatch = 'the guests do not match the rooms of the offer'
  const found = guests.filter(guest => guest.type === 'ADULT').length
  const adults = rooms.reduce((sum, room) => sum + room.adults, 0)
  const children = left.length
  if (found !== adults || guests.length !== adults + children) {
    const counts = `not ${found} and ${guests.length - found}`
    const wanted = `the offer is for ${adults} adults and ${children} children, ${counts}`
    refuse('guest_count_mismatch', mismatch, [{field: 'guests', code: 'guest_count', message: wanted}])
  }
  refuse('guest_count_mismatch', mismatch, [
    ...wrong('birth_date', 'guest_age', `an adult is at least ${ADULT_AGE} at check-in`, isYoung),
    ...wrong('birth_date', 'guest_age', 'is not the age searched for, at check-in', isOtherAge),
  ])
  const isWrongNumber = ({identity}: Guest) => identity?.type === 'TC' && !isTcNumber(identity.number)
  const wrongNumbers = wrong('identity.number', 'checksum', 'is not a Turkish identity number', isWrongNumber)
  refuse('invalid_identity_number', 'an identity number is not valid', wrongNumbers)
}

function refuse(code: ErrorCode, message: string, details: readonly ErrorDetail[]): void {
  if (details.length > 0) throw new Refusal(code, message, {details})
}
