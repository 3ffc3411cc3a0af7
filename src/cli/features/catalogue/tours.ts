/** Searches and shows tours. */
import * as Flags from '@oclif/core/flags'
import type * as Interfaces from '@oclif/core/interfaces'
import {type FoundTour, searchTours, showTour} from '../../../api/operations/tours.js'
import {MOST_LISTED} from '../../../contract/limits.js'
import {DATE_FORMS} from '../../input/dates.js'
import {comingDayFlag, maximumFlag} from '../../input/flags.js'
import {fold} from '../../input/match.js'
import {missing} from '../../input/usage-errors.js'
import type {Connection} from '../../session/connect.js'
import {type Column, columnsOf, type Result} from '../../terminal/result.js'
import {cityFlag, cityText, pricesFlag} from './city-search.js'
import {warningUnless} from './content.js'
import {AMOUNT_COLUMNS, countOf, filterAndSort, PRICE_COLUMN, warningOfCurrencies} from './filters.js'

export const tourFlags = {
  ...cityFlag,
  date: comingDayFlag({helpValue: 'DATE', summary: `only tours on this day: ${DATE_FORMS}`}),
  ...pricesFlag,
  tag: Flags.string({
    helpValue: 'WORD',
    multiple: true,
    summary: 'only tours with this tag, for example food (repeatable)',
  }),
  find: Flags.string({helpValue: 'TEXT', summary: 'only tours whose name or description contains TEXT'}),
  'max-price': maximumFlag({
    helpValue: 'AMOUNT',
    summary: 'maximum price, such as 450 or "450 EUR" (default currency: that of the search)',
  }),
  sort: Flags.string({
    options: ['price', 'rating', 'duration', 'name'],
    summary: 'order: cheapest, best rated, shortest, or by name first',
  }),
  limit: Flags.integer({helpValue: 'N', min: 1, max: MOST_LISTED, summary: 'maximum number of tours'}),
}

export type TourFlags = Omit<Interfaces.InferredFlags<typeof tourFlags>, 'city'> & {city: number | undefined}

export const NEEDED = [['--city'], ['--currency']]

export const TOUR_COLUMNS: readonly Column<FoundTour>[] = [
  ...columnsOf<FoundTour>(['tour_id']),
  ...columnsOf<FoundTour>(['name'], {isMain: true}),
  {
    name: 'duration',
    value: ({duration_minutes: minutes}) => {
      if (minutes === null) return null
      const hours = Math.floor(minutes / 60)
      const rest = minutes % 60
      return [hours > 0 ? `${hours}h` : '', rest > 0 || hours === 0 ? `${rest}min` : '']
        .filter(Boolean)
        .join(' ')
    },
  },
  PRICE_COLUMN,
  ...columnsOf<FoundTour>(['rating', 'tags'], {isMinor: true}),
  ...columnsOf<FoundTour>(['city', 'country_code', 'review_count', 'duration_minutes']),
  ...AMOUNT_COLUMNS,
  ...columnsOf<FoundTour>(['short_description']),
]

/**
 * Searches tours, then filters and sorts them. Throws a usage error if a flag is missing, and a Failure if the search
 * fails.
 */
export async function search(connection: Connection, flags: TourFlags): Promise<Result<FoundTour>> {
  const {city, date, currency, find = '', tag: tags = []} = flags
  if (!city || !currency) throw missing(NEEDED.flat())
  const destination = {type: 'CITY' as const, id: city}
  const request = {destination, ...(date === undefined ? {} : {date}), currency}
  const {items: found, isComplete} = await searchTours(connection.api, request)
  // A tour without the value is left out by a filter, and sorted last.
  const kept = found.filter(({name, short_description, tags: given}) => {
    const has = (given ?? []).map(fold)
    const texts = [name ?? '', short_description ?? '']
    return tags.every(tag => has.includes(fold(tag))) && texts.some(text => fold(text).includes(fold(find)))
  })
  const tours = filterAndSort(kept, flags, {
    rating: ({rating}) => rating && -rating,
    duration: tour => tour.duration_minutes,
    name: ({name}) => name,
  })
  const incomplete = warningUnless(isComplete).warning ?? []
  const warnings = [incomplete, warningOfCurrencies('tour', found, flags)].flat()
  const place = [cityText(city, connection, found[0]?.city ?? undefined), date].filter(Boolean).join(', ')
  return {
    document: {search: request, tours},
    items: tours,
    columns: TOUR_COLUMNS,
    shown: ['tour_id', 'name', 'duration', 'price', 'rating', 'tags'],
    ...countOf('tour', tours, found, place),
    ...(warnings.length > 0 && {warning: warnings}),
  }
}

export async function show({api}: Connection, tourId: string): Promise<Result<FoundTour>> {
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
