/**
 * Reservations after they were made (§4.9 names listing, detail, update and cancellation, and shows none): answers of
 * every shape are read, and what is returned is the reservation as the service sent it. Whether such a path may be
 * called at all is decided by cli/session/own-paths.ts.
 */
import {Failure} from '../../contract/failure.js'
import type {ReservationUpdate} from '../../contract/reservations.js'
import {type Booking, refuseAnother, reservationIn} from '../answers/asked.js'
import {holdsNo} from '../answers/refusals.js'
import {outermostReservations, type ReadReservation} from '../answers/reservations.js'
import type {Answer, Api} from '../types.js'
import {checkSaysSomething, isDenial, mayNotBeDone, sendChange, wordsBeside} from './change.js'
import {findEntries} from './lists.js'
import {isEnd, isSamePage, nextPage, nextText, readNext, UNKNOWN_NEXT} from './paging.js'

export interface ListWish {
  readonly clientReference?: string | undefined
  readonly status?: string | undefined
  /** A date, or a timestamp with an offset. */
  readonly createdFrom?: string | undefined
  readonly createdTo?: string | undefined
  /** What an earlier page named as its `next`. */
  readonly after?: string | undefined
  /** How many to return at most, over as many pages as that needs; absent: one page, as long as the service makes it. */
  readonly limit?: number | undefined
  /** All there are. */
  readonly all?: boolean | undefined
}

export interface FoundReservations {
  readonly reservations: readonly ReadReservation[]
  /** What asks for those after these; `?` when there are more, and nothing asks for them; null when there are no more. */
  readonly next: string | null
}

/** Ours: the most a page may be asked to hold. */
const MOST_A_PAGE = 200
/** Ours: more pages than this are not read at once. */
const MOST_PAGES = 1000

/** Reservations, in the service's order, each once. Throws Failure, `list_incomplete` where not all can be had. */
export async function listReservations(api: Api, wish: ListWish): Promise<FoundReservations> {
  const found = new Map<string, ReadReservation>()
  const wanted = wish.all ? Number.POSITIVE_INFINITY : wish.limit
  const result = (next: string | null) => ({reservations: [...found.values()].slice(0, wanted), next})
  let asked = readNext(wish.after)
  let count = 0
  let emptyPages = 0
  for (let page = 0; page < MOST_PAGES; page++) {
    const limit = wanted === undefined ? undefined : Math.min(MOST_A_PAGE, wanted - found.size)
    const answer = await api.call('reservations.list', {query: {...queryOf(wish, limit), ...asked}})
    const before = found.size
    const listed = reservationsIn(answer)
    for (const each of listed) found.set(each.reservation_ref, each)
    count += listed.length
    // With more than was asked for, those beyond are cut, and the cursor is the one that brings them again.
    if (found.size > (wanted ?? found.size)) return result(nextText(asked ?? UNKNOWN_NEXT))
    const next = nextPage(answer, api.baseUrl, wish.after === undefined ? count : undefined)
    emptyPages = listed.length === 0 ? emptyPages + 1 : 0
    if (next === undefined || isEnd(emptyPages, asked, next)) return result(null)
    if (next === UNKNOWN_NEXT || isSamePage(asked, next)) break
    if (found.size === before && emptyPages === 0) break
    asked = next
    if (wanted === undefined || found.size === wanted) return result(nextText(next))
  }
  if (wish.all) throw incomplete(found.size)
  return result(UNKNOWN_NEXT)
}

function incomplete(count: number): Failure {
  const message = `the service says that there are more reservations than the ${count} it gave, and no way to ask for them works`
  const hint = 'without --all those it gives are listed; narrow with --status, --created-from or --created-to'
  return new Failure('service_failed', message, {code: 'list_incomplete', hint})
}

function queryOf(wish: ListWish, limit: number | undefined) {
  return {
    client_reference_id: wish.clientReference,
    status: wish.status,
    created_from: wish.createdFrom,
    created_to: wish.createdTo,
    limit: limit === undefined ? undefined : String(limit),
  }
}

/** Throws Failure when there is not even a list. */
function reservationsIn(answer: Answer): ReadReservation[] {
  const found = outermostReservations(answer.json)
  if (found.length === 0 && (findEntries(answer.json)?.length ?? 1) > 0) {
    throw holdsNo(answer, 'list of reservations')
  }
  return found
}

export interface ShowOptions {
  /** What else it is known by here. */
  readonly booking?: Booking
  readonly timeoutSeconds?: number
}

/** One reservation. Throws Failure, also for another one. */
export async function showReservation(
  api: Api,
  reference: string,
  {booking = {}, timeoutSeconds}: ShowOptions = {},
): Promise<ReadReservation> {
  const policy = timeoutSeconds === undefined ? {} : {timeoutSeconds: Math.max(1, timeoutSeconds)}
  const answer = await api.call('reservations.show', {...parametersOf(reference), policy})
  const found = reservationIn(answer, reference)
  refuseAnother(answer, booking)
  if (found) return found
  throw holdsNo(answer, 'reservation')
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
  const found = reservationIn(answer, reference, true) ?? null
  const denial = wordsBeside(answer.json, found?.reservation).find(isDenial)
  if (denial !== undefined) throw mayNotBeDone(answer, denial, {reservation: found?.reservation ?? null})
  if (!found) checkSaysSomething(answer)
  return found
}

/** The parameters of the paths to one reservation. */
export function parametersOf(reference: string): {parameters: {reservation_ref: string}} {
  return {parameters: {reservation_ref: reference}}
}
