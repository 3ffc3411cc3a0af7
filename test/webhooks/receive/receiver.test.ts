/** What is read from a request (§2.8, §6.2), which requests are accepted (§6.3), and what is reported about refused ones. */
import {expect, test} from 'vitest'
import {checkArrival} from '../../../src/webhooks/receive/receiver.js'
import {isEventEnvelope, readEvent} from '../../../src/webhooks/signature/event.js'
import {gatherHeaders, headerOf} from '../../../src/webhooks/signature/headers.js'
import {EVENT, SIGNING_SECRET, signatureOf} from '../../support/webhook-files.js'

const T = 1_700_000_000
const NAMES = {signature: 'x-service-signature', eventId: 'x-service-event-id'}
const SECRETS = [{name: 'whsub_1', secret: SIGNING_SECRET}]

const check = (rawHeaders: readonly string[], body: string = EVENT, receivedAt = T) =>
  checkArrival({rawHeaders, body: Buffer.from(body), receivedAt}, NAMES, SECRETS)
const SIGNATURE = signatureOf(EVENT, T)
const SIGNED = ['X-Service-Signature', SIGNATURE]
const ID = 'X-Service-Event-Id'
const TRUSTED = {
  eventId: 'evt_01',
  type: 'reservation.confirmed',
  reservationRef: null,
  secretName: 'whsub_1',
}

test.each([
  [SIGNED, 'ok'],
  [[...SIGNED, 'x-service-event-ID', 'evt_01'], 'ok'],
  [['Host', 'x', 'X-Service-SignaturE', SIGNATURE, 'x', 'y'], 'ok'],
  [[...SIGNED, ID, ''], 'event_id_mismatch'],
  [[...SIGNED, ID, 'EVT_01'], 'event_id_mismatch'],
  [[...SIGNED, ID, 'evt_01', ID, 'evt_01'], 'event_id_mismatch'],
])('with the headers %j a signed event is %s', (headers, reason) => {
  expect(check(headers)).toEqual({...TRUSTED, reason})
})

test('a signed body needs an id but no type', () => {
  const signed = (body: string) => check(['X-Service-Signature', signatureOf(body, T)], body)
  const nothing = {eventId: undefined, type: null, reservationRef: null}
  const unnamed = {reason: 'event_id_mismatch', ...nothing, secretName: 'whsub_1'}
  expect(signed('{}')).toEqual(unnamed)
  expect(signed('{"id":"evt_01"}')).toEqual({...unnamed, reason: 'ok', eventId: 'evt_01'})
})

test.each([
  ['event_id_mismatch', 'evt_\ud800'],
  ['event_id_mismatch', 'evt_\0'],
  ['event_id_mismatch', 'evt_1\n'],
  ['event_id_mismatch', 'evt_\x9b'],
  ['ok', 'evt_ş 😀'],
  ['ok', 'evt_\u202e'],
])('a signed event that a store keeps as it is may be received: %s, %j', (reason, id) => {
  const body = JSON.stringify({id})
  const checked = check(['X-Service-Signature', signatureOf(body, T)], body)
  expect(checked).toMatchObject({reason, eventId: id})
})

test.each<[reason: string, ...Parameters<typeof check>]>([
  ['missing_header', []],
  ['missing_header', ['X-Service-Signaturx', SIGNATURE]],
  // A header value that looks like the name does not count.
  ['missing_header', ['x', 'x-service-signature', SIGNATURE, 'x']],
  ['malformed_header', [...SIGNED, ...SIGNED]],
  ['malformed_header', ['X-Service-Signature', 't=1']],
  ['signature_mismatch', SIGNED, `${EVENT} `],
  ['timestamp_outside_tolerance', SIGNED, EVENT, T + 301],
])('nothing is reported of a body whose signature is wrong or late: %s', (reason, ...given) => {
  const secretName = reason === 'timestamp_outside_tolerance' ? 'whsub_1' : undefined
  expect(check(...given)).toEqual({reason, eventId: undefined, type: null, reservationRef: null, secretName})
})

const read = (text: string) => readEvent(Buffer.from(text))

test('reads id and type, and null for a type that is no plain text', () => {
  const subject = {reservationRef: null, status: null}
  const event = '{"id":"evt_1","type":"voucher.ready","data":{}}'
  expect(read(event)).toEqual({id: 'evt_1', type: 'voucher.ready', ...subject})
  expect(read('{"id":"evt_1"}')).toEqual({id: 'evt_1', type: null, ...subject})
  for (const type of ['5', '"a\\u0000"', '"a\\ud800"'])
    expect(read(`{"id":"evt_1","type":${type}}`)).toEqual({id: 'evt_1', type: null, ...subject})
})

test.each([
  ['{"reservation_ref":"RSV-1","status":"CONFIRMED"}', 'RSV-1', 'CONFIRMED'],
  ['{"reservation_ref":5,"status":null}', null, null],
  ['{"reservation_ref":"","status":""}', null, null],
  ['[]', null, null],
  ['"RSV-1"', null, null],
])('an event with the data %s is about %j', (data, reservationRef, status) => {
  expect(read(`{"id":"evt_1","data":${data}}`)).toMatchObject({reservationRef, status})
})

test.each(['', '{', 'null', '"evt_1"', '5', '[]', '{}', '{"id":""}', '{"id":5}', '\ufeff{"id":"evt_1"}'])(
  'no event is in %j',
  text => {
    expect(read(text)).toBeUndefined()
  },
)

test('bytes that are not UTF-8 are no event', () => {
  expect(readEvent(Buffer.from([...Buffer.from('{"id":"'), 0xff, ...Buffer.from('"}')]))).toBeUndefined()
})

test.each([
  [true, '{"id":"evt_1","type":"x","data":{}}'],
  [true, '{"id":"1","type":"voucher.ready","data":{}}'],
  [true, '{"id":"1","type":"x","created":"2026","data":{}}'],
  [true, '\ufeff{"id":"evt_1","type":"x","data":{}}'],
  [true, '{"id":"evt_1","type":"x","data":{"a'],
  [true, '\n {\n "id": "1",\n "type": "voucher.ready",\n "data": {}}\n'],
  [false, '[{"id":"evt_1","type":"x","data":{}}]'],
  [false, '{"id":"1","type":"x","data":{}}'],
  [false, '{"id":"evt_1","type":"x","data":[]}'],
  [false, '{"a":{"id":"evt_1","type":"x","data'],
  [false, '{"id":"1","type":"x","data":{"a'],
  [false, ''],
])('is it an event: %s, %s', (expected, text) => {
  expect(isEventEnvelope(Buffer.from(text))).toBe(expected)
})

test('a repeated header keeps all its values in order', () => {
  const headers = gatherHeaders([
    ['A', 'one'],
    ['b', 'two'],
    ['a', 'three'],
    ['A', 'four'],
    ['__proto__', 'five'],
  ])
  expect(Object.entries(headers)).toEqual([
    ['a', ['one', 'three', 'four']],
    ['b', 'two'],
    ['__proto__', 'five'],
  ])
})

test('inherited properties are no headers', () => {
  expect(headerOf({}, 'constructor')).toBeUndefined()
  expect(headerOf(gatherHeaders([]), 'toString')).toBeUndefined()
})
