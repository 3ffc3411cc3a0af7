/**
 * Generates the OpenAPI 3.1 description from the contract. The schemas, their descriptions and examples come from zod;
 * the fixed parts come from openapi.json. Everything that is not in the interface is marked `x-source: ours`.
 */
import {z} from 'zod'
import {ERROR_CODES, type ErrorCode, isRetryable} from './error-codes.js'
import {EVENT_ID_HEADER, EVENT_TYPES, RESERVATION_STATUSES, SIGNATURE_HEADER} from './events.js'
import {hotelSummary, offer} from './hotels.js'
import {IDENTIFIERS, type IdentifierKind} from './identifiers.js'
import {ACCESS_TOKEN_LIFETIME_SECONDS, WEBHOOK_RESPONSE_SECONDS} from './limits.js'
import FIXED from './openapi.json' with {type: 'json'}
import {KEY_RETENTION_SECONDS, OPERATION_DETAILS, PAGE_LIMITS} from './operation-details.js'
import {OPERATIONS, type Operation, SANDBOX_OPERATIONS, type SandboxOperation, SCOPES} from './operations.js'
import {errorBody, listMeta, requestId, tour} from './records.js'
import {clientReference, reservation} from './reservations.js'
import {eventEnvelope, subscription} from './webhooks.js'

type JsonSchema = z.core.JSONSchema.BaseSchema & {'x-source'?: string}
type Records = Readonly<Record<string, JsonSchema>>

const PROSE = `The interface of the Partner Booking Service for selling travel products: search hotel offers, turn one
into a reservation, download its voucher, and receive signed events.

**What is promised and what is ours.** The interface leaves much unsaid. Every operation, record, field, parameter,
header and answer here carries \`x-source\`: a section of the interface (\`§4.3\`) where that shows it, or \`ours\` where it
does not and the local sandbox had to choose. A field without the mark has the mark of the record around it. Another
service that keeps the same interface may differ in everything marked \`ours\`, and its paths may too: do not depend on it.

**Habits** (ours): answers are \`{"data": …}\`, lists \`{"data": […], "meta": {…}}\`, refusals \`{"error": {…}}\`. Amounts are
decimal strings with an ISO 4217 code. Timestamps are ISO 8601 with an offset. Dates are calendar dates at the hotel.`

/** Returns the OpenAPI description as a plain object. `serverUrl` is the base URL, including the version segment (§9). */
export function openApiDocument({serverUrl}: {serverUrl: string}): object {
  const records = recordSchemas()
  const answers = SANDBOX_OPERATIONS.map(name => [answerId(name), answerSchema(name, records)] as const)
  const schemas = Object.fromEntries(
    [...Object.entries(records), ...answers].sort(([left], [right]) => (left < right ? -1 : 1)),
  )
  const paths: Record<string, Record<string, object>> = {}
  for (const name of SANDBOX_OPERATIONS) {
    const {path, method} = OPERATIONS[name]
    paths[path] = {...paths[path], [method.toLowerCase()]: describe(name, schemas)}
  }
  const hours = ACCESS_TOKEN_LIFETIME_SECONDS / 3600
  return {
    openapi: '3.1.0',
    // There is no contact, because the local sandbox has no operator.
    info: {...FIXED.info, description: PROSE},
    servers: [{url: serverUrl, description: 'Base URL, up to and including the version (§9)'}],
    tags: Object.values(FIXED.tags),
    paths,
    webhooks: {event: {post: eventDelivery(schemas)}},
    components: {
      schemas,
      parameters: parameters(),
      headers: FIXED.headers,
      securitySchemes: {
        oauth2: {
          type: 'oauth2',
          description: 'The token request is a JSON body, not a form (§4.1)',
          flows: {clientCredentials: {tokenUrl: serverUrl + OPERATIONS['token.create'].path, scopes: SCOPES}},
        },
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: `An access token from \`POST /oauth/token\`, valid ${hours} hours`,
        },
      },
    },
  }
}

/** Returns the operation's id for client generators: `hotels.search` is `hotelsSearch`. */
export function operationId(name: SandboxOperation): string {
  return name.replace(/\.(\w)/, (_, letter: string) => letter.toUpperCase())
}

