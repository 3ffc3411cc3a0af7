/**
 * Plans a reservation: completes the request with what is known about the offer and earlier attempts, describes it for
 * a person to agree to, and sends it.
 */
import {randomUUID} from 'node:crypto'
import {isSameCurrency, type Money} from '../../../api/answers/amounts.js'
import {differsFrom} from '../../../api/answers/charges.js'
import {conflictFailure, lookHint, neverSent, resumeCommand} from '../../../api/reserve/failures.js'
import type {ReserveOutcome} from '../../../api/reserve/outcome.js'
import {findEntry, intentOf, type ReserveOptions, reserve, resume} from '../../../api/reserve/reserve.js'
import {ageOn, nightsBetween, systemClock} from '../../../contract/dates.js'
import {type Failure, usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {isTcNumber} from '../../../contract/identifiers.js'
import {
  isNeverSent,
  isOpen,
  type JournalEntry,
  type JournalVerdict,
  type Price,
  type ReservationIntent,
  type Stay,
  sealedElsewhere,
  verdictOn,
} from '../../../contract/journal.js'
import {OFFER_VALIDITY_SECONDS} from '../../../contract/limits.js'
import {compareAmounts} from '../../../contract/money.js'
import type {Contact, Guest, ReservationRequest} from '../../../contract/reservations.js'
import type {OfferFound, SeenOffer} from '../../../contract/seen-offers.js'
import type {State} from '../../../state/state.js'
import {StorageError} from '../../../storage/errors.js'
import type {Maximum} from '../../input/checks.js'
import {LATIN_ADVICE, needsLatin, oddIn} from '../../input/guests.js'
import type {Connection} from '../../session/connect.js'
import {type DryRequest, dryRequest} from '../../session/dry-run.js'
import type {Target} from '../../session/resolve.js'
import {counted, moneyText, nightsText, withWeekday} from '../../terminal/dates-and-amounts.js'
import {cityText} from '../catalogue/city-search.js'
import {chargeText, detailRows, priceText, type Row} from '../catalogue/offer-lines.js'
import type {ReserveFlags} from './flags.js'
import {completeRequest, type Typed} from './request.js'

export interface Plan {
  readonly request: ReservationRequest
  /**
   * What is recorded and sent. Its idempotency key is the typed one, that of an earlier run of the same request, or a
   * new one.
   */
  readonly intent: ReservationIntent
  readonly seen: SeenOffer | undefined
  readonly doubts: readonly string[]
  /** What the journal says about this client reference or idempotency key; undefined if it has neither. */
  readonly standing: JournalVerdict | undefined
}

/**
 * Plans what to send, from what this machine knows about the offer and earlier attempts. Sends nothing. Throws a usage
 * error if something is missing or wrong, or if `checkOffer` refuses the offer, and StorageError.
 */
export function planReservation(
  typed: Typed,
  flags: ReserveFlags,
  target: Target,
  state: State,
): Promise<Plan> {
  return lookingUp(async () => {
    const {offerId = '', request: typedRequest} = typed
    const {'max-price': maxPrice, 'idempotency-key': keyTyped, preferred} = flags
    const seen = state.remembers ? await state.offers.find(target, offerId) : undefined
    const request = await completeRequest(typed, {
      nationality: seen?.nationality ?? preferred?.nationality,
      baseUrl: target.baseUrl,
      referenceKey: state.isShared && target.token === undefined ? target.clientSecret : undefined,
    })
    const referenceGiven = typedRequest.client_reference_id !== undefined
    if (!state.remembers) refuseWithoutJournal(keyTyped !== undefined && referenceGiven)
    const intent = intentOf(request, {
      referenceGiven,
      idempotencyKey: keyTyped ?? randomUUID(),
      keyGiven: keyTyped !== undefined,
      agreed: priceOf(seen),
      stay: seen ? stayOf(seen) : null,
    })
    const standing = state.remembers ? await state.journal.forClient(target).peek(intent) : undefined
    const earlier = standing && !isNeverSent(standing.entry) ? standing.entry : undefined
    // Otherwise nothing is sent: the earlier attempt is reported, whatever the offer costs.
    const maySend = earlier === undefined || standing?.kind === 'repeat'
    if (maySend) checkOffer(seen, request, {now: systemClock.now(), maxPrice, earlier})
    const isSame = standing !== undefined && standing.kind !== 'conflict'
    return {
      request,
      intent: isSame ? {...intent, idempotencyKey: standing.entry.idempotencyKey} : intent,
      seen,
      doubts: findDoubts(seen, request.guests),
      standing,
    }
  })
}

/** Runs `work`. Extends a StorageError from it: the journal cannot be read, and nothing was sent. */
export async function lookingUp<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    const {fault, message, hint, isPassing} = error
    const problem = `${message}; earlier attempts cannot be looked up, and nothing was sent by this command`
    throw new StorageError(fault, problem, hint, {isPassing, cause: error})
  }
}

