/**
 * Follows a reservation after it was made: payment, current state, waiting for confirmation, and the printed result.
 * The state is read from the reservation itself (§4.9) if the profile has the path; otherwise an available voucher
 * (§4.5) means CONFIRMED (§3).
 */
import {chargeOf, differsFrom} from '../../../api/answers/charges.js'
import {
  factsOfReservation,
  isEnded,
  priceOfReservation,
  type ReadReservation,
} from '../../../api/answers/reservations.js'
import {repeatHint, resumeCommand} from '../../../api/reserve/failures.js'
import {
  asPrice,
  isPriceChanged,
  outcomeWord,
  type ReserveOutcome,
  withoutPeople,
} from '../../../api/reserve/outcome.js'
import {instantOf, isCalendarDate} from '../../../contract/dates.js'
import {Failure, type FailureKind, usage} from '../../../contract/failure.js'
import {parseUrl, sanitizeLine, shellWord} from '../../../contract/foreign-text.js'
import {isIdentifier} from '../../../contract/identifiers.js'
import type {Settlement} from '../../../contract/journal.js'
import {isLoopbackHost} from '../../../contract/network.js'
import type {SeenOffer} from '../../../contract/seen-offers.js'
import {StorageError} from '../../../storage/errors.js'
import type {Connection} from '../../session/connect.js'
import {moneyText, nightsText, onItsOwnClock} from '../../terminal/dates-and-amounts.js'
import {type Result, single} from '../../terminal/result.js'
import {cancellationText, chargeText} from '../catalogue/offer-lines.js'

export function nameOf({reservation_ref, client_reference_id}: ReserveOutcome): string {
  return sanitizeLine(reservation_ref ?? `with the client reference ${client_reference_id}`, 128)
}

/** Reports whether an outcome cannot change by itself. */
const isLast = (outcome: string) => outcome === 'confirmed' || isEnded(outcome)

function isFinal({outcome, reservation_ref}: ReserveOutcome): boolean {
  return isLast(outcome) || reservation_ref === null
}

/** Reports whether the reservation is paid, confirmed or not. */
export function isPaid(outcome: Pick<ReserveOutcome, 'reservation'>): boolean {
  return paymentStateOf(outcome)?.kind === 'paid'
}

/**
 * Returns the address at which to pay; undefined if no payment is due, or if the address is not safe to open. Safe are
 * https, and http on this machine.
 */
export function paymentAddress(outcome: Pick<ReserveOutcome, 'outcome' | 'reservation' | 'payment_url'>) {
  if (outcome.payment_url === null || isLast(outcome.outcome) || isPaid(outcome)) return undefined
  const url = parseUrl(outcome.payment_url)
  if (url === undefined || url.username || url.password) return undefined
  const isOwnHttp = url.protocol === 'http:' && isLoopbackHost(url.hostname)
  return url.protocol === 'https:' || isOwnHttp ? url.href : undefined
}

export type Awaited = 'payment' | 'confirmation' | 'nothing'

const PASSING = /pend|process|progress|request|wait|hold|accept|review|queue|confirming/

/**
 * Returns what to wait for: `payment` only if there is an address at which to pay, `confirmation` only in a state that
 * changes by itself.
 */
export function awaited(outcome: ReserveOutcome): Awaited {
  if (isFinal(outcome)) return 'nothing'
  if (isPaid(outcome)) return 'confirmation'
  if (paymentAddress(outcome) !== undefined) return 'payment'
  return !lacksAddress(outcome) && PASSING.test(outcome.outcome) ? 'confirmation' : 'nothing'
}

const TO_BE_PAID =
  /(pend|wait|requir|need|due|open|to)[a-z]*[ _-]?pay|pay[a-z]*[ _-](pend|due|requir|open|need|wait)|unpaid|not[ _-]?paid/

/** Reports whether payment is due, but the service gave no address that is safe to open. */
export function lacksAddress(outcome: ReserveOutcome): boolean {
  if (isFinal(outcome) || isPaid(outcome) || paymentAddress(outcome) !== undefined) return false
  return outcome.payment_url !== null || TO_BE_PAID.test(outcome.outcome)
}

