/**
 * Reads code, message and request id out of an error answer of any shape (§7 shows none). Whatever is quoted of an answer
 * goes through `quoted`, since a service may echo what it was sent.
 */
import {sanitizeLine} from '../../contract/foreign-text.js'
import {isObject, type JsonObject, own, parseJson} from '../../contract/json.js'
import {textOf} from '../../contract/json-walk.js'
import {createRedactor, type Redactor} from '../redact/redact.js'
import type {WireAnswer} from '../types.js'

/** An answer, and what knows the secrets its request carried: a redactor that was told them, or else they themselves. */
export type EchoingAnswer = WireAnswer & {readonly secrets?: readonly string[]; readonly redactor?: Redactor}

export interface ErrorDescription {
  /** The service's own word, sanitised; `http_<status>` when it gives none. */
  readonly code: string
  /** Sanitised, at most 500 characters. */
  readonly message: string | undefined
  readonly requestId: string | undefined
}

const MAX_CODE_LENGTH = 80
const MAX_MESSAGE_LENGTH = 500
const MAX_QUOTE_LENGTH = 200
/** Far more than is quoted: a secret must be seen whole to be taken out. */
const MOST_BYTES_READ_FOR_QUOTE = 16_384

/** What an error answer says; never throws. `json` is its parsed body, or undefined. */
export function describeError(
  answer: EchoingAnswer,
  json: unknown = parseJson(answer.body),
): ErrorDescription {
  const body = isObject(json) ? json : {}
  const error = own(body, 'error')
  const inner = isObject(error) ? error : {}
  const first = firstError(body)
  const code = textOf(
    own(inner, 'code'),
    error,
    ...['code', 'id', 'type', 'title'].map(key => own(first, key)),
    ...['code', 'type', 'title'].map(key => own(body, key)),
  )
  const message = textOf(
    own(inner, 'message'),
    own(body, 'error_description'),
    ...['message', 'detail', 'title'].map(key => own(first, key)),
    ...['message', 'detail', 'title'].map(key => own(body, key)),
  )
  return {
    code: code === undefined ? `http_${answer.status}` : quotedCode(code, answer),
    message: message === undefined ? undefined : quoted(message, MAX_MESSAGE_LENGTH, answer),
    requestId: requestIdOf(answer, json),
  }
}

/** The request id an answer carries, in its header or its body; sanitised. */
export function requestIdOf(answer: EchoingAnswer, json: unknown): string | undefined {
  const body = isObject(json) ? json : {}
  const places = [body, own(body, 'error'), own(body, 'meta'), firstError(body)].filter(isObject)
  const id = textOf(
    answer.headers['x-request-id'],
    ...places.flatMap(place => [own(place, 'request_id'), own(place, 'requestId')]),
  )
  return id === undefined ? undefined : quoted(id, 100, answer)
}

/** The beginning of a body that could not be read, sanitised, at most 200 characters; undefined when it is empty. */
export function quoteBody(answer: EchoingAnswer): string | undefined {
  const text = new TextDecoder().decode(answer.body.subarray(0, MOST_BYTES_READ_FOR_QUOTE))
  const line = quoted(text.replace(/\s+/g, ' ').trim(), MAX_QUOTE_LENGTH, answer)
  return line === '' ? undefined : line
}

/**
 * `text` of the answer, sanitised, at most `maxLength` characters, without what it may echo: the secrets sent, and
 * whatever looks like a secret or like a person. Taken out before it is cut, so that no half of one is left.
 */
export function quoted(text: string, maxLength: number, answer: EchoOf): string {
  return sanitizeLine(redactorFor(answer).text(text), maxLength)
}

/** As `quoted`, for an http address: its origin and path are shown, the values of its query never. */
export function quotedUrl(url: string, answer: EchoOf): string {
  return sanitizeLine(redactorFor(answer).url(url, true), MAX_QUOTE_LENGTH)
}

type EchoOf = Pick<EchoingAnswer, 'secrets' | 'redactor'>

/** A code may be the address of a page about it (RFC 9457), whose path says which it is. */
function quotedCode(code: string, answer: EchoOf): string {
  const isAddress = /^https?:/i.test(code) && URL.canParse(code)
  return isAddress
    ? sanitizeLine(redactorFor(answer).url(code, true), MAX_CODE_LENGTH)
    : quoted(code, MAX_CODE_LENGTH, answer)
}

function redactorFor({secrets = [], redactor: told}: EchoOf): Redactor {
  if (told) return told
  const redactor = createRedactor()
  for (const secret of secrets) redactor.add(secret)
  return redactor
}

function firstError(body: JsonObject): JsonObject {
  const errors = own(body, 'errors')
  const first = Array.isArray(errors) ? errors[0] : undefined
  return isObject(first) ? first : typeof first === 'string' ? {message: first} : {}
}
