/**
 * Lists, shows, updates and cancels reservations, from answers of any shape (§4.9 shows none). cli/session/own-paths.ts
 * decides whether these operations may be called. A 2xx answer may still report `{"status": "REJECTED"}`, so the words
 * in the answer decide whether a change was made.
 */
import {Failure} from '../../contract/failure.js'
import {sanitizeLine} from '../../contract/foreign-text.js'
import {breadthFirst, fieldsOf, isObject, type JsonObject, type Node, snakeCase} from '../../contract/json.js'
import type {ReservationUpdate} from '../../contract/reservations.js'
import {type Booking, refuseAnother, reservationIn} from '../answers/asked.js'
import {asWord, findNamed, textIn} from '../answers/facts.js'
import {holdsNo, notUnderstood, outcomeUnknown, reportsError} from '../answers/refusals.js'
import {outermostReservations, type ReadReservation} from '../answers/reservations.js'
import {costIn} from '../answers/terms-and-fees.js'
import {CHANGE, RESERVATION} from '../answers/vocabulary.js'
import type {Answer, Api, CallOptions} from '../types.js'
import {eachPage, findEntries, nextText, readNext, readPages} from './lists.js'

export interface ListWish extends Pick<CallOptions, 'query'> {
  /** The `next` of an earlier page, to continue after that page. */
  readonly after?: string | undefined
  /** Maximum number of reservations (default: one page of the service's own length). */
  readonly limit?: number | undefined
  readonly all?: boolean | undefined
}

/**
 * Returns reservations in the service's order, each once. `next` is the value for `--after`, `?` if there are more but
 * no usable link to them, or null at the end. Throws a Failure, with the code `list_incomplete` if `all` is set but
 * some cannot be requested.
 */
export async function listReservations(api: Api, {query, after, limit, all}: ListWish) {
  const {items, next} = await readPages(api, 'reservations.list', {
    ...READING,
    query: query ?? {},
    after: readNext(after),
    wanted: all ? Number.POSITIVE_INFINITY : (limit ?? 'page'),
  })
  if (all && next !== undefined) {
    const hint =
      'without --all those it gives are listed; narrow with --status, --created-from or --created-to'
    throw listIncomplete(items.length, hint)
  }
  return {reservations: items, next: next === undefined ? null : nextText(next)}
}

/**
 * Yields all reservations of the list page by page, each once, so that 100,000 of them need not be in memory. Throws a
 * Failure, with the code `list_incomplete` if some cannot be requested.
 */
export async function* eachReservation(
  api: Api,
  query: NonNullable<CallOptions['query']>,
): AsyncGenerator<readonly ReadReservation[], void> {
  const wanted = Number.POSITIVE_INFINITY
  let count = 0
  let isWhole = false
  const pages = eachPage(api, 'reservations.list', {...READING, ...MANY, query, wanted})
  for await (const {items, next} of pages) {
    count += items.length
    isWhole = next === undefined
    yield items
  }
  if (!isWhole) throw listIncomplete(count, 'narrow it, for example by the time of booking')
}

/**
 * Limits for `eachReservation`, enough for 1,000,000 reservations from a service that sends 50 per page. A page of 100
 * takes a few megabytes while it is read. Not in the interface.
 */
const MANY = {mostPages: 20_000, pageSize: 100} as const

const READING = {
  readPage(answer: Answer) {
    const items = outermostReservations(answer.json)
    if (items.length === 0 && (findEntries(answer.json)?.length ?? 1) > 0)
      throw holdsNo(answer, 'list of reservations')
    return {items, count: items.length}
  },
  idOf: (each: ReadReservation) => each.reservation_ref,
}

function listIncomplete(count: number, hint: string): Failure {
  const message = `the service reports more reservations than the ${count} it gave, and no way to ask for them works`
  return new Failure('service_failed', message, {code: 'list_incomplete', hint})
}

/**
 * Returns one reservation. `booking` has the other ids that this machine knows for it, if any. Throws a Failure if the
 * call fails or the answer is about another reservation.
 */
export async function showReservation(
  api: Api,
  reference: string,
  {booking = {}, timeoutSeconds}: {booking?: Booking; timeoutSeconds?: number | undefined} = {},
): Promise<ReadReservation> {
  const policy = timeoutSeconds === undefined ? {} : {timeoutSeconds: Math.max(1, timeoutSeconds)}
  const answer = await api.call('reservations.show', {parameters: {reservation_ref: reference}, policy})
  const found = reservationIn(answer, reference)
  refuseAnother(answer, booking)
  if (found) return found
  throw holdsNo(answer, 'reservation')
}

/**
 * Changes the contact or the guests of a reservation. The request is sent once. Returns the reservation, or null if the
 * answer has none. Throws a Failure, of kind `outcome_unknown` if the change may have been made.
 */
export async function updateReservation(api: Api, reference: string, update: ReservationUpdate) {
  const answer = await api.call('reservations.update', {
    parameters: {reservation_ref: reference},
    body: update,
  })
  const found = reservationIn(answer, reference, true) ?? null
  const reservation = found?.reservation ?? null
  const denial = wordsOutside(answer.json, reservation).find(word => DENIAL.test(word))
  if (denial !== undefined) throw mayNotBeDone(answer, denial, {reservation})
  if (!found) checkSaysSomething(answer)
  return found
}

