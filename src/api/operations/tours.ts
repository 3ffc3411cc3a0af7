/**
 * Searches and shows tours, from answers of any shape. §4.9 names the operations but shows no request or record, so those here
 * are bookctl's own.
 */
import {type Fields, fieldsOf, firstObject, isObject, type JsonObject} from '../../contract/json.js'
import type {TourSearchRequest} from '../../contract/records.js'
import {moneyIn} from '../answers/amounts.js'
import {recordAskedFor} from '../answers/asked.js'
import * as facts from '../answers/facts.js'
import {holdsNo} from '../answers/refusals.js'
import {CURRENCY, TOUR, TOUR_DETAILS} from '../answers/vocabulary.js'
import type {Api} from '../types.js'
import {readAll, type WholeList} from './lists.js'

type Names = readonly string[]

const READERS = {
  duration_minutes: minutesIn,
  price: lowestPriceIn,
  country_code: facts.codeIn,
  rating: facts.numberIn,
  review_count: facts.integerIn,
  tags: facts.wordsIn,
}

export type FoundTour = facts.Found<typeof TOUR, typeof READERS>

/** Searches tours. Finding none is a result, not an error. Throws a Failure if a call fails. */
export function searchTours(api: Api, request: TourSearchRequest): Promise<WholeList<FoundTour>> {
  return readAll(api, 'tours.search', ({value, key}) => readTour(value, key), 'tour_id', request)
}

/** Returns one tour. Throws a Failure if the call fails or the answer is about another tour. */
export async function showTour(api: Api, tourId: string): Promise<FoundTour> {
  const answer = await api.call('tours.show', {parameters: {tour_id: tourId}})
  const tour = readTour(recordAskedFor(answer, 'tour', tourId))
  if (!tour) throw holdsNo(answer, 'tour')
  return tour
}

function readTour(value: JsonObject, key?: string): FoundTour | undefined {
  const tour = facts.readRecord(value, TOUR, READERS)
  const tour_id = tour.tour_id ?? key ?? null
  return tour_id === null && tour.name === null ? undefined : {...tour, tour_id}
}

/**
 * Returns the lowest price, even from nested objects such as `{"pricing": {"from": {"value": 10, "currency": "EUR"}}}`.
 */
function lowestPriceIn(fields: Fields, names: Names): {total: string | null; currency: string | null} {
  const found =
    moneyIn(fields, names) ??
    facts.factIn(fields, TOUR_DETAILS.prices, value => {
      const inside = firstObject(value)
      return inside && moneyIn(fieldsOf(inside), TOUR_DETAILS.lowestPrice)
    })
  return {total: found?.amount ?? null, currency: found && (found.currency ?? facts.codeIn(fields, CURRENCY))}
}

/**
 * Returns a duration in minutes, or null. A number is understood if the name of its field states the unit; a text
 * states the unit itself: `PT2H30M`, `2h 30m`, `90 min`.
 */
function minutesIn(fields: Fields, names: Names): number | null {
  const minutes = facts.numberIn(fields, names)
  if (minutes !== null) return minutes
  const hours = facts.numberIn(fields, TOUR_DETAILS.hours)
  if (hours !== null) return Math.round(hours * 60)
  const duration = fields.get('duration')
  if (isObject(duration)) return minutesIn(fieldsOf(duration), names)
  const pattern = /^\s*(?:PT)?(?:(\d+)\s*h(?:ours?|rs?)?)?[\s,]*(?:(\d+)\s*m(?:in(?:ute)?s?)?)?\s*$/i
  const [, wholeHours, rest] = pattern.exec(String(duration ?? '')) ?? []
  if (wholeHours === undefined && rest === undefined) return null
  return Number(wholeHours ?? 0) * 60 + Number(rest ?? 0)
}
