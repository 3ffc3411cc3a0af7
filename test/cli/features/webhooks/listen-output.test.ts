/** The line of `listen --json` has the same contents as the capture record, and nothing that a terminal would obey. */
import fc from 'fast-check'
import {expect, test} from 'vitest'
import {receiptLine} from '../../../../src/cli/features/webhooks/listen-output.js'
import {jsonText} from '../../../../src/cli/terminal/json-text.js'
import {captureRecord} from '../../../../src/webhooks/captures/records.js'
import type {Receipt} from '../../../../src/webhooks/receive/receiver.js'
import {anyString} from '../../../support/any-text.js'

function receipt(body: string, change: Partial<Receipt> = {}): Receipt {
  const {id, type} = JSON.parse(body) as {id: string; type?: unknown}
  return {
    rawHeaders: ['Host', 'receiver', 'Content-Type', 'application/json'],
    body: Buffer.from(body),
    receivedAt: 1_900_000_000.125,
    commitMilliseconds: 1,
    status: 200,
    reason: 'ok',
    eventId: id,
    type: typeof type === 'string' ? type : null,
    reservationRef: null,
    secretName: 'whsub_1',
    duplicate: false,
    ackMilliseconds: 1.23456,
    ...change,
  }
}

const text = fc.oneof(anyString({maxLength: 20}), fc.string({maxLength: 20}))
const headerName = fc.stringMatching(/^[A-Za-z][A-Za-z-]{0,8}$/)
const headerValue = fc.string({unit: fc.integer({min: 0x20, max: 0xff}).map(n => String.fromCharCode(n))})

test('whatever an event contains, its record is one line of JSON without invisible characters', () => {
  const data = fc.record({id: text, type: text, data: fc.jsonValue(), note: text})
  const headers = fc.array(fc.tuple(headerName, headerValue), {maxLength: 40})
  const parts = [data, headers, fc.constantFrom(undefined, 2, '\t'), fc.boolean()] as const
  fc.assert(
    fc.property(...parts, (event, pairs, indent, duplicate) => {
      const body = JSON.stringify(event, null, indent).replaceAll('\n', indent === 2 ? '\r\n' : '\n')
      const one = receipt(body, {rawHeaders: pairs.flat(), duplicate})
      const line = receiptLine(one)
      expect(JSON.parse(line)).toEqual(JSON.parse(jsonText(captureRecord(one))))
      expect(line).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u)
    }),
  )
})

test('numbers stay as the service wrote them', () => {
  const line = receiptLine(receipt('{"id":"evt_1","total":1250.00,"n":12345678901234567890}'))
  expect(line).toContain('"event":{"id":"evt_1","total":1250.00,"n":12345678901234567890}}')
})

test('what was refused is shown as far as it can be read', () => {
  const refused = {reason: 'signature_mismatch', status: 401, eventId: undefined, type: null} as const
  const line = receiptLine({...receipt('{"id":"evt_1"}', refused), body: Buffer.from('{"id":"evt_1"')})
  expect(JSON.parse(line)).toMatchObject({verdict: 'invalid', reason: 'signature_mismatch', event: null})
})
