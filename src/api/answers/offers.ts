/** Finds the offers in an answer of any shape. Only `offer_id` is known from the interface (§2.3). */
import {
  type Fields,
  fieldsOf,
  firstObject,
  inDocumentOrder,
  isObject,
  type JsonObject,
  type Node,
  onceForEachName,
  own,
  snakeCase,
  textOf,
} from '../../contract/json.js'
import {agreed, type MoneyReading, type MoneyWay, priceIn} from './amounts.js'
import {factIn} from './facts.js'
import {ANY_NAME, DESCRIPTION, OFFER, PRICE, ROLES} from './vocabulary.js'

/** An offer and its position in the answer. */
export type OfferNode = ReturnType<typeof findOffers>[number]

/**
 * Returns each offer in document order: every object with a valid `offer_id`, under any name and at any depth. Each id is
 * returned once.
 */
export function findOffers(json: unknown) {
  /** For each offer id, the first object with it, which is taken as the offer, and the later ones. */
  const found = new Map<string, {node: Node; repeats: Node[]}>()
  // For each object, the only offer id in it or inside it, or null if there are several.
  const below = new Map<Node, string | null>()
  for (const node of inDocumentOrder(json)) {
    const offerId = offerIdOf(node.value)
    if (offerId === undefined) continue
    const seen = found.get(offerId)
    if (seen) seen.repeats.push(node)
    // An id with a slash or `..` could change the path of a request, and one with a space is ambiguous. Such an id is
    // not returned, but it still counts as an offer of its own.
    else if (!/[\s\p{C}/\\]|\.\./u.test(offerId)) found.set(offerId, {node, repeats: []})
    for (let around: Node | undefined = node; around; around = around.parent) {
      const other = below.get(around)
      if (other === undefined) below.set(around, offerId)
      else if (other !== offerId) below.set(around, null)
    }
  }
  /** Reports whether this is the only offer in or below `around`. If it is, the fields of `around` describe this offer. */
  const isAloneIn = (around: Node) => below.get(around) !== null
  return [...found].map(([offerId, {node, repeats}]) => ({offerId, node, repeats, isAloneIn}))
}

/** Returns the object's own `offer_id`, or undefined. */
function offerIdOf(value: JsonObject): string | undefined {
  const id = own(value, 'offer_id')
  return typeof id === 'string' && id !== '' ? id : undefined
}

const PRICES = [...PRICE.itself, ...PRICE.leads]

/** Returns the price in the offer itself, else the price in an object around it that contains no other offer. */
function priceOf(offer: OfferNode, node: Node): MoneyReading | null {
  const {itself, leads, currency} = PRICE
  const children = (value: unknown, name: string) => childrenOf(offer, value, name)
  const way = {inside: [...itself, 'value', ...leads], children, leads, currency}
  return priceIn(fieldsOf(node.value), PRICES, node, way) ?? priceAround(offer, node, way)
}

/**
 * Returns the objects in `value` that may contain the price, or undefined if one of them belongs to another offer. A
 * list counts only if it has one item, or if its items are alternatives.
 */
function childrenOf({offerId}: OfferNode, value: unknown, name: string): JsonObject[] | undefined {
  const isOne = !Array.isArray(value) || value.length === 1 || PRICE.alternatives.includes(name)
  const items = [value].flat()
  if (!isOne || items.length === 0 || !items.every(isObject)) return undefined
  if (items.some(item => (offerIdOf(item) ?? offerId) !== offerId)) return undefined
  if (name !== 'occupancy_pricing') return items
  // With prices for several occupancies (`{"2": …}`), none of them is the price of the whole offer.
  const [only, ...others] = items.flatMap(Object.values)
  return isObject(only) && others.length === 0 ? [only] : undefined
}

/**
 * Looks for the price in the objects around the offer. If the offer is in a list, a bare `total` outside the list is
 * the number of items, so only an object can be the price there.
 */
function priceAround(offer: OfferNode, node: Node, way: MoneyWay) {
  let crossedList = node.inArray
  for (let around = node.parent; around && offer.isAloneIn(around); around = around.parent) {
    const fields = fieldsOf(around.value)
    const objects = crossedList ? PRICE.objects.filter(name => isObject(fields.get(name))) : undefined
    const price = priceIn(fields, objects ?? PRICES, around, way)
    if (price !== null) return price
    crossedList ||= around.inArray
  }
  return null
}

