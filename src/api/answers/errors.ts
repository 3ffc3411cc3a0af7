/** Why an answer refuses (§7 shows no shape). Every quote passes through `quoted`: a service may echo what it was sent. */
import {Failure} from '../../contract/failure.js'
import {type Fields, fieldsOf, firstObject} from '../../contract/field-names.js'
import {parseUrl, sanitizeLine} from '../../contract/foreign-text.js'
import {firstText, isObject, type JsonObject, own, parseJson, textOf} from '../../contract/json.js'
import {createRedactor, type Redactor} from '../redact/redact.js'
import type {Answer, SentAnswer, WireAnswer} from '../types.js'
import {textIn} from './facts.js'
import {ERROR} from './vocabulary.js'

/** The secrets of the request, or a redactor that knows them. */
type EchoOf = {readonly secrets?: readonly string[]; readonly redactor?: Redactor}
type EchoingAnswer = WireAnswer & EchoOf

/** Characters to quote of each; not in the interface. */
const QUOTE_LIMITS = {code: 80, message: 500, body: 200, detail: 200, fact: 80, id: 100} as const
const MOST_DETAILS = 3
/** Far more than is quoted, because a secret must be whole to be recognised. */
const MOST_BYTES_READ = 16_384

/** What an error answer says, sanitised; never throws. */
export function describeError(answer: EchoingAnswer) {
  const json = parseJson(answer.body)
  const [error, first, body] = errorPlaces(json)
  const bare = isObject(json) ? own(json, 'error') : undefined
  const code = textOf(error.get('code'), bare) ?? textIn(first, ERROR.codeInList) ?? textIn(body, ERROR.code)
  const message =
    textOf(error.get('message'), body.get('error_description')) ??
    textIn(first, ERROR.message) ??
    textIn(body, ERROR.message)
  return {
    /** The service's own word; `http_<status>` when it gives none. */
    code: code === null ? `http_${answer.status}` : quotedCode(code, answer),
    message: message === null ? undefined : quoted(message, QUOTE_LIMITS.message, answer),
    requestId: requestIdOf(answer),
  }
}

/** The places of a reason: the error, the first of the errors, and the body around them. */
function errorPlaces(json: unknown): [error: Fields, first: Fields, body: Fields] {
  const body = fieldsOf(isObject(json) ? json : {})
  const errors = body.get('errors')
  const first = Array.isArray(errors) ? errors[0] : undefined
  const firstFields = fieldsOf(typeof first === 'string' ? {message: first} : (firstObject(first) ?? {}))
  return [fieldsOf(firstObject(body.get('error')) ?? {}), firstFields, body]
}

/** The request id an answer carries, in its header or its body; sanitised. */
export function requestIdOf(answer: EchoingAnswer): string | undefined {
  const [error, first, body] = errorPlaces(parseJson(answer.body))
  const places = [body, error, fieldsOf(firstObject(body.get('meta')) ?? {}), first]
  const id = firstText([answer.headers['x-request-id'], ...places.map(place => place.get('request_id'))])
  return id === undefined ? undefined : quoted(id, QUOTE_LIMITS.id, answer)
}

/** The answer with its JSON and request id read. */
export function readAnswer(answer: SentAnswer): Answer {
  return {...answer, json: parseJson(answer.body), requestId: requestIdOf(answer)}
}

/** The beginning of a body that could not be read, sanitised, at most 200 characters; undefined when it is empty. */
export function quoteBody(answer: EchoingAnswer): string | undefined {
  const text = new TextDecoder().decode(answer.body.subarray(0, MOST_BYTES_READ))
  const line = quoted(text.replace(/\s+/g, ' ').trim(), QUOTE_LIMITS.body, answer)
  return line === '' ? undefined : line
}

/** `text` of the answer, redacted, sanitised and then cut, so that no half of a secret is left. */
export function quoted(text: string, maxLength: number, answer: EchoOf): string {
  return sanitizeLine(redactorOf(answer).text(text), maxLength)
}

/** As `quoted`, for an http address: its origin and path are shown, the values of its query never. */
export function quotedUrl(url: string, answer: EchoOf, maxLength: number = QUOTE_LIMITS.body) {
  return sanitizeLine(redactorOf(answer).url(url, true), maxLength)
}

const redactorOf = ({secrets, redactor}: EchoOf): Redactor => redactor ?? createRedactor(secrets)

/** A code may be the address of a page about it (RFC 9457), whose path says which it is. */
function quotedCode(code: string, answer: EchoOf): string {
  const isAddress = /^https?:/i.test(code) && parseUrl(code) !== undefined
  return isAddress ? quotedUrl(code, answer, QUOTE_LIMITS.code) : quoted(code, QUOTE_LIMITS.code, answer)
}

