/**
 * Tour search and detail (scope tours:read; §4.9 names them and shows neither request nor record, so the request is
 * ours): tours under names of ours, whatever shape they come in; null where the answer does not say.
 */

import {createFieldReader, type Fields, firstObject} from '../../contract/field-names.js'
import {isObject, type JsonObject} from '../../contract/json.js'
import type {TourSearchRequest} from '../../contract/tours.js'
import {idsOfRecord, itemAskedFor} from '../answers/another.js'
import {codeIn, integerIn, type Money, moneyIn, numberIn, textIn} from '../answers/facts.js'
import {findNamed} from '../answers/record.js'
import {holdsNo} from '../answers/refusals.js'
import type {Api} from '../types.js'
import {readAll, type WholeList} from './lists.js'

export interface FoundTour {
  readonly tour_id: string | null
  readonly name: string | null
  readonly short_description: string | null
  readonly duration_minutes: number | null
  /** The least it costs. */
  readonly price: {readonly total: string | null; readonly currency: string | null}
  readonly city: string | null
  readonly country_code: string | null
  readonly rating: number | null
  readonly review_count: number | null
  readonly tags: readonly string[] | null
  /** The service's own object, untouched. */
  readonly raw: JsonObject
}

/** Searches tours. No tours is an outcome, not a failure. Throws Failure. */
export function searchTours(api: Api, request: TourSearchRequest): Promise<WholeList<FoundTour>> {
  const read = ({value, key}: {value: JsonObject; key: string | undefined}) => readTour(value, key)
  const idOf = ({tour_id, raw}: FoundTour) => tour_id ?? JSON.stringify(raw)
  return readAll(api, 'tours.search', {read, idOf}, {body: request})
}

const TOUR = ['tour', 'activity', 'product']

/** One tour. Throws Failure, also for another tour. */
export async function showTour(api: Api, tourId: string): Promise<FoundTour> {
  const answer = await api.call('tours.show', {parameters: {tour_id: tourId}})
  const record = findNamed(answer.json, 'tour')
  const tour = record && readTour(record, undefined)
  if (!tour) throw holdsNo(answer, 'tour')
  itemAskedFor(answer, {what: 'tour', id: tourId}, [tour], ({raw}) => idsOfRecord(answer.json, raw, TOUR))
  return tour
}

const PRICE = [
  'price_from',
  'from_price',
  'price',
  'starting_price',
  'total_price',
  'amount',
  'min_price',
  'pricing',
]
const fieldsOf = createFieldReader()

function readTour(value: JsonObject, key: string | undefined): FoundTour | undefined {
  const fields = fieldsOf(value)
  const tour_id =
    textIn(fields, ['tour_id', 'tour_code', 'activity_id', 'product_id', 'id', 'code']) ?? key ?? null
  const name = textIn(fields, ['name', 'tour_name', 'title', 'display_name', 'label'])
  if (tour_id === null && name === null) return undefined
  const price: Money | null = moneyIn(fields, PRICE) ?? leastIn(fields)
  return {
    tour_id,
    name,
    short_description: textIn(fields, ['short_description', 'summary', 'description', 'about']),
    duration_minutes: minutesIn(fields),
    price: {total: price?.amount ?? null, currency: price?.currency ?? null},
    city: textIn(fields, ['city', 'city_name', 'destination', 'location']),
    country_code: codeIn(fields, ['country_code', 'country']),
    rating: numberIn(fields, ['rating', 'average_rating', 'score', 'stars']),
    review_count: integerIn(fields, ['review_count', 'reviews_count', 'number_of_reviews', 'reviews']),
    tags: wordsIn(fields, ['tags', 'categories', 'themes', 'category']),
    raw: value,
  }
}

/** `{"pricing": {"from": {"value": 10, "currency": "EUR"}}}`. */
function leastIn(fields: Fields): Money | null {
  const inside = ['pricing', 'price', 'prices', 'rates']
    .map(name => firstObject(fields.get(name)))
    .filter(isObject)
  const names = [
    'from',
    'from_price',
    'price_from',
    'starting_from',
    'starting_at',
    'min',
    'minimum',
    'lowest',
  ]
  const found = inside.map(each => moneyIn(fieldsOf(each), names)).find(money => money !== null)
  return found ? {...found, currency: found.currency ?? codeIn(fields, ['currency', 'currency_code'])} : null
}

/** A number counts only where its name says of what; a text where it says itself: `PT2H30M`, `2h 30m`, `90 min`. */
function minutesIn(fields: Fields): number | null {
  const minutes = numberIn(fields, ['duration_minutes', 'duration_in_minutes', 'duration_mins', 'minutes'])
  if (minutes !== null) return minutes
  const hours = numberIn(fields, ['duration_hours', 'duration_in_hours', 'hours'])
  if (hours !== null) return Math.round(hours * 60)
  const told = fields.get('duration')
  if (isObject(told)) return minutesIn(fieldsOf(told))
  const match = /^\s*(?:PT)?(?:(\d+)\s*h(?:ours?|rs?)?)?[\s,]*(?:(\d+)\s*m(?:in(?:ute)?s?)?)?\s*$/i.exec(
    String(told ?? ''),
  )
  const [, wholeHours, rest] = match ?? []
  return wholeHours === undefined && rest === undefined
    ? null
    : Number(wholeHours ?? 0) * 60 + Number(rest ?? 0)
}

function wordsIn(fields: Fields, names: readonly string[]): string[] | null {
  for (const name of names) {
    const value = fields.get(name)
    if (typeof value === 'string' && value !== '') return [value]
    if (!Array.isArray(value)) continue
    return value.flatMap(item => textIn(new Map([['item', item]]), ['item']) ?? [])
  }
  return null
}
