/** Parameters, headers and refusals of the description. The shapes of refusals are ours (§7 shows none). */
import {ERROR_CODES, type ErrorCode} from './error-codes.js'
import type {OperationDetails} from './operation-details.js'
import type {Operation} from './operations.js'
import {RESERVATION_STATUSES} from './reservation-statuses.js'

const ERROR_CONTENT = {'application/json': {schema: {$ref: '#/components/schemas/Error'}}}
const REQUEST_ID = {'X-Request-Id': {$ref: '#/components/headers/X-Request-Id'}}

/** Refusals every operation can answer with. */
const OF_ALL: readonly ErrorCode[] = [
  'rate_limited',
  'internal_error',
  'service_unavailable',
  'upstream_timeout',
]
const OF_BEARER: readonly ErrorCode[] = ['token_invalid', 'token_expired', 'insufficient_scope']
const OF_BODY: readonly ErrorCode[] = ['invalid_request', 'validation_failed', 'payload_too_large']

export const HEADERS = {
  'X-Request-Id': {
    description: 'Names this request; quote it when asking about it',
    schema: {type: 'string'},
    'x-source': 'ours',
  },
  'Retry-After': {description: 'Seconds to wait', schema: {type: 'integer'}, 'x-source': 'ours'},
  'WWW-Authenticate': {description: '`Bearer`', schema: {type: 'string'}, 'x-source': 'ours'},
  'Idempotent-Replayed': {
    description: '`true` on an answer that was given before under the same Idempotency-Key',
    schema: {type: 'string', const: 'true'},
    'x-source': 'ours',
  },
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
  after: query('after', 'Cursor from `meta.after` of the page before', {type: 'string'}),
  client_reference_id: query('client_reference_id', "Only the reservation with this partner's reference", {
    type: 'string',
  }),
  status: query('status', 'Only reservations in this state', {type: 'string', enum: RESERVATION_STATUSES}),
  created_from: query('created_from', 'Made at or after this date (UTC) or timestamp', {type: 'string'}),
  created_to: query('created_to', 'Made at or before this date (UTC) or timestamp', {type: 'string'}),
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

function query(name: string, description: string, schema: object): object {
  return {name, in: 'query', required: false, description, schema, 'x-source': 'ours'}
}