interface CheckOfferOptions {
  /** In Unix seconds. */
  readonly now: number
  readonly maxPrice: Maximum | undefined
  /** The attempt that is repeated. Its offer may be used, expired, or no longer stored here. */
  readonly earlier: JournalEntry | undefined
}

/**
 * Throws a usage error if the offer is known to be used or expired, was searched for another nationality, or costs more
 * than the maximum price.
 */
export function checkOffer(
  seen: SeenOffer | undefined,
  {client_nationality: nationality}: ReservationRequest,
  {now, maxPrice, earlier}: CheckOfferOptions,
): void {
  const search = 'search again: bookctl hotels search'
  if (!earlier && seen?.used_by_reference) {
    const problem = `offer ${seen.offer_id} was reserved with the client reference ${seen.used_by_reference}`
    const print = `print it: ${resumeCommand(seen.used_by_reference)}`
    throw usage('offer_already_used', problem, `${print}; another offer makes a second booking`)
  }
  if (!earlier && seen && seen.expires_at <= now) {
    const problem = `offer ${seen.offer_id} expired; an offer is valid for ${OFFER_VALIDITY_SECONDS / 60} minutes`
    throw usage('offer_expired', problem, search)
  }
  if (seen && seen.nationality !== nationality) {
    const problem = `the reservation says client nationality ${nationality}, but the offer was searched for ${seen.nationality}, and prices depend on it`
    throw usage('nationality_changed', problem, `search again with --nationality ${nationality}`)
  }
  if (maxPrice === undefined) return
  const repeatedHint = earlier && lookHint(earlier)
  const price = earlier?.agreed ?? priceOf(seen)
  if (price === null && seen) {
    const problem =
      '--max-price: the price of this offer is unknown: the search named none, or one that can be read in two ways'
    const choose =
      'choose an offer whose price is known, or ask the operator; what the service says of it: bookctl hotels search --json'
    throw usage('price_unknown', problem, repeatedHint ?? choose)
  }
  if (price === null) {
    const problem = '--max-price: the price of this offer is not known here'
    throw usage('price_unknown', problem, repeatedHint ?? 'search first: bookctl hotels search')
  }
  const cost = {amount: price.price, currency: price.currency}
  const costs = `the offer costs ${moneyText(cost)}`
  const most = {...maxPrice, currency: maxPrice.currency ?? seen?.details?.currency ?? cost.currency}
  if (!isSameCurrency(cost, most)) {
    const problem = `${costs}, which cannot be compared with --max-price ${moneyText(most)}`
    const search = `search in that currency: bookctl hotels search --currency ${most.currency}`
    throw usage('price_not_comparable', problem, repeatedHint ?? search)
  }
  if (compareAmounts(cost.amount, most.amount) <= 0) return
  throw usage('price_too_high', `${costs}, more than --max-price ${moneyText(most)}`, repeatedHint)
}

