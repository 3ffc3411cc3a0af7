/** Tours as their commands ask for them and print them. */
import type {FoundTour} from '../../../api/operations/tours.js'
import type {TourSearchRequest} from '../../../contract/tours.js'
import {missing} from '../../input/mistakes.js'
import type {Connection} from '../../session/connect.js'
import {moneyText} from '../../terminal/money-text.js'
import type {Column, Result} from '../../terminal/result.js'
import {warningUnless} from './content.js'
import {narrowTours, type TourNarrowing} from './narrow-tours.js'

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
