/** Reads code, message and request id out of an error answer of any shape (§7 shows none). */
import {sanitizeLine} from '../contract/foreign-text.js'
import type {WireAnswer} from './api.js'
import {isObject, type JsonObject, own, textOf} from './json-walk.js'

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

/** What an error answer says; never throws. `json` is its parsed body, or undefined. */
export function describeError(answer: WireAnswer, json: unknown = parseJson(answer.body)): ErrorDescription {
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
    code: code === undefined ? `http_${answer.status}` : sanitizeLine(code, MAX_CODE_LENGTH),
    message: message === undefined ? undefined : sanitizeLine(message, MAX_MESSAGE_LENGTH),
    requestId: requestIdOf(answer, json),
  }
}

/** The request id an answer carries, in its header or its body; sanitised. */
export function requestIdOf(answer: WireAnswer, json: unknown): string | undefined {
  const body = isObject(json) ? json : {}
  const places = [body, own(body, 'error'), own(body, 'meta'), firstError(body)].filter(isObject)
  const id = textOf(
    answer.headers['x-request-id'],
    ...places.flatMap(place => [own(place, 'request_id'), own(place, 'requestId')]),
  )
  return id === undefined ? undefined : sanitizeLine(id, 100)
}

/** The beginning of a body that could not be read, sanitised, at most 200 characters; undefined when it is empty. */
export function quoteBody(body: Uint8Array): string | undefined {
  const text = new TextDecoder().decode(body.subarray(0, 4 * MAX_QUOTE_LENGTH))
  const line = sanitizeLine(text.replace(/\s+/g, ' ').trim(), MAX_QUOTE_LENGTH)
  return line === '' ? undefined : line
}

/** Ours: no answer that means something is nested deeper, and what walks through it later goes no deeper unharmed. */
const MAX_NESTING = 256

/** The parsed body, or undefined when it is empty, not UTF-8, not JSON, or nested absurdly deep. */
export function parseJson(body: Uint8Array): unknown {
  if (isTooDeep(body)) return undefined
  try {
    return JSON.parse(new TextDecoder('utf-8', {fatal: true}).decode(body))
  } catch {
    return undefined
  }
}

/** Whether brackets stand open beyond MAX_NESTING, those inside strings not counted. */
function isTooDeep(body: Uint8Array): boolean {
  let depth = 0
  let inString = false
  for (let index = 0; index < body.length; index++) {
    const byte = body[index]
    if (inString) {
      if (byte === BACKSLASH) index++
      else if (byte === QUOTE) inString = false
    } else if (byte === QUOTE) inString = true
    else if (byte === 0x5b || byte === 0x7b) {
      if (++depth > MAX_NESTING) return true
    } else if (byte === 0x5d || byte === 0x7d) depth--
  }
  return false
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

function firstError(body: JsonObject): JsonObject {
  const errors = own(body, 'errors')
  const first = Array.isArray(errors) ? errors[0] : undefined
  return isObject(first) ? first : typeof first === 'string' ? {message: first} : {}
}