export function lacksAddressText(outcome: ReserveOutcome): string[] {
  const {payment_url, client_reference_id} = outcome
  // Shows only the origin, because path, query and user name may contain a secret.
  const url = parseUrl(payment_url ?? '')
  const origin = url ? `${url.protocol}//${url.host}` : 'no address'
  const named = payment_url === null ? '' : `: ${sanitizeLine(origin, 200)}`
  return [
    `Warning: the service gave no payment address that is safe to open (https, without credentials)${named}`,
    `Ask the operator where to pay, then run: ${resumeCommand(client_reference_id)} --wait`,
  ]
}

/**
 * Returns the address as a QR code of block characters; undefined if the address is too long or the code wider than
 * `columns`.
 */
export async function qrCode(address: string, columns: number): Promise<string | undefined> {
  const {renderUnicodeCompact} = await import('uqr')
  try {
    const code = renderUnicodeCompact(address, {border: 2})
    return code.split('\n').every(line => line.length <= columns) ? code : undefined
  } catch {
    return undefined
  }
}

const KINDS = [
  ['paid', /^(paid|captured|settled|succeeded|successful|completed|received)$/],
  ['declined', /fail|declin|reject|denied|refus/],
  ['expired', /expir|timed?[ _-]?out/],
  ['cancelled', /cancel|void|abort/],
] as const

/** Returns the kind of payment state that a word of the service means; undefined if the word is missing or unknown. */
export function paymentKindOf(word: string | null) {
  return KINDS.find(([, words]) => words.test(word?.trim().toLowerCase() ?? ''))?.[0]
}

/**
 * Returns the state of the payment, or undefined if the service does not state it. `until` is the latest time to pay,
 * as written by the service.
 */
export function paymentStateOf({reservation}: Pick<ReserveOutcome, 'reservation'>) {
  const {payment, payment_reason, pay_until} = factsOfReservation({reservation: reservation ?? {}})
  const kind = paymentKindOf(payment)
  return kind && {kind, reason: payment_reason, until: pay_until}
}

/**
 * Returns a note about the payment of an unconfirmed reservation; undefined if there is nothing to say. `now` is in
 * Unix seconds.
 */
export function paymentNote(outcome: ReserveOutcome, now: number): string | undefined {
  const payment = paymentStateOf(outcome)
  if (payment === undefined || outcome.outcome === 'confirmed') return undefined
  if (payment.kind === 'paid')
    return isFinal(outcome) ? 'it was paid' : 'it is paid, and waits for confirmation'
  const {kind, reason, until} = payment
  const why = reason === null ? '' : sanitizeLine(reason, 64)
  const end = until === null ? '' : sanitizeLine(until, 64)
  const ended = `the time to pay has ended${end === '' ? '' : ` (${end})`}`
  if (kind === 'expired') return ended
  const words = `the payment was ${kind}${why === '' ? '' : ` (${why})`}`
  if (kind === 'cancelled' || until === null || isFinal(outcome)) return words
  const isOver = (instantOf(until) ?? Number.POSITIVE_INFINITY) <= now
  return `${words}; ${isOver ? ended : `it can be tried again until ${end}`}`
}

export const RESERVATION_COLUMNS = [
  'outcome',
  'reservation_ref',
  'status',
  'payment_url',
  'client_reference_id',
  'idempotency_key',
  'attempts',
  'agreed',
  'price_changed',
  'charged',
] as const

/** Returns the result to print for a reservation. `facts` replace the columns at a terminal. */
export function reservationResult(booking: ReserveOutcome, facts?: Result['facts']): Result {
  const document = documentOf(booking)
  const {agreed, charged} = document
  const shown = {
    ...document,
    agreed: agreed && moneyText({amount: agreed.price, currency: agreed.currency}),
    charged: charged && chargeText(charged),
  }
  const row = Object.fromEntries(RESERVATION_COLUMNS.map(name => [name, shown[name]]))
  const names = RESERVATION_COLUMNS.filter(name => name !== 'charged' || charged !== undefined)
  return {...single(document, row, booking.reservation_ref), shown: names, ...(facts && {facts})}
}