/**
 * Returns the price of the offer when it was found; null if unknown. If the price has no currency, that of the search
 * is used.
 */
export function priceOf(seen: SeenOffer | undefined): Price | null {
  return seen?.total ? {price: seen.total, currency: seen.currency ?? seen.details?.currency ?? null} : null
}

export function stayOf({check_in, check_out, rooms, details}: SeenOffer): Stay {
  return {check_in, check_out, rooms, city: details?.city ?? null}
}

/**
 * Returns a line for each detail of the guests that looks wrong. These are only warnings, because the service decides.
 */
export function findDoubts(
  seen: Pick<SeenOffer, 'rooms' | 'check_in' | 'check_out'> | undefined,
  guests: readonly Guest[],
): string[] {
  const doubts: string[] = []
  for (const [index, {name, surname}] of guests.entries()) {
    const whole = `${name} ${surname}`
    const about = `guests[${index}]: ${sanitizeLine(whole, 80)}`
    const odd = oddIn(whole)
    if (odd) doubts.push(`${about} contains ${odd}`)
    if (needsLatin(whole)) doubts.push(`${about} has letters that are not Latin: ${LATIN_ADVICE}`)
  }
  for (const [index, {identity}] of guests.entries())
    if (identity?.type === 'TC' && !isTcNumber(identity.number))
      doubts.push(`guests[${index}].identity.number: the TC identity number fails its checksum`)
  if (seen === undefined) return doubts
  // Compares the number of guests and their ages with the search.
  const {rooms, check_in, check_out} = seen
  const adults = rooms.reduce((sum, room) => sum + room.adults, 0)
  const ages = rooms.flatMap(room => room.children_ages).sort((a, b) => a - b)
  const party = adults + ages.length
  const isOtherNumber = party !== guests.length
  if (isOtherNumber) {
    const given = `${guests.length} ${guests.length === 1 ? 'is' : 'are'} given`
    doubts.push(`the offer was searched for ${counted(party, 'guest')}; ${given}: the service may refuse it`)
  }
  const born = guests.flatMap(guest => guest.birth_date ?? [])
  if (born.some(date => nightsBetween(date, check_in) < 0)) {
    doubts.push('a guest is born after the check-in')
  } else if (!isOtherNumber && born.length === guests.length) {
    // Hotels may count a child's age at check-in or at check-out.
    const fits = [check_in, check_out].some(day => {
      const children = born.map(date => ageOn(date, day)).filter(age => age < 18)
      return children.sort((a, b) => a - b).join() === ages.join()
    })
    const searched = ages.length > 0 ? `children of ${ages.join(', ')}` : 'no children'
    if (!fits) doubts.push(`the birth dates do not fit the ages searched (${adults} adults, ${searched})`)
  }
  return doubts
}

/**
 * Throws a usage error unless the idempotency key and the client reference were typed. Without a journal, only the
 * caller can find the reservation of a killed run again.
 */
export function refuseWithoutJournal(namedByCaller: boolean): void {
  if (namedByCaller) return
  throw usage(
    'journal_not_writable',
    'the configuration directory is not writable, so a lost answer could not be resumed',
    'make it writable, because earlier attempts are recorded there; or give --idempotency-key and --client-reference, the same in each attempt',
  )
}

/** Returns the exact request of an intent or a journal entry, for `--dry-run`. */
export function describeRequest(sent: Sent, {baseUrl}: Target): DryRequest {
  const body = JSON.parse(sent.body) as object
  const {headers, ...request} = dryRequest('POST', `${baseUrl}/reservations/hotel`, body)
  return {...request, headers: {...headers, 'idempotency-key': sent.idempotencyKey}, body}
}

type Sent = Pick<ReservationIntent, 'body' | 'idempotencyKey'>

const PAYMENTS = {account: 'from the account balance, at once', instant: 'by the customer, on a payment page'}
const MODES = {live: 'LIVE: a real booking, with real money', test: 'TEST: no real money'}