/** The records of which the interface shows only these fields. Their other fields are marked `ours` one by one. */
const SHOWN_FIELDS: Readonly<Record<string, readonly string[]>> = {
  Offer: ['offer_id'],
  Reservation: ['reservation_ref', 'status', 'payment'],
}

function recordSchemas(): Records {
  // zod adds each schema with an id to this registry.
  const {schemas} = z.toJSONSchema(z.globalRegistry, {
    uri: id => `#/components/schemas/${id}`,
    // Answer schemas allow additional fields, because answers may gain some. Request schemas do not (strictObject).
    io: 'input',
    // The bounds of safe integers and the pattern of a date-time do not help readers.
    override: ({jsonSchema}) => {
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern
    },
  })
  const found: Record<string, JsonSchema> = {}
  for (const [id, {$schema, $id, id: _, ...schema}] of Object.entries(schemas)) {
    const record = withForms(schema)
    const shown = SHOWN_FIELDS[id]
    if (shown) {
      for (const [name, field] of Object.entries(record.properties ?? {}) as [string, JsonSchema][])
        field['x-source'] = (shown.includes(name) ? record['x-source'] : undefined) ?? 'ours'
    }
    found[id] = record
  }
  for (const schema of Object.values(found)) schema.examples = [exampleOf(schema, found)]
  return found
}

/** Returns the schema with a pattern added to every identifier in it. */
function withForms(schema: JsonSchema): JsonSchema {
  const fields = Object.entries(schema.properties ?? {}) as [string, JsonSchema][]
  const properties = fields.map(([name, field]) => [name, {...withForms(field), ...formOf(name, field)}])
  return {
    ...schema,
    ...(fields.length > 0 && {properties: Object.fromEntries(properties)}),
    ...(schema.items && {items: withForms(schema.items as JsonSchema)}),
  }
}

/** Returns the pattern for a field that is an identifier and has none yet, or an empty schema. */
function formOf(name: string, schema: JsonSchema = {}): JsonSchema {
  if (schema.pattern || !Object.hasOwn(IDENTIFIERS, name)) return {}
  // The pattern of a client reference only works in JavaScript.
  if (name === 'client_reference_id') return {minLength: 1, maxLength: 128}
  return {pattern: IDENTIFIERS[name as IdentifierKind].pattern.source}
}

/** Builds a value that is valid by the schema from the examples in it. Throws a TypeError if an example is missing. */
function exampleOf(schema: JsonSchema, schemas: Records): unknown {
  const {examples, $ref, items, properties, required = []} = schema
  if (examples) return examples[0]
  const inner = $ref === undefined ? undefined : schemas[$ref.slice($ref.lastIndexOf('/') + 1)]
  if (inner) return exampleOf(inner, schemas)
  if (items) return [exampleOf(items as JsonSchema, schemas)]
  if (!properties) throw new TypeError('a schema has no example')
  // These optional fields are absent from a typical answer.
  const unusual = ['url', 'details', 'error_description'].filter(name => !required.includes(name))
  const shown = Object.entries(properties).filter(([name]) => !unusual.includes(name))
  return Object.fromEntries(shown.map(([name, field]) => [name, exampleOf(field as JsonSchema, schemas)]))
}

/** Returns a `$ref` to the component of a schema with an id. */
function reference(schema: z.ZodType): {$ref: string} {
  return {$ref: `#/components/schemas/${schema.meta()?.id}`}
}

/** Returns the OpenAPI `content` of a request or an answer: its schema with an example. */
function jsonOf(schema: {$ref: string}, schemas: Records): object {
  return {'application/json': {schema, example: exampleOf(schema, schemas)}}
}

/** Returns the name of an operation's answer schema: `HotelsSearchResponse` for `hotels.search`. */
function answerId(name: SandboxOperation): string {
  return `${operationId(name).replace(/^./, letter => letter.toUpperCase())}Response`
}

function answerSchema(name: SandboxOperation, records: Records): JsonSchema {
  const {answer, isList} = OPERATION_DETAILS[name]
  const record = reference(answer)
  const properties = {
    data: isList
      ? {type: 'array' as const, description: 'The records', items: record}
      : {...record, description: 'What was asked for'},
    ...(isList && {meta: {...reference(listMeta), description: 'Where the list goes on'}}),
  }
  const schema = {type: 'object' as const, required: Object.keys(properties), properties}
  const example = exampleOf(schema, records) as {data: object}
  if (name === 'reservations.cancel') {
    const payment = {...(records.Payment?.examples?.[0] as object), status: 'REFUNDED'}
    const cancellation = records.Cancellation?.examples?.[0]
    const change = {status: 'CANCELLED', payment, voucher: {status: 'PENDING'}, cancellation}
    example.data = {...example.data, ...change}
  }
  const description = `The answer to: ${OPERATIONS[name].summary}`
  return {...schema, description, 'x-source': 'ours', examples: [example]}
}

