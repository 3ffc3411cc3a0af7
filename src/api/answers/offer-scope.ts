/**
 * The objects that speak about one offer, nearest first: the offer, what lies inside it, then what lies around it.
 * Other offers and what belongs to them are never among them.
 */
import {type Fields, firstObject, onceForEachName, snakeCase} from '../../contract/field-names.js'
import {isObject, type JsonObject} from '../../contract/json.js'
import type {Node} from '../../contract/json-walk.js'
import {type OfferNode, offerIdOf} from './offers.js'

/** What an object is about, told from the property it stands under. */
export type Role = 'hotel' | 'room' | 'board' | 'rate' | 'elsewhere' | 'unknown'

export interface View {
  readonly fields: Fields
  readonly role: Role
  readonly place: 'offer' | 'inside' | 'around'
  /** An item of a list, around the offer, of which nothing else is known: usually a hotel with its offers. */
  readonly isListItem: boolean
}

const ROLES: readonly (readonly [Role, RegExp])[] = [
  [
    'hotel',
    /^(hotels?|propert(y|ies)|accommodations?|lodgings?|establishments?)(_(info|details|data|list))?$/,
  ],
  ['room', /^(rooms?|units?)(_?(types?|info|details|data|list))?$/],
  ['board', /^(boards?|boarding|meals?)(_?(types?|plans?|basis|info))?$/],
  ['rate', /^(rates?|rate_plans?)$/],
  [
    'elsewhere',
    /^(cit(y|ies)|destinations?|regions?|countr(y|ies)|locations?|addresse?s?|areas?|suppliers?|providers?|chains?|brands?|search|query|request|criteria|meta|pagination|partner|account|contact|guests?|currenc(y|ies)|days?|images?|photos?|tax(es)?|fees?|due_at_property)$/,
  ],
]

const MAX_DEPTH_INSIDE = 5
const MAX_VIEWS_INSIDE = 80
/** An object with more fields is a collection under keys and no record. */
const MAX_FIELDS_AROUND = 200

export const roleOf: (key: string) => Role = onceForEachName(key => {
  const name = snakeCase(key)
  return ROLES.find(([, pattern]) => pattern.test(name))?.[0] ?? 'unknown'
})

/** All views on the offer, from one of the places that name it, nearest first. */
export function viewsOn(offer: OfferNode, node: Node): View[] {
  const own: View = {
    fields: offer.fieldsOf(node.value),
    role: roleOf(node.key),
    place: 'offer',
    isListItem: false,
  }
  const views = [own, ...viewsInside(offer, node.value, 'inside', own.role)]
  for (let around = node.parent, from = node; around; from = around, around = around.parent) {
    views.push(...viewsAround(offer, around, from))
  }
  return views
}

/**
 * An object around the offer, and what hangs on it: the hotel, what a hotel's record holds, and everything when the
 * offer is alone there.
 */
function viewsAround(offer: OfferNode, around: Node, from: Node): View[] {
  const role = roleOf(around.key)
  const isListItem = around.inArray && role === 'unknown'
  const fields = offer.fieldsOf(around.value)
  const views: View[] = [{fields, role, place: 'around', isListItem}]
  if (fields.size > MAX_FIELDS_AROUND) return views
  const isAlone = offer.isAloneIn(around) && !from.inArray
  for (const [key, value] of Object.entries(around.value)) {
    if (key === from.key || !isObject(value)) continue
    const childRole = roleOf(key)
    if (childRole !== 'hotel' && !isAlone && role !== 'hotel' && !isListItem) continue
    if (childRole === 'elsewhere' || offerIdOf(value) !== undefined) continue
    views.push({fields: offer.fieldsOf(value), role: childRole, place: 'around', isListItem: false})
    views.push(...viewsInside(offer, value, 'around', childRole))
  }
  return views
}

/** What lies inside an object, outermost first; of a list only its first item, and never another offer. */
function viewsInside(offer: OfferNode, value: JsonObject, place: View['place'], role: Role): View[] {
  const views: View[] = []
  let level: {value: JsonObject; role: Role}[] = [{value, role}]
  for (let depth = 0; depth < MAX_DEPTH_INSIDE && level.length > 0; depth++) {
    level = level.flatMap(outer => childrenOf(outer.value, outer.role, offer.offerId))
    for (const inner of level) {
      if (views.length >= MAX_VIEWS_INSIDE) return views
      views.push({fields: offer.fieldsOf(inner.value), role: inner.role, place, isListItem: false})
    }
  }
  return views
}

function childrenOf(value: JsonObject, role: Role, offerId: string): {value: JsonObject; role: Role}[] {
  const children: {value: JsonObject; role: Role}[] = []
  for (const [key, inner] of Object.entries(value)) {
    const child = firstObject(inner)
    const childRole = roleOf(key)
    if (!child || childRole === 'elsewhere' || (offerIdOf(child) ?? offerId) !== offerId) continue
    children.push({value: child, role: childRole === 'unknown' && isDescription(key) ? role : childRole})
  }
  return children
}

/** `room: {description: {text}}`: a description is about what it stands in. */
function isDescription(key: string): boolean {
  return /^(description|type_estimated|content|static|info|details)$/.test(snakeCase(key))
}
