/** What is read of an event's body, and whether the unsigned id beside it agrees (§2.8, §6.2). */
import {expect, test} from 'vitest'
import {checkEventId, isEventEnvelope, readEvent} from '../../src/webhooks/signature/event.js'

const read = (text: string) => readEvent(Buffer.from(text))

test('reads id and type, and null for a type that is no text', () => {
  const event = '{"id":"evt_1","type":"voucher.ready","data":{}}'
  expect(read(event)).toEqual({id: 'evt_1', type: 'voucher.ready'})
  expect(read('{"id":"evt_1"}')).toEqual({id: 'evt_1', type: null})
  expect(read('{"id":"evt_1","type":5}')).toEqual({id: 'evt_1', type: null})
})

test.each(['', '{', 'null', '"evt_1"', '5', '[]', '{}', '{"id":""}', '{"id":5}', '\ufeff{"id":"evt_1"}'])(
  'no event is in %j',
  text => {
    expect(read(text)).toBeUndefined()
  },
)

test('bytes that are no UTF-8 are no event', () => {
  expect(readEvent(Buffer.from([...Buffer.from('{"id":"'), 0xff, ...Buffer.from('"}')]))).toBeUndefined()
})

test.each([
  [true, '{"id":"evt_1","type":"x","data":{}}'],
  [true, '{"id":"1","type":"voucher.ready","data":{}}'],
  [true, '{"id":"1","type":"x","created":"2026","data":{}}'],
  [true, '\ufeff{"id":"evt_1","type":"x","data":{}}'],
  [true, '{"id":"evt_1","type":"x","data":{"a'],
  [true, '{"type":"x", "id": "evt_1","da'],
  [true, '\n {\n "id": "1",\n "type": "voucher.ready",\n "data": {}}\n'],
  [false, '[{"id":"evt_1","type":"x","data":{}}]'],
  [false, '{"type":"voucher.ready","data":{}}'],
  [false, '{"id":"1","type":"x","data":{}}'],
  [false, '{"id":"evt_1","type":"x","data":[]}'],
  [false, '{"id":"evt_1","type":"x"}'],
  [false, '{"a":{"id":"evt_1","type":"x","data'],
  [false, '{"id":"1","type":"x","data":{"a'],
  [false, ''],
])('is it an event: %s, %s', (expected, text) => {
  expect(isEventEnvelope(Buffer.from(text))).toBe(expected)
})

test('a header agrees when it is absent, or given once and the id of the body', () => {
  const event = {id: 'evt_1'}
  for (const header of [undefined, [], 'evt_1', ['evt_1']]) expect(checkEventId(header, event)).toBe(true)
  for (const header of ['', 'evt_2', 'EVT_1', ['evt_2'], ['evt_1', 'evt_1'], ['evt_1', 'evt_2']])
    expect(checkEventId(header, event), String(header)).toBe(false)
  expect(checkEventId(undefined, undefined)).toBe(true)
  expect(checkEventId('evt_1', undefined)).toBe(false)
  expect(checkEventId(['evt_1', 'evt_1'], undefined)).toBe(false)
})