/**
 * Returns the JSON of a reservation. `payment_url` is null if no payment is due. `charged` is missing unless the
 * service states it.
 */
export function documentOf(booking: ReserveOutcome) {
  const {outcome, reservation_ref, status, reservation, idempotency_key, client_reference_id, attempts} =
    booking
  const payment_url = paymentAddress(booking) ?? null
  const names = {idempotency_key, client_reference_id, attempts}
  const agreement = {agreed: booking.agreed, price_changed: isPriceChanged(booking)}
  const charged = chargeOf(reservation ?? {}) ?? undefined
  return {
    outcome,
    reservation_ref,
    status,
    payment_url,
    reservation,
    ...names,
    ...agreement,
    ...(charged && {charged}),
  }
}

interface FactsOptions {
  /** In Unix seconds. */
  readonly now: number
  /** The reserved offer, for facts that the reservation lacks. */
  readonly seen?: SeenOffer | undefined
  /** Address at which to pay, if payment is due and the address is safe to open. */
  readonly payAt: string | undefined
}

/** Returns the facts about a reservation to show to a person; unknown facts are null. */
export function factsShown(
  found: Pick<ReadReservation, 'reservation' | 'reservation_ref' | 'status'>,
  {seen, payAt, now}: FactsOptions,
) {
  const facts = factsOfReservation(found)
  const {status, reservation_ref: reference} = found
  const hasEnded = isEnded(status)
  const hasVoucher = status?.toUpperCase() === 'CONFIRMED' && isIdentifier('reservation_ref', reference)
  const arrival = facts.check_in ?? seen?.check_in
  const departure = facts.check_out ?? seen?.check_out
  let dates: string | null = arrival ?? null
  if (arrival && departure) {
    const isStay = isCalendarDate(arrival) && isCalendarDate(departure) && arrival < departure
    dates = `${arrival} to ${departure}${isStay ? `, ${nightsText(arrival, departure)}` : ''}`
  }
  const seenPrice = seen?.total ? {amount: seen.total, currency: seen.currency} : null
  const room = [seen?.room_name, seen?.board].filter(Boolean).join(', ')
  let {voucher} = facts
  if (hasEnded) voucher = null
  if (hasVoucher) voucher = `bookctl voucher download ${reference}`
  return {
    reservation: reference,
    status,
    'your reference': facts.client_reference_id,
    hotel: facts.hotel ?? seen?.hotel_name,
    rooms: facts.rooms ?? room,
    dates,
    guests: facts.guests,
    price: moneyText(facts.price ?? seenPrice),
    payment: [facts.payment_mode, facts.payment].filter(Boolean).join(', '),
    charged: facts.charged && differsFrom(facts.charged, facts.price) ? chargeText(facts.charged) : null,
    'pay at': payAt,
    'pay by': payAt && facts.pay_until && onItsOwnClock(facts.pay_until),
    cancellation: hasEnded ? null : cancellationText({offer: seen, reservation: facts}, now),
    'cancellation fee': moneyText(facts.fee),
    voucher,
  }
}

type Warn = (text: string) => void

interface Latest {
  readonly outcome: ReserveOutcome
  /** Why it could not be found out whether the reservation is confirmed. */
  readonly failure?: Failure
  /** Whether the service stated the current state of the reservation. */
  readonly isShown: boolean
}

/**
 * Reads the current state within about `seconds`, and records a change in the journal. `known` is the latest known
 * state.
 */
async function learnLatest(connection: Connection, known: ReserveOutcome, seconds: number, warn: Warn) {
  const latest = await readLatest(connection, known, seconds)
  const {outcome, reservation_ref, reservation, status, payment_url, booked} = latest.outcome
  if (outcome !== known.outcome && reservation_ref !== null) {
    const result = withoutPeople({reservation: reservation ?? {}, reservation_ref, status, payment_url})
    await noteOutcome(connection, reservation_ref, {outcome, booked, result}, warn)
  }
  return latest
}

