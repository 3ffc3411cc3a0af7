/** Which booking an answer is about: an answer about another one is never believed. */

import {type Fields, fieldsOf, snakeCase} from '../../contract/field-names.js'
import {sanitizeLine} from '../../contract/foreign-text.js'
import {OFFER_ID_PREFIX} from '../../contract/identifiers.js'
import {isObject, type JsonObject} from '../../contract/json.js'
import {breadthFirst, inDocumentOrder, type Node, textOf} from '../../contract/json-walk.js'
import type {Answer} from '../types.js'
import {aboutAnother, isSameId, itemAskedFor} from './another.js'
import {quoted} from './error-shapes.js'
import {type ReadReservation, readReservation} from './shapes.js'

/** What a booking is known by before the service has named it (§2.4). */
export interface Booking {
  readonly client_reference_id?: string
  readonly offer_id?: string
}

/** What an answer says of one name of a booking, and what was asked about. */
export interface Difference {
  readonly name: keyof Booking
  readonly ours: string
  readonly theirs: string
}

export type Asked =
  | {readonly kind: 'found'; readonly found: ReadReservation}
  /** The answer is about another booking. */
  | {readonly kind: 'another'; readonly differences: readonly Difference[]}
  /** It names several reservations and does not say which one was asked about. */
  | {readonly kind: 'unclear'; readonly references: readonly string[]}
  /** It names no reservation at all. */
  | {readonly kind: 'none'}

/** Every object with a reference that lies in no other such object, in the order of the document. */
export function outermostReservations(json: unknown): ReadReservation[] {
  return outermost(inDocumentOrder(json)).map(({found}) => found)
}

interface Outermost {
  readonly node: Node
  readonly found: ReadReservation
}

function outermost(nodes: Iterable<Node>): Outermost[] {
  const inside = new Set<Node>()
  return [...nodes].flatMap(node => {
    if (node.parent && inside.has(node.parent)) {
      inside.add(node)
      return []
    }
    const found = hasReference(node) ? readReservation(node.value) : undefined
    if (!found) return []
    inside.add(node)
    return [{node, found}]
  })
}

function hasReference({value}: Node): boolean {
  return Object.hasOwn(value, 'reservation_ref') || Object.hasOwn(value, 'reservationRef')
}

/** Names under which services put a reservation that was there before, or is only mentioned. */
const MENTIONED =
  /(^|_)(old|older|previous|prior|former|original|existing|replace[sd]?|replacing|supersede[sd]?|conflicts?|conflicting|other|others|related|similar|recent|history)(_|$)/

/**
 * The reservation in `json` that is about `booking`. One that names a part of it otherwise is another; one that does not
 * name a part is believed in that, since no service has to repeat what it was asked. A silent one is not believed beside
 * one that names another booking, nor is the first of several.
 */
export function findAsked(json: unknown, booking: Booking): Asked {
  // Nearest to the top first: what lies there is what the answer is about.
  const all = outermost(breadthFirst(json))
  const made = all.filter(({node}) => !isMentioned(node))
  const [first, ...others] = made.length > 0 ? made : all
  if (!first) return {kind: 'none'}
  const isOnly = others.every(other => isSameReservation(other, first))
  const judged = [first, ...others].map(each => ({...each, ...compare(each, booking, isOnly)}))
  const refused = judged.find(({differences}) => differences.length > 0)
  const best = judged.find(({agrees, differences}) => agrees && differences.length === 0)
  if (!best && refused) return {kind: 'another', differences: refused.differences}
  if (!best && !isOnly) return {kind: 'unclear', references: judged.map(({found}) => found.reservation_ref)}
  const {found} = best ?? first
  // What stands beside a single one, such as where to pay, belongs to it.
  const isAlone = all.every(other => isSameReservation(other, first))
  return {kind: 'found', found: (isAlone && readReservation(json)) || found}
}

function isMentioned(node: Node): boolean {
  for (let at: Node | undefined = node; at; at = at.parent) if (MENTIONED.test(snakeCase(at.key))) return true
  return false
}

function isSameReservation(left: Outermost, right: Outermost): boolean {
  return isSameId(left.found.reservation_ref, right.found.reservation_ref)
}

/**
 * The reservation asked about; undefined where the answer names none. Throws Failure where it names only others, by
 * `changes` as `itemAskedFor` does.
 */
