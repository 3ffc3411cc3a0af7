/** The OpenAPI 3.1 description, generated from the contract; what is ours is marked `x-source: ours`. */
import type {z} from 'zod'
import {EVENT_ID_HEADER, EVENT_TYPES, SIGNATURE_HEADER} from './events.js'
import {hotelSummary, offer} from './hotels.js'
import {ACCESS_TOKEN_LIFETIME_SECONDS, WEBHOOK_RESPONSE_SECONDS} from './limits.js'
import * as components from './openapi-components.js'
import {OPERATION_DETAILS, type OperationDetails} from './operation-details.js'
import {OPERATIONS, type Operation, type OperationName, SCOPES} from './operations.js'
import {listMeta, tour} from './records.js'
import {reservation} from './reservations.js'
import {eventEnvelope, subscription} from './webhooks.js'

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
  content: ['Content', 'Reference data (ours)'],
  subscriptions: ['Webhooks', 'Subscriptions to events, and the events themselves (§4.7, §4.8, §6)'],
} as const

type Records = components.Records
const NAMES = Object.keys(OPERATIONS) as OperationName[]

/** The description as a plain object. `serverUrl` is the base URL, up to and including the version segment (§9). */
export function openApiDocument({serverUrl}: {serverUrl: string}): object {
  const records = components.schemas()
  const answers = NAMES.map(name => [answerId(name), answerSchema(name, records)] as const)
  const schemas = Object.fromEntries(
    [...Object.entries(records), ...answers].sort(([left], [right]) => (left < right ? -1 : 1)),
  )
  return {
    openapi: '3.1.0',
    // Nobody is behind the local sandbox; the operator of a service is named in its own description.
    info: {
      title: 'Partner Booking Service',
      version: '1.0.0',
      description: PROSE,
      contact: {name: 'The operator of the service'},
    },
    servers: [{url: serverUrl, description: 'Base URL, up to and including the version (§9)'}],
    tags: Object.values(TAGS).map(([name, description]) => ({name, description})),
    paths: paths(schemas),
    webhooks: {event: {post: eventDelivery(schemas)}},
    components: {
      schemas,
      parameters: components.PARAMETERS,
      headers: components.HEADERS,
      securitySchemes: {
        oauth2: {
          type: 'oauth2',
          description: 'The token request is a JSON body, not a form (§4.1)',
          flows: {clientCredentials: {tokenUrl: serverUrl + OPERATIONS['token.create'].path, scopes: SCOPES}},
        },
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: `An access token from \`POST /oauth/token\`, valid ${ACCESS_TOKEN_LIFETIME_SECONDS / 3600} hours`,
        },
      },
    },
  }
}

/** The operation's name as client generators take it: `hotels.search` is `hotelsSearch`. */
export function operationId(name: OperationName): string {
  return name.replace(/\.(\w)/, (_, letter: string) => letter.toUpperCase())
}

/** The name of what an operation answers: `hotels.search` gives `HotelsSearchResponse`. */
function answerId(name: OperationName): string {
  return `${operationId(name).replace(/^./, letter => letter.toUpperCase())}Response`
}

function answerSchema(name: OperationName, records: Records): components.JsonSchema {
  const {answer, isList} = OPERATION_DETAILS[name]
  const record = components.reference(answer)
  const properties = {
    data: isList
      ? {type: 'array' as const, description: 'The records', items: record}
      : {...record, description: 'What was asked for'},
    ...(isList && {meta: {...components.reference(listMeta), description: 'Where the list goes on'}}),
  }
  const schema = {type: 'object' as const, required: Object.keys(properties), properties}
  const example = components.exampleOf(schema, records) as {data: object}
  if (name === 'reservations.cancel') {
    const payment = {...(records.Payment?.examples?.[0] as object), status: 'REFUNDED'}
    const cancellation = records.Cancellation?.examples?.[0]
    const change = {status: 'CANCELLED', payment, voucher: {status: 'PENDING'}, cancellation}
    example.data = {...example.data, ...change}
  }
  const description = `The answer to: ${OPERATIONS[name].summary}`
  return {...schema, description, 'x-source': 'ours', examples: [example]}
}

function paths(schemas: Records): Record<string, Record<string, object>> {
  const found: Record<string, Record<string, object>> = {}
  for (const name of NAMES) {
    const {path, method} = OPERATIONS[name]
    found[path] = {...found[path], [method.toLowerCase()]: describe(name, schemas)}
  }
  return found
}

function describe(name: OperationName, schemas: Records): object {
  const operation: Operation = OPERATIONS[name]
  const {scope, summary, path, source} = operation
  const details = OPERATION_DETAILS[name]
  const {isIdempotent, query = [], body, isBodyOptional} = details
  const others = [...(isIdempotent ? ['IdempotencyKey'] : []), ...query]
  const referred = others.map(other => ({$ref: `#/components/parameters/${other}`}))
  const parameters = [...pathParameters(path), ...referred]
  const needs = scope ? `Needs the scope \`${scope}\`.` : 'Needs no access token.'
  return {
    operationId: operationId(name),
    tags: [TAGS[name.split('.')[0] as keyof typeof TAGS][0]],
    summary,
    description: `${summary}. ${needs}`,
    'x-source': source,
    security: scope ? [{oauth2: [scope]}, {bearer: []}] : [],
    ...(parameters.length > 0 && {parameters}),
    ...(body && {
      requestBody: {
        description: schemas[body.meta()?.id ?? '']?.description,
        required: !isBodyOptional,
        content: jsonOf(components.reference(body), schemas),
      },
    }),
    responses: {
      [details.status ?? 200]: success(name, details, schemas),
      ...components.refusals(operation, details),
    },
  }
}