/** What the account will be charged, if it is not the price: `text` for the plan, `short` for the question. */
export interface ChargeAhead {
  readonly text: string
  readonly short: string
}

/**
 * Returns what the account will be charged, if its currency is not that of the price: the charge stated with the offer,
 * otherwise only the currency of the account, which `readBalance` reads. Returns undefined if the currencies are the
 * same or unknown.
 */
export async function chargeAhead(
  {request, seen}: Pick<Plan, 'request' | 'seen'>,
  readBalance: () => Promise<Money | undefined>,
): Promise<ChargeAhead | undefined> {
  const price = priceOf(seen)
  if (request.payment.mode !== 'account' || price === null) return undefined
  const stated = seen?.details?.charge
  if (stated && !differsFrom(stated, {amount: price.price, currency: price.currency})) return undefined
  if (stated) return {text: chargeText(stated), short: `charged as ${chargeText(stated)}`}
  const currency = (await readBalance())?.currency ?? null
  if (currency === null || price.currency === null || currency === price.currency) return undefined
  const account = sanitizeLine(currency, 20)
  const text = `in ${account}, the currency of the account, at a rate that the service decides`
  return {text, short: `charged in ${account}`}
}

interface PlanTexts {
  readonly people?: readonly Row[]
  readonly charge?: ChargeAhead | undefined
  readonly city?: string | undefined
}

/** Returns the city that was searched, with its stored name; undefined if it is not known. Sends no request. */
export function cityOf(
  seen: OfferFound | undefined,
  place: {readonly state: State; readonly target: Target},
): string | undefined {
  const id = seen?.details?.city ?? null
  return id === null ? undefined : cityText(id, place)
}

/**
 * Returns the plan as lines of `Name  text`, without control characters. `people` replaces the row with the names of
 * the guests; `city` is the text of `cityOf`.
 */
export function describePlan(
  {request, intent, seen}: Pick<Plan, 'request' | 'intent'> & {readonly seen: OfferFound | undefined},
  target: Target,
  {people, charge, city}: PlanTexts = {},
): string[] {
  const names = request.guests.map(
    ({name, surname, is_lead}) => `${name} ${surname}${is_lead ? ' (lead)' : ''}`,
  )
  const nationality = request.client_nationality
  const country = new Intl.DisplayNames('en', {type: 'region'}).of(nationality)
  let dates: string | undefined
  if (seen) {
    const {check_in, check_out, rooms} = seen
    const days = `${withWeekday(check_in)} to ${withWeekday(check_out)}`
    dates = `${days}, ${nightsText(check_in, check_out)}, ${counted(rooms.length, 'room')}`
  }
  const rows: Row[] = [
    ...detailRows(seen, systemClock.now()),
    ...(dates === undefined ? [] : [['Dates', dates] as const]),
    ...(city === undefined ? [] : [['City', city] as const]),
    ...(people ?? [['Guests', names.join(', ')] as const]),
    ['Nationality', `${country} (${nationality}), as searched`],
    ['Payment', PAYMENTS[request.payment.mode]],
    ...(charge ? [['Charged', charge.text] as const] : []),
    ['Offer', request.offer_id],
    ['Reference', request.client_reference_id],
    ['Key', `Idempotency-Key ${intent.idempotencyKey}`],
    ['Service', `${MODES[target.mode]}, ${new URL(target.baseUrl).host}, ${target.clientId}`],
  ]
  return rows.map(([name, text]) => `${name.padEnd(13)} ${sanitizeLine(text, 500)}`)
}

export function contactText({name, surname, email, phone_country_code, phone_number}: Contact): string {
  return `${name} ${surname}, ${email}, ${phone_country_code} ${phone_number}`
}

