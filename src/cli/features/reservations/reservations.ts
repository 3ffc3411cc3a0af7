/**
 * Implements `reservations list`, `show`, `update` and `cancel`. A cancellation is sent only after its fee was shown
 * and agreed to, and never if the service states no fee.
 */
import {isSameCurrency, isSameMoney, type Money} from '../../../api/answers/amounts.js'
import {factsOfReservation, type ReadReservation} from '../../../api/answers/reservations.js'
import {UNKNOWN_NEXT} from '../../../api/operations/lists.js'
import {
  cancelReservation,
  isCancelled,
  type ListWish,
  listReservations,
  quoteCancellation,
  showReservation,
  stateOf,
  updateReservation,
} from '../../../api/operations/reservations.js'
import {feeToKeep, outcomeWord, withoutPeople} from '../../../api/reserve/outcome.js'
import {isCalendarDate, systemClock, zonedInstantOf} from '../../../contract/dates.js'
import {RESERVATION_STATUSES} from '../../../contract/events.js'
import {Failure, failureWith, usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {isObject} from '../../../contract/json.js'
import {compareAmounts, sumOfAmounts} from '../../../contract/money.js'
import {MOST_REASON_LENGTH} from '../../../contract/operations.js'
import type {ReservationUpdate} from '../../../contract/reservations.js'
import {checkGiven, invalid} from '../../input/checks.js'
import {completeGuests, faultsOfWords} from '../../input/guests.js'
import {combined, missing} from '../../input/usage-errors.js'
import type {Connection} from '../../session/connect.js'
import {serviceText, type Target} from '../../session/resolve.js'
import type {BaseCommand} from '../../shell/base-command.js'
import {counted, factLines, moneyText, onItsOwnClock} from '../../terminal/dates-and-amounts.js'
import type {OutputFlags} from '../../terminal/output.js'
import type {Change} from '../../terminal/prompts/ask.js'
import {columnsOf, headLine, type Result, single} from '../../terminal/result.js'
import {cancellationText} from '../catalogue/offer-lines.js'
import {bookedPrice, factsShown, noteOutcome, paymentAddress} from '../reserve/booking.js'
import type {ReserveFlags} from '../reserve/flags.js'
import {checkedBy, mergeContact, readFields} from '../reserve/request.js'
import {warningAbout, workOnEach} from '../several/each.js'

/** Returns the value of `--after`, a cursor from an earlier page. Throws a usage error if the cursor is invalid. */
export function checkCursor(field: string, text: string): string {
  if (text === UNKNOWN_NEXT)
    throw usage('invalid_input', `${field}: the service did not say how to ask for those after that page`)
  return checkGiven(field, text)
}

/**
 * Returns a status of §3 in upper case. Other words are returned unchanged, because the service may know more states.
 */
export function readStatus(_field: string, text: string): string {
  return RESERVATION_STATUSES.find(status => status === text.toUpperCase()) ?? text
}

/**
 * Returns a date, or a timestamp with an offset in the form that every service reads. Throws a usage error if the text
 * is neither.
 */
export function checkInstant(field: string, text: string): string {
  if (isCalendarDate(text) || (/T.*(Z|:\d\d)$/.test(text) && zonedInstantOf(text) !== undefined)) return text
  throw invalid(field, 'must be a date (YYYY-MM-DD), or a timestamp such as 2030-06-01T10:00:00+03:00', text)
}

type Row = ReturnType<typeof rowOf>

function rowOf(found: ReadReservation) {
  const facts = factsOfReservation(found)
  const {reservation_ref, status, payment_url} = found
  const price = moneyText(facts.price)
  const fee = moneyText(facts.fee)
  const currency = facts.price?.currency ?? facts.fee?.currency ?? null
  return {...facts, reservation_ref, status, payment_url, price, fee, currency}
}

export const RESERVATIONS_COLUMNS = [
  'reservation_ref',
  'status',
  'hotel',
  'rooms',
  'check_in',
  'check_out',
  'lead_guest',
  'guests',
  'price',
  'currency',
  'payment_mode',
  'payment',
  'payment_url',
  'voucher',
  'free_until',
  'fee',
  'client_reference_id',
  'created_at',
  'updated_at',
] as const

/**
 * The columns of the list. On a narrow terminal the partner's own reference and the check-out date are left out first,
 * and the hotel is kept.
 */
const COLUMNS = columnsOf<Row>(RESERVATIONS_COLUMNS).map(column => ({
  ...column,
  isMain: column.name === 'hotel',
  isMinor: column.name === 'client_reference_id' || column.name === 'check_out',
}))

/** Columns that a list shows by default. */
const SHOWN = ['reservation_ref', 'status', 'hotel', 'check_in', 'check_out', 'price', 'client_reference_id']

type Warn = (text: string) => void

/**
 * Lists one page, or as many reservations as `wish` asks for. `next` is the cursor of the next page, or null. Throws
 * Failure.
 */
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
    shown: SHOWN,
    whenEmpty: 'There are no such reservations.',
    ...(next === UNKNOWN_NEXT ? {warning} : {}),
    next,
  }
}

