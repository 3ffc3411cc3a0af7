/** The components of the description (schemas from zod's, parameters, headers), and the refusals, which are ours (§7). */
import {z} from 'zod'
import {ERROR_CODES, type ErrorCode, isRetryable} from './error-codes.js'
import {RESERVATION_STATUSES} from './events.js'
import {IDENTIFIERS, type IdentifierKind} from './identifiers.js'
import {KEY_RETENTION_SECONDS, type OperationDetails, PAGE_LIMITS} from './operation-details.js'
import type {Operation} from './operations.js'
import {errorBody, requestId} from './records.js'
import {clientReference} from './reservations.js'

export type JsonSchema = z.core.JSONSchema.BaseSchema & {'x-source'?: string}
export type Records = Readonly<Record<string, JsonSchema>>

/** Records of which the interface shows only these fields; the others are marked as ours one by one. */
const SHOWN_FIELDS: Readonly<Record<string, readonly string[]>> = {
  Offer: ['offer_id'],
  Reservation: ['reservation_ref', 'status', 'payment'],
}

/** Every schema of the contract that has an id, by that id. */
export function schemas(): Records {
  // Each schema with an id has put itself into this registry.
  const {schemas} = z.toJSONSchema(z.globalRegistry, {
    uri: id => `#/components/schemas/${id}`,
    // What is read is not closed: answers may gain fields. What is sent is closed by strictObject.
    io: 'input',
    override: ({jsonSchema}) => simplify(jsonSchema),
  })
  const marked = Object.entries(schemas).map(([id, {$schema, $id, id: _, ...schema}]) => {
    return [id, markOurs(id, withForms(schema))] as const
  })
  const found = Object.fromEntries(marked)
  for (const schema of Object.values(found)) schema.examples = [exampleOf(schema, found)]
  return found
}

/** The schema with the form of every identifier in it. */
function withForms(schema: JsonSchema): JsonSchema {
  const fields = Object.entries(schema.properties ?? {}) as [string, JsonSchema][]
  const properties = fields.map(([name, field]) => [name, {...withForms(field), ...limitsOf(name, field)}])
  return {
    ...schema,
    ...(fields.length > 0 && {properties: Object.fromEntries(properties)}),
    ...(schema.items && {items: withForms(schema.items as JsonSchema)}),
  }
}

/** The form of an identifier, where the schema shows none. */
export function limitsOf(name: string, schema: JsonSchema = {}): JsonSchema {
  if (schema.pattern || !Object.hasOwn(IDENTIFIERS, name)) return {}
  // Its pattern is for JavaScript alone.
  if (name === 'client_reference_id') return {minLength: 1, maxLength: 128}
  return {pattern: IDENTIFIERS[name as IdentifierKind].pattern.source}
}

/** A value that is valid by the schema, made of the examples in it. Throws TypeError where one is missing. */
export function exampleOf(schema: JsonSchema, schemas: Records): unknown {
  const {examples, $ref, items, properties, required = []} = schema
  if (examples) return examples[0]
  const inner = $ref === undefined ? undefined : schemas[$ref.slice($ref.lastIndexOf('/') + 1)]
  if (inner) return exampleOf(inner, schemas)
  if (items) return [exampleOf(items as JsonSchema, schemas)]
  if (!properties) throw new TypeError('a schema has no example')
  // Optional, and not of the usual answer.
  const unusual = ['url', 'details', 'error_description'].filter(name => !required.includes(name))
  const shown = Object.entries(properties).filter(([name]) => !unusual.includes(name))
  return Object.fromEntries(shown.map(([name, field]) => [name, exampleOf(field as JsonSchema, schemas)]))
}

/** `{$ref}` to the component of a schema, which has an id. */
export function reference(schema: z.ZodType): {$ref: string} {
  return {$ref: `#/components/schemas/${schema.meta()?.id}`}
}

/** Drops what zod writes and no reader needs: the bounds of safe integers, and the pattern behind a format. */
function simplify(schema: JsonSchema): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  if (schema.format === 'date-time') delete schema.pattern
}

function markOurs(id: string, schema: JsonSchema): JsonSchema {
  const shown = SHOWN_FIELDS[id]
  if (!shown) return schema
  const marked = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const source = shown.includes(name) ? schema['x-source'] : 'ours'
    return [name, {...(field as JsonSchema), 'x-source': source}]
  })
  return {...schema, properties: Object.fromEntries(marked)}
}

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

/** References to the headers that an answer has. */
export function headersOf(...names: (keyof typeof HEADERS | false | undefined)[]): object {
  const named = names.filter(name => name)
  return Object.fromEntries(named.map(name => [name, {$ref: `#/components/headers/${name}`}]))
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
    clientReference.examples[0],
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
      'A UUID made for this reservation (§4.4). Not in the interface: the same key and body give the first ' +
      `answer again for ${KEY_RETENTION_SECONDS / 3600} hours; the same key with another body is refused.`,
    schema: {type: 'string', format: 'uuid'},
    example: '5f0c1f8e-6c0b-4a5e-9d2b-1f6f2f6b7a10',
    'x-source': '§4.4',
  },
  ...Object.fromEntries(queryParameters),
}

/** Refusals every operation can answer with. */
const OF_ALL = ['rate_limited', 'internal_error', 'service_unavailable', 'upstream_timeout'] as const
const OF_BEARER = ['token_invalid', 'token_expired', 'insufficient_scope'] as const
const OF_BODY = ['invalid_request', 'validation_failed', 'payload_too_large'] as const

/** The refusals of one operation, by status. */
export function refusals({scope}: Operation, details: OperationDetails): Record<string, object> {
  const codes: ErrorCode[] = [
    ...(details.errors ?? []),
    ...(scope ? OF_BEARER : []),
    ...(details.body ? OF_BODY : []),
    ...(details.query ? (['validation_failed'] as const) : []),
    ...OF_ALL,
  ]
  const all = [...new Set(codes)]
  // As keys of an object, the statuses are in their order.
  const statuses = new Set(all.map(code => ERROR_CODES[code]))
  const found = Array.from(statuses, status => {
    const here = all.filter(code => ERROR_CODES[code] === status)
    return [status, refusal(status, here, scope)]
  })
  return Object.fromEntries(found)
}

function refusal(status: number, codes: readonly ErrorCode[], scope: string | null): object {
  const examples = codes.map(code => {
    const message = code.replaceAll('_', ' ')
    const request_id = requestId.examples[0]
    const error = {code, message, request_id, retryable: isRetryable(code)}
    // The OAuth endpoints have RFC 6749's field beside it.
    return [code, {summary: message, value: {error, ...(scope === null && {error_description: message})}}]
  })
  const content = {'application/json': {schema: reference(errorBody), examples: Object.fromEntries(examples)}}
  const words = codes.map(code => `\`${code}\``).join(', ')
  // §7 ties exactly one status to a condition.
  const source = codes.includes('token_expired') ? '§7' : 'ours'
  const own = [status === 401 && 'WWW-Authenticate', status === 429 && 'Retry-After'] as const
  const headers = headersOf('X-Request-Id', ...own)
  return {description: `Refused: ${words}`, headers, content, 'x-source': source}
}
