/**
 * Stores reservations (§2.5). The record is stored in the form of answers, except that `payment.url` is a path. Other
 * columns serve searching.
 */
import type {Reservation} from '../../contract/reservations.js'
import type {Database, Value} from '../../storage/database.js'
import {notFound} from '../base/answers.js'
import {listPage, type Paging} from './lists.js'

export interface StoredReservation {
  readonly clientId: string
  /** The amount debited from the account, in minor units of the account's currency. */
  readonly debitedMinor: bigint
  readonly record: Reservation
}

type ReservationRow = Record<'clientId' | 'record', string> & Record<'sequence' | 'debitedMinor', number>

const SELECT_RESERVATIONS =
  'SELECT sequence, client_id AS clientId, debited_minor AS debitedMinor, record FROM reservations'

export function addReservation(database: Database, stored: StoredReservation, token: string | null = null) {
  const {clientId, debitedMinor, record} = stored
  const {expires_at} = record.payment
  database.run(
    `INSERT INTO reservations (reservation_ref, client_id, client_reference_id, offer_id, status, created_at,
       payment_token, payment_expires_at, debited_minor, record, search_text)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    record.reservation_ref,
    clientId,
    record.client_reference_id,
    record.offer_id,
    record.status,
    unixTime(record.created_at),
    token,
    expires_at === null ? null : unixTime(expires_at),
    debitedMinor,
    JSON.stringify(record),
    searchTextOf(record),
  )
}

export function saveReservation(database: Database, record: Reservation): void {
  const sql = 'UPDATE reservations SET status = ?, record = ?, search_text = ? WHERE reservation_ref = ?'
  database.run(sql, record.status, JSON.stringify(record), searchTextOf(record), record.reservation_ref)
}

export function addSearchTexts(database: Database): void {
  for (const {record} of list(database, 'WHERE search_text IS NULL ORDER BY sequence')) {
    saveReservation(database, record)
  }
}

function searchTextOf({reservation_ref, client_reference_id, hotel, contact, guests}: Reservation): string {
  const people = [contact, ...guests].map(({name, surname}) => `${name} ${surname}`)
  return foldCase([reservation_ref, client_reference_id, hotel.name, ...people].join(' '))
}

/** Removes case and diacritics, so that `ogut` finds Öğüt. `I`, `İ`, `ı` and `i` become the same letter. */
function foldCase(text: string): string {
  return text.normalize('NFD').toLowerCase().replace(/\p{M}/gu, '').replaceAll('ı', 'i')
}

/**
 * Returns the reservation with this value in `column`, or undefined. With `clientId`, finds only reservations of that
 * client.
 */
export function findReservation(
  database: Database,
  column: 'reservation_ref' | 'client_reference_id' | 'offer_id' | 'payment_token',
  value: string,
  clientId?: string,
): StoredReservation | undefined {
  if (clientId === undefined) return list(database, `WHERE ${column} = ?`, value)[0]
  return list(database, `WHERE client_id = ? AND ${column} = ?`, clientId, value)[0]
}

/** Returns the id of the client that has the reservation with this reference, or undefined. */
export function ownerOf(database: Database, reference: string | undefined): string | undefined {
  if (reference === undefined) return undefined
  const sql = 'SELECT client_id AS id FROM reservations WHERE reservation_ref = ?'
  return database.get<{id: string}>(sql, reference)?.id
}

/**
 * Returns the reservation with this reference. Throws the Refusal `reservation_not_found` if there is none, or if it
 * belongs to another client than `clientId`.
 */
export function requireReservation(database: Database, reference: string, clientId?: string) {
  const stored = findReservation(database, 'reservation_ref', reference, clientId)
  if (!stored) throw notFound('reservation', reference)
  return stored
}

/** Returns unpaid reservations whose time to pay is over at `now` (Unix seconds), the longest overdue first. */
export function findUnpaid(database: Database, now: number): StoredReservation[] {
  const unpaid = `INDEXED BY reservations_due WHERE status = 'PENDING_PAYMENT' AND payment_expires_at <= ?
    ORDER BY payment_expires_at, sequence`
  return list(database, unpaid, now)
}

/**
 * Returns the Unix seconds at which the next payment expires, which may be in the past, or Infinity if no payment is
 * pending.
 */
export function nextPaymentExpiry(database: Database): number {
  const sql = "SELECT min(payment_expires_at) AS at FROM reservations WHERE status = 'PENDING_PAYMENT'"
  return database.get<{at: number | null}>(sql)?.at ?? Number.POSITIVE_INFINITY
}

/** Which reservations to list. A field that is missing or null does not filter. */
interface ReservationFilter {
  readonly clientId?: string
  readonly clientReferenceId?: string | null
  readonly status?: string | null
  /** Unix seconds. `createdFrom` is included in the range, `createdTo` is not. */
  readonly createdFrom?: number | null
  readonly createdTo?: number | null
  /** Words, each of which must occur in a reference, the hotel's name or the name of a person. */
  readonly search?: string | null
}

export function listReservations(database: Database, filter: ReservationFilter, {after, limit}: Paging) {
  const {clientId, search} = filter
  const words = foldCase(search ?? '').match(/\S+/g)
  const hasAllWords = `NOT EXISTS (
    SELECT 1 FROM json_each(?) AS word WHERE instr(coalesce(search_text, ''), word.value) = 0)`
  // The index for one client's reservations is ordered by time.
  const [order, older] = clientId
    ? [
        'created_at DESC, sequence DESC',
        '(created_at, sequence) < (SELECT created_at, sequence FROM reservations WHERE sequence = ?)',
      ]
    : ['sequence DESC', 'sequence < ?']
  const filters = {
    'client_id = ?': clientId,
    'client_reference_id = ?': filter.clientReferenceId,
    'status = ?': filter.status,
    'created_at >= ?': filter.createdFrom,
    'created_at < ?': filter.createdTo,
    [hasAllWords]: words && JSON.stringify(words),
    [older]: after,
  }
  return listPage(database, {select: SELECT_RESERVATIONS, filters, order, limit}, fromRow)
}

function list(database: Database, rest: string, ...values: Value[]): StoredReservation[] {
  return database.all<ReservationRow>(`${SELECT_RESERVATIONS} ${rest}`, ...values).map(fromRow)
}

function fromRow({clientId, debitedMinor, record}: ReservationRow): StoredReservation {
  return {clientId, debitedMinor: BigInt(debitedMinor), record: JSON.parse(record) as Reservation}
}

function unixTime(iso: string): number {
  return Date.parse(iso) / 1000
}

/** Returns the reservation in the form of answers, with the payment link at `origin`. */
export function withOrigin(record: Reservation, origin: string): Reservation {
  const {url} = record.payment
  return url === undefined ? record : {...record, payment: {...record.payment, url: origin + url}}
}