/** Returns the stored webhook events about a reservation. */
type EventsOf = (reference: string) => Promise<readonly object[]>

interface Shown {
  readonly found: ReadReservation
  readonly events: readonly object[] | undefined
}

/** Name of the column with the events of a reservation, and of the key in the document. */
export const EVENTS_COLUMN = 'events'

/**
 * Returns a reservation to print, and records its state in the journal; if the journal fails, only warns. `events`, if
 * given, are added to the document and as a column. Throws Failure.
 */
export async function show(
  connection: Connection,
  reference: string,
  warn: Warn,
  events?: readonly object[],
): Promise<Result<Row>> {
  const result = singleReservation(await look(connection, reference, warn), connection)
  if (events === undefined) return result
  const columns = [...result.columns, {name: EVENTS_COLUMN, value: () => events}]
  return {...result, document: {...result.document, events}, columns}
}

/** Shows several reservations, each as `show` does. With `eventsOf`, the events of each are added. */
export async function showSeveral(
  command: BaseCommand,
  connection: Connection,
  references: readonly string[],
  flags: OutputFlags,
  eventsOf?: EventsOf,
): Promise<void> {
  const extra = eventsOf === undefined ? [] : [EVENTS_COLUMN]
  await workOnEach<Shown>(command, flags, references, {
    key: 'reservations',
    columns: [...RESERVATIONS_COLUMNS, ...extra],
    shown: [...SHOWN, ...extra],
    id: 'reservation_ref',
    entry: (reference, done) => ({
      reservation_ref: reference,
      reservation: done?.found.reservation ?? null,
      ...(eventsOf === undefined ? {} : {events: done?.events ?? null}),
    }),
    row: ({found, events}) => ({...rowOf(found), events}),
    atStep: connection.atStep,
    attempt: async reference => ({
      found: await look(connection, reference, warningAbout(command, reference)),
      events: await eventsOf?.(reference),
    }),
  })
}

/** Returns a reservation, and records its state in the journal; a failure of the journal only warns. Throws Failure. */
export async function look(connection: Connection, reference: string, warn: Warn): Promise<ReadReservation> {
  const found = await showReservation(connection.api, reference)
  const newest = {outcome: outcomeWord(found), booked: bookedPrice(found), result: withoutPeople(found)}
  if (found.status?.trim()) await noteOutcome(connection, reference, newest, warn)
  return found
}

/**
 * Reads the change from the flags and the file of --input; flags win. Throws a usage error that names every wrong or
 * missing field, or if there is no change.
 */
export async function readUpdate(
  flags: Pick<ReserveFlags, 'input' | 'contact' | 'guest'>,
): Promise<ReservationUpdate> {
  const rule = 'must be one JSON object with contact, guests or both'
  const file = flags.input === undefined ? {} : await readFields(flags.input, ['contact', 'guests'], rule)
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
  const guestFaults = [guests].flat().flatMap((guest, index) => faultsOfWords(guest, `guests[${index}]`))
  const faults = [...errors, ...guestFaults, ...faultsOfWords(contact, 'contact')]
  if (data && faults.length === 0) return data
  throw combined([...(lacking.length > 0 ? [missing(lacking)] : []), ...faults])
}

/**
 * Changes the contact or the guests of a reservation. Throws Failure; if the outcome is unknown, the hint says how to
 * find out.
 */
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

/**
 * Returns a hint with the command that shows a reservation. `reference` must have been checked, so that it is safe in a
 * shell.
 */
export function howToCheck(reference: string): string {
  return `check its state: bookctl reservations show ${reference}`
}

/** Returns an `outcome_unknown` error with this hint; other errors unchanged. */
function withHint(error: unknown, hint: string): unknown {
  if (!(error instanceof Failure) || error.kind !== 'outcome_unknown') return error
  return failureWith(error, {hint})
}

export type CancelPlan = Awaited<ReturnType<typeof planCancellation>>

export function checkReason(field: string, reason: string): string {
  if (reason.length <= MOST_REASON_LENGTH) return reason
  throw invalid(field, `must be at most ${MOST_REASON_LENGTH} characters`)
}

