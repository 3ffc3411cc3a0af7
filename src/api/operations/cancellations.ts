/**
 * Cancelling a reservation (§4.9 names it and shows neither quote nor answer): what it costs, and whether it was done,
 * which only the answer can say. Whether such a path may be called at all is decided by cli/session/own-paths.ts.
 */
import type {JsonObject} from '../../contract/json.js'
import {reservationIn} from '../answers/asked.js'
import type {Money} from '../answers/facts.js'
import {notUnderstood} from '../answers/refusals.js'
import {type CancellationCost, costIn} from '../answers/stated-fee.js'
import {CHANGE} from '../answers/vocabulary.js'
import type {Answer, Api} from '../types.js'
import {checkSaysSomething, isTaken, mayNotBeDone, wordsBeside, wordsIn} from './change.js'
import {parametersOf} from './reservations.js'

/** What cancelling now would cost. Throws Failure, also when the answer does not name exactly one fee. */
export async function quoteCancellation(
  api: Api,
  reference: string,
): Promise<CancellationCost & {fee: Money}> {
  const answer = await api.call('reservations.quote', parametersOf(reference))
  reservationIn(answer, reference)
  const {fee, refund, unclear} = costIn(answer.json)
  if (fee) return {fee, refund}
  throw notUnderstood(answer, unclear ?? 'it names no fee for the cancellation')
}

export interface Cancelled extends CancellationCost {
  /** The service's word for the state, in lower case; `accepted` when it gives none. */
  readonly outcome: string
  /** As the service sent it, if it did. */
  readonly reservation: JsonObject | null
}

/** Cancels; sent once. Throws Failure: `outcome_unknown` when it may or may not have been cancelled. */
export async function cancelReservation(
  api: Api,
  reference: string,
  body: {reason?: string},
): Promise<Cancelled> {
  const answer = await api.call('reservations.cancel', {...parametersOf(reference), body})
  const reservation = reservationIn(answer, reference, true)?.reservation ?? null
  const {fee, refund} = costIn(answer.json)
  return {outcome: outcomeIn(answer, reservation), reservation, fee, refund}
}

/** Throws Failure when any word of the answer says something else than that it is done, or will be. */
function outcomeIn(answer: Answer, reservation: JsonObject | null): string {
  const own = reservation ? wordsIn(reservation, CHANGE.cancelled) : []
  const words = [...own, ...wordsBeside(answer.json, reservation ?? undefined, CHANGE.cancelled)]
  const telling = words.filter(word => !isTaken(word))
  const doubtful = telling.find(word => !isCancelled(word) && !isOnItsWay(word))
  if (doubtful !== undefined) throw mayNotBeDone(answer, doubtful, {outcome: doubtful, reservation})
  if (words.length === 0 && !reservation) checkSaysSomething(answer)
  return telling.find(isOnItsWay) ?? telling[0] ?? 'accepted'
}

/** Whether a service that says this of a reservation has cancelled it; `not_cancelled` and the like are no such words. */
export function isCancelled(word: string): boolean {
  return /^((fully_)?cancell?ed(_(by|with|without|for)_\w+)?|cancellation_(confirmed|completed?|done|accepted)|void(ed)?|annulled)$/i.test(
    word.trim(),
  )
}

/** Whether it says that it will be cancelled. */
function isOnItsWay(word: string): boolean {
  return /^((cancell?(ation|ing)?_)?(pending|requested|in_progress|processing|queued|received|submitted|scheduled)(_cancell?(ation)?)?|cancelling|canceling)$/.test(
    word,
  )
}
