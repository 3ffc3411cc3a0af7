/** The list of tools: what a client is told of each. */
import {expect, test} from 'vitest'
import {listed} from '../../../../src/cli/features/agents/tool.js'
import {toolsFor} from '../../../../src/cli/features/agents/tools.js'

const all = toolsFor(['reserve', 'cancel']).map(listed)
const schemas = all.flatMap(({name, inputSchema, outputSchema}) => [
  [`${name} takes`, inputSchema] as const,
  [`${name} gives`, outputSchema ?? {}] as const,
])

test('tools that change something are listed only where they are allowed', () => {
  const names = (...allowed: Parameters<typeof toolsFor>[0]) => toolsFor(allowed).map(({name}) => name)
  expect(names()).not.toEqual(expect.arrayContaining([expect.stringMatching(/^(prepare|reserve|cancel)/)]))
  expect(names('reserve').filter(name => !names().includes(name))).toEqual(['prepare_reservation', 'reserve'])
  expect(names('cancel').filter(name => !names().includes(name))).toEqual([
    'prepare_cancellation',
    'cancel_reservation',
  ])
})

test('the annotations say which tools change something', () => {
  const destructive = all.filter(({annotations}) => annotations?.destructiveHint).map(({name}) => name)
  expect(destructive).toEqual(['reserve', 'cancel_reservation'])
  for (const {name, annotations} of all) {
    expect(Object.keys(annotations ?? {}), name).toHaveLength(4)
    expect(annotations?.readOnlyHint && annotations.destructiveHint, name).toBe(false)
  }
})

test('reserve and cancel_reservation take a handle and nothing else', () => {
  for (const name of ['reserve', 'cancel_reservation']) {
    const tool = all.find(each => each.name === name)
    expect(tool?.inputSchema).toMatchObject({required: ['handle'], additionalProperties: false})
    expect(Object.keys(tool?.inputSchema.properties ?? {})).toEqual(['handle'])
  }
  expect(JSON.stringify(all.map(({inputSchema}) => inputSchema))).not.toMatch(
    /idempotency|confirm"|client_reference_id":\{(?!.*Only)/,
  )
})

test.each(schemas)('%s what is described in words, by one whole schema', (_, schema) => {
  const {properties = {}} = schema as {properties?: Record<string, {description?: string}>}
  expect(schema).toMatchObject({type: 'object'})
  expect(JSON.stringify(schema)).not.toMatch(/"\$ref"|x-source|\\\\x/)
  const silent = Object.entries(properties).filter(([, {description}]) => description === undefined)
  expect(silent.map(([name]) => name).filter(name => !OBVIOUS.includes(name))).toEqual([])
})

/** Keys whose name says all, in results. */
const OBVIOUS = [
  'offers',
  'reservations',
  'events',
  'offer',
  'reservation',
  'account',
  'subject',
  'timeline',
  'terms',
  'limits',
  'searched_at',
  'warning',
  'reservation_ref',
  'bytes',
  'sha256',
  'client_reference_id',
  'type',
  'event_id',
  'age_seconds',
  'not_judged',
  'looked_in',
]

test.each(schemas.filter(([name]) => name.endsWith('gives')))(
  '%s either its document or an error',
  (_, schema) => {
    expect(schema).toMatchObject({
      properties: {error: {}, untrusted_fields: {}},
      anyOf: [{required: expect.arrayContaining(['untrusted_fields'])}, {required: ['error']}],
    })
  },
)
