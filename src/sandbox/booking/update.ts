/** Changes to the contact and the guests of a reservation (ours). */
import {isoTime} from '../../contract/dates.js'
import type {Contact, Reservation, ReservationUpdate} from '../../contract/reservations.js'
import {Refusal} from '../base/answers.js'
import type {Service} from '../base/service.js'
import {type StoredReservation, saveReservation} from '../store/reservations.js'
import {hasCheckedIn} from './cancellation.js'
import {checkGuests} from './check-guests.js'
import {recordEvent} from './events.js'

type Change = Record<'field' | 'old' | 'new', unknown>

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
  checkGuests(guests, {rooms: record.rooms, checkIn: record.check_in, today: isoTime(now).slice(0, 10)})
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
function changesBetween(field: string, before: unknown, after: unknown): Change[] {
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
