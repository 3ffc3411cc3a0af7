/**
 * Listing, detail and update of reservations (§4.9 names them and shows none), from answers of any shape. Whether such a
 * path may be called at all is decided by cli/session/own-paths.ts.
 */
import {Failure} from '../../contract/failure.js'
import type {ReservationUpdate} from '../../contract/reservations.js'
import {type Booking, refuseAnother, reservationIn} from '../answers/asked.js'
import {holdsNo} from '../answers/refusals.js'
import {outermostReservations, type ReadReservation} from '../answers/reservations.js'
import type {Answer, Api} from '../types.js'
import {checkSaysSomething, isDenial, mayNotBeDone, wordsBeside} from './change.js'
import {findEntries, readPages} from './lists.js'
import {nextText, readNext} from './paging.js'

export interface ListWish {
  readonly clientReference?: string | undefined
  readonly status?: string | undefined
  /** A date, or a timestamp with an offset. */
  readonly createdFrom?: string | undefined
  readonly createdTo?: string | undefined
  /** The `next` of an earlier page. */
  readonly after?: string | undefined
  /** Maximum number of results (default: one page, as long as the service makes it). */
  readonly limit?: number | undefined
  readonly all?: boolean | undefined
}

export interface FoundReservations {
  readonly reservations: readonly ReadReservation[]
  /** Asks for those after these; `?` when there are more and no working way to them; null when there are no more. */
  readonly next: string | null
}

/** Reservations, in the service's order, each once. Throws Failure: `list_incomplete` where `all` is not possible. */
export async function listReservations(api: Api, wish: ListWish): Promise<FoundReservations> {
  const readPage = (answer: Answer) => {
    const items = reservationsIn(answer)
    return {items, count: items.length}
  }
  const query = {
    client_reference_id: wish.clientReference,
    status: wish.status,
    created_from: wish.createdFrom,
    created_to: wish.createdTo,
  }
  const {items, next} = await readPages(
    api,
    'reservations.list',
    {readPage, idOf: each => each.reservation_ref},
    {query},
    {
      after: readNext(wish.after),
      wanted: wish.all ? Number.POSITIVE_INFINITY : (wish.limit ?? 'page'),
      sendsLimit: true,
    },
  )
  if (wish.all && next !== undefined) throw incomplete(items.length)
  return {reservations: items, next: next === undefined ? null : nextText(next)}
}

function incomplete(count: number): Failure {
  const message = `the service reports more reservations than the ${count} it gave, and no way to ask for them works`
  const hint = 'without --all those it gives are listed; narrow with --status, --created-from or --created-to'
  return new Failure('service_failed', message, {code: 'list_incomplete', hint})
}

/** Throws Failure when there is no list. */
function reservationsIn(answer: Answer): ReadReservation[] {
  const found = outermostReservations(answer.json)
  if (found.length === 0 && (findEntries(answer.json)?.length ?? 1) > 0) {
    throw holdsNo(answer, 'list of reservations')
  }
  return found
}

/** One reservation. `booking`: what else it is known by here. Throws Failure, also when the answer is about another one. */
export async function showReservation(
  api: Api,
  reference: string,
  {booking = {}, timeoutSeconds}: {booking?: Booking; timeoutSeconds?: number} = {},
): Promise<ReadReservation> {
  const policy = timeoutSeconds === undefined ? {} : {timeoutSeconds: Math.max(1, timeoutSeconds)}
  const answer = await api.call('reservations.show', {...parametersOf(reference), policy})
  const found = reservationIn(answer, reference)
  refuseAnother(answer, booking)
  if (found) return found
  throw holdsNo(answer, 'reservation')
}

/**
 * Changes contact or guests; sent once. Returns the reservation as it is now, or null when the answer is empty. Throws
 * Failure: `outcome_unknown` when it may have been changed.
 */
export async function updateReservation(
  api: Api,
  reference: string,
  update: ReservationUpdate,
): Promise<ReadReservation | null> {
  const answer = await api.call('reservations.update', {...parametersOf(reference), body: update})
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