/** Returns price, charge and mode for the question, because a narrow terminal may show nothing else of the plan. */
export function atWhatPrice({seen}: Plan, {mode}: Target, charge?: ChargeAhead): string {
  const price = seen?.total ? ` for ${sanitizeLine(priceText(seen), 40)}` : ''
  const charged = charge ? `, ${sanitizeLine(charge.short, 100)}` : ''
  return `${price}${charged} (${mode === 'live' ? 'LIVE, with real money' : 'TEST'})`
}

type AttemptOptions = Omit<ReserveOptions, 'api' | 'journal' | 'clock' | 'journalKept' | 'warn'> & {
  readonly warn: (text: string) => void
}

/** Makes the reservation, or returns the one that an earlier run made. Throws what `reserve` of the API throws. */
export async function reservePlan(
  {api, clock, target, state}: Connection,
  {intent}: Plan,
  options: AttemptOptions,
): Promise<ReserveOutcome> {
  // If nothing can be written, the journal is kept in memory, for this run only.
  const memory = state.remembers ? undefined : (await import('../../../state/state.js')).openMemoryJournal()
  const journal = (memory?.journal ?? state.journal).forClient(target)
  const reserveOptions = {...options, api, clock, journal, journalKept: state.remembers}
  const booking = await lookingUp(() => reserve(reserveOptions, intent).finally(memory?.close))
  try {
    if (state.remembers) await state.offers.markUsed(target, intent.offerId, booking.client_reference_id)
  } catch (error) {
    // Only warns, because the person must learn of the reservation even if the disk fails.
    options.warn(`the offer could not be marked as used: ${(error as Error).message}`)
  }
  return booking
}

/**
 * Returns the outcome of the reservation with this client reference. Sends the request again only if the outcome is
 * unknown. Throws a usage error if there is no journal, and what `resume` of the API throws.
 */
export async function resumeReference(
  {api, clock, target, state}: Connection,
  clientReferenceId: string,
  options: AttemptOptions,
): Promise<ReserveOutcome> {
  requireJournal(state, '--resume')
  const journal = state.journal.forClient(target)
  return lookingUp(() => resume({...options, api, clock, journal}, clientReferenceId))
}

/**
 * Returns the request that --resume would send again. Throws a usage error if there is no such request, or if its
 * outcome is known.
 */
export async function describeRepeat(state: State, reference: string, target: Target): Promise<object> {
  requireJournal(state, '--resume')
  const journal = state.journal.forClient(target)
  const entry = await lookingUp(() => findEntry(journal, reference))
  if (isNeverSent(entry)) throw neverSent(entry)
  const verdict = verdictOn(entry, journal.client)
  if (verdict.kind === 'conflict') throw conflictFailure(verdict)
  const {body, idempotencyKey, outcome} = entry
  if (!isOpen(entry)) throw outcomeKnown(outcome)
  if (body === null) throw sealedElsewhere(entry)
  return describeRequest({body, idempotencyKey}, target)
}

/** Throws a usage error if the journal forbids sending the plan or has its outcome already. */
export function requireSending({standing}: Plan): void {
  if (standing?.kind === 'conflict') throw conflictFailure(standing)
  if (standing?.kind === 'resolved') throw outcomeKnown(standing.entry.outcome)
}

function outcomeKnown(outcome: string): Failure {
  const known = `--dry-run: nothing would be sent, since the outcome is known: ${sanitizeLine(outcome, 40)}`
  return usage('outcome_known', known, 'leave --dry-run out to see it')
}

/** Throws a usage error if there is no journal, which `flag` needs. */
export function requireJournal(
  state: State,
  flag: '--resume' | '--unless-booked' | 'reserve batch' | 'reservations reconcile',
): void {
  if (state.remembers) return
  const hint =
    flag === '--resume'
      ? 'run the command that reserved again, with the same --idempotency-key and --client-reference'
      : 'make it writable, because reservations are recorded there'
  const problem = `${flag}: the configuration directory cannot be written, so no reservation was recorded there`
  throw usage('journal_not_writable', problem, hint)
}
