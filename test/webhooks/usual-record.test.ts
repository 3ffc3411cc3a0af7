import fc from 'fast-check'
import {expect, test} from 'vitest'
import {ByteSource} from '../../src/webhooks/captures/byte-source.js'
import {readRecords, requestsOfDocument} from '../../src/webhooks/captures/records.js'
import type {CapturedRequest} from '../../src/webhooks/captures/request.js'
import {readUsualRecord} from '../../src/webhooks/captures/usual-record.js'
import {captureRecord} from '../../src/webhooks/receive/capture-record.js'
import {type EventSummary, readEvent, readUsualEvent} from '../../src/webhooks/signature/event.js'

const lineOf = (body: Uint8Array | string, more: object = {}) =>
  JSON.stringify({
    ...captureRecord({
      reason: 'ok',
      duplicate: false,
      receivedAt: 1_700_000_000.123,
      ackMilliseconds: 1.25,
      rawHeaders: ['Host', 'x', 'X-Service-Signature', 't=1,v1=aa'],
      body: Buffer.from(body as string),
    }),
    ...more,
  })

const inBlock = (line: Buffer) => readUsualRecord(line, 0, line.length, 1)

/** What there is to say of a request, whichever way it was read. */
function read(request: CapturedRequest | undefined) {
  const body = request?.body as Uint8Array
  const event: EventSummary | undefined = request?.event ?? readEvent(body)
  const headers = {...request?.headers}
  for (const [name, value] of Object.entries(headers)) expect(request?.header?.(name) ?? value).toEqual(value)
  const {format, receivedAt, problem, afterwards} = request ?? {}
  return {format, receivedAt, problem, afterwards, headers, body: Buffer.from(body).toString('hex'), event}
}

/** The same line, parsed whole. */
function parsed(line: Buffer) {
  try {
    return requestsOfDocument([JSON.parse(line.toString('utf8'))])[0]
  } catch {
    return undefined
  }
}

const ids = fc.constantFrom('evt_1', 'Ayşe', 'é', '')
const events = fc
  .record({
    id: fc.oneof({arbitrary: ids, weight: 5}, fc.jsonValue()),
    type: fc.oneof({arbitrary: ids, weight: 5}, fc.jsonValue()),
    data: fc.jsonValue(),
  })
  .map(event => JSON.stringify(event))

test('a line of ours is read as when it is parsed whole', () => {
  let usual = 0
  fc.assert(
    fc.property(fc.oneof(events, fc.json()), body => {
      const line = Buffer.from(lineOf(body))
      const request = inBlock(line)
      if (request === undefined) return
      usual += 1
      expect(read(request)).toEqual(read(parsed(line)))
    }),
  )
  expect(usual).toBeGreaterThan(5)
})

test('a line that was changed anywhere is read as when it is parsed whole, or not at all', () => {
  const line = Buffer.from(lineOf('{"id":"evt_1","type":"Ayşe","data":{"a":[1,{"b":"}"}]}}'))
  const bytes = fc.constantFrom(...Buffer.from('{}[]",:\\ \r\t0e-=\u00ff\u0000a'))
  const places = fc.nat(line.length - 1)
  fc.assert(
    fc.property(places, bytes, fc.constantFrom('set', 'insert', 'cut'), (at, byte, change) => {
      const rest = line.subarray(change === 'insert' ? at : at + 1)
      const middle = change === 'cut' ? [] : [byte]
      const changed = Buffer.concat([line.subarray(0, at), Buffer.from(middle), rest])
      const request = inBlock(changed)
      if (request !== undefined) expect(read(request)).toEqual(read(parsed(changed)))
    }),
    {numRuns: 5000},
  )
})

test('a header is the one JSON.parse gives, or none', () => {
  const line = lineOf('{"id":"evt_1","type":"a"}')
  const text = '{"x-a":"1","x-b":"x-a","x-c":",","x-a":"2","d":""}'
  const request = inBlock(Buffer.from(line.replace(/"headers":.*,"event"/, `"headers":${text},"event"`)))
  const names = ['x-a', 'x-b', 'x-c', 'd', 'x', ',', '1', '']
  expect(names.map(name => request?.header?.(name))).toEqual(['2', 'x-a', ',', '', ...Array(4)])
  expect(request?.headers).toEqual(JSON.parse(text))
})