/** What is sent or answered, with an example. */
function jsonOf(schema: {$ref: string}, schemas: Records): object {
  return {'application/json': {schema, example: components.exampleOf(schema, schemas)}}
}

/** The fields of records that are parameters in paths. */
const PATH_PARAMETERS: Readonly<Record<string, z.ZodType>> = {
  hotel_id: hotelSummary.shape.hotel_id,
  offer_id: offer.shape.offer_id,
  tour_id: tour.shape.tour_id,
  reservation_ref: reservation.shape.reservation_ref,
  subscription_id: subscription.shape.id,
}

/** The first example of a field. */
function exampleIn(field: z.ZodType): unknown {
  return (field.meta()?.examples as readonly unknown[] | undefined)?.[0]
}

function pathParameters(path: string): object[] {
  return Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => {
    const schema = PATH_PARAMETERS[name]
    if (!schema) throw new RangeError(`no field describes the path parameter ${name}`)
    const {description} = schema.meta() ?? {}
    const example = exampleIn(schema)
    const type =
      name === 'hotel_id' ? {type: 'integer', minimum: 1} : {type: 'string', ...components.limitsOf(name)}
    return {name, in: 'path', required: true, description, schema: type, example}
  })
}

function success(name: OperationName, {isIdempotent}: OperationDetails, schemas: Records): object {
  const headers = components.headersOf('X-Request-Id', isIdempotent && 'Idempotent-Replayed')
  const content = jsonOf({$ref: `#/components/schemas/${answerId(name)}`}, schemas)
  const own = LINKS.filter(([from]) => from === name)
  const links = own.flatMap(([, pointer, ...next]) => next.map(to => linkTo(to, pointer)))
  const linked = links.length > 0 && {links: Object.fromEntries(links)}
  return {description: `${OPERATIONS[name].summary}: done`, headers, content, ...linked}
}

/** The value at a pointer into an answer that the next requests take, from a search to the reservation and its voucher. */
const LINKS: readonly (readonly [from: OperationName, pointer: string, ...to: OperationName[]])[] = [
  ['hotels.search', '/data/offers/0/offer_id', 'hotels.price', 'reservations.create'],
  ['hotels.search', '/data/offers/0/hotel/hotel_id', 'hotels.show'],
  ['hotels.price', '/data/offer_id', 'reservations.create'],
  ['reservations.create', '/data/reservation_ref', 'reservations.show', 'voucher.show'],
  ['reservations.create', '/data/reservation_ref', 'reservations.update', 'reservations.quote'],
  ['reservations.create', '/data/reservation_ref', 'reservations.cancel'],
  ['tours.search', '/data/0/tour_id', 'tours.show'],
  ['subscriptions.create', '/data/id', 'subscriptions.test', 'subscriptions.show'],
  ['subscriptions.create', '/data/id', 'subscriptions.deliveries', 'subscriptions.delete'],
]

/** The value at `pointer` is the parameter in the path of the next request, or a member of its body. */
function linkTo(to: OperationName, pointer: string): [string, object] {
  const {path, summary} = OPERATIONS[to]
  const parameter = /\{(\w+)\}/.exec(path)?.[1]
  const name = parameter ?? pointer.slice(pointer.lastIndexOf('/') + 1)
  const description = `${summary}: takes \`${name}\` from \`${pointer}\``
  const taken = {[parameter ? 'parameters' : 'requestBody']: {[name]: `$response.body#${pointer}`}}
  return [operationId(to), {operationId: operationId(to), description, ...taken}]
}

/** What a subscriber receives (§6.2). */
function eventDelivery(schemas: Records): object {
  const types = Object.entries(EVENT_TYPES).map(([type, meaning]) => `- \`${type}\`: ${meaning}`)
  const header = (name: string, description: string, example: unknown) => {
    return {name, in: 'header', required: true, schema: {type: 'string'}, description, example}
  }
  const form = '`t=<Unix seconds>,v1=<lowercase hex of HMAC-SHA256>` (§6.3)'
  return {
    operationId: 'receiveEvent',
    tags: [TAGS.subscriptions[0]],
    summary: 'An event sent to a subscriber',
    description: types.join('\n'),
    'x-source': '§6.2',
    security: [],
    parameters: [
      header(SIGNATURE_HEADER, form, `t=1906545901,v1=${'5257a869'.repeat(8)}`),
      header(
        EVENT_ID_HEADER,
        'The event identifier, for removing duplicates',
        exampleIn(eventEnvelope.shape.id),
      ),
    ],
    requestBody: {
      description: 'The event',
      required: true,
      content: jsonOf(components.reference(eventEnvelope), schemas),
    },
    responses: {
      '200': {
        description: `Received; answer within ${WEBHOOK_RESPONSE_SECONDS} seconds and work afterwards (§6.4)`,
      },
      '401': {description: 'The signature check failed (§6.3)'},
    },
  }
}