/** The facts of an offer. A fact is null if it is missing, and so is a price that can be read in two ways. */
export type OfferFacts = ReturnType<typeof factsOf>

/** Maximum number of objects that are read for one offer. Not in the interface. */
const MOST_PLACES = 4

/** Returns the facts of one offer, merged from all objects with its id. The first object that has a fact wins. */
export function factsOf(offer: OfferNode) {
  const places = [offer.node, ...offer.repeats].slice(0, MOST_PLACES)
  const found = places.map(node => factsAt(offer, node))
  const merged = found.reduce((facts, more) => {
    const values = Object.entries(facts).map(([key, value]) => [
      key,
      value ?? more[key as keyof typeof facts],
    ])
    return Object.fromEntries(values) as typeof facts
  })
  const price = agreed(places.flatMap(node => priceOf(offer, node) ?? []))
  const known = price === 'unclear' ? null : price
  return {...merged, price: {total: known?.amount ?? null, currency: known?.currency ?? null}}
}

function factsAt(offer: OfferNode, node: Node) {
  const views = [...viewsOn(offer, node)].filter(({role}) => role !== 'elsewhere')
  const find = <T>(
    names: readonly string[],
    read: (value: unknown) => T | undefined,
    isMeant: (view: View) => boolean = () => true,
  ): T | null => {
    for (const view of views) {
      const found = isMeant(view) ? factIn(view.fields, names, read) : null
      if (found !== null) return found
    }
    return null
  }
  const of = (role: Role) => (view: View) => view.role === role
  // A bare `name` in the offer is the room's name if the hotel's name was found elsewhere, else the hotel's.
  const bare = find(ANY_NAME, nameText, view => view.place === 'own' && view.role !== 'hotel')
  const isRooms = roleOf(node.key) === 'room' || roleOf(node.key) === 'rate'
  const hotel = find(OFFER.hotelName, nameText) ?? find(ANY_NAME, nameText, of('hotel'))
  const room =
    find(OFFER.roomName, nameText) ??
    find(OFFER.roomText, nameText, of('room')) ??
    find(OFFER.roomKind, nameText, view => view.role === 'room' && view.place !== 'own')
  const notRefundable = find(OFFER.notRefundable, truth)
  return {
    hotel_id:
      find(OFFER.hotelId, value => textOf(value)) ??
      find(OFFER.idOfHotel, value => textOf(value), of('hotel')),
    hotel_name: hotel ?? (isRooms ? null : bare),
    stars: find(OFFER.stars, starCount) ?? find(OFFER.starsOfHotel, starCount, of('hotel')),
    room_name: room ?? (hotel !== null || isRooms ? bare : null),
    /** The code of the board (`BB`) if there is one, else its name. */
    board: find(OFFER.board, nameText) ?? find(OFFER.ofBoard, nameText, of('board')),
    /** `factsOf` fills this in, because all objects of the offer must agree on the price. */
    price: null,
    refundable: find(OFFER.refundable, truth) ?? (notRefundable === null ? null : !notRefundable),
    /** The date as the service wrote it. */
    free_cancellation_until: find(OFFER.freeUntil, dateText),
    /**
     * Unix seconds on the service's clock. Objects inside the offer are ignored, because a payment link, for example, has an
     * expiry of its own.
     */
    expiry: find(OFFER.expiry, instant, ({place}) => place !== 'inside'),
  }
}

type Role = keyof typeof ROLES | undefined

/** An object that describes an offer, what it describes, and where it is relative to the offer. */
type View = {readonly fields: Fields; readonly role: Role; readonly place: 'own' | 'inside' | 'around'}

const MOST_DEPTH_INSIDE = 5
const MOST_VIEWS_INSIDE = 80
/** An object with more fields than this is a map of many records, not one record. */
const MOST_FIELDS_AROUND = 200

