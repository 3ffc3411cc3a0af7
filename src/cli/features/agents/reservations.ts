/**
 * What agents may book. A reservation is prepared under a handle, in which offer, price, body, client reference and key are fixed;
 * then it is carried out once, whatever an agent repeats. The agent knows the handle, and nothing that it says becomes a key.
 */
import {randomBytes, randomUUID} from 'node:crypto'
import {isSameCurrency, type Money} from '../../../api/answers/amounts.js'
import {isEnded} from '../../../api/answers/reservations.js'
import {priceOffer} from '../../../api/operations/hotels.js'
import {conflictFailure, describeBooked, resumeCommand} from '../../../api/reserve/failures.js'
import {moneyOf, type ReserveOutcome} from '../../../api/reserve/outcome.js'
import {intentOf, type ReserveOptions, reserve, resume} from '../../../api/reserve/reserve.js'
import {
  type AgentHandle,
  handleNotValid,
  isHandle,
  mintHandle,
  type PreparedReservation,
} from '../../../contract/agent-handles.js'
import {isoTime} from '../../../contract/dates.js'
import {Failure, failureWith, usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {
  atServiceOf,
  isBookedBy,
  isNeverSent,
  type JournalEntry,
  type ReservationIntent,
} from '../../../contract/journal.js'
import {isObject} from '../../../contract/json.js'
import {compareAmounts} from '../../../contract/money.js'
import type {OfferFound, SeenOffer} from '../../../contract/seen-offers.js'
import {combined} from '../../input/usage-errors.js'
import type {Connection} from '../../session/connect.js'
import type {Preferences} from '../../session/resolve.js'
import {moneyText} from '../../terminal/dates-and-amounts.js'
import {termsIn} from '../catalogue/offer-lines.js'
import {documentOf, notConfirmed} from '../reserve/booking.js'
import {checkOffer, findDoubts, lookingUp, stayOf} from '../reserve/plan.js'
import {completeRequest, readTyped, type Typed, withoutEmpty} from '../reserve/request.js'
import {type Booking, type Caller, programOf} from './booking.js'
import {decide, requireAlive, requireApproval, risen} from './consent.js'
import {faultsOfGuests, withLead} from './guests.js'
import {checkLimits, leftOf, readSpending, type SpendingLimits, withLimits} from './limits.js'

/** Not in the interface. It bounds what an agent can make the store keep. */
const MOST_BODY_LENGTH = 100_000

/**
 * Prepares a reservation: checks guests, offer, price and limits, and stores under a new handle all that `reserveHandle` sends.
 * Makes no reservation. `request` has the fields of §2.4 without `client_reference_id`. Throws a usage error that names what is
 * missing or wrong, `over_limit`, or that the offer must be searched for first; Failure of the price query.
 */
export async function prepareReservation(
  booking: Booking,
  request: unknown,
  caller: Pick<Caller, 'program'>,
) {
  const {connection, handles, journal, preferred = {}} = booking
  const {state, target, clock} = connection
  const limits = requireLimits(booking)
  const typed = await readRequest(request, preferred)
  const {offerId = ''} = typed
  const seen = await lookingUp(() => state.offers.find(target, offerId))
  if (seen === undefined)
    throw usage(
      'offer_not_seen',
      `the offer ${sanitizeLine(offerId, 64)} was not found by a search of this client`,
      'search first, and use the offer_id of a result',
    )
  const handle = mintHandle()
  const program = programOf(caller)
  // The reference is minted here, and not derived from what the agent says.
  const clientReferenceId = `agent-${randomBytes(10).toString('hex')}`
  const whole = await completeRequest(
    {request: {...typed.request, client_reference_id: clientReferenceId}, guestsAreFlags: true},
    {nationality: seen.nationality ?? preferred.nationality, baseUrl: target.baseUrl},
  )
  const now = clock.now()
  checkOffer(seen, whole, {now, maxPrice: undefined, earlier: undefined})
  const faults = faultsOfGuests(seen, whole.guests)
  if (faults.length > 0) throw combined(faults)
  const current = await currentPrice(connection, seen)
  const {used_by_reference: _, ...found} = seen
  const offer: OfferFound = {...found, total: current.price.amount, currency: current.price.currency}
  const agreed = {price: current.price.amount, currency: current.price.currency}
  const intent = intentOf(whole, {
    referenceGiven: true,
    idempotencyKey: randomUUID(),
    keyGiven: true,
    agreed,
    stay: stayOf(seen),
    madeBy: {program, handle},
  })
  if (intent.body.length > MOST_BODY_LENGTH)
    throw usage(
      'too_large',
      `the reservation has more than ${MOST_BODY_LENGTH} characters`,
      'name fewer guests',
    )
  const standing = await lookingUp(() => journal.peek(intent))
  if (standing?.kind === 'conflict') throw conflictFailure(standing)
  // Only advice: what counts is checked again when the reservation is committed to the journal.
  const spending = await lookingUp(() => readSpending(state.journal, target, limits, {now}))
  checkLimits(limits, spending, agreed)
  const doubts = [...findDoubts(seen, whole.guests), ...(await doublesOf(booking, intent))]
  const expiresAt = Math.min(seen.expires_at, current.expiresAt)
  await handles.create(
    {
      handle,
      prepared: {kind: 'reservation', intent, offer, priceChecked: current.isChecked, doubts},
      program,
      expiresAt,
    },
    now,
  )
  return {
    handle,
    expires_at: isoTime(expiresAt),
    offer: {
      offer_id: offer.offer_id,
      hotel_name: offer.hotel_name,
      stars: offer.stars,
      room_name: offer.room_name,
      board: offer.board,
      check_in: offer.check_in,
      check_out: offer.check_out,
      rooms: offer.rooms,
      client_nationality: offer.nationality,
    },
    price: current.price,
    price_checked: current.isChecked,
    terms: termsShown(offer),
    client_reference_id: clientReferenceId,
    limits: leftOf(limits, spending),
    warnings: doubts,
  }
}

/** The terms of an offer under names of the wire; null where the service states none. */
function termsShown(offer: OfferFound) {
  const {dueAtProperty, policies, paymentModes, roomsLeft, remarks} = termsIn(offer)
  const {refundable = null, free_cancellation_until = null, charge} = offer.details ?? {}
  return {
    refundable,
    free_cancellation_until,
    cancellation_policies: policies ?? null,
    due_at_property: dueAtProperty ?? null,
    payment_modes: paymentModes ?? null,
    rooms_left: roomsLeft ?? null,
    remarks: remarks ?? null,
    ...(charge && {charge}),
  }
}

/** Reads what an agent says it wants to reserve. Throws a usage error that names all that is missing and wrong. */
async function readRequest(request: unknown, preferred: Preferences): Promise<Typed> {
  if (!isObject(request))
    throw usage('invalid_input', 'the reservation must be an object, with the fields of prepare_reservation')
  if (request.client_reference_id !== undefined)
    throw usage(
      'unknown_field',
      'client_reference_id: it is made by the server, not by the agent',
      'leave it out',
    )
  const input = withoutEmpty(request) as Record<string, unknown>
  const typed = await readTyped(undefined, {preferred}, {input: {...input, guests: withLead(input.guests)}})
  const lacking = typed.lacking.map(name => FIELDS[name] ?? name)
  const missing = lacking.length > 0 ? [usage('missing_field', `missing: ${lacking.join(', ')}`)] : []
  const mistakes = [...missing, ...typed.errors]
  if (mistakes.length > 0) throw combined(mistakes)
  return typed
}

/** The fields of a request by the names under which `readTyped` reports that they are missing. */
const FIELDS: Readonly<Record<string, string>> = {
  OFFER_ID: 'offer_id',
  '--contact': 'contact',
  '--guest': 'guests',
  '--pay': 'payment.mode',
}

function requireLimits({limits}: Pick<Booking, 'limits'>): SpendingLimits {
  if (limits) return limits
  throw usage('not_allowed', 'this server may not reserve', 'only the person who started it can allow that')
}

interface CurrentPrice {
  readonly price: Money
  readonly expiresAt: number
  /** Whether the service was asked. */
  readonly isChecked: boolean
}

/**
 * Returns what the offer costs now, and until when it can be reserved (Unix seconds). Where the service names no path to ask, the
 * price of the search stands. Throws a usage error if the price is not known.
 */
async function currentPrice({api}: Connection, seen: SeenOffer): Promise<CurrentPrice> {
  const priced = await priceOffer(api, seen.offer_id).catch(error => {
    if (error instanceof Failure && error.details.code === 'path_not_shown') return undefined
    throw error
  })
  const amount = priced ? priced.price.total : seen.total
  const currency = priced?.price.currency ?? seen.currency ?? seen.details?.currency ?? null
  if (amount === null || currency === null)
    throw usage(
      'price_unknown',
      `what the offer ${sanitizeLine(seen.offer_id, 64)} costs is not known: the service names no price, or one that can be read in two ways`,
      'choose an offer whose price is known',
    )
  const stated = priced?.expires_at ?? null
  const expiresAt = stated === null ? seen.expires_at : Date.parse(stated) / 1000
  return {price: {amount, currency}, expiresAt, isChecked: priced !== undefined}
}

/** Returns a line for each reservation that the same guests have, or may have, at the same time. */
async function doublesOf({connection, journal}: Booking, {trip}: ReservationIntent): Promise<string[]> {
  const stay = trip?.stay
  if (!trip?.guests || !stay) return []
  const {state, target} = connection
  const guests = journal.fingerprint(trip.guests)
  const booked = atServiceOf(target, await state.journal.list({guests})).filter(entry => {
    const other = entry.trip?.stay
    const isLive = isBookedBy(entry, target) && !isEnded(entry.outcome)
    return isLive && other && other.check_in < stay.check_out && stay.check_in < other.check_out
  })
  return booked.map(entry => `the same guests are booked already for these dates: ${describeBooked(entry)}`)
}

/**
 * Carries out a prepared reservation, once a person has agreed. Called again with the same handle, also by another process, returns
 * what became of it; if that is unknown, sends the same bytes again under the same key. Returns the document of `reserve`, with
 * `warnings`.
 *
 * Throws a Failure: `handle_not_valid`, `declined`, `approval_needed`, `approval_closed`, `price_rose`, `over_limit`, or as
 * `reserve` of the API does. A price that rose makes the handle void.
 */
export async function reserveHandle(booking: Booking, handle: string, caller: Caller) {
  const {connection, handles} = booking
  const {clock, state} = connection
  if (!isHandle(handle)) throw handleNotValid()
  const limits = requireLimits(booking)
  // Before the journal is read, because what was prepared is erased once it was sent.
  const found = await handles.find(handle, clock.now())
  const sent = await repeatSent(booking, handle)
  if (sent) return sent
  let intent: ReservationIntent
  try {
    intent = await requireReady(booking, found, caller)
  } catch (error) {
    // Another call may have carried it out meanwhile: its offer can then no longer be asked for, for example.
    const meanwhile = await repeatSent(booking, handle)
    if (meanwhile) return meanwhile
    throw error
  }
  const limited = withLimits(booking.journal, {limits, store: state.journal, handles})
  return finish(booking, handle, options => reserve({...options, journal: limited}, intent))
}

/**
 * Returns what became of a handle that may have been sent, to which no consent, price or limit applies any more. Returns undefined
 * if nothing was sent.
 */
async function repeatSent(booking: Booking, handle: string) {
  const entry = await entryOf(booking, handle)
  if (entry === undefined || isNeverSent(entry)) return undefined
  return finish(booking, handle, options => resume(options, entry.clientReferenceId))
}

/** Returns the intent of a handle when its price still holds and a person has agreed. Throws a usage error otherwise. */
async function requireReady(
  booking: Booking,
  found: AgentHandle | undefined,
  caller: Caller,
): Promise<ReservationIntent> {
  const {connection, handles, consent, approveCommand} = booking
  const {state, target, clock} = connection
  const now = () => clock.now()
  // A handle of a cancellation is told as any other that is not valid.
  if (found?.prepared?.kind !== 'reservation' || found.expiresAt <= now()) throw handleNotValid()
  const {prepared, handle} = found
  requireAlive(found)
  await requirePrice(booking, prepared, handle)
  const channel = {handles, state, target, consent, ask: caller.ask, approveCommand, now}
  // The person may have taken a while to agree.
  if (await requireApproval(found, prepared, channel)) await requirePrice(booking, prepared, handle)
  // Without a question, a person may still have declined it at a terminal.
  const newest = await handles.find(handle, now())
  if (newest) requireAlive(newest)
  return prepared.intent
}

/** Returns the newest journal entry that this client made under a handle. */
async function entryOf({connection}: Booking, handle: string): Promise<JournalEntry | undefined> {
  const {state, target} = connection
  const named = await lookingUp(() => state.journal.list({named: handle, byAgents: true}))
  return atServiceOf(target, named).find(
    ({clientId, madeBy}) => clientId === target.clientId && madeBy?.handle === handle,
  )
}

/** Throws a usage error if the offer has become dearer than was prepared, and makes the handle void. */
async function requirePrice(
  booking: Booking,
  {intent, offer}: PreparedReservation,
  handle: string,
): Promise<void> {
  const {connection, handles} = booking
  if (intent.agreed === null) throw handleNotValid()
  const agreed = moneyOf(intent.agreed)
  const {price} = await currentPrice(connection, {...offer, used_by_reference: null})
  if (isSameCurrency(price, agreed) && compareAmounts(price.amount, agreed.amount) <= 0) return
  await decide(handles, handle, 'void', {by: 'server', now: connection.clock.now()})
  throw risen(handle, `the offer costs ${moneyText(price)} now, and ${moneyText(agreed)} was prepared`)
}

/** Runs `attempt`, and then erases what was prepared, unless nothing was sent. Returns the document of the reservation. */
async function finish(
  booking: Booking,
  handle: string,
  attempt: (options: ReserveOptions) => Promise<ReserveOutcome>,
) {
  const {connection, handles, journal, signal, timeoutSeconds} = booking
  const {api, clock, state, target} = connection
  const warnings: string[] = []
  const warn = (text: string) => void warnings.push(text)
  let isSent = false
  const end = async () => {
    try {
      const entry = await entryOf(booking, handle)
      isSent = entry !== undefined && !isNeverSent(entry)
      if (isSent) await handles.end(handle, null, clock.now())
    } catch (error) {
      // Only a warning, because the outcome must be known even if the disk fails. What was prepared is erased later.
      warn(`what was prepared could not be erased yet: ${(error as Error).message}`)
    }
  }
  const outcome = await lookingUp(() => attempt({api, journal, clock, timeoutSeconds, signal, warn})).catch(
    async error => {
      await end()
      throw forAgents(error, isSent)
    },
  )
  await end()
  try {
    const {offerId} = (await entryOf(booking, handle)) ?? {}
    if (offerId !== undefined) await state.offers.markUsed(target, offerId, outcome.client_reference_id)
  } catch (error) {
    warn(`the offer could not be marked as used: ${(error as Error).message}`)
  }
  if (isEnded(outcome.outcome)) throw notConfirmed(outcome)
  return {...documentOf(outcome), warnings}
}

/** Returns the error with what an agent can do about it in the hint. `isSent` says whether the service may have the request. */
function forAgents(error: unknown, isSent: boolean): unknown {
  if (!(error instanceof Failure)) return error
  const {client_reference_id: reference} = (error.details.result ?? {}) as {client_reference_id?: string}
  if (error.kind === 'outcome_unknown') {
    const person = reference === undefined ? '' : `; or a person runs: ${resumeCommand(reference)}`
    const hint = `call reserve again with the same handle, which repeats the same request under the same key${person}`
    return failureWith(error, {hint})
  }
  const {code, result, status, hint} = error.details
  const gone = 'nothing was booked, and the handle cannot be used again'
  if (code === 'refused_earlier')
    return failureWith(error, {
      hint: `${gone}: prepare it again; if the service said what is wrong, correct that, and if it said that the offer is taken, look with list_reservations first`,
    })
  // A refusal with a result says that a reservation exists already, and its hint says to look first.
  if (!isSent || status === undefined || result !== undefined) return error
  return failureWith(error, {hint: `${gone}: ${hint === undefined ? '' : `${hint}, then `}prepare it again`})
}
