/** Tours as their commands ask for them and print them. */
import type {FoundTour} from '../../../api/operations/tours.js'
import {compareAmounts, isAmount} from '../../../contract/money.js'
import type {TourSearchRequest} from '../../../contract/tours.js'
import {fold} from '../../input/match.js'
import {missing} from '../../input/usage-errors.js'
import type {Connection} from '../../session/connect.js'
import type {Column, Result} from '../../terminal/result.js'
import {moneyText} from '../../terminal/values.js'
import {warningUnless} from './content.js'

export interface TourFlags {
  readonly city?: number | undefined
  readonly date?: string | undefined
  readonly currency?: string | undefined
  readonly find?: string | undefined
  readonly tag?: readonly string[] | undefined
  readonly 'max-price'?: string | undefined
  readonly sort?: string | undefined
  readonly limit?: number | undefined
}

/** Throws usage, naming every flag that is missing. */
export function readTourSearch(flags: TourFlags): {request: TourSearchRequest; wanted: TourNarrowing} {
  const {city, date, currency, tag, 'max-price': maxPrice} = flags
  if (!city || !currency) throw missing([...(city ? [] : ['--city']), ...(currency ? [] : ['--currency'])])
  return {
    request: {
      destination: {type: 'CITY', id: city},
      ...(date === undefined ? {} : {date}),
      currency,
    },
    wanted: {...flags, tags: tag, maxPrice},
  }
}

export const TOUR_COLUMNS: readonly Column<FoundTour>[] = [
  {name: 'tour_id', value: tour => tour.tour_id},
  {name: 'name', value: tour => tour.name},
  {name: 'duration', value: tour => durationText(tour.duration_minutes)},
  {
    name: 'price',
    value: ({price}) => price.total && moneyText({amount: price.total, currency: price.currency}),
  },
  {name: 'rating', value: tour => tour.rating},
  {name: 'tags', value: tour => tour.tags, isMinor: true},
  {name: 'city', value: tour => tour.city},
  {name: 'country_code', value: tour => tour.country_code},
  {name: 'review_count', value: tour => tour.review_count},
  {name: 'duration_minutes', value: tour => tour.duration_minutes},
  {name: 'total', value: tour => tour.price.total},
  {name: 'currency', value: tour => tour.price.currency},
  {name: 'short_description', value: tour => tour.short_description},
]

/** `2h 30min`. */
function durationText(minutes: number | null): string | null {
  if (minutes === null) return null
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
  return [hours > 0 ? `${hours}h` : '', rest > 0 || hours === 0 ? `${rest}min` : ''].filter(Boolean).join(' ')
}

/** Throws Failure. */
export async function search(
  {api}: Connection,
  {request, wanted}: ReturnType<typeof readTourSearch>,
): Promise<Result<FoundTour>> {
  const {searchTours} = await import('../../../api/operations/tours.js')
  const {items: found, isComplete} = await searchTours(api, request)
  const tours = narrowTours(found, wanted)
  return {
    document: {search: request, tours},
    items: tours,
    columns: TOUR_COLUMNS,
    shown: ['tour_id', 'name', 'duration', 'price', 'rating', 'tags'],
    id: tour => tour.tour_id,
    whenEmpty: found.length > 0 ? 'No tour is left after narrowing.' : 'No tours were found.',
    ...warningUnless(isComplete),
  }
}

/** Throws Failure. */
export async function show({api}: Connection, tourId: string): Promise<Result<FoundTour>> {
  const {showTour} = await import('../../../api/operations/tours.js')
  const tour = await showTour(api, tourId)
  return {
    document: {tour},
    items: [tour],
    columns: TOUR_COLUMNS,
    shown: TOUR_COLUMNS.map(({name}) => name).filter(
      name => !['duration_minutes', 'total', 'currency'].includes(name),
    ),
    id: () => tour.tour_id,
    single: true,
  }
}

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
function narrowTours(tours: readonly FoundTour[], wanted: TourNarrowing): FoundTour[] {
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