/**
 * Requests the cancellation fee and the reservation. `reservation` is null if the service does not show it. Throws
 * Failure.
 */
export async function planCancellation({api}: Connection, reference: string) {
  const quote = await quoteCancellation(api, reference).catch(error => {
    if (!(error instanceof Failure) || error.details.code !== 'path_not_shown')
      throw cancelledAlready(error, reference)
    const why = 'what a cancellation costs is asked before it is sent'
    throw new Failure(error.kind, `${why}: ${error.message}`, error.details)
  })
  const reservation = await showReservation(api, reference).catch(error => {
    // Some services quote a fee but do not show the reservation.
    if (error instanceof Failure && error.details.code !== 'another_reservation') return null
    throw error
  })
  if (!reservation || !isCancelled(stateOf(reservation.reservation) ?? ''))
    return {reference, quote, reservation}
  const details = {code: 'already_cancelled', result: {quote}}
  const message = `${reference} is cancelled already; nothing was sent`
  throw cancelledAlready(new Failure('refused', message, details), reference)
}

/**
 * Returns the error with a hint about the two possible causes if it says that the reservation is cancelled already;
 * other errors unchanged.
 */
function cancelledAlready(error: unknown, reference: string): unknown {
  if (!(error instanceof Failure) || error.kind !== 'refused') return error
  const words = `${error.details.code} ${error.message}`
  if (!/already.{0,20}cancel|cancell?(ed|ation)\W+already/i.test(words)) return error
  const hint = `by an earlier attempt whose answer was lost, or by another person; fee and time: bookctl reservations show ${reference}`
  return failureWith(error, {hint})
}

export function describeCancellation({reference, quote, reservation}: CancelPlan, target: Target): string[] {
  const facts = reservation && factsOfReservation(reservation)
  const dates = facts && [facts.check_in, facts.check_out].filter(Boolean).join(' to ')
  const costsNow = compareAmounts(quote.fee.amount, '0') > 0
  return factLines({
    Reservation: [reference, reservation?.status].filter(Boolean).join(', '),
    'Lead guest': facts?.lead_guest,
    Guests: facts?.guest_count?.toString(),
    Hotel: facts?.hotel,
    Room: facts?.rooms,
    Dates: dates,
    Price: moneyText(facts?.price ?? null),
    Cancellation: facts && cancellationText({reservation: facts, costsNow}, systemClock.now()),
    'Fee now': moneyText(quote.fee),
    Refund: moneyText(quote.refund),
    Service: serviceText(target),
  })
}

/**
 * Returns what a dry run shows next to the request: `costs` for the document and lines for a person. Only reads from
 * the service. If the fee is not known, `costs.fee_unknown` says why. Throws a Failure if the command is stopped.
 */
export async function previewCancellation(
  connect: () => Promise<Connection>,
  reference: string,
  target: Target,
  maxFee: Money | undefined,
) {
  let plan: CancelPlan
  try {
    plan = await planCancellation(await connect(), reference)
  } catch (error) {
    if (!(error instanceof Failure) || error.kind === 'interrupted') throw error
    const {message} = error
    const facts = {Reservation: reference, 'Fee now': `not known: ${message}`, Service: serviceText(target)}
    return {costs: {quote: null, fee_unknown: message}, lines: factLines(facts)}
  }
  const lines = describeCancellation(plan, target)
  try {
    checkFee([plan], maxFee)
  } catch (error) {
    lines.push(`Warning: ${(error as Failure).message}`)
  }
  return {costs: {quote: plan.quote}, lines}
}

/**
 * Throws a usage error if cancelling all of `plans` costs more than `maxFee`, or if the currencies differ. If `maxFee`
 * has no currency, that of the reservation's price is assumed.
 */
export function checkFee(plans: readonly CancelPlan[], maxFee: Money | undefined): void {
  const costing = plans.filter(({quote}) => compareAmounts(quote.fee.amount, '0') !== 0)
  if (maxFee === undefined || costing.length === 0) return
  const fees = feesOf(costing)
  const refusal = (code: string, problem: string, hint: string) => {
    const message = `cancelling costs ${feesText(fees)}, ${problem}; nothing was cancelled`
    return new Failure('usage', message, {code, hint: sanitizeLine(hint, 200), result: quotesOf(plans)})
  }
  const [fee, ...others] = fees
  if (fee === undefined) return
  if (fees.some(({currency}) => currency === null)) {
    const hint = 'ask the operator; --yes without --max-fee agrees to any fee'
    throw refusal('fee_not_comparable', 'and the service does not say in which currency', hint)
  }
  if (others.length > 0) {
    const hint = 'cancel those with fees in one currency at a time'
    throw refusal(
      'fee_not_comparable',
      'in several currencies, which --max-fee cannot be compared with',
      hint,
    )
  }
  for (const {quote, reservation} of costing) {
    const price = reservation && factsOfReservation(reservation).price
    const currency = maxFee.currency ?? price?.currency ?? quote.fee.currency ?? ''
    if (isSameCurrency({...maxFee, currency}, fee)) continue
    const problem = `which cannot be compared with ${moneyText({...maxFee, currency})}`
    const hint = `state the maximum in that currency: --max-fee "${maxFee.amount} ${fee.currency}"`
    throw refusal('fee_not_comparable', problem, hint)
  }
  if (compareAmounts(fee.amount, maxFee.amount) <= 0) return
  const hint = `to agree to it: --max-fee "${moneyText(fee)}"`
  throw refusal('fee_too_high', `more than --max-fee ${moneyText(maxFee)}`, hint)
}

