/** What an offer says about itself, wherever the service puts it. What is not found is null; nothing is guessed. */

import {isObject} from '../../contract/json.js'
import {type Node, textOf} from '../../contract/json-walk.js'
import {type FoundPrice, priceOf} from './offer-price.js'
import {type Role, type View, viewsOn} from './offer-scope.js'
import type {OfferNode} from './offers.js'

export interface OfferFacts {
  readonly hotel_name: string | null
  readonly stars: number | null
  readonly room_name: string | null
  /** The board's code when there is one (`BB`), else its name. */
  readonly board: string | null
  readonly price: FoundPrice
  readonly refundable: boolean | null
  /** As the service wrote it. */
  readonly free_cancellation_until: string | null
  /** Unix seconds on the service's clock. */
  readonly expiry: number | null
}

const HOTEL_NAME = ['hotel_name', 'property_name', 'accommodation_name', 'hotel', 'property', 'accommodation']
const ANY_NAME = ['name', 'title', 'display_name', 'label']
const STARS = [
  'stars',
  'star_rating',
  'hotel_stars',
  'star_category',
  'category_stars',
  'hotel_category',
  'star',
]
const STARS_OF_HOTEL = ['category_code', 'category_name', 'category', 'class', 'rating']
const ROOM_NAME = ['room_name', 'room_type_name', 'room_description', 'room_type', 'room']
const ROOM_KIND = ['type', 'category', 'code']
const BOARD = [
  'board_code',
  'board',
  'board_basis',
  'board_type',
  'meal_plan',
  'meal_code',
  'meal',
  'meal_type',
]
const BOARD_NAME = ['board_name', 'meal_name', 'meal_plan_name']
const REFUNDABLE = ['refundable', 'is_refundable', 'fully_refundable', 'refundable_tag', 'free_cancellation']
const NOT_REFUNDABLE = ['non_refundable', 'is_non_refundable', 'nonrefundable']
const FREE_UNTIL = [
  'free_cancellation_until',
  'free_cancellation_before',
  'free_cancellation_deadline',
  'free_cancellation_date',
  'last_free_cancellation_date',
  'free_cancel_until',
  'refundable_until',
  'cancellation_deadline',
]
const EXPIRY = [
  'expires_at',
  'expires_on',
  'expiry',
  'expiration',
  'expiry_date',
  'expiration_date',
  'valid_until',
  'expires',
]

/** The facts of one offer, gathered from every place that names it, the first place first. */
export function factsOf(offer: OfferNode): OfferFacts {
  const [first, ...others] = [offer.node, ...offer.repeats.slice(0, 3)].map(node => factsAt(offer, node))
  return others.reduce(fillGaps, first as OfferFacts)
}

function factsAt(offer: OfferNode, node: Node): OfferFacts {
  const views = viewsOn(offer, node)
  const {hotel_name, room_name} = namesIn(views)
  return {
    hotel_name,
    stars: findStars(views),
    room_name,
    board: findBoard(views),
    price: priceOf(offer, node),
    refundable: findRefundable(views),
    free_cancellation_until: findIn(views, FREE_UNTIL, dateText) ?? null,
    // What lies inside an offer may expire for itself (a payment link), so only the offer and what is around it count.
    expiry:
      findIn(
        views.filter(({place}) => place !== 'inside'),
        EXPIRY,
        instant,
      ) ?? null,
  }
}

function fillGaps(facts: OfferFacts, more: OfferFacts): OfferFacts {
  const merged = Object.entries(facts).map(([key, value]) => [key, value ?? more[key as keyof OfferFacts]])
  return {...Object.fromEntries(merged), price: facts.price.total === null ? more.price : facts.price}
}

/** A bare `name` on the offer itself is the room's when the hotel is named elsewhere, else the hotel's. */
function namesIn(views: View[]): {hotel_name: string | null; room_name: string | null} {
  const [own, ...rest] = views as [View, ...View[]]
  const isHotel = ({role, isListItem}: View) => role === 'hotel' || isListItem
  const hotel = findIn(views, HOTEL_NAME, scalar) ?? findIn(views.filter(isHotel), ANY_NAME, scalar)
  const rooms = ofRole(rest, 'room')
  const room =
    findIn(views, ROOM_NAME, scalar) ??
    findIn(rooms, [...ANY_NAME, 'description', 'text'], scalar) ??
    findIn(rooms, ROOM_KIND, scalar)
  const bare = own.role === 'hotel' ? undefined : findIn([own], ANY_NAME, scalar)
  const isRoomName = hotel !== undefined || own.role === 'room' || own.role === 'rate'
  return {
    hotel_name: hotel ?? (isRoomName ? undefined : bare) ?? null,
    room_name: room ?? (isRoomName ? bare : undefined) ?? null,
  }
}

function findStars(views: View[]): number | null {
  const hotels = views.filter(({role, isListItem}) => role === 'hotel' || isListItem)
  return findIn(views, STARS, starCount) ?? findIn(hotels, STARS_OF_HOTEL, starCount) ?? null
}

function findBoard(views: View[]): string | null {
  for (const view of views) {
    const keys =
      view.role === 'board'
        ? [...BOARD, 'code', ...BOARD_NAME, ...ANY_NAME, 'type']
        : [...BOARD, ...BOARD_NAME]
    const found = findIn([view], keys, scalar)
    if (found !== undefined) return found
  }
  return null
}

function findRefundable(views: View[]): boolean | null {
  for (const view of views) {
    const yes = findIn([view], REFUNDABLE, truth)
    if (yes !== undefined) return yes
    const no = findIn([view], NOT_REFUNDABLE, truth)
    if (no !== undefined) return !no
  }
  return null
}

/** The first value that `read` understands: nearest view first, then in the order of `keys`. */
function findIn<T>(views: readonly View[], keys: readonly string[], read: (value: unknown) => T | undefined) {
  for (const {fields, role} of views) {
    if (role === 'elsewhere') continue
    for (const key of keys) {
      const value = read(fields.get(key))
      if (value !== undefined) return value
    }
  }
  return undefined
}

function ofRole(views: readonly View[], role: Role): View[] {
  return views.filter(view => view.role === role)
}

function scalar(value: unknown): string | undefined {
  // Names in several languages: the first will do.
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
  if (typeof value !== 'string') return undefined
  const word = value.trim().toLowerCase()
  if (['true', 'yes', 'rfn', 'refundable'].includes(word)) return true
  if (['false', 'no', 'nrfn', 'non_refundable', 'non-refundable', 'nonrefundable'].includes(word))
    return false
  return undefined
}

function dateText(value: unknown): string | undefined {
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}/.test(value) ? value : undefined
}

/** Unix seconds of a timestamp with an offset, or of a number of seconds or milliseconds. */
function instant(value: unknown): number | undefined {
  if (typeof value === 'number') return value > 1e12 ? value / 1000 : value > 1e9 ? value : undefined
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}T.*(Z|[+-]\d{2}:?\d{2})$/i.test(value))
    return undefined
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : at / 1000
}
