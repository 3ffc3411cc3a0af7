/** The plan of a batch: what is booked already, what has to be resumed, and an offer for each trip that is left. */
import {randomUUID} from 'node:crypto'
import {isEnded} from '../../../api/answers/reservations.js'
import {conflictFailure, describeBooked, lookHint} from '../../../api/reserve/failures.js'
import {bookingOf} from '../../../api/reserve/outcome.js'
import {intentOf} from '../../../api/reserve/reserve.js'
import {systemClock} from '../../../contract/dates.js'
import {Failure, usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import type {SearchRequest} from '../../../contract/hotels.js'
import {
  isNeverSent,
  isOpen,
  type Journal,
  type JournalEntry,
  type Price,
  type ReservationIntent,
  verdictOn,
} from '../../../contract/journal.js'
import type {SeenOffer} from '../../../contract/seen-offers.js'
import type {State} from '../../../state/state.js'
import type {Connection} from '../../session/connect.js'
import type {Preferences, Target} from '../../session/resolve.js'
import {counted} from '../../terminal/dates-and-amounts.js'
import {readCity} from '../catalogue/city-search.js'
import {checkOffer, findDoubts, stayOf} from '../reserve/plan.js'
import {differencesOf} from '../reserve/same-trip.js'
import {Mistakes} from './mistakes.js'
import type {BatchOffer, BatchOffers} from './offers.js'
import {BatchRow} from './rows.js'
import {placeIn, type TripFile} from './trip-file.js'
import type {Trip, TripSearch} from './trips.js'

/** A row for each trip of the file, with what the journal knows of it. Throws StorageError. */
export async function rowsOf(
  trips: readonly Trip[],
  journal: Journal,
  {
    state,
    target,
    preferred,
  }: {readonly state: State; readonly target: Target; readonly preferred: Preferences},
  warn: (text: string) => void,
): Promise<BatchRow[]> {
  const entries = await journal.findAll(trips.map(trip => trip.reference))
  const rows: BatchRow[] = []
  for (const trip of trips) {
    const seen = trip.offerId === undefined ? undefined : await state.offers.find(target, trip.offerId)
    const known = {nationality: seen?.nationality ?? preferred.nationality, baseUrl: target.baseUrl}
    const row = new BatchRow(trip, known)
    if (seen) {
      row.seen = seen
      row.offer = offerOfSeen(seen)
      row.stay = stayOf(seen)
    }
    if (trip.search) row.stay = stayOfSearch(trip.search)
    const entry = entries.get(trip.reference)
    if (entry) await applyEntry(row, entry, journal, warn)
    rows.push(row)
  }
  return rows
}

/** The city is compared only where the file has its id. */
function stayOfSearch({check_in, check_out, rooms, city}: TripSearch) {
  return {check_in, check_out, rooms, city: typeof city === 'number' ? city : null}
}

/**
 * Applies what the journal knows of a trip: booked, to be resumed, or refused because its reference has another trip. An entry
 * of which nothing was made leaves the row as it is.
 */
export async function applyEntry(
  row: BatchRow,
  entry: JournalEntry,
  journal: Journal,
  warn: (text: string) => void,
): Promise<void> {
  if (isNeverSent(entry)) return
  const verdict = verdictOn(entry, journal.client)
  if (verdict.kind === 'conflict') return row.fail(conflictFailure(verdict), 'refused')
  // Refused: the offer and the reference are free again.
  if (!isOpen(entry) && entry.reservationRef === null) return
  const {trip, stay} = row
  const intent = await intentFor(row, entry.offerId, null)
  const isOther = trip.offerId !== undefined && trip.offerId !== entry.offerId && (!stay || !entry.trip?.stay)
  const differences = differencesOf(entry, intent, journal)
  const differing = isOther ? [`offer ${trip.offerId} instead of ${entry.offerId}`] : differences.trip
  // An unknown one is not resumed then: that could book what the file no longer says.
  if (differing.length > 0)
    return row.fail(anotherTrip(entry, differing), isOpen(entry) ? 'unknown' : 'refused')
  for (const difference of differences.other) warn(`Warning: ${placeOf(trip)}: ${difference}`)
  row.usedOfferId = entry.offerId
  if (isOpen(entry)) {
    row.open = entry
    row.outcome = 'unknown'
    return
  }
  if (isEnded(entry.outcome)) return row.fail(bookedAndEnded(entry), 'refused')
  row.settle(bookingOf(entry))
}

function anotherTrip(entry: JournalEntry, differences: readonly string[]): Failure {
  const reference = sanitizeLine(entry.clientReferenceId, 128)
  const what = differences.map(each => sanitizeLine(each, 200)).join(', ')
  const problem = `the client reference ${reference} has another trip (${what}): ${describeBooked(entry)}`
  const hint = `${lookHint(entry)}; correct the row: another client reference makes a second booking`
  return withReservation(usage('reference_in_use', problem, hint), entry)
}

function bookedAndEnded(entry: JournalEntry): Failure {
  const reference = sanitizeLine(entry.clientReferenceId, 128)
  const problem = `the client reference ${reference} was booked and is not any more: ${describeBooked(entry)}`
  const hint = `${lookHint(entry)}; to book the trip once more, give it another client reference`
  return withReservation(usage('reservation_ended', problem, hint), entry)
}

function withReservation({kind, message, details}: Failure, entry: JournalEntry): Failure {
  const {outcome, reservationRef: reservation_ref} = entry
  return new Failure(kind, message, {...details, result: {reservation_ref, status: outcome.toUpperCase()}})
}

/** The intent to book `row` with an offer; a new key, which the journal replaces by that of an earlier attempt. */
export async function intentFor(
  row: BatchRow,
  offerId: string,
  agreed: Price | null,
): Promise<ReservationIntent> {
  return intentOf(await row.requestFor(offerId), {
    referenceGiven: true,
    idempotencyKey: randomUUID(),
    keyGiven: false,
    agreed,
    stay: row.stay,
  })
}

/** What the plan and the journal keep of an offer that an earlier search found. */
function offerOfSeen(seen: SeenOffer): BatchOffer {
  const {details, total, currency, expires_at} = seen
  const {refundable = null, free_cancellation_until = null, city = null, charge} = details ?? {}
  return {
    offer_id: seen.offer_id,
    hotel_id: null,
    hotel_name: seen.hotel_name,
    stars: seen.stars,
    room_name: seen.room_name,
    board: seen.board,
    price: {total, currency: currency ?? details?.currency ?? null},
    refundable,
    free_cancellation_until,
    details: {refundable, free_cancellation_until, terms: null, city, ...(charge && {charge})},
    expiresAt: expires_at,
  }
}

/** Whether a reservation is still to be made for the trip. */
export function isNew({outcome, failure, open}: BatchRow): boolean {
  return outcome === 'not_sent' && failure === undefined && open === undefined
}

/**
 * Finds the ids of the cities that new trips name, among those known here or in the service's list. Throws one usage error that
 * names, with its line, every city that is unknown and every check-in that is past; Failure if the list cannot be read.
 */
export async function readCities(
  file: TripFile,
  rows: readonly BatchRow[],
  open: () => Promise<Connection>,
): Promise<ReadonlyMap<string, number>> {
  const mistakes = new Mistakes(file.format)
  const ids = new Map<string, number>()
  const failures = new Map<string, Failure>()
  for (const {trip} of rows) {
    const {past, search} = trip
    if (past) mistakes.add(past.place, past.problem)
    const city = search?.city
    if (typeof city !== 'string') continue
    if (!ids.has(city) && !failures.has(city)) {
      const found = await readCity(city, open).catch(error => {
        if (!(error instanceof Failure) || error.kind !== 'usage') throw error
        failures.set(city, error)
      })
      if (found !== undefined) ids.set(city, found)
    }
    const failure = failures.get(city)
    if (failure) {
      const problem = failure.message.replace(/^--city: /, '')
      mistakes.add(placeIn(file, trip, 'city'), problem, failure.details.hint)
    }
  }
  if (mistakes.count > 0) throw mistakes.toFailure()
  return ids
}

/** The request of §2.2. `cities`: the ids of those that the file names. */
export function searchRequestOf(trip: Trip, cities: ReadonlyMap<string, number>): SearchRequest | undefined {
  if (trip.search === undefined) return undefined
  const {city, ...rest} = trip.search
  const id = typeof city === 'number' ? city : (cities.get(city) ?? 0)
  return {destination: {type: 'CITY', id}, ...rest}
}

/** Finds the offer for one new trip; its outcome is then `planned`. Throws Failure. */
export async function planRow(
  row: BatchRow,
  request: SearchRequest | undefined,
  offers: BatchOffers,
): Promise<void> {
  if (request === undefined) {
    // An offer that this machine has not seen may still be good: the service decides.
    const request = await row.requestFor(row.trip.offerId ?? '')
    checkOffer(row.seen, request, {now: systemClock.now(), maxPrice: undefined, earlier: undefined})
  } else {
    const {offer, found} = await offers.show(request, row.trip.choose)
    if (offer === undefined) throw noOffer(found)
    row.offer = offer
    // The journal records the city, which the file may only name.
    if (row.stay) row.stay = {...row.stay, city: request.destination.id}
  }
  row.planned = row.cost
  row.outcome = 'planned'
}

/** Guests that look wrong, one line each; the service decides. */
export async function doubtsOf(row: BatchRow): Promise<string[]> {
  const {guests} = await row.requestFor(row.trip.offerId ?? row.offer?.offer_id ?? '')
  return findDoubts(row.stay ?? undefined, guests).map(doubt => placedDoubt(row.trip, doubt))
}

/** In CSV the line of the guest's own row is named in place of `guests[1]`. */
function placedDoubt(trip: Trip, doubt: string): string {
  const [path = '', index = ''] = /^guests\[(\d+)\]\S*: /.exec(doubt) ?? []
  const row = path && 'rows' in trip.source ? trip.source.rows[Number(index)] : undefined
  if (row === undefined) return `${placeOf(trip)}: ${doubt}`
  return `${placeOf({...trip, line: row.line})}: ${doubt.slice(path.length)}`
}

const placeOf = ({line, reference}: Trip) => `line ${line}, client reference ${sanitizeLine(reference, 64)}`

export function noOffer(found: number): Failure {
  const problem =
    found === 0
      ? 'the search found no offers'
      : `none of ${counted(found, 'offer')} fits what the trip asks for`
  return new Failure('refused', problem, {
    code: 'no_offer',
    hint: 'ask for less (hotel_id, board, refundable, max_price), or change the dates or the rooms',
  })
}
