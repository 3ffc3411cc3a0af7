import {Validator} from '@seriousme/openapi-schema-validator'
import {describe, expect, it, test} from 'vitest'
import {ERROR_CODES} from '../../src/contract/error-codes.js'
import {openApiDocument, operationId} from '../../src/contract/openapi.js'
import {OPERATION_DETAILS} from '../../src/contract/operation-details.js'
import {
  OPERATIONS,
  type Operation,
  SANDBOX_OPERATIONS,
  type SandboxOperation,
  SCOPES,
} from '../../src/contract/operations.js'
import {
  answerPointer,
  described,
  description,
  requestPointer,
  SERVER_URL,
  schemaCheck,
} from '../support/description.js'

const names = SANDBOX_OPERATIONS
const schemas = description.components.schemas

/** Yields every object in the description with its path. */
function* objects(value: unknown, path = ''): Generator<[string, Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield [path, value as Record<string, unknown>]
  for (const [key, child] of Object.entries(value)) yield* objects(child, `${path}/${key}`)
}

describe('the description', () => {
  it('is OpenAPI 3.1 to a validator', async () => {
    const validator = new Validator()
    const {valid, errors} = await validator.validate(structuredClone(description))
    expect(errors ?? []).toEqual([])
    expect(valid).toBe(true)
    expect(validator.version).toBe('3.1')
  })

  it('is plain JSON, the same each time, for the server it is asked for', () => {
    expect(JSON.parse(JSON.stringify(description))).toEqual(description)
    expect(openApiDocument({serverUrl: SERVER_URL})).toEqual(description)
    expect(description.servers[0].url).toBe(SERVER_URL)
    const flow = {tokenUrl: `${SERVER_URL}/oauth/token`, scopes: SCOPES}
    expect(description.components.securitySchemes.oauth2.flows.clientCredentials).toEqual(flow)
  })

  it('has no broken reference and no unused component', () => {
    const used = new Set<string>()
    for (const [path, {$ref}] of objects(description)) {
      if (typeof $ref !== 'string') continue
      const target = $ref
        .slice(2)
        .split('/')
        .reduce((at, key) => at?.[key], description)
      expect(target, `${path} → ${$ref}`).toBeDefined()
      used.add($ref)
    }
    for (const kind of ['schemas', 'parameters', 'headers']) {
      const defined = Object.keys(description.components[kind]).map(id => `#/components/${kind}/${id}`)
      expect(defined.filter(each => !used.has(each))).toEqual([])
    }
  })

  it('has schemas every one of which compiles', () => {
    const {faults} = schemaCheck()
    for (const id of Object.keys(schemas)) expect(faults(`/components/schemas/${id}`, null)).not.toEqual([])
  })
})

describe('each operation', () => {
  it.each(names)('%s is there, with its scope, its parameters, its envelope and its refusals', name => {
    const {scope, path, source}: Operation = OPERATIONS[name]
    const {operationId: id, security, parameters = [], responses, tags, ...found} = described(name)
    expect(id).toBe(operationId(name))
    expect(id).toMatch(/^[a-z][A-Za-z]+$/)
    expect(found).toMatchObject({'x-source': source, summary: OPERATIONS[name].summary})
    expect(description.tags.map((tag: {name: string}) => tag.name)).toContain(tags[0])
    expect(security).toEqual(scope ? [{oauth2: [scope]}, {bearer: []}] : [])
    const inPath = parameters.filter((each: {in?: string}) => each.in === 'path')
    const expected = Array.from(path.matchAll(/\{(\w+)\}/g), ([, each]) => each)
    expect(inPath.map((each: {name: string}) => each.name)).toEqual(expected)
    const {status = 200, isList, errors = []} = OPERATION_DETAILS[name]
    const answerId = `${id[0].toUpperCase()}${id.slice(1)}Response`
    const {schema} = responses[status].content['application/json']
    expect(schema).toEqual({$ref: `#/components/schemas/${answerId}`})
    expect(schemas[answerId].required).toEqual(isList ? ['data', 'meta'] : ['data'])
    for (const code of errors) expect(responses[ERROR_CODES[code]].description).toContain(`\`${code}\``)
    if (scope) expect(responses[401].description).toContain('token_expired')
    expect(responses[429].headers['Retry-After']).toBeDefined()
  })

  it('is in the contract, with a unique name', () => {
    const inPaths = Object.values(description.paths).flatMap(path => Object.values(path as object))
    expect(inPaths).toHaveLength(names.length)
    expect(new Set(names.map(operationId)).size).toBe(names.length)
  })

  it('takes an Idempotency-Key where §4.4 has one, and nowhere else', () => {
    const withKey = names.filter(name => JSON.stringify(described(name)).includes('IdempotencyKey'))
    expect(withKey).toEqual(['reservations.create'])
    expect(description.components.parameters.IdempotencyKey).toMatchObject({in: 'header', required: true})
  })

  it('knows every error code but those of paths, methods and what is no request', () => {
    const text = JSON.stringify(description.paths)
    const elsewhere =
      'delivery_not_found expectation_failed forbidden head_too_large method_not_allowed not_found payment_not_pending request_timeout'
    const missing = Object.keys(ERROR_CODES).filter(code => !text.includes(`\`${code}\``))
    expect(missing.sort().join(' ')).toBe(elsewhere)
  })
})

