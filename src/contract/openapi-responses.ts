/** Parameters, headers and refusals of the description. The shapes of refusals are ours (§7 shows none). */
import {errorBody} from './content.js'
import {ERROR_CODES, type ErrorCode, RETRYABLE} from './error-codes.js'
import {RESERVATION_STATUSES} from './events.js'
import {limitsOf, reference} from './openapi-schemas.js'
import {wordsFor} from './openapi-words.js'
import {KEY_RETENTION_SECONDS, type OperationDetails, PAGE_LIMITS} from './operation-details.js'
import type {Operation} from './operations.js'

const REQUEST_ID = {'X-Request-Id': {$ref: '#/components/headers/X-Request-Id'}}

/** Refusals every operation can answer with. */
const OF_ALL = ['rate_limited', 'internal_error', 'service_unavailable', 'upstream_timeout'] as const
const OF_BEARER = ['token_invalid', 'token_expired', 'insufficient_scope'] as const
const OF_BODY = ['invalid_request', 'validation_failed', 'payload_too_large'] as const

const TEXT = {type: 'string'}
const header = (description: string, example: unknown, schema: object = TEXT) => {
  return {description, schema, example, 'x-source': 'ours'}
}

export const HEADERS = {
  'X-Request-Id': header('Names this request; quote it when asking about it', 'req_1sG7dNb4'),
  'Retry-After': header('Seconds to wait', 30, {type: 'integer', minimum: 0}),
  'WWW-Authenticate': header('`Bearer`', 'Bearer error="invalid_token"'),
  'Idempotent-Replayed': header('`true` on an answer given before under the same Idempotency-Key', 'true', {
    type: 'string',
    const: 'true',
  }),
}

const DAY_OR_TIME = {anyOf: ['date', 'date-time'].map(format => ({...TEXT, format}))}

const QUERY: Readonly<Record<string, [description: string, example: unknown, schema: object]>> = {
  limit: [
    'The most records in the answer',
    PAGE_LIMITS.default,
    {type: 'integer', minimum: PAGE_LIMITS.min, maximum: PAGE_LIMITS.max, default: PAGE_LIMITS.default},
  ],
  after: ['Cursor from `meta.after` of the page before', 'czUw', TEXT],
  client_reference_id: [
    "Only the reservation with this partner's reference",
    wordsFor('client_reference_id').example,
    {...TEXT, ...limitsOf('client_reference_id')},
  ],
  status: ['Only reservations in this state', 'CONFIRMED', {...TEXT, enum: RESERVATION_STATUSES}],
  created_from: ['Made at or after this date (UTC) or timestamp', '2030-06-01', DAY_OR_TIME],
  created_to: ['Made at or before this date (UTC) or timestamp', '2030-06-30T23:59:59Z', DAY_OR_TIME],
}

const queryParameters = Object.entries(QUERY).map(([name, [description, example, schema]]) => {
  return [name, {name, in: 'query', required: false, description, schema, example, 'x-source': 'ours'}]
})

export const PARAMETERS = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: true,
    description:
      'A UUID made for this reservation (§4.4). What a repeat does is ours: the same key and body give the first ' +
      `answer again for ${KEY_RETENTION_SECONDS / 3600} hours; the same key with another body is refused.`,
    schema: {type: 'string', format: 'uuid'},
    example: '5f0c1f8e-6c0b-4a5e-9d2b-1f6f2f6b7a10',
    'x-source': '§4.4',
  },
  ...Object.fromEntries(queryParameters),
}

/** The refusals of one operation, by status. */
export function refusals(operation: Operation, details: OperationDetails): Record<string, object> {
  const codes = [
    ...(details.errors ?? []),
    ...(operation.scope ? OF_BEARER : []),
    ...(details.body ? OF_BODY : []),
    ...(details.query ? (['validation_failed'] as const) : []),
    ...OF_ALL,
  ]
  const byStatus = groupByStatus(new Set(codes))
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, here]) => [String(status), refusal(status, here, operation)]),
  )
}

function groupByStatus(codes: Iterable<ErrorCode>): Map<number, ErrorCode[]> {
  const groups = new Map<number, ErrorCode[]>()
  for (const code of codes) groups.set(ERROR_CODES[code], [...(groups.get(ERROR_CODES[code]) ?? []), code])
  return groups
}

function refusal(status: number, codes: readonly ErrorCode[], {scope}: Operation): object {
  const headers = {
    ...REQUEST_ID,
    ...(status === 401 && {'WWW-Authenticate': {$ref: '#/components/headers/WWW-Authenticate'}}),
    ...(status === 429 && {'Retry-After': {$ref: '#/components/headers/Retry-After'}}),
  }
  // The OAuth endpoints have RFC 6749's field beside it.
  const examples = codes.map(code => [code, {summary: inWords(code), value: errorOf(code, scope === null)}])
  const schema = reference(errorBody)
  const content = {'application/json': {schema, examples: Object.fromEntries(examples)}}
  const words = codes.map(code => `\`${code}\``).join(', ')
  // §7 ties exactly one status to a condition.
  const source = codes.includes('token_expired') ? '§7' : 'ours'
  return {description: `Refused: ${words}`, headers, content, 'x-source': source}
}

function errorOf(code: ErrorCode, isOAuth: boolean): object {
  const message = inWords(code)
  const request_id = wordsFor('request_id').example
  const error = {code, message, request_id, retryable: RETRYABLE.has(code)}
  return {error, ...(isOAuth && {error_description: message})}
}

function inWords(code: ErrorCode): string {
  return code.replaceAll('_', ' ')
}
