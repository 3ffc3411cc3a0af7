/** An error answer in words for a person: the message, else the code, and the facts that say what to change. */
import {sanitizeLine} from '../contract/foreign-text.js'
import type {Answer, SentAnswer} from './api.js'
import {describeError} from './error-shapes.js'
import {isObject, type JsonObject, own, textOf} from './json-walk.js'
import {createRedactor} from './redact.js'

const MAX_DETAILS = 3
const MAX_DETAIL_LENGTH = 200
const MAX_FACT_LENGTH = 80

/** What the service says of its refusal, sanitised, at most some 1300 characters; undefined when it says nothing. */
export function wordsOf(answer: Answer): string | undefined {
  const words = factsAndMessage(answer)
  return words === undefined ? undefined : withoutSecrets(words, answer)
}

/** `text` of the answer without what it may echo: the secrets sent, and whatever looks like one or like a person. */
export function withoutSecrets(text: string, {secrets = []}: SentAnswer): string {
  const redactor = createRedactor()
  for (const secret of secrets) redactor.add(secret)
  return redactor.text(text)
}

function factsAndMessage(answer: Answer): string | undefined {
  const {code, message} = describeError(answer, answer.json)
  const said = message ?? (code === `http_${answer.status}` ? undefined : code)
  const facts = factsIn(answer.json).filter(fact => !said?.includes(fact))
  if (facts.length === 0) return said
  return said === undefined ? facts.join('; ') : `${said} (${facts.join('; ')})`
}

function factsIn(json: unknown): string[] {
  const body = isObject(json) ? json : {}
  const error = own(body, 'error')
  const places = isObject(error) ? [error, body] : [body]
  const details = places.flatMap(place =>
    ['details', 'errors', 'fields'].flatMap(key => detailsIn(own(place, key))),
  )
  const reference = firstText(places, ['reservation_ref', 'reservationRef'])
  return [
    ...new Set(details.slice(0, MAX_DETAILS)),
    ...(reference === undefined ? [] : [`reservation ${reference}`]),
    ...pairOf(places, ['needed', 'required'], ['available', 'balance'], ['needed', 'available']),
    ...pairOf(places, ['old', 'old_price', 'oldPrice'], ['new', 'new_price', 'newPrice'], ['was', 'now']),
  ]
}

/** `field: message` of each item in a list, or of each entry in an object of fields. */
function detailsIn(value: unknown): string[] {
  if (Array.isArray(value))
    return value
      .filter(isObject)
      .slice(0, MAX_DETAILS + 1)
      .flatMap(detailOf)
  if (!isObject(value)) return []
  return Object.entries(value)
    .slice(0, MAX_DETAILS)
    .flatMap(([field, inner]) => {
      const problem = textOf(...(Array.isArray(inner) ? inner : [inner]))
      return problem === undefined ? [] : [sanitizeLine(`${field}: ${problem}`, MAX_DETAIL_LENGTH)]
    })
}

function detailOf(item: JsonObject): string[] {
  const field = textOf(...['field', 'path', 'pointer', 'param', 'property'].map(key => own(item, key)))
  const problem = textOf(...['message', 'detail', 'description', 'reason', 'code'].map(key => own(item, key)))
  if (field === undefined || problem === undefined) return []
  return [sanitizeLine(`${field}: ${problem}`, MAX_DETAIL_LENGTH)]
}

/** Two amounts that explain each other, with their currency: `needed 5.00, available 1.00 EUR`. */
function pairOf(
  places: readonly JsonObject[],
  first: readonly string[],
  second: readonly string[],
  [firstWord, secondWord]: readonly [string, string],
): string[] {
  const [one, other] = [firstText(places, first), firstText(places, second)]
  if (one === undefined || other === undefined) return []
  const currency = firstText(places, ['currency'])
  return [`${firstWord} ${one}, ${secondWord} ${other}${currency === undefined ? '' : ` ${currency}`}`]
}

/** The text under one of `keys`, or the amount of a price that stands there. */
function firstText(places: readonly JsonObject[], keys: readonly string[]): string | undefined {
  for (const place of places) {
    const values = keys.map(key => own(place, key))
    const found = textOf(...values, ...values.filter(isObject).flatMap(value => [value.total, value.amount]))
    if (found !== undefined) return sanitizeLine(found, MAX_FACT_LENGTH)
  }
  return undefined
}