async function readLatest({api}: Connection, known: ReserveOutcome, timeoutSeconds: number): Promise<Latest> {
  const {showReservation} = await import('../../../api/operations/reservations.js')
  const reference = known.reservation_ref ?? ''
  const booking = {client_reference_id: known.client_reference_id}
  const shown = await orFailure(showReservation(api, reference, {booking, timeoutSeconds}))
  const isShown = !(shown instanceof Failure)
  let outcome = known
  if (isShown && shown.status?.trim()) {
    const {reservation, status, payment_url} = shown
    const address = payment_url ?? known.payment_url
    const booked = bookedPrice(shown) ?? known.booked
    outcome = {...known, outcome: outcomeWord(shown), status, reservation, payment_url: address, booked}
  }
  if (isFinal(outcome)) return {outcome, isShown}
  const {isVoucherReady} = await import('../../../api/operations/vouchers.js')
  const confirmed = await orFailure(isVoucherReady(api, reference, timeoutSeconds))
  if (confirmed === true) {
    // The stored payment state is out of date once the reservation is confirmed.
    const {payment, ...rest} = outcome.reservation ?? {}
    const {status: _, ...kept} = (payment ?? {}) as Record<string, unknown>
    const reservation = {...rest, ...(payment === undefined ? {} : {payment: kept}), status: 'CONFIRMED'}
    return {outcome: {...outcome, outcome: 'confirmed', status: 'CONFIRMED', reservation}, isShown: true}
  }
  if (confirmed instanceof Failure) return {outcome, isShown, failure: confirmed}
  // A missing path or right says nothing about the reservation, so it is not reported.
  const isExpected = isShown || shown.kind === 'usage' || shown.kind === 'not_allowed'
  return isExpected ? {outcome, isShown} : {outcome, isShown, failure: shown}
}

async function orFailure<T>(work: Promise<T>): Promise<T | Failure> {
  return work.catch(error => {
    if (error instanceof Failure) return error
    throw error
  })
}

export const bookedPrice = ({reservation}: Pick<ReadReservation, 'reservation'>) =>
  asPrice(priceOfReservation(reservation, reservation))

/**
 * Returns the current state of a reservation whose stored state may be out of date. Warns if the service does not state
 * it.
 */
export async function newestOf(connection: Connection, booking: ReserveOutcome, warn: Warn) {
  if (isFinal(booking)) return booking
  const {outcome, isShown, failure} = await learnLatest(connection, booking, connection.timeoutSeconds, warn)
  if (!isShown) {
    const why = failure ? `: ${failure.message}` : ''
    warn(`Warning: the service does not report its current state; this is its last known state${why}`)
  }
  return outcome
}

/**
 * Records in the journal what the service states about a reservation that was made here. If the journal fails, only
 * warns.
 */
export async function noteOutcome(
  {state, target, clock}: Pick<Connection, 'state' | 'target' | 'clock'>,
  reference: string,
  newest: Settlement,
  warn: Warn,
): Promise<void> {
  try {
    if (state.remembers) await state.journal.noteStatus(target, reference, newest, clock.now())
  } catch (error) {
    const problem = `could not be written to the journal: ${(error as Error).message}`
    warn(`Warning: that it is ${newest.outcome} ${problem}`)
  }
}

/**
 * Failures after which the wait goes on. §4.5 does not show how the service answers "not confirmed yet", so every
 * refusal may mean that; only missing rights end the wait.
 */
const PASSING_FAILURES: ReadonlySet<FailureKind> = new Set(['refused', 'service_failed', 'unreachable'])

export interface WaitHooks {
  readonly warn: Warn
  readonly learn: (newest: ReserveOutcome) => void
}

/**
 * Waits until the reservation is CONFIRMED (§3), also while the service fails. Throws a Failure, of kind `refused`,
 * `pending`, `not_as_agreed` or `not_allowed`.
 */
