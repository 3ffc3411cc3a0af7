/** Refuses an answer about a record other than the one requested. An answer that names no record is accepted. */
import {Failure} from '../../contract/failure.js'
import {sanitizeLine} from '../../contract/foreign-text.js'
import {OFFER_ID_PREFIX} from '../../contract/identifiers.js'
import {
  type Fields,
  fieldsOf,
  isObject,
  type JsonObject,
  type Node,
  outwards,
  snakeCase,
  textOf,
} from '../../contract/json.js'
import {quoted} from '../redact/redact.js'
import type {Answer} from '../types.js'
import {findNamed, unwrap} from './facts.js'
import {holdsNo} from './refusals.js'
import {outermostOf, outermostReservations, type PlacedReservation, readReservation} from './reservations.js'
import {BOOKING, ID, NOUNS} from './vocabulary.js'

export interface Asked {
  /** The kind of record in words, for the message and the error code: `reservation`, `client reference`. */
  readonly what: string
  readonly id: string
  /** Whether the request changes something. If it does, an answer about another record leaves the outcome unknown. */
  readonly changes?: boolean
}

/**
 * Returns the item of `found` with the requested id, or the first item if no item has any id. Returns undefined if
 * `found` is empty. If all ids differ from the requested one, throws a Failure: `outcome_unknown` after a change, else
 * `service_failed`.
 */
export function itemAskedFor<Item>(
  answer: Answer,
  asked: Asked,
  found: readonly Item[],
  idsOf: (item: Item) => readonly string[],
): Item | undefined {
  const own =
    found.find(item => idsOf(item).includes(asked.id)) ??
    found.find(item => idsOf(item).some(id => isSameId(id, asked.id)))
  if (own !== undefined) return own
  const [other] = found.flatMap(idsOf)
  if (other !== undefined) throw aboutAnother(answer, asked, other)
  return found[0]
}

/**
 * Reports whether two ids are the same. Services add spaces to ids, change their case or Unicode normalization, or send
 * digits as a number.
 */
function isSameId(left: string, right: string | number): boolean {
  if (typeof right === 'number') return /^\s*\d+\s*$/.test(left) && Number(left) === right
  const plain = (id: string) => id.normalize('NFC').trim().toLowerCase()
  return plain(left) === plain(right)
}

/**
 * Returns the Failure for an answer about the record `other`. Its code names the kind of record, such as `another_reservation`.
 */
function aboutAnother(answer: Answer, {what, id, changes = false}: Asked, other: string): Failure {
  const asked = sanitizeLine(id, 100)
  const unknown = changes ? `; what became of ${asked} is not known` : ''
  const message = `the service answered about another ${what}, ${quoted(other, 100, answer)} in place of ${asked}${unknown}`
  return new Failure(changes ? 'outcome_unknown' : 'service_failed', message, {
    code: `another_${what.replaceAll(' ', '_')}`,
    status: answer.status,
    requestId: answer.requestId,
  })
}

/**
 * Returns the ids under which `record` may have been requested. In the objects around the record only specific names count,
 * such as `property_id`, because a bare `id` there may belong to something else.
 */
export function idsOfRecord(json: unknown, record: JsonObject, what: keyof typeof NOUNS): string[] {
  const textsIn = (value: JsonObject, names: readonly string[]) =>
    names.flatMap(name => textOf(fieldsOf(value).get(name)) ?? [])
  const named = NOUNS[what].flatMap(noun => ID.own.map(name => `${noun}_${name}`))
  const around = [json, unwrap(json)].filter(isObject).flatMap(value => textsIn(value, named))
  const claims = [...textsIn(record, [...named, ...ID.own]), ...around]
  return claims.length === 0 ? [] : [...claims, ...textsIn(record, ID.others)]
}

/**
 * Returns the requested record without its envelope. A record without an id is accepted. Throws a Failure of kind
 * `service_failed` if the answer has no record, or a different one.
 */
export function recordAskedFor(answer: Answer, what: 'hotel' | 'tour', id: string): JsonObject {
  const record = findNamed(answer.json, what)
  if (!record) throw holdsNo(answer, what)
  itemAskedFor(answer, {what, id}, [record], value => idsOfRecord(answer.json, value, what))
  return record
}

/** The ids by which a partner recognises its booking (§2.4). */
export interface Booking {
  readonly client_reference_id?: string
  readonly offer_id?: string
}

type Difference = {readonly name: keyof Booking; readonly wanted: string; readonly answered: string}

/**
 * Finds the reservation in `json` that belongs to `booking`. A reservation with different ids belongs to another
 * booking; one without ids may belong to this one, because services need not repeat the request. Without a reservation
 * that has the ids, the result is `another` if one has different ids, or `unclear` if there are several.
 */
