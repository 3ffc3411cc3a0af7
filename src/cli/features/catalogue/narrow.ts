/** Sorting and narrowing the offers of a search, on this machine. */
import type {FoundOffer} from '../../../api/operations/hotels.js'
import {compareAmounts, isAmount} from '../../../contract/money.js'

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
  const sorted = order ? order(kept) : kept
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

/** What an order looks at, read once for each offer. Null comes last. */
interface Order<Key> {
  readonly keyOf: (offer: FoundOffer) => Key | null
  readonly compare: (left: Key, right: Key) => number
}

const ORDERS: Readonly<Record<string, (offers: readonly FoundOffer[]) => FoundOffer[]>> = {
  price: inOrder({keyOf: amountOf, compare: compareAmounts}),
  stars: inOrder({keyOf: offer => offer.stars, compare: (left, right) => right - left}),
  // Made when it is asked for: a collator takes longer to make than most commands take.
  name: offers =>
    inOrder({keyOf: offer => offer.hotel_name, compare: new Intl.Collator('en').compare})(offers),
}

function inOrder<Key>({keyOf, compare}: Order<Key>) {
  return (offers: readonly FoundOffer[]): FoundOffer[] =>
    offers
      .map(offer => ({offer, key: keyOf(offer)}))
      .sort(({key: left}, {key: right}) =>
        left === null || right === null
          ? Number(left === null) - Number(right === null)
          : compare(left, right),
      )
      .map(({offer}) => offer)
}
