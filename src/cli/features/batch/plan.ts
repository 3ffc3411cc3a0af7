/**
 * Plans a batch: finds out which trips are booked already and which must be resumed, and finds an offer for each of the
 * others.
 */
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

/** Returns a row for each trip in the file, with what the journal knows about it. Throws a StorageError. */
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

/** Returns the stay of a search. Its city is only compared if the file has the city's id. */
function stayOfSearch({check_in, check_out, rooms, city}: TripSearch) {
  return {check_in, check_out, rooms, city: typeof city === 'number' ? city : null}
}

/**
 * Applies a journal entry to the row of its trip: the trip is booked, must be resumed, or is refused because its
 * reference belongs to another trip. An entry without a reservation leaves the row unchanged.
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
  // The reservation was refused, so the offer and the reference can be used again.
  if (!isOpen(entry) && entry.reservationRef === null) return
  const {trip, stay} = row
  const intent = await intentFor(row, entry.offerId, null)
  const isOther = trip.offerId !== undefined && trip.offerId !== entry.offerId && (!stay || !entry.trip?.stay)
  const differences = differencesOf(entry, intent, journal)
  const differing = isOther ? [`offer ${trip.offerId} instead of ${entry.offerId}`] : differences.trip
  // An attempt with an unknown outcome is then not resumed, because it could book something that the file no longer
  // says.
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

/**
 * Returns the intent to book `row` with an offer. It has a new key, which the journal replaces by that of an earlier
 * attempt.
 */
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

/** Returns the parts of a stored offer that the plan and the journal keep. */
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

/** Reports whether a reservation still has to be made for the trip. */
export function isNew({outcome, failure, open}: BatchRow): boolean {
  return outcome === 'not_sent' && failure === undefined && open === undefined
}

/**
 * Returns the ids of the cities that new trips name, from the cities stored here or the service's list. Throws one
 * usage error that names every unknown city and every check-in in the past, with its line. Throws a Failure if the list
 * cannot be read.
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

/**
 * Returns the search request of a trip (§2.2), or undefined if it has an offer. `cities` has the ids of the cities
 * named in the file.
 */
export function searchRequestOf(trip: Trip, cities: ReadonlyMap<string, number>): SearchRequest | undefined {
  if (trip.search === undefined) return undefined
  const {city, ...rest} = trip.search
  const id = typeof city === 'number' ? city : (cities.get(city) ?? 0)
  return {destination: {type: 'CITY', id}, ...rest}
}

/** Finds the offer for a new trip and sets its outcome to `planned`. Throws a Failure if there is none. */
export async function planRow(
  row: BatchRow,
  request: SearchRequest | undefined,
  offers: BatchOffers,
): Promise<void> {
  if (request === undefined) {
    // An offer that this machine has not seen may still be valid; the service decides.
    const request = await row.requestFor(row.trip.offerId ?? '')
    checkOffer(row.seen, request, {now: systemClock.now(), maxPrice: undefined, earlier: undefined})
  } else {
    const {offer, found} = await offers.show(request, row.trip.choose)
    if (offer === undefined) throw noOffer(found)
    row.offer = offer
    // The journal records the id of the city, which the file may only name.
    if (row.stay) row.stay = {...row.stay, city: request.destination.id}
  }
  row.planned = row.cost
  row.outcome = 'planned'
}

/** Returns a line for each guest that looks wrong. The service decides whether it is. */
export async function doubtsOf(row: BatchRow): Promise<string[]> {
  const {guests} = await row.requestFor(row.trip.offerId ?? row.offer?.offer_id ?? '')
  return findDoubts(row.stay ?? undefined, guests).map(doubt => placedDoubt(row.trip, doubt))
}

/** Returns the doubt with its place. In CSV, that is the line of the guest's row instead of `guests[1]`. */
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
