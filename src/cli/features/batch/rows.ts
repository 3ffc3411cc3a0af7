/** The trips of a batch with their outcomes: as JSON and rows, with totals, and the exit code for all of them. */
import type {Money} from '../../../api/answers/amounts.js'
import {type Charge, differsFrom} from '../../../api/answers/charges.js'
import {factsOfReservation, isEnded} from '../../../api/answers/reservations.js'
import {isPriceChanged, type ReserveOutcome} from '../../../api/reserve/outcome.js'
import {type Failure, usage} from '../../../contract/failure.js'
import {BEGUN_ELSEWHERE, type JournalEntry, type Stay} from '../../../contract/journal.js'
import {sumOfAmounts} from '../../../contract/money.js'
import type {ReservationRequest} from '../../../contract/reservations.js'
import type {SeenOffer} from '../../../contract/seen-offers.js'
import {asFailure, type Described, EXITS, errorOf} from '../../shell/exit-codes.js'
import {moneyText} from '../../terminal/dates-and-amounts.js'
import {nameOf, notConfirmed, paymentAddress} from '../reserve/booking.js'
import {completeRequest, type RequestDefaults} from '../reserve/request.js'
import {NOT_TRIED} from '../several/each.js'
import {type BatchOffer, priceOf} from './offers.js'
import type {Trip} from './trips.js'

/** The possible outcomes of a trip. `planned` only occurs in a dry run or before booking. */
export const OUTCOMES = ['planned', 'confirmed', 'pending', 'refused', 'unknown', 'not_sent'] as const
export type BatchOutcome = (typeof OUTCOMES)[number]

const NONE = {hotel: null, check_in: null, check_out: null, charged: null}

/** A trip and its state, which changes while the batch runs. */
export class BatchRow {
  outcome: BatchOutcome = 'not_sent'
  /** What the service says about the reservation. */
  facts: {
    readonly hotel: string | null
    readonly check_in: string | null
    readonly check_out: string | null
    readonly charged: Charge | null
  } = NONE
  /** Whether an earlier run, or another process, made the reservation. */
  repeated = false
  booking: ReserveOutcome | undefined
  /** Why the trip is not booked, or what is wrong with a trip that is. */
  failure: Described | undefined
  /** The offer in the plan, and later the one that is booked. Undefined if this machine did not search for it. */
  offer: BatchOffer | undefined
  /** The offer that the file names, as this machine found it in a search. */
  seen: SeenOffer | undefined
  /** The price in the plan. The booking must not cost more. Undefined if the price is unknown. */
  planned: Money | undefined
  /** The dates of the trip. Null while they are unknown. */
  stay: Stay | null = null
  /** An earlier attempt with an unknown outcome. It is resumed with its own key. */
  open: JournalEntry | undefined
  /** The offer of an earlier run that was booked, or may have been. */
  usedOfferId: string | undefined
  /** The path of the downloaded voucher, or null. */
  voucher: string | null = null

  constructor(
    public trip: Trip,
    private readonly defaults: RequestDefaults,
  ) {}

  /** Returns the reservation request (§2.4) for an offer. Throws a usage error if the nationality is unknown. */
  requestFor(offerId: string): Promise<ReservationRequest> {
    const {request, guestsAreRows: guestsAreFlags} = this.trip
    const sent = {...(JSON.parse(request) as Partial<ReservationRequest>), offer_id: offerId}
    return completeRequest({request: sent, guestsAreFlags}, this.defaults)
  }

  get isBooked(): boolean {
    return this.outcome === 'confirmed' || this.outcome === 'pending'
  }

  /** Whether nothing is left to do for this trip, because it is booked or, in a dry run, could be booked. */
  get isSettled(): boolean {
    return this.isBooked || this.outcome === 'planned'
  }

  /** The price of the booking, else the agreed or planned price. Undefined if it is unknown. */
  get cost(): Money | undefined {
    const {booking, offer, open} = this
    const price = booking ? (booking.booked ?? booking.agreed) : open?.agreed
    if (price) return {amount: price.price, currency: price.currency}
    return booking || open || !offer ? undefined : priceOf(offer)
  }

