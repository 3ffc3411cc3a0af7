/** An error answer in words for a person: the message, else the code, and the facts that say what to change. */

import {isObject, type JsonObject, own} from '../../contract/json.js'
import {textOf} from '../../contract/json-walk.js'
import type {Answer} from '../types.js'
import {describeError, quoted} from './error-shapes.js'

const MAX_DETAILS = 3
const MAX_DETAIL_LENGTH = 200
const MAX_FACT_LENGTH = 80

/** What the service says of its refusal, sanitised, at most some 1300 characters; undefined when it says nothing. */
export function wordsOf(answer: Answer): string | undefined {
  const {code, message} = describeError(answer, answer.json)
  const said = message ?? (code === `http_${answer.status}` ? undefined : code)
  const facts = factsIn(answer).filter(fact => !said?.includes(fact))
  if (facts.length === 0) return said
  return said === undefined ? facts.join('; ') : `${said} (${facts.join('; ')})`
}

/** The fields of the request that the answer complains about, as it names them, at most a few. */
export function fieldsIn(answer: Answer): string[] {
  return complaintsIn(answer)
    .map(complaint => complaint.split(': ', 1)[0] ?? '')
    .filter(field => /^[\w./[\]-]{1,80}$/.test(field))
}

function factsIn(answer: Answer): string[] {
  const places = placesIn(answer)
  const reference = firstText(places, ['reservation_ref', 'reservationRef'], answer)
  return [
    ...complaintsIn(answer),
    ...(reference === undefined ? [] : [`reservation ${reference}`]),
    ...pairOf(answer, places, ['needed', 'required'], ['available', 'balance'], ['needed', 'available']),
    ...pairOf(
      answer,
      places,
      ['old', 'old_price', 'oldPrice'],
      ['new', 'new_price', 'newPrice'],
      ['was', 'now'],
    ),
  ]
}

/** Where an answer may say more: in its error, and beside it. */
function placesIn({json}: Answer): JsonObject[] {
  const body = isObject(json) ? json : {}
  const error = own(body, 'error')
  return isObject(error) ? [error, body] : [body]
}

function complaintsIn(answer: Answer): string[] {
  const details = placesIn(answer).flatMap(place =>
    ['details', 'errors', 'fields'].flatMap(key => detailsIn(own(place, key), answer)),
  )
  return [...new Set(details.slice(0, MAX_DETAILS))]
}

/** `field: message` of each item in a list, or of each entry in an object of fields. */
function detailsIn(value: unknown, answer: Answer): string[] {
  if (Array.isArray(value))
    return value
      .filter(isObject)
      .slice(0, MAX_DETAILS + 1)
      .flatMap(item => detailOf(item, answer))
  if (!isObject(value)) return []
  return Object.entries(value)
    .slice(0, MAX_DETAILS)
    .flatMap(([field, inner]) => {
      const problem = textOf(...(Array.isArray(inner) ? inner : [inner]))
      return problem === undefined ? [] : [quoted(`${field}: ${problem}`, MAX_DETAIL_LENGTH, answer)]
    })
}

function detailOf(item: JsonObject, answer: Answer): string[] {
  const field = textOf(...['field', 'path', 'pointer', 'param', 'property'].map(key => own(item, key)))
  const problem = textOf(...['message', 'detail', 'description', 'reason', 'code'].map(key => own(item, key)))
  if (field === undefined || problem === undefined) return []
  return [quoted(`${field}: ${problem}`, MAX_DETAIL_LENGTH, answer)]
}

/** Two amounts that explain each other, with their currency: `needed 5.00, available 1.00 EUR`. */
function pairOf(
  answer: Answer,
  places: readonly JsonObject[],
  first: readonly string[],
  second: readonly string[],
  [firstWord, secondWord]: readonly [string, string],
): string[] {
  const [one, other] = [firstText(places, first, answer), firstText(places, second, answer)]
  if (one === undefined || other === undefined) return []
  const currency = firstText(places, ['currency'], answer)
  return [`${firstWord} ${one}, ${secondWord} ${other}${currency === undefined ? '' : ` ${currency}`}`]
}

/** The text under one of `keys`, or the amount of a price that stands there. */
function firstText(
  places: readonly JsonObject[],
  keys: readonly string[],
  answer: Answer,
): string | undefined {
  for (const place of places) {
    const values = keys.map(key => own(place, key))
    const found = textOf(...values, ...values.filter(isObject).flatMap(value => [value.total, value.amount]))
    if (found !== undefined) return quoted(found, MAX_FACT_LENGTH, answer)
  }
  return undefined
}
