/** Sorting and narrowing the offers of a search, on this machine. */
import type {FoundOffer} from '../../api/hotels.js'
import {compareAmounts, isAmount} from '../../contract/money.js'

export interface Narrowing {
  readonly sort?: string | undefined
  readonly maxPrice?: string | undefined
  readonly refundable?: boolean | undefined
  readonly board?: string | undefined
  readonly limit?: number | undefined
}

/** The offers wanted, in the order wanted; the service's own order unless `sort` says otherwise. */
export function narrow(offers: readonly FoundOffer[], wanted: Narrowing): FoundOffer[] {
  const kept = offers.filter(offer => isWanted(offer, wanted))
  const order = wanted.sort === undefined ? undefined : ORDERS[wanted.sort]
  const sorted = order ? kept.sort(order) : kept
  return sorted.slice(0, wanted.limit)
}

export const SORTS = ['price', 'stars', 'name']

/** An offer whose price or terms are not known is left out where they matter. */
function isWanted(offer: FoundOffer, wanted: Narrowing): boolean {
  const total = amountOf(offer)
  if (wanted.maxPrice !== undefined && (total === null || compareAmounts(total, wanted.maxPrice) > 0))
    return false
  if (wanted.refundable && offer.refundable !== true) return false
  return wanted.board === undefined || hasBoard(offer.board, wanted.board)
}

function hasBoard(board: string | null, wanted: string): boolean {
  return board?.toLowerCase().includes(wanted.toLowerCase()) ?? false
}

function amountOf(offer: FoundOffer): string | null {
  const {total} = offer.price
  return total !== null && isAmount(total) ? total : null
}

const ORDERS: Readonly<Record<string, (left: FoundOffer, right: FoundOffer) => number>> = {
  price: (left, right) => nullsLast(amountOf(left), amountOf(right), compareAmounts),
  stars: (left, right) => nullsLast(left.stars, right.stars, (a, b) => b - a),
  name: (left, right) => nullsLast(left.hotel_name, right.hotel_name, (a, b) => a.localeCompare(b, 'en')),
}

function nullsLast<T>(left: T | null, right: T | null, compare: (left: T, right: T) => number): number {
  if (left === null || right === null) return Number(left === null) - Number(right === null)
  return compare(left, right)
}
