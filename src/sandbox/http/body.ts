/** Reads a JSON body and validates it against its schema. */
import {z} from 'zod'
import {plainMessage} from '../../contract/input-mistakes.js'
import {isTooDeep, MOST_NESTING, parseJson as parse} from '../../contract/json.js'
import type {ErrorDetail} from '../../contract/records.js'
import {Refusal} from '../base/answers.js'

const MOST_BODY_BYTES = 1024 * 1024

/** The whole body, empty when there is none. Throws Refusal `payload_too_large` as soon as it is too large. */
export async function readBody(request: Request): Promise<Uint8Array> {
  if (request.method === 'GET' || request.method === 'HEAD' || !request.body) return new Uint8Array()
  if (Number(request.headers.get('content-length') ?? 0) > MOST_BODY_BYTES) throw tooLarge()
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of request.body as AsyncIterable<Uint8Array>) {
    length += piece.byteLength
    if (length > MOST_BODY_BYTES) throw tooLarge()
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

/** The rest of the body is not read, so the connection cannot be reused. */
function tooLarge(): Refusal {
  const message = `the body is larger than ${MOST_BODY_BYTES} bytes`
  return new Refusal('payload_too_large', message, {}, {Connection: 'close'})
}

/** The JSON in `bytes`; `{}` for an empty body when `emptyAllowed`. Throws Refusal `invalid_request`. */
export function parseJson(bytes: Uint8Array, contentType: string | undefined, emptyAllowed = false): unknown {
  if (bytes.byteLength === 0 && emptyAllowed) return {}
  if (!/^application\/json\s*(;|$)/i.test(contentType?.trim() ?? '')) {
    throw new Refusal('invalid_request', 'the body must be JSON, with Content-Type: application/json')
  }
  if (isTooDeep(bytes)) {
    throw new Refusal('invalid_request', `the body is nested more than ${MOST_NESTING} levels deep`)
  }
  const json = parse(bytes)
  if (json === undefined) throw new Refusal('invalid_request', 'the body is not valid JSON')
  return json
}

/** Not in the interface: a person reads no more, and each of 80,000 would take its time. */
const MOST_DETAILS = 100

/** `json` as parsed by the schema. Throws Refusal `validation_failed`, one detail for each of the first wrong fields. */
export function validate<T>(schema: z.ZodType<T>, json: unknown): T {
  const result = schema.safeParse(json, {error: plainMessage, reportInput: true})
  if (result.success) return result.data
  const details = result.error.issues.slice(0, MOST_DETAILS).flatMap(detailsOf).slice(0, MOST_DETAILS)
  const fields = details.map(detail => detail.field || 'body').join(', ')
  throw new Refusal('validation_failed', `the request is not valid: ${fields}`, {details})
}

function detailsOf(issue: z.core.$ZodIssue): ErrorDetail[] {
  if (issue.code === 'unrecognized_keys') {
    const unknown = {code: 'unknown_field', message: 'is not a field of this request'}
    return issue.keys.slice(0, MOST_DETAILS).map(key => ({field: fieldOf([...issue.path, key]), ...unknown}))
  }
  const missing = issue.input === undefined
  const code = missing ? 'required' : issue.code === 'custom' ? 'invalid_value' : issue.code
  return [{field: fieldOf(issue.path), code, message: missing ? 'is required' : issue.message}]
}

/** `['guests', 0, 'identity', 'number']` is `guests[0].identity.number`. */
function fieldOf(path: readonly PropertyKey[]): string {
  return z.core.toDotPath(path.map(key => (typeof key === 'string' ? key.slice(0, 100) : key)))
}