const roleOf: (key: string) => Role = onceForEachName(key => {
  const name = snakeCase(key)
  return (Object.keys(ROLES) as (keyof typeof ROLES)[]).find(role => ROLES[role].test(name))
})

/**
 * Yields the objects that describe the offer, nearest first: the offer, the objects inside it, then those around it.
 * Skips objects of other offers.
 */
function* viewsOn(offer: OfferNode, node: Node): Generator<View> {
  const role = roleOf(node.key)
  yield {fields: fieldsOf(node.value), role, place: 'own'}
  yield* viewsInside(offer, node.value, role, 'inside')
  let from = node
  while (from.parent) {
    yield* viewsAround(offer, from.parent, from)
    from = from.parent
  }
}

/**
 * Yields an object around the offer, and the objects in it that describe the hotel. If it contains no other offer, all
 * objects in it count. An item of a list is taken to be a hotel unless its name says otherwise.
 */
function* viewsAround(offer: OfferNode, around: Node, from: Node): Generator<View> {
  const role = roleOf(around.key) ?? (around.inArray ? 'hotel' : undefined)
  const fields = fieldsOf(around.value)
  yield {fields, role, place: 'around'}
  if (fields.size > MOST_FIELDS_AROUND) return
  const isAlone = offer.isAloneIn(around) && !from.inArray
  for (const [key, value] of Object.entries(around.value)) {
    if (key === from.key || !isObject(value) || offerIdOf(value) !== undefined) continue
    const childRole = roleOf(key)
    if (childRole === 'elsewhere' || (childRole !== 'hotel' && role !== 'hotel' && !isAlone)) continue
    yield {fields: fieldsOf(value), role: childRole, place: 'around'}
    yield* viewsInside(offer, value, childRole, 'around')
  }
}

/** Yields the objects inside an object, outermost first: of a list only the first item, and nothing of other offers. */
function* viewsInside({offerId}: OfferNode, value: JsonObject, role: Role, place: View['place']) {
  let level: {value: JsonObject; role: Role}[] = [{value, role}]
  let count = 0
  for (let depth = 0; depth < MOST_DEPTH_INSIDE && level.length > 0; depth++) {
    level = level.flatMap(outer =>
      Object.entries(outer.value).flatMap(([key, inner]) => {
        const child = firstObject(inner)
        const own = roleOf(key) ?? (DESCRIPTION.test(snakeCase(key)) ? outer.role : undefined)
        const isOthers = !child || own === 'elsewhere' || (offerIdOf(child) ?? offerId) !== offerId
        return isOthers ? [] : [{value: child, role: own}]
      }),
    )
    for (const inner of level) {
      if (count++ >= MOST_VIEWS_INSIDE) return
      yield {fields: fieldsOf(inner.value), role: inner.role, place}
    }
  }
}

/** Reads a name. From an object it takes `content`, else English. */
function nameText(value: unknown): string | undefined {
  return textOf(value) ?? (isObject(value) ? textOf(value.content, value.en) : undefined)
}

function starCount(value: unknown): number | undefined {
  const text = textOf(value) ?? ''
  const [, digits] = /^\s*([0-7](?:\.[05]0*)?)\s*(?:\*|-?\s*est|-?\s*stars?|$)/i.exec(text) ?? []
  const stars = Number(digits ?? Number.NaN)
  return stars > 0 ? stars : undefined
}

function truth(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  const word = typeof value === 'string' ? value.trim().toLowerCase().replace('-', '_') : ''
  if (['true', 'yes', 'rfn', 'refundable'].includes(word)) return true
  return ['false', 'no', 'nrfn', 'non_refundable', 'nonrefundable'].includes(word) ? false : undefined
}

function dateText(value: unknown): string | undefined {
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}/.test(value) ? value : undefined
}

/** Returns the Unix seconds of a timestamp with an offset, or of a number of seconds or milliseconds. */
function instant(value: unknown): number | undefined {
  if (typeof value === 'number') {
    const seconds = value > 1e12 ? value / 1000 : value
    return seconds > 1e9 && seconds < 1e11 ? seconds : undefined
  }
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}T.*(Z|[+-]\d{2}:?\d{2})$/i.test(value))
    return undefined
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : at / 1000
}