/** Returns the sum of the fees in each currency, in the order in which the currencies first occur. */
export function feesOf(plans: readonly CancelPlan[]): Money[] {
  const fees = plans.map(({quote}) => quote.fee)
  const currencies = new Set(fees.map(({currency}) => currency?.toUpperCase() ?? null))
  return [...currencies].map(currency => {
    const same = fees.filter(fee => (fee.currency?.toUpperCase() ?? null) === currency)
    const [one, ...more] = same
    if (one && more.length === 0) return one
    return {amount: sumOfAmounts(same.map(({amount}) => amount)), currency}
  })
}

/** Formats the fees as `10.00 EUR and 5.00 USD`. */
export function feesText(fees: readonly Money[]): string {
  return fees.map(moneyText).join(' and ')
}

/** Returns the quotes for the JSON of an error: `quote` for one reservation, `cancellations` for several. */
function quotesOf(plans: readonly CancelPlan[]): object {
  const [first, ...more] = plans
  if (first && more.length === 0) return {quote: first.quote}
  return {cancellations: plans.map(({reference, quote}) => ({reservation_ref: reference, quote}))}
}

export function changeOf(plans: readonly CancelPlan[]): Change {
  return {
    what: `cancelling costs ${feesText(feesOf(plans))} and`,
    undone: 'nothing was cancelled',
    hint: 'add --yes, and --max-fee AMOUNT for the most it may cost',
    result: quotesOf(plans),
  }
}

export const CANCEL_COLUMNS = ['outcome', 'reservation_ref', 'fee', 'refund', 'quoted_fee', 'currency']

/** Cancels one reservation, as `cancelOnce` does, and returns the result to print. */
export async function cancel(
  connection: Connection,
  plan: CancelPlan,
  body: {reason?: string},
  warn: Warn,
): Promise<Result> {
  const {document, row} = await cancelOnce(connection, plan, body, warn)
  return {...single(document, row, plan.reference), shown: CANCEL_COLUMNS.slice(0, -1)}
}

export type Cancelled = Awaited<ReturnType<typeof cancelOnce>>

/**
 * Cancels a reservation. A value that the answer lacks is null, and never taken from the quote. Warns if the fee
 * differs from the agreed one. Throws Failure; if the outcome is unknown, the hint says how to find out.
 */
export async function cancelOnce(
  connection: Connection,
  {reference, quote}: CancelPlan,
  body: {reason?: string},
  warn: Warn,
) {
  const done = await cancelReservation(connection.api, reference, body).catch(error => {
    const named = cancelledAlready(withHint(error, howToCheck(reference)), reference)
    const {result} = named instanceof Failure ? named.details : {}
    throw named instanceof Failure && result ? failureWith(named, {result: {...result, quote}}) : named
  })
  const {outcome, reservation, fee, refund} = done
  const cost = fee === null ? {} : {fee: feeToKeep(fee)}
  if (isCancelled(outcome)) await noteOutcome(connection, reference, {outcome: 'cancelled', ...cost}, warn)
  const [feeText, refundText, quoted_fee] = [fee, refund, quote.fee].map(moneyText)
  if (fee && !isSameMoney(fee, quote.fee))
    warn(`Warning: the fee is ${feeText}, where ${quoted_fee} was quoted`)
  const word = sanitizeLine(outcome, 40)
  if (!/^(cancell?ed|accepted)/.test(outcome))
    warn(`Warning: the service accepted it and reports ${word}; ${howToCheck(reference)}`)
  const currency = (fee ?? refund ?? quote.fee).currency
  const row = {outcome, reservation_ref: reference, fee: feeText, refund: refundText, quoted_fee, currency}
  return {document: {outcome, reservation, fee, refund, quote}, row}
}