  /**
   * What the account will be charged for the planned offer, as the service states it, if that differs from the price.
   * Undefined if the customer pays, or if the service states no charge.
   */
  get chargeAhead(): Charge | undefined {
    const charge = this.offer?.details.charge
    const isOther = charge !== undefined && this.paysFromAccount && differsFrom(charge, this.cost ?? null)
    return isOther ? charge : undefined
  }

  /** Whether the account pays. False once the trip is confirmed, because its request is then no longer kept. */
  get paysFromAccount(): boolean {
    const {request} = this.trip
    if (request === '') return false
    return (JSON.parse(request) as Partial<ReservationRequest>).payment?.mode === 'account'
  }

  /** Records the outcome of a booking. */
  settle(booking: ReserveOutcome): void {
    // There may be thousands of bookings, so only what is printed is kept, except for one that will be queried again.
    const {hotel, check_in, check_out, charged} = factsOfReservation({reservation: booking.reservation ?? {}})
    this.facts = {hotel, check_in, check_out, charged}
    this.booking = booking.outcome === 'confirmed' ? {...booking, reservation: null} : booking
    this.repeated = booking.repeated && !isEnded(booking.outcome)
    this.open = undefined
    this.failure = undefined
    if (isEnded(booking.outcome)) this.fail(notConfirmed(booking), 'refused')
    else {
      this.outcome = booking.outcome === 'confirmed' ? 'confirmed' : 'pending'
      // The request and its source are no longer needed, and 10,000 of them take 30 MB.
      if (this.outcome === 'confirmed') this.trip = {...this.trip, request: '', source: {rows: []}}
      if (isPriceChanged(booking)) this.failure = asFailure(bookedAtAnotherPrice(booking))
    }
  }

  fail(failure: unknown, outcome?: BatchOutcome): void {
    this.failure = withHintOfBatch(asFailure(failure))
    this.outcome = outcome ?? outcomeOf(this.failure)
  }
}

/**
 * Returns the failure with a hint that suits a batch. The hint of `reserve` would lead to a booking outside the batch.
 */
function withHintOfBatch(failure: Described): Described {
  const {kind, message, details} = failure
  if (kind !== 'refused' || details.status === undefined) return failure
  let hint = 'correct the row where the service objects to it; the same command again tries this trip again'
  if (isBalanceEmpty(failure))
    hint = 'top up the account, or pay with instant; the same command again goes on where it ended'
  // The service names a reservation, or says that one exists.
  else if (details.result !== undefined)
    hint = `${details.hint}; the same command again tries to book this trip again`
  return {kind, message, details: {...details, hint}}
}

/** Reports whether a refusal is for lack of money. All further trips would be refused too. */
export function isBalanceEmpty({kind, details: {status, code}}: Described): boolean {
  return kind === 'refused' && (status === 402 || /insufficient_(balance|funds|credit)/.test(code))
}

/**
 * Returns the outcome of a trip that failed. It is `refused` only if the failure is about this trip and repeating it
 * would not help.
 */
function outcomeOf({kind, details}: Described): BatchOutcome {
  if (kind === 'outcome_unknown') return 'unknown'
  const isOfTrip = kind === 'refused' || (kind === 'usage' && !details.code.startsWith('storage_'))
  return isOfTrip && !NOT_OF_TRIP.has(details.code) && details.status !== 429 ? 'refused' : 'not_sent'
}

/** Codes of failures that are not about the trip: another process has it, or it was not started. */
const NOT_OF_TRIP: ReadonlySet<string> = new Set([BEGUN_ELSEWHERE, NOT_TRIED])

function bookedAtAnotherPrice(booking: ReserveOutcome): Failure {
  const text = (price: ReserveOutcome['booked']) =>
    price === null ? 'an unknown price' : moneyText({amount: price.price, currency: price.currency})
  const problem = `reservation ${nameOf(booking)} costs ${text(booking.booked)}, and ${text(booking.agreed)} was agreed`
  return usage('not_as_agreed', problem, EXITS.not_as_agreed.hint)
}

/**
 * Returns a trip in the form of the JSON document. The columns of a row have the same names. `charged` is only present
 * if the service says what the account is charged.
 */
