/** Sorting and narrowing the tours of a search, on this machine. */
import type {FoundTour} from '../../../api/operations/tours.js'
import {compareAmounts, isAmount} from '../../../contract/money.js'
import {fold} from '../../input/fold.js'

export interface TourNarrowing {
  readonly find?: string | undefined
  /** All of them must be among the tour's. */
  readonly tags?: readonly string[] | undefined
  readonly maxPrice?: string | undefined
  readonly sort?: string | undefined
  readonly limit?: number | undefined
}

export const TOUR_SORTS = ['price', 'rating', 'duration', 'name']

/** The tours wanted, in the order wanted. A tour that does not say what matters is left out, or comes last. */
export function narrowTours(tours: readonly FoundTour[], wanted: TourNarrowing): FoundTour[] {
  const kept = tours.filter(tour => isWanted(tour, wanted))
  const order = wanted.sort === undefined ? undefined : ORDERS[wanted.sort]
  return (order ? kept.sort(order) : kept).slice(0, wanted.limit)
}

function isWanted(tour: FoundTour, {find, tags = [], maxPrice}: TourNarrowing): boolean {
  const has = (tour.tags ?? []).map(fold)
  if (!tags.every(tag => has.includes(fold(tag)))) return false
  const total = amountOf(tour)
  if (maxPrice !== undefined && (total === null || compareAmounts(total, maxPrice) > 0)) return false
  if (find === undefined) return true
  return [tour.name, tour.short_description].some(text => text !== null && fold(text).includes(fold(find)))
}

function amountOf({price: {total}}: FoundTour): string | null {
  return total !== null && isAmount(total) ? total : null
}

const ORDERS: Readonly<Record<string, (left: FoundTour, right: FoundTour) => number>> = {
  price: (left, right) => nullsLast(amountOf(left), amountOf(right), compareAmounts),
  rating: (left, right) => nullsLast(left.rating, right.rating, (a, b) => b - a),
  duration: (left, right) => nullsLast(left.duration_minutes, right.duration_minutes, (a, b) => a - b),
  name: (left, right) => nullsLast(left.name, right.name, (a, b) => a.localeCompare(b, 'en')),
}

function nullsLast<T>(left: T | null, right: T | null, compare: (left: T, right: T) => number): number {
  if (left === null || right === null) return Number(left === null) - Number(right === null)
  return compare(left, right)
}
