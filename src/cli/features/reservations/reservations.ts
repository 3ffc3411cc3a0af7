/** `reservations list`, `show` and `update`. */
import {factsOfReservation, type ReadReservation} from '../../../api/answers/reservations.js'
import {UNKNOWN_NEXT} from '../../../api/operations/lists.js'
import {
  type ListWish,
  listReservations,
  showReservation,
  updateReservation,
} from '../../../api/operations/reservations.js'
import {outcomeWord, withoutPeople} from '../../../api/reserve/outcome.js'
import {isCalendarDate, zonedInstantOf} from '../../../contract/dates.js'
import {RESERVATION_STATUSES} from '../../../contract/events.js'
import {Failure, failureWith, usage} from '../../../contract/failure.js'
import {isObject} from '../../../contract/json.js'
import type {ReservationUpdate} from '../../../contract/reservations.js'
import {checkGiven, invalid} from '../../input/checks.js'
import {completeGuests} from '../../input/guests.js'
import {combined, missing} from '../../input/usage-errors.js'
import type {Connection} from '../../session/connect.js'
import {columnsOf, headLine, type Result} from '../../terminal/result.js'
import {counted, moneyText, onItsOwnClock} from '../../terminal/wording.js'
import type {ReserveFlags} from '../reserve/flags.js'
import {noteOutcome} from '../reserve/follow.js'
import {factsShown, paymentAddress} from '../reserve/payment.js'
import {checkedBy, mergeContact, readFields} from '../reserve/reservation.js'

/** `--after`: the cursor of an earlier page. */
export function checkCursor(field: string, text: string): string {
  if (text === UNKNOWN_NEXT)
    throw usage('invalid_input', `${field}: the service did not say how to ask for those after that page`)
  return checkGiven(field, text)
}

/** A word of §3 in any case; any other word passes, since the service may know more. */
export function readStatus(_field: string, text: string): string {
  return RESERVATION_STATUSES.find(status => status === text.toUpperCase()) ?? text
}

/** A day, or a timestamp with an offset. */
export function checkInstant(field: string, text: string): string {
  if (zonedInstantOf(text) !== undefined || isCalendarDate(text)) return text
  throw invalid(field, 'must be a date (YYYY-MM-DD), or a timestamp with an offset', text)
}

type Row = ReturnType<typeof rowOf>

function rowOf(found: ReadReservation) {
  const facts = factsOfReservation(found)
  const {reservation_ref, status, payment_url} = found
  const [price, fee] = [facts.price, facts.fee].map(moneyText)
  return {...facts, reservation_ref, status, payment_url, price, fee}
}

export const RESERVATIONS_COLUMNS = [
  ...(['reservation_ref', 'status', 'hotel', 'rooms', 'check_in', 'check_out'] as const),
  ...(['lead_guest', 'guests', 'price', 'payment_mode', 'payment', 'payment_url', 'voucher'] as const),
  ...(['free_until', 'fee', 'client_reference_id', 'created_at', 'updated_at'] as const),
]

/** Where a terminal has no room for all, the reference of the partner goes first, and the hotel's name stays. */
const COLUMNS = columnsOf<Row>(RESERVATIONS_COLUMNS).map(column => ({
  ...column,
  isMain: column.name === 'hotel',
  isMinor: column.name === 'client_reference_id' || column.name === 'check_out',
}))

/** Throws Failure. */
export async function list({api}: Connection, wish: ListWish): Promise<Result<Row> & {next: string | null}> {
  const {reservations, next} = await listReservations(api, wish)
  const document = {reservations: reservations.map(({reservation}) => reservation), next}
  const warning =
    'Warning: there are more than these, and nothing that --after takes brings them; raise --limit, or narrow the list'
  return {
    document,
    items: reservations.map(rowOf),
    columns: COLUMNS,
    lead: headLine(counted(reservations.length, 'reservation')),
    shown: ['reservation_ref', 'status', 'hotel', 'check_in', 'check_out', 'price', 'client_reference_id'],
    whenEmpty: 'There are no such reservations.',
    ...(next === UNKNOWN_NEXT ? {warning} : {}),
    next,
  }
}

/** Records the state in the journal, too; a failure there only warns. Throws Failure. */
export async function show(
  connection: Connection,
  reference: string,
  warn: (text: string) => void,
): Promise<Result<Row>> {
  const found = await showReservation(connection.api, reference)
  const newest = {outcome: outcomeWord(found), result: withoutPeople(found)}
  if (found.status?.trim()) await noteOutcome(connection, reference, newest, warn)
  return singleReservation(found, connection)
}

/** The change: flags win over the file. Throws usage naming what is wrong, missing, or that nothing is to change. */
export async function readUpdate(
  flags: Pick<ReserveFlags, 'input' | 'contact' | 'guest'>,
): Promise<ReservationUpdate> {
  const rule = 'must be one JSON object with contact, guests or both'
  const file = await readFields(flags.input, ['contact', 'guests'], rule)
  const contact = mergeContact(file.contact, flags.contact, undefined)
  const given = flags.guest ?? file.guests
  const guests = Array.isArray(given) && given.every(isObject) ? completeGuests(given) : given
  const update = {
    ...(contact === undefined || JSON.stringify(contact) === '{}' ? {} : {contact}),
    ...(guests === undefined ? {} : {guests}),
  }
  if (Object.keys(update).length === 0) throw missing(['--contact, --guest or --input'])
  const {reservationUpdate} = await import('../../../contract/reservations.js')
  const {lacking, errors, data} = checkedBy(reservationUpdate, update)
  if (data) return data
  throw combined([...(lacking.length > 0 ? [missing(lacking)] : []), ...errors])
}

/** Throws Failure; for an unknown outcome, with how to find it out. */
export async function update(
  connection: Connection,
  reference: string,
  change: ReservationUpdate,
): Promise<Result<Row>> {
  const found = await updateReservation(connection.api, reference, change).catch(error => {
    throw withHint(error, `${howToCheck(reference)}; the same change can be sent again`)
  })
  const nothing = {reservation: {}, reservation_ref: reference, status: null, payment_url: null}
  const result = singleReservation(found ?? nothing, connection)
  const contact = Object.keys(change.contact ?? {}).join(', ')
  const changed = [contact && `contact (${contact})`, change.guests && 'guests'].filter(Boolean).join(', ')
  return {...result, document: {reservation: found?.reservation ?? null}, facts: {...result.facts, changed}}
}

function singleReservation(found: ReadReservation, {clock}: Connection): Result<Row> {
  const {reservation} = found
  const row = rowOf(found)
  const payAt = paymentAddress({...found, outcome: found.status?.toLowerCase() ?? ''})
  const facts = {
    ...factsShown(found, {now: clock.now(), payAt}),
    contact: row.contact,
    created: row.created_at && onItsOwnClock(row.created_at),
    updated: row.updated_at && onItsOwnClock(row.updated_at),
  }
  return {document: {reservation}, items: [row], columns: COLUMNS, single: true, facts}
}

/** `reference` was checked, so that it can be pasted into a shell. */
export function howToCheck(reference: string): string {
  return `check its state: bookctl reservations show ${reference}`
}

/** Adds `hint` to an unknown outcome; any other error stays as it is. */
export function withHint(error: unknown, hint: string): unknown {
  if (!(error instanceof Failure) || error.kind !== 'outcome_unknown') return error
  return failureWith(error, {hint})
}
