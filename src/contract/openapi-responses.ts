/** Parameters, headers and refusals of the description. The shapes of refusals are ours (§7 shows none). */
import {ERROR_CODES, type ErrorCode} from './error-codes.js'
import type {OperationDetails} from './operation-details.js'
import type {Operation} from './operations.js'
import {RESERVATION_STATUSES} from './reservation-statuses.js'

const ERROR_CONTENT = {'application/json': {schema: {$ref: '#/components/schemas/Error'}}}
const REQUEST_ID = {'X-Request-Id': {$ref: '#/components/headers/X-Request-Id'}}

/** Refusals every operation can answer with. */
const OF_ALL = ['rate_limited', 'internal_error', 'service_unavailable', 'upstream_timeout'] as const
const OF_BEARER = ['token_invalid', 'token_expired', 'insufficient_scope'] as const
const OF_BODY = ['invalid_request', 'validation_failed', 'payload_too_large'] as const

const TEXT = {type: 'string'}
const header = (description: string, schema: object = TEXT) => ({description, schema, 'x-source': 'ours'})

export const HEADERS = {
  'X-Request-Id': header('Names this request; quote it when asking about it'),
  'Retry-After': header('Seconds to wait', {type: 'integer'}),
  'WWW-Authenticate': header('`Bearer`'),
  'Idempotent-Replayed': header('`true` on an answer given before under the same Idempotency-Key', {
    type: 'string',
    const: 'true',
  }),
}

export const PARAMETERS = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: true,
    description:
      'A UUID made for this reservation (§4.4). What a repeat does is ours: the same key and body give the first ' +
      'answer again for 24 hours; the same key with another body is refused.',
    schema: {type: 'string', format: 'uuid'},
    'x-source': '§4.4',
  },
  limit: query('limit', 'The most records in the answer', {
    type: 'integer',
    minimum: 1,
    maximum: 200,
    default: 50,
  }),
  after: query('after', 'Cursor from `meta.after` of the page before'),
  client_reference_id: query('client_reference_id', "Only the reservation with this partner's reference"),
  status: query('status', 'Only reservations in this state', {type: 'string', enum: RESERVATION_STATUSES}),
  created_from: query('created_from', 'Made at or after this date (UTC) or timestamp'),
  created_to: query('created_to', 'Made at or before this date (UTC) or timestamp'),
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
    [...byStatus].sort(([a], [b]) => a - b).map(([status, here]) => [String(status), refusal(status, here)]),
  )
}

function groupByStatus(codes: Iterable<ErrorCode>): Map<number, ErrorCode[]> {
  const groups = new Map<number, ErrorCode[]>()
  for (const code of codes) groups.set(ERROR_CODES[code], [...(groups.get(ERROR_CODES[code]) ?? []), code])
  return groups
}

function refusal(status: number, codes: readonly ErrorCode[]): object {
  const headers = {
    ...REQUEST_ID,
    ...(status === 401 && {'WWW-Authenticate': {$ref: '#/components/headers/WWW-Authenticate'}}),
    ...(status === 429 && {'Retry-After': {$ref: '#/components/headers/Retry-After'}}),
  }
  const words = codes.map(code => `\`${code}\``).join(', ')
  // §7 ties exactly one status to a condition.
  const source = codes.includes('token_expired') ? '§7' : 'ours'
  return {description: `Refused: ${words}`, headers, content: ERROR_CONTENT, 'x-source': source}
}

function query(name: string, description: string, schema: object = TEXT): object {
  return {name, in: 'query', required: false, description, schema, 'x-source': 'ours'}
}
