/** Reservations after they were made, as their commands ask for them and print them. */
import type {ReadReservation} from '../../../api/answers/reservations.js'
import {factsOfReservation} from '../../../api/answers/reservations.js'
import {UNKNOWN_NEXT} from '../../../api/operations/paging.js'
import type {FoundReservations, ListWish} from '../../../api/operations/reservations.js'
import {instantOf, isCalendarDate} from '../../../contract/dates.js'
import {Failure, usage} from '../../../contract/failure.js'
import {RESERVATION_STATUSES} from '../../../contract/reservation-statuses.js'
import type {ReservationUpdate} from '../../../contract/reservations.js'
import {checkGiven, invalid} from '../../input/checks.js'
import type {Connection} from '../../session/connect.js'
import type {Column, Result} from '../../terminal/result.js'
import {moneyText} from '../../terminal/values.js'
import {noteOutcome} from '../reserve/follow.js'

/** What `--after` takes: the cursor of an earlier page. */
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
  const isTimestamp = /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(text) && instantOf(text) !== undefined
  if (isTimestamp || isCalendarDate(text)) return text
  throw invalid(field, 'must be a date (YYYY-MM-DD), or a timestamp with an offset', text)
}

type Row = ReturnType<typeof rowOf>

function rowOf(found: ReadReservation) {
  const facts = factsOfReservation(found)
  const {reservation_ref, status, payment_url} = found
  return {
    ...facts,
    reservation_ref,
    status,
    payment_url,
    price: moneyText(facts.price),
    fee: moneyText(facts.fee),
  }
}

const NAMES = [
  ...([
    'reservation_ref',
    'status',
    'hotel',
    'check_in',
    'check_out',
    'lead_guest',
    'price',
    'payment',
  ] as const),
  ...(['payment_url', 'free_until', 'fee', 'client_reference_id', 'created_at', 'updated_at'] as const),
]
const COLUMNS: readonly Column<Row>[] = NAMES.map(name => ({name, value: row => row[name]}))

export const RESERVATIONS_COLUMNS: readonly string[] = NAMES

const MORE_THAN_THESE =
  'Warning: there are more than these, and nothing that --after takes brings them; raise --limit, or narrow the list'

/** Throws Failure. */
export async function list({api}: Connection, wish: ListWish): Promise<Result<Row> & {next: string | null}> {
  const {listReservations} = await import('../../../api/operations/reservations.js')
  const {reservations, next}: FoundReservations = await listReservations(api, wish)
  return {
    document: {reservations: reservations.map(({reservation}) => reservation), next},
    items: reservations.map(rowOf),
    columns: COLUMNS,
    shown: ['reservation_ref', 'status', 'hotel', 'check_in', 'check_out', 'price', 'client_reference_id'],
    id: row => row.reservation_ref,
    whenEmpty: 'There are no such reservations.',
    ...(next === UNKNOWN_NEXT ? {warning: MORE_THAN_THESE} : {}),
    next,
  }
}

/** Throws Failure. `warn` is told what hinders that this machine's journal says the same. */
export async function show(
  connection: Connection,
  reference: string,
  warn: (text: string) => void,
): Promise<Result<Row>> {
  const [{showReservation}, {outcomeWord, withoutPeople}] = await Promise.all([
    import('../../../api/operations/reservations.js'),
    import('../../../api/reserve/outcome.js'),
  ])
  const found = await showReservation(connection.api, reference)
  if (found.status?.trim())
    noteOutcome(connection, reference, {outcome: outcomeWord(found), result: withoutPeople(found)}, warn)
  return singleReservation(found)
}

/** Throws Failure; one whose outcome is unknown names the way to find out. */
export async function update(
  {api}: Connection,
  reference: string,
  change: ReservationUpdate,
): Promise<Result<Row>> {
  const {updateReservation} = await import('../../../api/operations/reservations.js')
  const found = await updateReservation(api, reference, change).catch(error => {
    throw namingTheWay(error, `${howToLook(reference)}; the same change can be sent again`)
  })
  const nothing = {reservation: {}, reservation_ref: reference, status: null, payment_url: null}
  return {...singleReservation(found ?? nothing), document: {reservation: found?.reservation ?? null}}
}

function singleReservation(found: ReadReservation): Result<Row> {
  return {
    document: {reservation: found.reservation},
    items: [rowOf(found)],
    columns: COLUMNS,
    id: row => row.reservation_ref,
    single: true,
  }
}

/** `reference` has been checked, so that it may be pasted into a shell. */
export function howToLook(reference: string): string {
  return `see what became of it: bookctl reservations show ${reference}`
}

/** `error` with `hint` when it is of an unknown outcome; else as it is. */
export function namingTheWay(error: unknown, hint: string): unknown {
  if (!(error instanceof Failure) || error.kind !== 'outcome_unknown') return error
  return new Failure(error.kind, error.message, {...error.details, hint})
}
