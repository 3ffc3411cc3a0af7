/**
 * Reservations (§2.5): the record as it is answered, and beside it what is searched by. The record's
 * `payment.url` is stored as a path.
 */
import type {Reservation} from '../../contract/reservations.js'
import type {Database} from '../../storage/database.js'

export interface StoredReservation {
  /** Order of creation. */
  readonly sequence: number
  readonly clientId: string
  /** What left the account's balance, in minor units of the account's currency. */
  readonly debitedMinor: bigint
  readonly record: Reservation
}

export interface ReservationRow {
  sequence: number
  client_id: string
  debited_minor: number
  record: string
}

const COLUMNS = 'sequence, client_id, debited_minor, record'

interface NewReservation {
  readonly clientId: string
  readonly debitedMinor: bigint
  readonly paymentToken: string | null
  readonly record: Reservation
}

export function addReservation(database: Database, reservation: NewReservation): void {
  const {record} = reservation
  database.run(
    `INSERT INTO reservations (reservation_ref, client_id, client_reference_id, offer_id, status, created_at,
       payment_token, payment_expires_at, debited_minor, record, search_text)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    record.reservation_ref,
    reservation.clientId,
    record.client_reference_id,
    record.offer_id,
    record.status,
    unixTime(record.created_at),
    reservation.paymentToken,
    record.payment.expires_at === null ? null : unixTime(record.payment.expires_at),
    reservation.debitedMinor,
    JSON.stringify(record),
    searchTextOf(record),
  )
}

/** Replaces the record of `record.reservation_ref`. */
export function saveReservation(database: Database, record: Reservation): void {
  database.run(
    'UPDATE reservations SET status = ?, record = ?, search_text = ? WHERE reservation_ref = ?',
    record.status,
    JSON.stringify(record),
    searchTextOf(record),
    record.reservation_ref,
  )
}

/** Gives those that an earlier version stored what they are found by on the sandbox's page. */
export function addSearchTexts(database: Database): void {
  const rows = database.all<ReservationRow>(
    `SELECT ${COLUMNS} FROM reservations WHERE search_text IS NULL ORDER BY sequence`,
  )
  for (const {record} of rows.map(fromReservationRow)) saveReservation(database, record)
}

/** The words a reservation is found by: references, hotel, and the people. */
function searchTextOf({reservation_ref, client_reference_id, hotel, contact, guests}: Reservation): string {
  const people = [contact, ...guests].map(({name, surname}) => `${name} ${surname}`)
  return foldCase([reservation_ref, client_reference_id, hotel.name, ...people].join(' '))
}

/** Without case and marks, so that `ogut` finds Öğüt, and `I`, `İ`, `ı` and `i` are one letter. */
export function foldCase(text: string): string {
  return text.normalize('NFD').toLowerCase().replace(/\p{M}/gu, '').replaceAll('ı', 'i')
}

/** The reservation, if it is `clientId`'s own. */
export function findReservation(
  database: Database,
  clientId: string,
  reservationRef: string,
): StoredReservation | undefined {
  const found = findAnyReservation(database, reservationRef)
  return found?.clientId === clientId ? found : undefined
}

/** The reservation, whoever made it: for the sandbox's own controls and signed links. */
export function findAnyReservation(
  database: Database,
  reservationRef: string,
): StoredReservation | undefined {
  return one(database, 'reservation_ref = ?', reservationRef)
}

export function findByClientReference(
  database: Database,
  clientId: string,
  clientReferenceId: string,
): StoredReservation | undefined {
  return one(database, 'client_id = ? AND client_reference_id = ?', clientId, clientReferenceId)
}

export function findByPaymentToken(database: Database, token: string): StoredReservation | undefined {
  return one(database, 'payment_token = ?', token)
}

/** Reservations whose time to pay has run out by `now`, the longest due first. */
export function findUnpaid(database: Database, now: number): StoredReservation[] {
  return database
    .all<ReservationRow>(
      `SELECT ${COLUMNS} FROM reservations INDEXED BY reservations_due
       WHERE status = 'PENDING_PAYMENT' AND payment_expires_at <= ?
       ORDER BY payment_expires_at, sequence`,
      now,
    )
    .map(fromReservationRow)
}

/** When the next payment expires, also in the past; null when none is waited for. */
export function nextPaymentExpiry(database: Database): number | null {
  const row = database.get<{at: number | null}>(
    "SELECT min(payment_expires_at) AS at FROM reservations WHERE status = 'PENDING_PAYMENT'",
  )
  return row?.at ?? null
}

interface ReservationFilter {
  readonly clientId: string
  readonly clientReferenceId: string | null
  readonly status: string | null
  /** Unix seconds; from is included, to is not. */
  readonly createdFrom: number | null
  readonly createdTo: number | null
  /** Only those created before the one with this sequence number. */
  readonly before: number | null
  readonly limit: number
}

/** Newest first. Each condition that is asked for is one the index walks by. */
export function listReservations(database: Database, filter: ReservationFilter): StoredReservation[] {
  const asked: readonly (readonly [sql: string, value: string | number | null])[] = [
    ['client_id = ?', filter.clientId],
    ['client_reference_id = ?', filter.clientReferenceId],
    ['status = ?', filter.status],
    ['created_at >= ?', filter.createdFrom],
    ['created_at < ?', filter.createdTo],
    [
      '(created_at, sequence) < (SELECT created_at, sequence FROM reservations WHERE sequence = ?)',
      filter.before,
    ],
  ]
  const conditions = asked.filter(([, value]) => value !== null)
  return database
    .all<ReservationRow>(
      `SELECT ${COLUMNS} FROM reservations WHERE ${conditions.map(([sql]) => sql).join(' AND ')}
       ORDER BY created_at DESC, sequence DESC LIMIT ?`,
      ...conditions.map(([, value]) => value),
      filter.limit,
    )
    .map(fromReservationRow)
}

function one(database: Database, where: string, ...values: string[]): StoredReservation | undefined {
  const row = database.get<ReservationRow>(`SELECT ${COLUMNS} FROM reservations WHERE ${where}`, ...values)
  return row && fromReservationRow(row)
}

export function fromReservationRow(row: ReservationRow): StoredReservation {
  return {
    sequence: row.sequence,
    clientId: row.client_id,
    debitedMinor: BigInt(row.debited_minor),
    record: JSON.parse(row.record) as Reservation,
  }
}

function unixTime(iso: string): number {
  return Date.parse(iso) / 1000
}

/** The reservation as it is answered: its link leads to the origin of the running sandbox. */
export function withOrigin(record: Reservation, origin: string): Reservation {
  const {url} = record.payment
  return url === undefined ? record : {...record, payment: {...record.payment, url: origin + url}}
}