/**
 * Returns what cancelling costs now. Throws a Failure if the call fails or the answer does not state exactly one fee.
 */
export async function quoteCancellation(api: Api, reference: string) {
  const answer = await api.call('reservations.quote', {parameters: {reservation_ref: reference}})
  reservationIn(answer, reference)
  const {fee, refund, unclear} = costIn(answer.json)
  if (fee) return {fee, refund}
  throw notUnderstood(answer, unclear ?? 'it names no fee for the cancellation')
}

/**
 * Cancels a reservation. The request is sent once. `outcome` is the state that the service reports, in lower case, or
 * `accepted`. `reservation` is the service's own object, or null. Throws a Failure, of kind `outcome_unknown` if the
 * reservation may have been cancelled.
 */
export async function cancelReservation(api: Api, reference: string, body: {reason?: string}) {
  const answer = await api.call('reservations.cancel', {parameters: {reservation_ref: reference}, body})
  const reservation = reservationIn(answer, reference, true)?.reservation ?? null
  const {fee, refund} = costIn(answer.json)
  return {outcome: outcomeIn(answer, reservation), reservation, fee, refund}
}

/**
 * Returns the state that the answer reports. Throws a Failure of kind `outcome_unknown` if a word in the answer denies
 * the cancellation.
 */
function outcomeIn(answer: Answer, reservation: JsonObject | null): string {
  const own = reservation ? wordsIn(reservation, CHANGE.cancelled) : []
  const words = [...own, ...wordsOutside(answer.json, reservation, CHANGE.cancelled)]
  const telling = words.filter(word => !TAKEN.test(word))
  const doubtful = telling.find(word => !isCancelled(word) && !ON_ITS_WAY.test(word))
  if (doubtful !== undefined) throw mayNotBeDone(answer, doubtful, {outcome: doubtful, reservation})
  if (words.length === 0 && !reservation) checkSaysSomething(answer)
  return telling.find(word => ON_ITS_WAY.test(word)) ?? telling[0] ?? 'accepted'
}

/** Reports whether a state means that the reservation is cancelled. `not_cancelled` and the like do not. */
export function isCancelled(word: string): boolean {
  return /^((fully_)?cancell?ed(_(by|with|without|for)_\w+)?|cancellation_(confirmed|completed?|done|accepted)|void(ed)?|annulled)$/i.test(
    word.trim(),
  )
}

/** Matches words that deny the change. */
const DENIAL =
  /^(not|un|in)_|^no$|unable|invalid|unsuccess|reject|refus|fail|den(y|ied)|declin|error|impossible/
/** Matches words that only say that the request was accepted. */
const TAKEN = /^(ok|success(ful(ly)?)?|succeeded|accepted|done|completed?|processed|true|0|1|2\d\d)$/
/** Matches words for a cancellation that is accepted but not complete. */
const ON_ITS_WAY =
  /^((cancell?(ation|ing)?_)?(pending|requested|in_progress|processing|queued|received|submitted|scheduled)(_cancell?(ation)?)?|cancelling|canceling)$/

/** Returns the state of a reservation as one word, such as `not_cancelled`, or undefined if it has none. */
export function stateOf(reservation: JsonObject): string | undefined {
  const state = textIn(fieldsOf(reservation), RESERVATION.state)
  return state === null ? undefined : asWord(state)
}

/**
 * Returns the state words outside `reservation`, outermost first. `done` are the names of flags that say whether the
 * change was made.
 */
function wordsOutside(json: unknown, reservation: JsonObject | null, done: readonly string[] = []): string[] {
  const isOther = ({value, key}: Node) => value === reservation || CHANGE.ofOthers.test(snakeCase(key))
  return [...breadthFirst(json, isOther)].flatMap(({value}) => wordsIn(value, done))
}

function wordsIn(value: JsonObject, done: readonly string[] = []): string[] {
  const fields = fieldsOf(value)
  const texts = CHANGE.state.flatMap(name => {
    const value = fields.get(name)
    return isObject(value) || Array.isArray(value) ? [] : (textIn(fields, [name]) ?? [])
  })
  const denied = [...CHANGE.taken, ...done]
    .filter(name => fields.get(name) === false)
    .map(name => `not_${name}`)
  const agreed = done.filter(name => fields.get(name) === true)
  return [
    ...(reportsError(value) ? ['error'] : []),
    ...denied,
    ...texts.map(asWord),
    ...agreed.map(name => name.replace(/^is_/, '')),
  ]
}

/**
 * Throws a Failure if the body of a 2xx answer says nothing about the change, as in `{"data": null}`. An empty body is
 * accepted.
 */
function checkSaysSomething(answer: Answer): void {
  const {json} = answer
  if (json === undefined || findNamed(json, 'reservation')) return
  if (isObject(json)) {
    const isAccepted =
      CHANGE.taken.some(name => json[name] === true) || wordsIn(json).some(word => TAKEN.test(word))
    if (isAccepted || Object.keys(json).length === 0) return
  }
  throw mayNotBeDone(answer, 'nothing of the change', {reservation: null})
}

/**
 * Returns the Failure for a 2xx answer that does not confirm the change. `result` has additional keys for the JSON
 * document.
 */
function mayNotBeDone(answer: Answer, word: string, result: object): Failure {
  const what = `status ${answer.status}, and says ${sanitizeLine(word, 60)}: it may not have been done`
  return outcomeUnknown(answer, what, {result})
}
