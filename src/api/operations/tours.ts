/**
 * Tour search and detail (scope tours:read; §4.9 names them and shows neither request nor record, so the request is
 * ours): tours under names of ours, whatever shape they come in; null where the answer does not say.
 */

import {type Fields, fieldsOf, firstObject} from '../../contract/field-names.js'
import {isObject, type JsonObject} from '../../contract/json.js'
import type {TourSearchRequest} from '../../contract/tours.js'
import {idsOfRecord, itemAskedFor} from '../answers/asked.js'
import {
  codeIn,
  factIn,
  findNamed,
  integerIn,
  type Money,
  moneyIn,
  numberIn,
  textIn,
} from '../answers/facts.js'
import {holdsNo} from '../answers/refusals.js'
import {CURRENCY, TOUR} from '../answers/vocabulary.js'
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

const NOUNS = ['tour', 'activity', 'product']

/** One tour. Throws Failure, also for another tour. */
export async function showTour(api: Api, tourId: string): Promise<FoundTour> {
  const answer = await api.call('tours.show', {parameters: {tour_id: tourId}})
  const record = findNamed(answer.json, 'tour')
  const tour = record && readTour(record, undefined)
  if (!tour) throw holdsNo(answer, 'tour')
  itemAskedFor(answer, {what: 'tour', id: tourId}, [tour], ({raw}) => idsOfRecord(answer.json, raw, NOUNS))
  return tour
}

function readTour(value: JsonObject, key: string | undefined): FoundTour | undefined {
  const fields = fieldsOf(value)
  const tour_id = textIn(fields, TOUR.id) ?? key ?? null
  const name = textIn(fields, TOUR.name)
  if (tour_id === null && name === null) return undefined
  const price: Money | null = moneyIn(fields, TOUR.price) ?? leastIn(fields)
  return {
    tour_id,
    name,
    short_description: textIn(fields, TOUR.description),
    duration_minutes: minutesIn(fields),
    price: {total: price?.amount ?? null, currency: price?.currency ?? null},
    city: textIn(fields, TOUR.city),
    country_code: codeIn(fields, TOUR.country),
    rating: numberIn(fields, TOUR.rating),
    review_count: integerIn(fields, TOUR.reviewCount),
    tags: factIn(fields, TOUR.tags, wordsIn),
    raw: value,
  }
}

/** `{"pricing": {"from": {"value": 10, "currency": "EUR"}}}`. */
function leastIn(fields: Fields): Money | null {
  const found = factIn(fields, TOUR.prices, value => {
    const inside = firstObject(value)
    return inside && moneyIn(fieldsOf(inside), TOUR.leastPrice)
  })
  return found && {...found, currency: found.currency ?? codeIn(fields, CURRENCY)}
}

/** A number counts only where its name says of what; a text where it says itself: `PT2H30M`, `2h 30m`, `90 min`. */
function minutesIn(fields: Fields): number | null {
  const minutes = numberIn(fields, TOUR.minutes)
  if (minutes !== null) return minutes
  const hours = numberIn(fields, TOUR.hours)
  if (hours !== null) return Math.round(hours * 60)
  const duration = fields.get('duration')
  if (isObject(duration)) return minutesIn(fieldsOf(duration))
  const match = /^\s*(?:PT)?(?:(\d+)\s*h(?:ours?|rs?)?)?[\s,]*(?:(\d+)\s*m(?:in(?:ute)?s?)?)?\s*$/i.exec(
    String(duration ?? ''),
  )
  const [, wholeHours, rest] = match ?? []
  return wholeHours === undefined && rest === undefined
    ? null
    : Number(wholeHours ?? 0) * 60 + Number(rest ?? 0)
}

function wordsIn(value: unknown): string[] | undefined {
  if (typeof value === 'string' && value !== '') return [value]
  if (!Array.isArray(value)) return undefined
  return value.flatMap(item => textIn(new Map([['item', item]]), ['item']) ?? [])
}
