/** Tours as their commands ask for them and print them. */
import type {FoundTour} from '../../../api/operations/tours.js'
import {compareAmounts} from '../../../contract/money.js'
import {fold} from '../../input/match.js'
import {missing} from '../../input/usage-errors.js'
import type {Connection} from '../../session/connect.js'
import {type Column, columnsOf, headLine, type Result} from '../../terminal/result.js'
import {shownOf} from '../../terminal/values.js'
import {cityText} from './city-names.js'
import {warningUnless} from './content.js'
import {AMOUNT_COLUMNS, amountOf, inOrder, isAffordable, PRICE_COLUMN} from './narrow.js'

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

export const TOUR_COLUMNS: readonly Column<FoundTour>[] = [
  ...columnsOf<FoundTour>(['tour_id']),
  ...columnsOf<FoundTour>(['name'], {isMain: true}),
  {name: 'duration', value: tour => durationText(tour.duration_minutes)},
  PRICE_COLUMN,
  ...columnsOf<FoundTour>(['rating', 'tags'], {isMinor: true}),
  ...columnsOf<FoundTour>(['city', 'country_code', 'review_count', 'duration_minutes']),
  ...AMOUNT_COLUMNS,
  ...columnsOf<FoundTour>(['short_description']),
]

function durationText(minutes: number | null): string | null {
  if (minutes === null) return null
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
  return [hours > 0 ? `${hours}h` : '', rest > 0 || hours === 0 ? `${rest}min` : ''].filter(Boolean).join(' ')
}

/** The flags as typed: the city may be a name. */
export type TypedTours = Omit<TourFlags, 'city'> & {readonly city?: number | string | undefined}

/** The flags without a default that are missing. */
export function absentIn({city, currency}: TypedTours): string[] {
  return [...(city ? [] : ['--city']), ...(currency ? [] : ['--currency'])]
}

/** Throws usage, Failure. */
export async function search(open: () => Promise<Connection>, flags: TourFlags): Promise<Result<FoundTour>> {
  const {city, date, currency} = flags
  if (!city || !currency) throw missing(absentIn(flags))
  const destination = {type: 'CITY' as const, id: city}
  const request = {destination, ...(date === undefined ? {} : {date}), currency}
  const {searchTours} = await import('../../../api/operations/tours.js')
  const connection = await open()
  const {items: found, isComplete} = await searchTours(connection.api, request)
  // A tour that does not say what matters is left out, or comes last.
  const kept = found.filter(tour => isWanted(tour, flags))
  const tours = (ORDERS[flags.sort ?? '']?.(kept) ?? kept).slice(0, flags.limit)
  const place = [cityText(city, connection, found[0]?.city ?? undefined), date].filter(Boolean).join(', ')
  return {
    document: {search: request, tours},
    items: tours,
    columns: TOUR_COLUMNS,
    lead: headLine(`${place}: ${shownOf(tours.length, found.length, 'tour')}`),
    shown: ['tour_id', 'name', 'duration', 'price', 'rating', 'tags'],
    whenEmpty:
      found.length > 0 ? `No tours match your filters (${found.length} found).` : 'No tours were found.',
    ...warningUnless(isComplete),
  }
}

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
    single: true,
  }
}

function isWanted(tour: FoundTour, {find = '', tag: tags = [], 'max-price': maxPrice}: TourFlags): boolean {
  const has = (tour.tags ?? []).map(fold)
  const texts = [tour.name ?? '', tour.short_description ?? '']
  return (
    isAffordable(tour, maxPrice) &&
    tags.every(tag => has.includes(fold(tag))) &&
    texts.some(text => fold(text).includes(fold(find)))
  )
}

const byNumber = (left: number, right: number) => left - right
const ORDERS: Readonly<Record<string, (tours: readonly FoundTour[]) => FoundTour[]>> = {
  price: inOrder<FoundTour, string>(amountOf, compareAmounts),
  rating: inOrder(({rating}) => rating && -rating, byNumber),
  duration: inOrder(tour => tour.duration_minutes, byNumber),
  name: inOrder(
    ({name}) => name,
    (left, right) => left.localeCompare(right, 'en'),
  ),
}

export const TOUR_SORTS = Object.keys(ORDERS)
