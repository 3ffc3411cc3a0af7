/** The signature of a forwarded event: the received signature while it is fresh, later a new one with the same secret. */
import {expect, test} from 'vitest'
import {freshHeaders, signedAgain} from '../../../src/webhooks/forward/request.js'
import {sign, verify} from '../../../src/webhooks/signature/signature.js'

const SIGNED_AT = 1_700_000_000
const body = Buffer.from('{"id":"evt_1"}')
const secrets = ['whsec_one', 'whsec_two'].map((secret, n) => ({name: `env[${n}]`, secret}))
const event = {
  rawHeaders: ['Host', 'a', 'X-SERVICE-signature', sign('whsec_two', `${SIGNED_AT}`, body), 'X-After', 'b'],
  body,
}

const NAME = 'X-Service-Signature'

const headersAt = (age: number, known = secrets) => freshHeaders(event, NAME, known, SIGNED_AT + age)

test.each([0, 290, 297, -200])('an event signed %d s ago is sent as it came', age => {
  expect(headersAt(age)).toBe(event.rawHeaders)
})

test.each([298, 301, 86_400])('an event signed %d s ago is signed again with its own secret', age => {
  const headers = headersAt(age) ?? []
  const now = SIGNED_AT + age
  expect(headers.with(3, '')).toEqual(event.rawHeaders.with(3, ''))
  const verdict = verify({secrets, header: headers[3], rawBody: body, now})
  expect(verdict).toMatchObject({valid: true, ageSeconds: 0, secretName: 'env[1]'})
})

test('it is not sent when its secret is unknown', () => {
  expect(headersAt(400, secrets.slice(0, 1))).toBeUndefined()
  expect(headersAt(400, [])).toBeUndefined()
})

test('an event without the header is sent as it came, and gets one when it is signed', () => {
  const bare = {rawHeaders: ['Host', 'a'], body}
  expect(freshHeaders(bare, NAME, secrets, 1_800_000_000)).toBe(bare.rawHeaders)
  const signature = sign('whsec_one', '1800000000', body)
  const named = {name: 'env[0]', secret: 'whsec_one'}
  expect(signedAgain(bare, named, NAME, 1_800_000_000)).toEqual(['Host', 'a', NAME, signature])
})
