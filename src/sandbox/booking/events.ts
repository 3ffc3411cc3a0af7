/** Records the events of a reservation (§6.1, §2.8; the data of each is ours), in the caller's transaction. */
import {isoTime} from '../../contract/dates.js'
import type {EventType} from '../../contract/events.js'
import {SANDBOX_RESERVATION_REF_PREFIX} from '../../contract/identifiers.js'
import type {Payment, Reservation} from '../../contract/reservations.js'
import type {Database} from '../../storage/database.js'
import {addEvent} from '../store/events.js'
import {signVoucherLink} from '../store/sealed-ids-and-links.js'

/** The reference in events about a reservation that does not exist. */
export const NO_RESERVATION = `${SANDBOX_RESERVATION_REF_PREFIX}0000000000`

export type EventSubject = Pick<
  Reservation,
  'reservation_ref' | 'client_reference_id' | 'status' | 'cancellation'
> & {readonly payment: Pick<Payment, 'status' | 'amount' | 'currency' | 'failure_code'>}

/** The data of an event at `now` (Unix seconds). The voucher's link is valid from then. */
export function eventData(
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

export function recordEvent(
  database: Database,
  type: EventType,
  {clientId, record, now}: {readonly clientId: string; readonly record: Reservation; readonly now: number},
  changes: readonly object[] = [],
): void {
  addEvent(database, {clientId, type, data: eventData(database, type, record, now, changes), now})
}

export function recordConfirmation(database: Database, event: Parameters<typeof recordEvent>[2]): void {
  recordEvent(database, 'reservation.confirmed', event)
  recordEvent(database, 'voucher.ready', event)
}