export function tripOf(row: BatchRow, isPlan: boolean) {
  const {trip, outcome, booking, offer, stay, failure, facts} = row
  const isShown = row.isSettled
  const reference = booking?.reservation_ref ?? failureReference(failure)
  const charged = isPlan ? row.chargeAhead : facts.charged
  return {
    line: trip.line,
    client_reference_id: trip.reference,
    outcome,
    repeated: row.repeated,
    reservation_ref: reference,
    status: booking?.status ?? null,
    hotel_name: facts.hotel ?? offer?.hotel_name ?? null,
    check_in: stay?.check_in ?? facts.check_in,
    check_out: stay?.check_out ?? facts.check_out,
    price: (isShown && row.cost?.amount) || null,
    currency: (isShown && row.cost?.currency) || null,
    ...(isShown && charged && {charged}),
    payment_url: (booking && paymentAddress(booking)) ?? null,
    voucher: row.voucher,
    error: failure ? errorOf(failure) : null,
    ...(isPlan && {
      room_name: offer?.room_name ?? null,
      board: offer?.board ?? null,
      refundable: offer?.details.refundable ?? null,
      free_cancellation_until: offer?.details.free_cancellation_until ?? null,
    }),
  }
}

export type BatchTrip = ReturnType<typeof tripOf>

/** Returns the reference of the reservation that a refusal names, or null. */
function failureReference(failure: Described | undefined): string | null {
  const {reservation_ref: reference} = (failure?.details.result ?? {}) as {reservation_ref?: unknown}
  return typeof reference === 'string' ? reference : null
}

/** Returns the sum for each currency, sorted by currency code. Prices without a currency are left out. */
export function totalsOf(costs: readonly (Money | undefined)[]) {
  const amounts = new Map<string, string[]>()
  for (const cost of costs) {
    if (cost === undefined) continue
    const currency = cost.currency ?? ''
    const ofCurrency = amounts.get(currency)
    if (ofCurrency) ofCurrency.push(cost.amount)
    else amounts.set(currency, [cost.amount])
  }
  return [...amounts]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([currency, ofCurrency]) => ({currency: currency || null, amount: sumOfAmounts(ofCurrency)}))
}

/**
 * Returns the counts of a batch. `totals` are the sums of all booked trips, from this run or earlier ones, and in a
 * plan also of the planned trips. `charged` is what the account would be charged in a currency other than the prices',
 * if the offers in a plan say so.
 */
export function countsOf(rows: readonly BatchRow[], isPlan: boolean) {
  const planned = rows.filter(row => isPlan && row.outcome === 'planned')
  const charged = totalsOf(planned.map(row => row.chargeAhead))
  const count = (outcome: BatchOutcome) => rows.filter(row => row.outcome === outcome).length
  return {
    trips: rows.length,
    ...(isPlan && {planned: count('planned')}),
    confirmed: count('confirmed'),
    pending: count('pending'),
    refused: count('refused'),
    unknown: count('unknown'),
    not_sent: count('not_sent'),
    repeated: rows.filter(row => row.repeated).length,
    totals: totalsOf(rows.filter(row => row.isSettled).map(row => row.cost)),
    ...(charged.length > 0 && {charged}),
  }
}

/**
 * Returns the exit code of a batch: 0 if all trips are booked; 10 if an outcome is unknown; 3 if some trips were
 * refused or not sent, or a booked one has a failure; 8 if some are waiting for payment. If nothing is booked and there
 * is a single reason, returns the code of that reason. `halt` is the failure that ended the batch before its last trip.
 */
export function exitCodeOf(rows: readonly BatchRow[], halt: Described | undefined): number {
  if (rows.some(row => row.outcome === 'unknown')) return EXITS.outcome_unknown.code
  const failures = rows.flatMap(({failure}) => failure ?? [])
  if (failures.length > 0) {
    const isNone = rows.every(row => !row.isSettled)
    const isOneReason = new Set(failures.map(({details}) => details.code)).size === 1
    const reason = halt ?? (isOneReason ? failures[0] : undefined)
    const isOfService = reason !== undefined && reason.kind !== 'usage' && reason.kind !== 'outcome_unknown'
    return isNone && isOfService ? EXITS[reason.kind].code : EXITS.not_as_agreed.code
  }
  return rows.some(row => row.outcome === 'pending') ? EXITS.pending.code : EXITS.done.code
}