test.each([
  ['an id twice', '{"id":"evt_1","type":"a","id":"evt_2"}', 'evt_2'],
  ['an id with an escape', '{"id":"evt_1","type":"a","\\u0069d":"evt_2"}', 'evt_2'],
  ['an id further in', '{"id":"evt_1","type":"a","data":{"id":"evt_2"}}', 'evt_1'],
])('%s is what JSON says', async (_, body, id) => {
  // The line is written with the body as it stands: then it is the usual one.
  const line = Buffer.from(lineOf(body).replace(/"event":.*$/, `"event":${body}}`))
  expect(inBlock(line)?.event?.id).toBe(id)
})

test.each([
  ['an event that is another', lineOf('{"id":"evt_1","type":"a"}', {event: {id: 'evt_2', type: 'a'}})],
  ['a body that is no JSON', lineOf('{"id":').replace('"event":null', '"event":{"id":')],
  ['a body with more behind', lineOf('{"id":"evt_1","type":"a"},"x":{}')],
  ['a body that is a list', lineOf('[{"id":"evt_1","type":"a"}]')],
  ['a body that is no UTF-8', lineOf(Buffer.from('{"id":"evt_1","type":"\xff"}', 'latin1'))],
  ['nothing', ''],
  ['a carriage return', `${lineOf('{"id":"evt_1","type":"a"}')}\r`],
])('%s is left to the parser', (_, line) => {
  expect(inBlock(Buffer.from(line))).toBeUndefined()
})

test('lines are numbered alike in pieces of any size', async () => {
  const line = lineOf('{"id":"evt_1","type":"a"}')
  const all = Buffer.from([line, '', 'broken', line, `${line}\r`, line].join('\n'))
  const places = async (size: number) => {
    async function* pieces() {
      for (let at = 0; at < all.length; at += size) yield all.subarray(at, at + size)
    }
    const found: unknown[] = []
    for await (const requests of readRecords(new ByteSource(pieces()), {count: 0}))
      found.push(...requests.map(({place, problem}) => [place, problem === undefined]))
    return found
  }
  const expected = [
    [':1', true],
    [':3', false],
    [':4', true],
    [':5', true],
    [':6', true],
  ]
  for (const size of [1, 7, 100, line.length, line.length + 1, 1_000_000])
    expect(await places(size)).toEqual(expected)
})

test('an event is what the parser says, or not at all', () => {
  const names = fc.constantFrom('id', 'type', 'created', 'data', 'data', 'note', '')
  const words = fc.oneof(
    fc.constantFrom('evt_1', '2030-01-01', '', 'é', 'a"b', 'a\\b', '\u007f', '{', '}', '","'),
    ...[fc.double(), fc.integer(), fc.boolean(), fc.constant(null)],
  )
  const members = fc.array(
    fc.tuple(names, fc.oneof(words, fc.dictionary(names, words), fc.jsonValue({maxDepth: 2}))),
    {maxLength: 4},
  )
  const starts = fc.constant([
    ['id', 'evt_1'],
    ['type', 'a'],
    ['created', 'b'],
  ])
  const texts = fc
    .tuple(fc.oneof(starts, members), members)
    .map(
      ([first, more]) =>
        `{${[...first, ...more].map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)}}`,
    )
  let usual = 0
  const compare = (text: string) => {
    const body = Buffer.from(text)
    const event = readUsualEvent(body.toString('latin1'))
    if (event === undefined) return
    usual += 1
    expect(event).toEqual(readEvent(body))
  }
  fc.assert(fc.property(texts, compare), {numRuns: 2000})
  expect(usual).toBeGreaterThan(100)
  const changes = fc.constantFrom(...'{}[]",:\\ \t0e-=+.\u0000atrue')
  fc.assert(
    fc.property(texts, fc.nat(), changes, fc.nat(1), (text, place, change, cut) => {
      const at = place % text.length
      compare(`${text.slice(0, at)}${change}${text.slice(at + cut)}`)
    }),
    {numRuns: 5000},
  )
})

test('what takes longest is refused as quickly as it is read', () => {
  // No two ways to read one character: a text that fails at its end is not tried again in another way.
  const start = '{"id":"evt_1","type":"a","created":"b"'
  expect(readUsualEvent(`${start}${',"a":{"b":1,"c":""}'.repeat(20_000)}`)).toBeUndefined()
  expect(readUsualEvent(`${start}${',"a":{"b":1,"c":""}'.repeat(20_000)}}`)?.id).toBe('evt_1')
})
