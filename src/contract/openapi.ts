/** The OpenAPI 3.1 description, generated from the contract; what is ours is marked `x-source: ours`. */
import {EVENT_TYPES} from './events.js'
import {HEADERS, PARAMETERS, refusals} from './openapi-responses.js'
import {componentSchemas, reference} from './openapi-schemas.js'
import {OPERATION_DETAILS, type OperationDetails} from './operation-details.js'
import {OPERATIONS, type Operation, type OperationName, SUMMARIES} from './operations.js'
import {SCOPES} from './scopes.js'
import {EVENT_ID_HEADER, SIGNATURE_HEADER} from './webhook-headers.js'
import {eventEnvelope} from './webhooks.js'

const VERSION = '1.0.0'

const PROSE = `The interface of the Partner Booking Service for selling travel products: search hotel offers, turn one
into a reservation, download its voucher, and receive signed events.

**What is promised and what is ours.** The interface leaves much unsaid. Every operation, record, field, parameter,
header and answer here carries \`x-source\`: a section of the interface (\`§4.3\`) where that shows it, or \`ours\` where it
does not and the local sandbox had to choose. A field without the mark has the mark of the record around it. Another
service that keeps the same interface may differ in everything marked \`ours\`, and its paths may too: do not depend on it.

**Habits** (ours): answers are \`{"data": …}\`, lists \`{"data": […], "meta": {…}}\`, refusals \`{"error": {…}}\`. Amounts are
decimal strings with an ISO 4217 code. Timestamps are ISO 8601 with an offset. Dates are calendar dates at the hotel.`

const TAGS = {
  token: ['Access', 'Access tokens by the OAuth 2.0 client-credentials flow (§5)'],
  hotels: ['Hotels', 'Hotel search, detail and price (§4.3)'],
  tours: ['Tours', 'Tour search and detail (ours)'],
  reservations: ['Reservations', 'From an offer to a reservation, and its later life (§3, §4.4)'],
  voucher: ['Vouchers', 'Signed links to the voucher (§4.5)'],
  account: ['Account', 'Account information and balance (§4.6)'],
  content: ['Content', 'Constant data (ours)'],
  subscriptions: ['Webhooks', 'Subscriptions to events, and the events themselves (§4.7, §4.8, §6)'],
} as const

/** The description as a plain object. `serverUrl` is the base URL, up to and including the version segment (§9). */
export function openApiDocument(options: {serverUrl: string}): object {
  return {
    openapi: '3.1.0',
    info: {title: 'Partner Booking Service', version: VERSION, description: PROSE},
    servers: [{url: options.serverUrl, description: 'Base URL, up to and including the version (§9)'}],
    tags: Object.values(TAGS).map(([name, description]) => ({name, description})),
    paths: paths(),
    webhooks: {event: {post: eventDelivery()}},
    components: {
      schemas: componentSchemas(),
      parameters: PARAMETERS,
      headers: HEADERS,
      securitySchemes: securitySchemes(options.serverUrl),
    },
  }
}

/** The operation's name as client generators take it: `hotels.search` is `hotelsSearch`. */
export function operationId(name: OperationName): string {
  return name.replace(/\.(\w)/, (_, letter: string) => letter.toUpperCase())
}

function paths(): Record<string, Record<string, object>> {
  const found: Record<string, Record<string, object>> = {}
  for (const name of Object.keys(OPERATIONS) as OperationName[]) {
    const {path, method} = OPERATIONS[name]
    found[path] = {...found[path], [method.toLowerCase()]: describe(name)}
  }
  return found
}

function describe(name: OperationName): object {
  const operation: Operation = OPERATIONS[name]
  const details = OPERATION_DETAILS[name]
  const parameters = [...pathParameters(operation.path), ...otherParameters(details)]
  return {
    operationId: operationId(name),
    tags: [TAGS[name.split('.')[0] as keyof typeof TAGS][0]],
    summary: SUMMARIES[name],
    'x-source': operation.source,
    security: operation.scope ? [{oauth2: [operation.scope]}, {bearer: []}] : [],
    ...(parameters.length > 0 && {parameters}),
    ...(details.body && {requestBody: requestBody(details)}),
    responses: {[details.status ?? 200]: success(SUMMARIES[name], details), ...refusals(operation, details)},
  }
}

function pathParameters(path: string): object[] {
  return Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: {type: name === 'hotel_id' ? 'integer' : 'string'},
  }))
}

function otherParameters(details: OperationDetails): object[] {
  const names = [...(details.isIdempotent ? ['IdempotencyKey'] : []), ...(details.query ?? [])]
  return names.map(name => ({$ref: `#/components/parameters/${name}`}))
}

function requestBody({body, bodyOptional}: OperationDetails): object {
  const schema = body && reference(body)
  return {required: !bodyOptional, content: {'application/json': {schema}}}
}

function success(summary: string, details: OperationDetails): object {
  const record = reference(details.answer)
  const data = details.isList ? {type: 'array', items: record} : record
  const meta = details.isList ? {meta: {$ref: '#/components/schemas/ListMeta'}} : {}
  const properties = {data, ...meta}
  const headers = {
    'X-Request-Id': {$ref: '#/components/headers/X-Request-Id'},
    ...(details.isIdempotent && {'Idempotent-Replayed': {$ref: '#/components/headers/Idempotent-Replayed'}}),
  }
  const schema = {type: 'object', required: Object.keys(properties), properties}
  return {description: `${summary}: done`, headers, content: {'application/json': {schema}}}
}

function securitySchemes(serverUrl: string): object {
  return {
    oauth2: {
      type: 'oauth2',
      description: 'The token request is a JSON body, not a form (§4.1)',
      flows: {clientCredentials: {tokenUrl: serverUrl + OPERATIONS['token.create'].path, scopes: SCOPES}},
    },
    bearer: {
      type: 'http',
      scheme: 'bearer',
      description: 'An access token from `POST /oauth/token`, valid 2 hours',
    },
  }
}

const SIGNATURE_FORM = '`t=<Unix seconds>,v1=<lowercase hex of HMAC-SHA256>` (§6.3)'

/** What a subscriber receives (§6.2). */
function eventDelivery(): object {
  const types = Object.entries(EVENT_TYPES).map(([type, meaning]) => `- \`${type}\`: ${meaning}`)
  const common = {in: 'header', required: true, schema: {type: 'string'}}
  return {
    operationId: 'receiveEvent',
    tags: [TAGS.subscriptions[0]],
    summary: 'An event sent to a subscriber',
    description: types.join('\n'),
    'x-source': '§6.2',
    security: [],
    parameters: [
      {name: SIGNATURE_HEADER, ...common, description: SIGNATURE_FORM},
      {name: EVENT_ID_HEADER, ...common, description: 'The event identifier, for removing duplicates'},
    ],
    requestBody: {required: true, content: {'application/json': {schema: reference(eventEnvelope)}}},
    responses: {
      '200': {description: 'Received; answer within 3 seconds and work afterwards (§6.4)'},
      '401': {description: 'The signature check failed (§6.3)'},
    },
  }
}