export function findAsked(json: unknown, booking: Booking) {
  // Reservations in fields such as `previous` or `related` are considered only if there are no others.
  const all = outermostOf(json)
  const isMentioned = ({key}: Node) => BOOKING.mentioned.test(snakeCase(key))
  const bookings = all.filter(({node}) => !outwards(node).some(isMentioned))
  const [first, ...others] = bookings.length > 0 ? bookings : all
  if (!first) return {kind: 'none' as const}
  const isFirst = ({found}: PlacedReservation) => isSameId(found.reservation_ref, first.found.reservation_ref)
  const isOnly = others.every(isFirst)
  const judged = [first, ...others].map(each => ({...each, ...compare(each.node, booking, isOnly)}))
  const refused = judged.find(({differences}) => differences.length > 0)
  const best = judged.find(({agrees, differences}) => agrees && differences.length === 0)
  if (!best && refused) return {kind: 'another' as const, differences: refused.differences}
  if (!best && !isOnly)
    return {kind: 'unclear' as const, references: judged.map(({found}) => found.reservation_ref)}
  const {found} = best ?? first
  // Fields next to the only reservation, such as the payment URL, belong to that reservation.
  return {kind: 'found' as const, found: (all.every(isFirst) && readReservation(json)) || found}
}

/**
 * Returns the requested reservation, or undefined if the answer has none. Throws a Failure if the answer has only other
 * reservations. `changes` says that the request changes something.
 */
export function reservationIn(answer: Answer, reference: string, changes = false) {
  const found = outermostReservations(answer.json)
  const asked = {what: 'reservation', id: reference, changes}
  const own = itemAskedFor(answer, asked, found, ({reservation_ref}) => [reservation_ref])
  // Fields next to the only reservation, such as the payment URL, belong to that reservation.
  return own && found.length === 1 ? readReservation(answer.json) : own
}

/** Throws a Failure of kind `service_failed` when the answer is about another booking. */
export function refuseAnother(answer: Answer, booking: Booking): void {
  const asked = findAsked(answer.json, booking)
  const [first] = asked.kind === 'another' ? asked.differences : []
  if (first) throw aboutAnother(answer, {what: inWords(first.name), id: first.wanted}, first.answered)
}

/** Turns `client_reference_id` into `client reference`. */
function inWords(name: keyof Booking): string {
  return name.replace(/_id$/, '').replace('_', ' ')
}

/** Describes the differences for a terminal: `client reference B in place of A, offer off_2 in place of off_1`. */
export function describeDifferences(differences: readonly Difference[], answer: Answer): string {
  const texts = differences.map(({name, wanted, answered}) => {
    return `${inWords(name)} ${quoted(answered, 100, answer)} in place of ${sanitizeLine(wanted, 128)}`
  })
  return texts.join(', ')
}

function compare(node: Node, booking: Booking, isOnly: boolean) {
  const differences: Difference[] = []
  let agrees = false
  const judge = (name: keyof Booking, answered: string | number | undefined) => {
    const wanted = booking[name]
    if (wanted === undefined || answered === undefined) return
    if (isSameId(wanted, answered)) agrees = true
    else differences.push({name, wanted, answered: String(answered)})
  }
  // The objects that may name the booking, nearest first: the reservation itself, then the objects around it if it is the only
  // one.
  const around = isOnly ? outwards(node.parent) : []
  const places = [...placesIn(node.value, 0), ...around.flatMap(({value}) => placesIn(value, MOST_DEPTH - 1))]
  const references = places.map(fields =>
    BOOKING.clientReference.map(name => fields.get(name)).find(each => textOf(each) !== undefined),
  )
  const nearest = references.findIndex(each => each !== undefined)
  const reference = references[nearest]
  judge('client_reference_id', typeof reference === 'number' ? reference : textOf(reference))
  // Once the client reference has matched, an offer id elsewhere in the answer may belong to something else, such as
  // another item of a cart.
  const speaking = agrees ? places.filter((_, at) => at === 0 || at === nearest) : places
  const isText = (id: unknown): id is string => typeof id === 'string' && id.trim() !== ''
  const offers = speaking.map(fields => {
    const offer = fields.get('offer')
    const inside = isObject(offer) ? fieldsOf(offer) : undefined
    // An offer id is a text (§2.3). Outside `offer_id`, only the prefix shows that a text is an offer id.
    const other = inside ? inside.get('id') : offer
    const named = [fields.get('offer_id'), inside?.get('offer_id')].find(isText)
    return named ?? (isText(other) && other.startsWith(OFFER_ID_PREFIX) ? other : undefined)
  })
  judge(
    'offer_id',
    offers.find(offer => offer !== undefined),
  )
  return {differences, agrees}
}

const MOST_DEPTH = 4

/** Returns the fields of an object, and of the objects inside it that describe the same booking. */
function placesIn(value: JsonObject, depth: number): Fields[] {
  const fields = fieldsOf(value)
  if (depth >= MOST_DEPTH) return [fields]
  const inner = [...fields].flatMap(([name, each]) =>
    BOOKING.parts.test(name) && isObject(each) ? placesIn(each, depth + 1) : [],
  )
  return [fields, ...inner]
}
