/** The fast path for captures: if it decides about a line, the result is the same as from parsing the whole line. */
import fc from 'fast-check'
import {expect, test} from 'vitest'
import {captureRecord, readRecords, requestsOfDocument} from '../../../src/webhooks/captures/records.js'
import {type CheckResult, check, usualLineCheck} from '../../../src/webhooks/diagnose/check.js'
import type {CheckTerms} from '../../../src/webhooks/diagnose/finding.js'
import {sign} from '../../../src/webhooks/signature/signature.js'
import {checkTerms, T} from '../signed-events.js'

const SECRET = 'whsec_test'
const PLAIN = '{"id":"evt_1","type":"voucher.ready","data":{"object":"voucher","n":-1.5,"ok":true,"no":null}}'

const secrets = [
  {name: 'other', secret: 'whsec_other'},
  {name: 'file', secret: SECRET},
]
const terms = checkTerms({secrets, now: ({receivedAt = 0}) => receivedAt})

interface Line {
  readonly rawHeaders?: readonly string[]
  readonly signature?: string
  readonly eventId?: string
  readonly receivedAt?: number
}

/** Returns a line as `listen` writes it, for a request signed at T. */
function lineOf(body: Uint8Array | string, line: Line = {}): string {
  const bytes = Buffer.from(body as string)
  const {signature = sign(SECRET, String(T), bytes), eventId = 'evt_1', receivedAt = T + 0.123} = line
  const signed = ['Host', 'x', 'X-Service-Signature', signature, 'X-Service-Event-Id', eventId]
  const {rawHeaders = signed} = line
  const captured = {reason: 'ok', duplicate: false, receivedAt, ackMilliseconds: 1.25, body: bytes} as const
  return JSON.stringify(captureRecord({...captured, rawHeaders}))
}

function quick(line: string | Buffer, more: Partial<CheckTerms> = {}): CheckResult | undefined {
  const bytes = Buffer.concat([Buffer.from(line as string), Buffer.from('\n')])
  const found = usualLineCheck({...terms, ...more}, 'a')?.(
    {bytes, text: bytes.toString('latin1')},
    0,
    bytes.length - 1,
    1,
  )
  if (found === undefined) return undefined
  const {input, ...result} = found
  expect(input).toBe('a:1')
  return result
}

/** Returns the result of parsing the whole line. */
async function slow(line: string | Buffer): Promise<CheckResult | undefined> {
  const [request] = requestsOfDocument(Buffer.from(line as string)) ?? []
  return request && check(request, terms)
}

const VALID = {valid: true, reason: 'ok', event_id: 'evt_1', secret: 'file', timestamp: T, age_seconds: 0}

test.each([
  PLAIN,
  '{"id":"evt_1","type":"a"}',
  '{"id":"evt_1","type":"a","created":"b","data":{}}',
  '{"id":"evt_1","type":"","data":{"id":"evt_2","f":" !#[]^~","g":0.5}}',
])('the usual line is taken: %s', async body => {
  expect(quick(lineOf(body))).toMatchObject(VALID)
  expect(quick(lineOf(body))).toEqual(await slow(lineOf(body)))
})

test.each([
  ['a wrong signature', lineOf(PLAIN, {signature: sign('whsec_wrong', String(T), Buffer.from(PLAIN))})],
  ['a signature in capitals', lineOf(PLAIN, {signature: `t=${T},v1=${'A'.repeat(64)}`})],
  ['a time that is too long ago', lineOf(PLAIN, {receivedAt: T + 301})],
  ['an event id that begins alike', lineOf(PLAIN, {eventId: 'evt_10'})],
  ['no signature', lineOf(PLAIN, {rawHeaders: ['Host', 'x']})],
  ['an id twice', lineOf('{"id":"evt_1","type":"a","id":"evt_2"}')],
  ['an id with an escape', lineOf('{"id":"evt_1","type":"a","\\u0069d":"evt_2"}')],
  ['an event that is another', lineOf(PLAIN).replace('"event":{"id":"evt_1"', '"event":{"id":"evt_2"')],
  ['a body that is no JSON', lineOf('{"id":').replace('"event":null', '"event":{"id":')],
  ['a body with more behind', lineOf('{"id":"evt_1","type":"a"},"x":{}')],
  ['a body with an accent', lineOf('{"id":"evt_1","type":"é"}')],
  ['a body that is no UTF-8', lineOf(Buffer.from('{"id":"evt_1","type":"\xff"}', 'latin1'))],
  ['a signature twice', lineOf(PLAIN).replace('"x-service-signature":', '"x-service-signature":"x",$&')],
  ['a carriage return', `${lineOf(PLAIN)}\r`],
])('%s is left to the whole check', (_, line) => {
  expect(quick(line)).toBeUndefined()
})