describe('what is ours', () => {
  it('is marked on every record, header and parameter', () => {
    const {headers, parameters} = description.components
    for (const each of Object.values({...schemas, ...headers, ...parameters} as Record<string, object>)) {
      expect((each as {'x-source'?: string})['x-source']).toMatch(/^(ours|§\d+(\.\d+)?)$/)
    }
    expect(description.info.description).toContain('x-source')
  })

  it('has an example of a payment URL that is not a webhook URL', () => {
    expect(schemas.Payment.properties.url.examples[0]).toContain('/pay/')
  })

  it('is marked field by field in records the interface shows in part', () => {
    expect(schemas.Offer.properties.offer_id['x-source']).toBe('§2.3')
    expect(schemas.Offer.properties.price['x-source']).toBe('ours')
    expect(schemas.Reservation.properties.status['x-source']).toBe('§2.5')
    expect(schemas.Reservation.properties.guests['x-source']).toBe('ours')
    expect(schemas.Payment.properties.url['x-source']).toBe('§2.5')
  })
})

describe('what a reader needs', () => {
  it('is a description of every operation, parameter, header, body, answer, record and field', () => {
    const missing = [...objects(description)].flatMap(([path, value]) => {
      const isNamed = /\/(properties|schemas|parameters|headers|responses)\/[^/]+$/.test(path)
      const needsOne =
        isNamed || 'operationId' in value || /\/(get|post|patch|delete)\/requestBody$/.test(path)
      return !needsOne || value.description || value.$ref ? [] : [path]
    })
    expect(missing).toEqual([])
  })

  it('is an example of every field that is not made of others, valid by its schema', () => {
    const {faults} = schemaCheck()
    const fields = [...objects(schemas, '/components/schemas')].filter(([path]) =>
      /\/properties\/[^/]+$/.test(path),
    )
    expect(fields.length).toBeGreaterThan(200)
    for (const [path, field] of fields) {
      const items = field.items as {$ref?: string; properties?: object} | undefined
      const isMade = field.$ref || field.properties || items?.$ref || items?.properties
      expect([path, isMade || field.examples]).not.toEqual([path, undefined])
      for (const example of (field.examples ?? []) as unknown[])
        expect([path, faults(path, example)]).toEqual([path, []])
    }
    for (const [id, {examples}] of Object.entries<{examples: unknown[]}>(schemas)) {
      expect([id, faults(`/components/schemas/${id}`, examples[0])]).toEqual([id, []])
    }
    for (const name of names) {
      for (const [status, {content}] of Object.entries<Exampled>(described(name).responses)) {
        const {example, examples = {answer: {value: example}}} = content['application/json']
        for (const {value} of Object.values(examples)) {
          expect(faults(answerPointer(name, Number(status)), value), `${name} ${status}`).toEqual([])
        }
      }
    }
  })

  it('are forms: of money, times, addresses and events, in what every reader of patterns knows', () => {
    const text = JSON.stringify(description)
    expect(text).not.toMatch(/"pattern":"[^"]*\\\\[dwsp]/)
    const {faults} = schemaCheck()
    const takes = (path: string, value: unknown) => faults(`/components/schemas/${path}`, value).length === 0
    const cases: [string, unknown, unknown][] = [
      ['Price/properties/total', '1250.00', '1,250.00'],
      ['Reservation/properties/created_at', '2030-06-01T12:00:00+03:00', '2030-06-01 12:00'],
      ['Reservation/properties/reservation_ref', 'RSV-7K3M9QX2AB', 'R'.repeat(65)],
      ['Reservation/properties/client_reference_id', 'x'.repeat(128), 'x'.repeat(129)],
      ['SubscriptionRequest/properties/url', 'https://a.example/hook', 'http://a.example/hook'],
      ['SubscriptionRequest/properties/events', ['voucher.ready'], ['voucher.lost']],
      ['EventEnvelope/properties/type', 'payment.failed', 'payment.lost'],
      ['HotelSearchRequest/properties/check_in', '2030-07-10', '10.07.2030'],
      ['HotelSearchRequest/properties/currency', 'EUR', 'euro'],
    ]
    for (const [path, good, bad] of cases)
      expect([path, takes(path, good), takes(path, bad)]).toEqual([path, true, false])
  })

  it('are links from a search to the reservation and its voucher, along examples that fit', () => {
    const walk = (from: SandboxOperation, to: SandboxOperation) => {
      const {responses} = described(from)
      const {status = 200} = OPERATION_DETAILS[from]
      const {links, content} = responses[status]
      const {parameters, requestBody} = links[operationId(to)]
      expect(names.map(operationId)).toContain(links[operationId(to)].operationId)
      const [[name, expression]] = Object.entries<string>(parameters ?? requestBody) as [[string, string]]
      const value = expression
        .slice('$response.body#/'.length)
        .split('/')
        .reduce((at, key) => at[key], content['application/json'].example)
      return {name, value}
    }
    const {requestBody, responses} = described('reservations.create')
    const request = requestBody.content['application/json'].example
    expect(walk('hotels.search', 'reservations.create')).toEqual({name: 'offer_id', value: request.offer_id})
    const made = responses[201].content['application/json'].example.data
    const payment = {...request.payment, status: 'PAID'}
    expect(made).toMatchObject({...request, payment, status: 'CONFIRMED'})
    const value = made.reservation_ref
    expect(walk('reservations.create', 'voucher.show')).toEqual({name: 'reservation_ref', value})
    const linked = names.flatMap(name => {
      const {status = 200} = OPERATION_DETAILS[name]
      const links = Object.keys(described(name).responses[status].links ?? {})
      return links.map(id => walk(name, names.find(each => operationId(each) === id) as SandboxOperation))
    })
    expect(linked.length).toBeGreaterThan(10)
    expect(linked.filter(({value}) => value === undefined)).toEqual([])
  })
})

interface Exampled {
  readonly content: {'application/json': {example?: unknown; examples?: Record<string, {value: unknown}>}}
}

test.each(names.filter(name => OPERATION_DETAILS[name].body))('the body of %s', name => {
  const {faults} = schemaCheck()
  const body = described(name).requestBody.content['application/json'].example
  const isTaken = (given: object) => faults(requestPointer(name), given).length === 0
  expect(isTaken(body)).toBe(true)
  // Schemas refuse unknown members, except those of OAuth, which must accept them (RFC 6749 §3.2).
  expect(isTaken({...body, more: 1})).toBe(name.startsWith('token.'))
  expect(isTaken({...body, grant_type: 'password'})).toBe(name === 'token.revoke')
})

describe('events', () => {
  it('are described for subscribers, with their headers', () => {
    const {post} = description.webhooks.event
    const names = post.parameters.map((each: {name: string}) => each.name)
    expect(names).toEqual(['X-Service-Signature', 'X-Service-Event-Id'])
    const {$ref} = post.requestBody.content['application/json'].schema
    expect($ref).toBe('#/components/schemas/EventEnvelope')
  })
})
