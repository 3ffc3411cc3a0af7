/**
 * Reservations (§2.5): the record as it is answered, and columns to search by. The record's `payment.url` is stored as a
 * path.
 */
import type {Reservation} from '../../contract/reservations.js'
import type {Database, Value} from '../../storage/database.js'

export interface StoredReservation {
  /** Order of creation. */
  readonly sequence: number
  readonly clientId: string
  /** The amount debited from the account's balance, in minor units of the account's currency. */
  readonly debitedMinor: bigint
  readonly record: Reservation
}

export interface ReservationRow {
  sequence: number
  clientId: string
  debitedMinor: number
  record: string
}

export const SELECT_RESERVATIONS =
  'SELECT sequence, client_id AS clientId, debited_minor AS debitedMinor, record FROM reservations'

interface NewReservation extends Omit<StoredReservation, 'sequence'> {
  readonly paymentToken: string | null
}

export function addReservation(database: Database, reservation: NewReservation): void {
  const {clientId, debitedMinor, paymentToken, record} = reservation
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
    paymentToken,
    expires_at === null ? null : unixTime(expires_at),
    debitedMinor,
    JSON.stringify(record),
    searchTextOf(record),
  )
}

/** Replaces the record of `record.reservation_ref`. */
export function saveReservation(database: Database, record: Reservation): void {
  const sql = 'UPDATE reservations SET status = ?, record = ?, search_text = ? WHERE reservation_ref = ?'
  database.run(sql, record.status, JSON.stringify(record), searchTextOf(record), record.reservation_ref)
}

/** Adds the search text to reservations that an earlier version stored. */
export function addSearchTexts(database: Database): void {
  for (const {record} of list(database, 'WHERE search_text IS NULL ORDER BY sequence')) {
    saveReservation(database, record)
  }
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
  return list(database, 'WHERE client_id = ? AND reservation_ref = ?', clientId, reservationRef)[0]
}

/** The reservation of any client: for the sandbox's own controls and signed links. */
export function findAnyReservation(
  database: Database,
  reservationRef: string,
): StoredReservation | undefined {
  return list(database, 'WHERE reservation_ref = ?', reservationRef)[0]
}

export function findByClientReference(
  database: Database,
  clientId: string,
  clientReferenceId: string,
): StoredReservation | undefined {
  return list(database, 'WHERE client_id = ? AND client_reference_id = ?', clientId, clientReferenceId)[0]
}

/** The reservation that the offer became. */
export function findByOffer(
  database: Database,
  clientId: string,
  offerId: string,
): StoredReservation | undefined {
  return list(database, 'WHERE client_id = ? AND offer_id = ?', clientId, offerId)[0]
}

export function findByPaymentToken(database: Database, token: string): StoredReservation | undefined {
  return list(database, 'WHERE payment_token = ?', token)[0]
}

/** Reservations whose time to pay has run out by `now`, the longest due first. */
export function findUnpaid(database: Database, now: number): StoredReservation[] {
  const unpaid = `INDEXED BY reservations_due WHERE status = 'PENDING_PAYMENT' AND payment_expires_at <= ?
    ORDER BY payment_expires_at, sequence`
  return list(database, unpaid, now)
}

/** When the next payment expires, also in the past; null when no payment is pending. */
export function nextPaymentExpiry(database: Database): number | null {
  const sql = "SELECT min(payment_expires_at) AS at FROM reservations WHERE status = 'PENDING_PAYMENT'"
  return database.get<{at: number | null}>(sql)?.at ?? null
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

/** Newest first. */
export function listReservations(database: Database, filter: ReservationFilter): StoredReservation[] {
  const earlier =
    '(created_at, sequence) < (SELECT created_at, sequence FROM reservations WHERE sequence = ?)'
  const [where, values] = conditions([
    ['client_id = ?', filter.clientId],
    ['client_reference_id = ?', filter.clientReferenceId],
    ['status = ?', filter.status],
    ['created_at >= ?', filter.createdFrom],
    ['created_at < ?', filter.createdTo],
    [earlier, filter.before],
  ])
  const newestFirst = `WHERE ${where} ORDER BY created_at DESC, sequence DESC LIMIT ?`
  return list(database, newestFirst, ...values, filter.limit)
}

type Condition = readonly [sql: string, value: Value | undefined]

/** A WHERE clause of the conditions that have a value: each one is one that an index can use. */
export function conditions(all: readonly Condition[]): [where: string, values: Value[]] {
  const present = all.filter((each): each is [string, Value] => each[1] != null)
  return [present.map(([sql]) => sql).join(' AND ') || 'TRUE', present.map(([, value]) => value)]
}

/** `rest`: of the query, after the table's name. */
function list(database: Database, rest: string, ...values: Value[]): StoredReservation[] {
  return database.all<ReservationRow>(`${SELECT_RESERVATIONS} ${rest}`, ...values).map(fromReservationRow)
}

export function fromReservationRow(row: ReservationRow): StoredReservation {
  return {...row, debitedMinor: BigInt(row.debitedMinor), record: JSON.parse(row.record) as Reservation}
}

function unixTime(iso: string): number {
  return Date.parse(iso) / 1000
}

/** The reservation as it is answered: its link leads to the origin of the running sandbox. */
export function withOrigin(record: Reservation, origin: string): Reservation {
  const {url} = record.payment
  return url === undefined ? record : {...record, payment: {...record.payment, url: origin + url}}
}