/** Returns the components of the header and query parameters. */
function parameters(): object {
  const {IdempotencyKey, limit, client_reference_id, status, ...others} = FIXED.parameters
  const {min: minimum, max: maximum, default: usual} = PAGE_LIMITS
  const keyIs =
    'A UUID made for this reservation (§4.4). Not in the interface: the same key and body give the'
  const hours = KEY_RETENTION_SECONDS / 3600
  const description = `${keyIs} first answer again for ${hours} hours; the same key with another body is refused.`
  return {
    ...others,
    IdempotencyKey: {...IdempotencyKey, description},
    limit: {...limit, schema: {type: 'integer', minimum, maximum, default: usual}, example: usual},
    client_reference_id: {
      ...client_reference_id,
      schema: {type: 'string', ...formOf('client_reference_id')},
      example: clientReference.examples[0],
    },
    status: {...status, schema: {type: 'string', enum: RESERVATION_STATUSES}},
  }
}

function describe(name: SandboxOperation, schemas: Records): object {
  const operation: Operation = OPERATIONS[name]
  const {scope, summary, path, source} = operation
  const {isIdempotent, query = [], body, isBodyOptional, status = 200} = OPERATION_DETAILS[name]
  const referred = [...(isIdempotent ? ['IdempotencyKey'] : []), ...query]
  const parameters = [
    ...pathParameters(path),
    ...referred.map(other => ({$ref: `#/components/parameters/${other}`})),
  ]
  const needs = scope ? `Needs the scope \`${scope}\`.` : 'Needs no access token.'
  return {
    operationId: operationId(name),
    tags: [FIXED.tags[name.split('.')[0] as keyof typeof FIXED.tags].name],
    summary,
    description: `${summary}. ${needs}`,
    'x-source': source,
    security: scope ? [{oauth2: [scope]}, {bearer: []}] : [],
    ...(parameters.length > 0 && {parameters}),
    ...(body && {
      requestBody: {
        description: schemas[body.meta()?.id ?? '']?.description,
        required: !isBodyOptional,
        content: jsonOf(reference(body), schemas),
      },
    }),
    responses: {[status]: success(name, schemas), ...refusals(name)},
  }
}

/** The record fields that describe the path parameters. */
const PATH_PARAMETERS: Readonly<Record<string, z.ZodType>> = {
  hotel_id: hotelSummary.shape.hotel_id,
  offer_id: offer.shape.offer_id,
  tour_id: tour.shape.tour_id,
  reservation_ref: reservation.shape.reservation_ref,
  subscription_id: subscription.shape.id,
}

function exampleIn(field: z.ZodType): unknown {
  return (field.meta()?.examples as readonly unknown[] | undefined)?.[0]
}

function pathParameters(path: string): object[] {
  return Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => {
    const field = PATH_PARAMETERS[name]
    if (!field) throw new RangeError(`no field describes the path parameter ${name}`)
    const description = field.meta()?.description
    const schema = name === 'hotel_id' ? {type: 'integer', minimum: 1} : {type: 'string', ...formOf(name)}
    return {name, in: 'path', required: true, description, schema, example: exampleIn(field)}
  })
}

/** Returns references to the named headers of an answer. */
function headersOf(...names: (keyof typeof FIXED.headers)[]): object {
  return Object.fromEntries(names.map(name => [name, {$ref: `#/components/headers/${name}`}]))
}