export async function waitUntilConfirmed(
  connection: Connection,
  outcome: ReserveOutcome,
  seconds: number,
  {warn, learn}: WaitHooks,
): Promise<ReserveOutcome> {
  const {api, clock, state, timeoutSeconds} = connection
  const deadline = clock.now() + seconds
  let newest = outcome
  for (let pauseSeconds = 1; ; pauseSeconds = Math.min(pauseSeconds * 2, 5)) {
    if (newest.outcome === 'confirmed' || newest.reservation_ref === null) return newest
    if (isEnded(newest.outcome)) throw notConfirmed(newest)
    const before = deadline - clock.now()
    const latest = await learnLatest(connection, newest, Math.min(timeoutSeconds, Math.max(1, before)), warn)
    if (latest.failure && !PASSING_FAILURES.has(latest.failure.kind)) throw latest.failure
    newest = latest.outcome
    learn(newest)
    if (isFinal(newest)) continue
    const left = deadline - clock.now()
    if (left <= 0) throw stillPending(newest, clock.now(), state.remembers)
    await api.clock.sleep(Math.min(pauseSeconds, left) * 1000)
  }
}

/**
 * Returns the error for a reservation that will not be confirmed, for example because it was cancelled. The error has
 * everything known about the reservation.
 */
export function notConfirmed(outcome: ReserveOutcome): Failure {
  const {reservation_ref: reference} = outcome
  const state = `the service refused: reservation ${nameOf(outcome)} is ${sanitizeLine(outcome.outcome, 40)}`
  const show = reference === null ? 'journal' : `reservations show ${shellWord(reference)}`
  return new Failure('refused', `${state}, and will not be confirmed`, {
    code: 'not_confirmed',
    hint: `check it before you book again: bookctl ${show}`,
    result: documentOf(outcome),
    keepsResult: true,
  })
}

/** Returns a hint with the command that continues the wait. */
export function waitingHint(outcome: ReserveOutcome, journalKept: boolean): string {
  const {client_reference_id: clientReferenceId, idempotency_key: idempotencyKey} = outcome
  if (!journalKept) return repeatHint({clientReferenceId, idempotencyKey})
  return `keep waiting: ${resumeCommand(clientReferenceId)} --wait`
}

function stillPending(outcome: ReserveOutcome, now: number, journalKept: boolean): Failure {
  const note = paymentNote(outcome, now)
  const state = `reservation ${nameOf(outcome)} is still ${sanitizeLine(outcome.outcome)}`
  // The other exit code tells a script, which may only wait, that the booked price is not the agreed one.
  const kind = isPriceChanged(outcome) ? 'not_as_agreed' : 'pending'
  return new Failure(kind, note === undefined ? state : `${state}: ${note}`, {
    code: 'payment_pending',
    hint: waitingHint(outcome, journalKept),
    result: documentOf(outcome),
  })
}

/**
 * Runs `work` after a reservation was made, and makes sure that an error names the reservation: a Failure gets its
 * latest known state, and before any other error a warning names it.
 */
export async function namingReservation<T>(
  booking: ReserveOutcome,
  warn: Warn,
  work: (learn: (newest: ReserveOutcome) => void) => Promise<T>,
): Promise<T> {
  let newest = booking
  try {
    return await work(outcome => {
      newest = outcome
    })
  } catch (error) {
    const name = nameOf(newest)
    const text = `the reservation ${name} was made (${sanitizeLine(newest.outcome, 40)})`
    const failure =
      error instanceof StorageError ? usage(`storage_${error.fault}`, error.message, error.hint) : error
    if (!(failure instanceof Failure)) {
      warn(text)
      throw error
    }
    const {kind, message, details} = failure
    const check = `it exists, so do not reserve again; check it: ${resumeCommand(newest.client_reference_id)}`
    const named = {result: documentOf(newest), ...details}
    const saying = message.includes(name) ? message : `${message}; ${text}`
    throw new Failure(kind, saying, {...named, hint: details.hint ?? check})
  }
}