test('flags that override headers disable the fast path', () => {
  expect(usualLineCheck({...terms, signature: 'x'}, 'a')).toBeUndefined()
  expect(usualLineCheck({...terms, eventId: 'evt_1'}, 'a')).toBeUndefined()
})

test('other header names are followed', () => {
  const rawHeaders = ['X-A', sign(SECRET, String(T), Buffer.from(PLAIN)), 'X-B', 'evt_1']
  const names = {signature: 'x-A', eventId: 'X-b'}
  expect(quick(lineOf(PLAIN, {rawHeaders}), {names})).toMatchObject(VALID)
  expect(quick(lineOf(PLAIN, {rawHeaders}))).toBeUndefined()
})

/** Checks that `quick` decides some of these lines, and that the full check agrees with it on each of them. */
async function expectAgreement(lines: fc.Arbitrary<string | Buffer>, numRuns: number): Promise<void> {
  let usual = 0
  await fc.assert(
    fc.asyncProperty(lines, async line => {
      const found = quick(line)
      if (found === undefined) return
      usual += 1
      expect(found).toEqual(await slow(line))
    }),
    {numRuns},
  )
  expect(usual).toBeGreaterThan(0)
}

test('any event has the result that the whole check gives, or is left to it', async () => {
  const texts = fc.constantFrom('evt_1', 'Ayşe', 'é', '', 'a"b', '{', '","', '\u007f')
  const values = fc.oneof(texts, fc.jsonValue())
  const events = fc
    .record({id: values, type: values, data: fc.jsonValue()})
    .map(event => JSON.stringify(event))
  const lines = fc.tuple(fc.oneof(events, fc.json()), fc.boolean()).map(([body, named]) => {
    const {id = ''} = JSON.parse(body) ?? {}
    return lineOf(body, {eventId: named || typeof id !== 'string' ? 'evt_1' : id})
  })
  await expectAgreement(lines, 2000)
})

test('a line that was changed anywhere has the result that the whole check gives, or is left to it', async () => {
  const line = Buffer.from(lineOf(PLAIN))
  const bytes = fc.constantFrom(...Buffer.from('{}[]",:\\ \r\t0e-=\u00ff\u0000a'))
  const changes = fc.constantFrom('set', 'insert', 'cut')
  const lines = fc.tuple(fc.nat(line.length - 1), bytes, changes).map(([at, byte, change]) => {
    const [put, cut] = [change === 'cut' ? [] : [byte], change === 'insert' ? 0 : 1]
    return Buffer.from([...line].toSpliced(at, cut, ...put))
  })
  await expectAgreement(lines, 1500)
})

test('refuses long input without backtracking', () => {
  // Each character can match in only one way, so a text that fails at its end is not tried again in another way.
  const members = Array.from({length: 1000}, (_, n) => `,"a${n}":{"b":1,"c":""}`).join('')
  expect(quick(lineOf(`{"id":"evt_1","type":"a"${members}}`))).toMatchObject(VALID)
  expect(quick(lineOf(`{"id":"evt_1","type":"a"${members},"b":[]}`))).toBeUndefined()
})

test('lines are numbered alike in pieces of any size, whichever way they are read', async () => {
  const line = lineOf('{"id":"evt_1","type":"a"}')
  const all = Buffer.from([line, '', 'broken', line, `${line}\r`, line].join('\n'))
  const shortcut = usualLineCheck(terms, '')
  const places = async (size: number) => {
    async function* pieces() {
      for (let at = 0; at < all.length; at += size) yield all.subarray(at, at + size)
    }
    const found: unknown[] = []
    for await (const requests of readRecords(pieces(), {count: 0}, shortcut)) {
      for (const one of requests)
        found.push('input' in one ? [one.input, 'quick'] : [one.place, one.problem ? 'broken' : 'read'])
    }
    return found
  }
  const expected = [
    [':1', 'quick'],
    [':3', 'broken'],
    [':4', 'quick'],
    [':5', 'read'],
    [':6', 'quick'],
  ]
  for (const size of [1, 7, 100, line.length, line.length + 1, 1_000_000])
    expect(await places(size)).toEqual(expected)
})