/** The reason for people: the message, else the code, and what to change; sanitised, at most some 1300 characters. */
export function wordsOf(answer: Answer): string | undefined {
  const {code, message} = describeError(answer)
  const words = message ?? (code === `http_${answer.status}` ? undefined : code)
  const facts = factsIn(answer).filter(fact => !words?.includes(fact))
  if (facts.length === 0) return words
  return words === undefined ? facts.join('; ') : `${words} (${facts.join('; ')})`
}

/** The fields of the request that the answer complains about, as it names them, at most a few. */
export function fieldsIn(answer: Answer): string[] {
  return complaintsIn(answer)
    .map(complaint => complaint.split(': ', 1)[0] ?? '')
    .filter(field => /^[\w./[\]-]{1,80}$/.test(field))
}

function factsIn(answer: Answer): string[] {
  const [error, , body] = errorPlaces(answer.json)
  /** The text under one of the names, or the amount of a price there. */
  const fact = (names: readonly string[]) => {
    const values = [error, body].flatMap(place => names.map(name => place.get(name)))
    const text = firstText(values.flatMap(value => (isObject(value) ? [value.total, value.amount] : [value])))
    return text === undefined ? undefined : quoted(text, QUOTE_LIMITS.fact, answer)
  }
  const reference = fact(['reservation_ref'])
  const currency = fact(['currency'])
  const unit = currency === undefined ? '' : ` ${currency}`
  const [needed, available] = [fact(ERROR.needed), fact(ERROR.available)]
  const [was, now] = [fact(ERROR.old), fact(ERROR.new)]
  const facts = [
    reference && `reservation ${reference}`,
    needed && available && `needed ${needed}, available ${available}${unit}`,
    was && now && `was ${was}, now ${now}${unit}`,
  ]
  return [...complaintsIn(answer), ...facts.flatMap(text => text ?? [])]
}

function complaintsIn(answer: Answer): string[] {
  const [error, , body] = errorPlaces(answer.json)
  const details = [error, body].flatMap(place => ERROR.details.flatMap(name => detailsIn(place.get(name))))
  const complaints = details
    .slice(0, MOST_DETAILS)
    .map(([field, problem]) => quoted(`${field}: ${problem}`, QUOTE_LIMITS.detail, answer))
  return [...new Set(complaints)]
}

/** Field and message of the first items in a list, or of the first entries in an object of fields. */
function detailsIn(value: unknown): [field: string, problem: string][] {
  const found: [string, string][] = []
  const items = Array.isArray(value) ? value : Object.entries(isObject(value) ? value : {})
  for (const item of items) {
    const [field, problem] = Array.isArray(value) ? detailIn(item) : [item[0], firstText([item[1]].flat())]
    if (typeof field === 'string' && typeof problem === 'string') found.push([field, problem])
    if (found.length === MOST_DETAILS) break
  }
  return found
}

function detailIn(item: unknown) {
  const fields = fieldsOf(isObject(item) ? item : {})
  return [textIn(fields, ERROR.field), textIn(fields, ERROR.problem)]
}

/** The Failure of a 2xx answer whose body reports an error, `{"success": false}`, and holds no content. */
export function errorInAnswer(answer: Answer): Failure | undefined {
  const {json, status, requestId} = answer
  if (!isObject(json)) return undefined
  if (!reportsError(json)) return undefined
  const facts = Object.entries(json).filter(([name]) => name === 'data' || !ERROR.aboutAnswer.test(name))
  if (facts.some(([, value]) => says(value))) return undefined
  const {code} = describeError(answer)
  const words = wordsOf(answer) ?? 'without saying why'
  return new Failure('service_failed', `the service answered ${status} with an error: ${words}`, {
    code: code === `http_${status}` ? 'error_in_answer' : code,
    status,
    requestId,
  })
}

/** Whether an object of a 2xx answer reports that it failed: then what else it says need not be true. */
export function reportsError(value: JsonObject): boolean {
  const fields = fieldsOf(value)
  return [...fields].some(([name, said]) =>
    ERROR.successFlags.includes(name)
      ? said === false
      : ERROR.report.test(name) && says(said) && !isNone(said),
  )
}

/** `error_code: "0"` reports nothing. */
function isNone(value: unknown): boolean {
  return typeof value === 'string' && /^\s*(0*|none|null|false|ok|success)\s*$/i.test(value)
}

/** `error: null`, `errors: []` and `error: false` report nothing. */
function says(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  if (isObject(value)) return Object.keys(value).length > 0
  return value !== undefined && value !== null && value !== '' && value !== false && value !== 0
}