function success(name: SandboxOperation, schemas: Records): object {
  const {isIdempotent} = OPERATION_DETAILS[name]
  const headers = isIdempotent ? headersOf('X-Request-Id', 'Idempotent-Replayed') : headersOf('X-Request-Id')
  const content = jsonOf({$ref: `#/components/schemas/${answerId(name)}`}, schemas)
  // A link says that the value at `pointer` in this answer is a path parameter or a body field of the next request.
  const pointers: Readonly<Record<string, readonly string[]>> =
    FIXED.links[name as keyof typeof FIXED.links] ?? {}
  const links: Record<string, object> = {}
  for (const [pointer, next] of Object.entries(pointers)) {
    for (const to of next as SandboxOperation[]) {
      const parameter = /\{(\w+)\}/.exec(OPERATIONS[to].path)?.[1]
      const taken = parameter ?? pointer.slice(pointer.lastIndexOf('/') + 1)
      links[operationId(to)] = {
        operationId: operationId(to),
        description: `${OPERATIONS[to].summary}: takes \`${taken}\` from \`${pointer}\``,
        [parameter ? 'parameters' : 'requestBody']: {[taken]: `$response.body#${pointer}`},
      }
    }
  }
  const description = `${OPERATIONS[name].summary}: done`
  return {description, headers, content, ...(Object.keys(links).length > 0 && {links})}
}

/** Errors that every operation can return, then those of operations with a bearer token, and with a body. */
const OF_ALL = ['rate_limited', 'internal_error', 'service_unavailable', 'upstream_timeout'] as const
const OF_BEARER = ['token_invalid', 'token_expired', 'insufficient_scope'] as const
const OF_BODY = ['invalid_request', 'validation_failed', 'payload_too_large'] as const

function refusals(name: SandboxOperation): Record<string, object> {
  const {scope}: Operation = OPERATIONS[name]
  const {errors = [], body, query} = OPERATION_DETAILS[name]
  const all = new Set<ErrorCode>(errors)
  if (scope) for (const code of OF_BEARER) all.add(code)
  if (body) for (const code of OF_BODY) all.add(code)
  if (query) all.add('validation_failed')
  for (const code of OF_ALL) all.add(code)
  const found: Record<string, object> = {}
  for (const status of new Set(Array.from(all, code => ERROR_CODES[code]))) {
    const codes = [...all].filter(code => ERROR_CODES[code] === status)
    const examples = codes.map(code => {
      const message = code.replaceAll('_', ' ')
      const error = {code, message, request_id: requestId.examples[0], retryable: isRetryable(code)}
      // The errors of the OAuth endpoints also have the `error_description` of RFC 6749.
      const value = {error, ...(scope === null && {error_description: message})}
      return [code, {summary: message, value}]
    })
    const content = {
      'application/json': {schema: reference(errorBody), examples: Object.fromEntries(examples)},
    }
    found[status] = {
      description: `Refused: ${codes.map(code => `\`${code}\``).join(', ')}`,
      headers: {
        ...headersOf('X-Request-Id'),
        ...(status === 401 && headersOf('WWW-Authenticate')),
        ...(status === 429 && headersOf('Retry-After')),
      },
      content,
      // §7 shows a status for one condition only.
      'x-source': codes.includes('token_expired') ? '§7' : 'ours',
    }
  }
  return found
}

/** Describes the request that a subscriber receives (§6.2). */
function eventDelivery(schemas: Records): object {
  const types = Object.entries(EVENT_TYPES).map(([type, meaning]) => `- \`${type}\`: ${meaning}`)
  const header = {in: 'header', required: true, schema: {type: 'string'}}
  return {
    operationId: 'receiveEvent',
    tags: [FIXED.tags.subscriptions.name],
    summary: 'An event sent to a subscriber',
    description: types.join('\n'),
    'x-source': '§6.2',
    security: [],
    parameters: [
      {
        ...header,
        name: SIGNATURE_HEADER,
        description: '`t=<Unix seconds>,v1=<lowercase hex of HMAC-SHA256>` (§6.3)',
        example: `t=1906545901,v1=${'5257a869'.repeat(8)}`,
      },
      {
        ...header,
        name: EVENT_ID_HEADER,
        description: 'The event identifier, for removing duplicates',
        example: exampleIn(eventEnvelope.shape.id),
      },
    ],
    requestBody: {
      description: 'The event',
      required: true,
      content: jsonOf(reference(eventEnvelope), schemas),
    },
    responses: {
      '200': {
        description: `Received; answer within ${WEBHOOK_RESPONSE_SECONDS} seconds and work afterwards (§6.4)`,
      },
      '401': {description: 'The signature check failed (§6.3)'},
    },
  }
}
