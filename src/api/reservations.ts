/**
 * Reservations after they were made (§4.9 names listing, detail, update and cancellation, and shows none): answers of
 * every shape are read, and what is returned is the reservation as the service sent it. Whether such a path may be
 * called at all is decided by cli/own-paths.ts.
 */
import type {ReservationUpdate} from '../contract/reservations.js'
import type {Answer, Api} from './api.js'
import {sendChange} from './change.js'
import {isDenial, mayNotBeDone, wordsBeside} from './change-words.js'
import {findEntries, nextCursor} from './lists.js'
import {notUnderstood} from './refusals.js'
import {outermostReservations, reservationIn} from './reservation-answers.js'
import type {ReadReservation} from './shapes.js'

export interface ListWish {
  readonly clientReference?: string | undefined
  readonly status?: string | undefined
  /** A date, or a timestamp with an offset. */
  readonly createdFrom?: string | undefined
  readonly createdTo?: string | undefined
  /** The cursor of an earlier page. */
  readonly after?: string | undefined
  /** How many to return at most, over as many pages as that needs; absent: one page, as long as the service makes it. */
  readonly limit?: number | undefined
  /** All there are. */
  readonly all?: boolean | undefined
}

export interface FoundReservations {
  readonly reservations: readonly ReadReservation[]
  /** What asks for those after these, or null when there are no more. */
  readonly next: string | null
}

/** Ours: the most a page may be asked to hold. */
const MOST_A_PAGE = 200
/** Ours: more pages than this are not read at once. */
const MOST_PAGES = 1000

/** Reservations, in the service's order, each once. Throws Failure. */
export async function listReservations(api: Api, wish: ListWish): Promise<FoundReservations> {
  const found = new Map<string, ReadReservation>()
  const wanted = wish.all ? Number.POSITIVE_INFINITY : wish.limit
  let {after} = wish
  for (let page = 0; page < MOST_PAGES; page++) {
    const limit = wanted === undefined ? undefined : Math.min(MOST_A_PAGE, wanted - found.size)
    const answer = await api.call('reservations.list', {query: queryOf(wish, after, limit)})
    const before = found.size
    for (const each of reservationsIn(answer)) found.set(each.reservation_ref, each)
    // With more than was asked for, those beyond are cut, and the cursor is the one that brings them again.
    if (found.size > (wanted ?? found.size))
      return {reservations: [...found.values()].slice(0, wanted), next: after ?? null}
    const next = nextCursor(answer.json)
    const isLast = next === undefined || next === after || found.size === before
    if (isLast) return {reservations: [...found.values()], next: null}
    after = next
    if (wanted === undefined || found.size === wanted) break
  }
  return {reservations: [...found.values()], next: after ?? null}
}

function queryOf(wish: ListWish, after: string | undefined, limit: number | undefined) {
  return {
    client_reference_id: wish.clientReference,
    status: wish.status,
    created_from: wish.createdFrom,
    created_to: wish.createdTo,
    limit: limit === undefined ? undefined : String(limit),
    after,
  }
}

/** Throws Failure when there is not even a list. */
function reservationsIn(answer: Answer): ReadReservation[] {
  const found = outermostReservations(answer.json)
  if (found.length === 0 && (findEntries(answer.json)?.length ?? 1) > 0) {
    throw notUnderstood(answer, 'it holds no list of reservations')
  }
  return found
}

/** One reservation. Throws Failure. */
export async function showReservation(api: Api, reference: string): Promise<ReadReservation> {
  const answer = await api.call('reservations.show', parametersOf(reference))
  const found = reservationIn(answer, reference)
  if (found) return found
  throw notUnderstood(answer, 'it holds no reservation')
}

/**
 * Changes contact or guests; never repeated by itself. Returns the reservation as it is now, or null when the answer
 * is empty. Throws Failure, `outcome_unknown` when it may have been changed.
 */
export async function updateReservation(
  api: Api,
  reference: string,
  update: ReservationUpdate,
): Promise<ReadReservation | null> {
  const answer = await sendChange(api, 'reservations.update', {...parametersOf(reference), body: update})
  const found = reservationIn(answer, reference, 'outcome_unknown') ?? null
  const denial = wordsBeside(answer.json, found?.reservation).find(isDenial)
  if (denial !== undefined) throw mayNotBeDone(answer, denial, {reservation: found?.reservation ?? null})
  return found
}

/** The parameters of the paths to one reservation. */
export function parametersOf(reference: string): {parameters: {reservation_ref: string}} {
  return {parameters: {reservation_ref: reference}}
}
