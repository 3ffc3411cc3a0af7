/** Which webhooks are accepted (§6.3), and what is reported of the others. */
import {expect, test} from 'vitest'
import {checkArrival} from '../../src/webhooks/receive/receiver.js'
import {EVENT, SIGNING_SECRET, signatureOf} from '../support/webhook-files.js'

const T = 1_700_000_000
const NAMES = {signature: 'x-service-signature', eventId: 'x-service-event-id'}
const SECRETS = [{name: 'whsub_1', secret: SIGNING_SECRET}]

const check = (rawHeaders: readonly string[], body: string = EVENT, receivedAt = T) =>
  checkArrival({rawHeaders, body: Buffer.from(body), receivedAt}, NAMES, SECRETS)
const signed = (body: string = EVENT) => ['X-Service-Signature', signatureOf(body, T)]

test('accepts a signed event, with its id header or without one', () => {
  const expected = {reason: 'ok', eventId: 'evt_01', type: 'reservation.confirmed', secretName: 'whsub_1'}
  expect(check(signed())).toEqual(expected)
  expect(check([...signed(), 'x-service-event-ID', 'evt_01'])).toEqual(expected)
  expect(check(['Host', 'x', 'X-Service-SignaturE', signatureOf(EVENT, T), 'x', 'y'])).toEqual(expected)
})

test('refuses an id header that differs or is repeated, and a body without an id', () => {
  const expected = {
    reason: 'event_id_mismatch',
    eventId: 'evt_01',
    type: 'reservation.confirmed',
    secretName: 'whsub_1',
  }
  const id = 'X-Service-Event-Id'
  expect(check([...signed(), id, 'evt_02'])).toEqual(expected)
  expect(check([...signed(), id, 'evt_01', id, 'evt_01'])).toEqual(expected)
  const none = {reason: 'event_id_mismatch', eventId: undefined, type: null, secretName: 'whsub_1'}
  expect(check(signed('{}'), '{}')).toEqual(none)
  expect(check([...signed('{"id":"evt_01"}'), id, 'evt_01'], '{"id":"evt_01"}')).toEqual({
    reason: 'ok',
    eventId: 'evt_01',
    type: null,
    secretName: 'whsub_1',
  })
})

test('nothing is reported of a body whose signature is wrong', () => {
  const refused = (reason: string) => ({reason, eventId: undefined, type: null, secretName: undefined})
  expect(check([])).toEqual(refused('missing_header'))
  expect(check(['X-Service-Signaturx', signatureOf(EVENT, T)])).toEqual(refused('missing_header'))
  expect(check(['Service-Signature', signatureOf(EVENT, T)])).toEqual(refused('missing_header'))
  expect(check([...signed(), ...signed()])).toEqual(refused('malformed_header'))
  expect(check(['X-Service-Signature', 't=1'])).toEqual(refused('malformed_header'))
  expect(check(signed(), `${EVENT} `)).toEqual(refused('signature_mismatch'))
  // A value that looks like the name is none.
  expect(check(['x', 'x-service-signature', signatureOf(EVENT, T), 'x'])).toEqual(refused('missing_header'))
})

test('refuses a late event, and names its secret', () => {
  expect(check(signed(), EVENT, T + 301)).toEqual({
    reason: 'timestamp_outside_tolerance',
    eventId: undefined,
    type: null,
    secretName: 'whsub_1',
  })
})