export function reservationIn(
  answer: Answer,
  reference: string,
  changes = false,
): ReadReservation | undefined {
  const found = outermostReservations(answer.json)
  const asked = {what: 'reservation', id: reference, changes}
  const own = itemAskedFor(answer, asked, found, ({reservation_ref}) => [reservation_ref])
  // What stands beside a single one, such as where to pay, belongs to it.
  return own && found.length === 1 ? readReservation(answer.json) : own
}

/** Throws Failure `service_failed` when the answer is about another booking. */
export function refuseAnother(answer: Answer, booking: Booking): void {
  const asked = findAsked(answer.json, booking)
  const [first] = asked.kind === 'another' ? asked.differences : []
  if (first) throw aboutAnother(answer, {what: WORDS[first.name], id: first.ours}, first.theirs)
}

const WORDS: Readonly<Record<keyof Booking, string>> = {
  client_reference_id: 'client reference',
  offer_id: 'offer',
}

/** `client reference B in place of A, offer off_2 in place of off_1`, fit for a terminal. */
export function describeDifferences(differences: readonly Difference[], answer: Answer): string {
  const one = ({name, ours, theirs}: Difference) =>
    `${WORDS[name]} ${quoted(theirs, 100, answer)} in place of ${sanitizeLine(ours, 128)}`
  return differences.map(one).join(', ')
}

type Named = string | number

function compare(
  {node}: Outermost,
  booking: Booking,
  isOnly: boolean,
): {differences: Difference[]; agrees: boolean} {
  const differences: Difference[] = []
  let agrees = false
  const judge = (name: keyof Booking, theirs: Named | undefined) => {
    const ours = booking[name]
    if (ours === undefined || theirs === undefined) return
    if (isSame(ours, theirs)) agrees = true
    else differences.push({name, ours, theirs: String(theirs)})
  }
  const places = placesOf(node, isOnly)
  const withReference = places.filter(fields => clientReferenceIn(fields) !== undefined).slice(0, 1)
  judge('client_reference_id', nearest(withReference, clientReferenceIn))
  // Of one that names our reference, an offer elsewhere may be another offer: of a cart, or one more to sell.
  judge('offer_id', nearest(agrees ? [...places.slice(0, 1), ...withReference] : places, offerIn))
  return {differences, agrees}
}

/** Objects inside a reservation, or beside it, that speak about it; any other may be about other bookings. */
const ABOUT_IT = /^(data|attributes|details|offer|booking|reservation|order|request|references?)$/
const MAX_DEPTH = 4

/** The objects that say which booking it is, nearest first: its own, then those around it where it is the only one. */
function placesOf(node: Node, isOnly: boolean): Fields[] {
  const places = inside(node.value, 0)
  for (let around = node.parent; around && isOnly; around = around.parent) {
    places.push(...inside(around.value, MAX_DEPTH - 1))
  }
  return places
}

function inside(value: JsonObject, depth: number): Fields[] {
  const fields = fieldsOf(value)
  if (depth >= MAX_DEPTH) return [fields]
  const inner = [...fields].flatMap(([name, each]) =>
    ABOUT_IT.test(name) && isObject(each) ? [{name, each}] : [],
  )
  return [fields, ...inner.flatMap(({each}) => inside(each, depth + 1))]
}

function nearest<T>(places: readonly Fields[], read: (fields: Fields) => T | undefined): T | undefined {
  for (const fields of places) {
    const found = read(fields)
    if (found !== undefined) return found
  }
  return undefined
}

function clientReferenceIn(fields: Fields): Named | undefined {
  return namedBy(fields.get('client_reference_id')) ?? namedBy(fields.get('client_reference'))
}

/**
 * A number is one of theirs, not an offer of §2.3; and under another name than `offer_id` only what has the prefix of one
 * is its id.
 */
function offerIn(fields: Fields): string | undefined {
  const offer = fields.get('offer')
  const inside = isObject(offer) ? fieldsOf(offer) : undefined
  const named = [fields.get('offer_id'), inside?.get('offer_id')].find(
    id => typeof id === 'string' && id.trim() !== '',
  )
  if (named !== undefined) return named as string
  const other = inside ? inside.get('id') : offer
  return typeof other === 'string' && other.startsWith(OFFER_ID_PREFIX) ? other : undefined
}

function namedBy(value: unknown): Named | undefined {
  return textOf(value) === undefined ? undefined : (value as Named)
}

/** As `isSameId`; services also write digits as a number, and compose letters with marks otherwise. */
function isSame(ours: string, theirs: Named): boolean {
  if (typeof theirs === 'number') return /^\s*\d+\s*$/.test(ours) && Number(ours) === theirs
  return isSameId(ours.normalize('NFC'), theirs.normalize('NFC'))
}
