/** Creating and verifying signatures (§6.3), also against committed vectors that openssl created. */
import {createHmac} from 'node:crypto'
import {readFileSync} from 'node:fs'
import {expect, test} from 'vitest'
import {
  isEmptySecret,
  parseSignature,
  sign,
  verify,
  verifyParsed,
} from '../../../src/webhooks/signature/signature.js'

const BODY = Buffer.from('{"id":"evt_01","type":"reservation.confirmed"}')
const DIGEST = '9cca2bf8a7a49218d2c73015a5615cddf0cb941e434c6af79a03dd66a0d31e58'

test('accepts only the grammar of the header', () => {
  expect(parseSignature(`t=1,v1=${DIGEST}`)).toEqual({timestamp: '1', digests: [DIGEST]})
  const longest = {timestamp: '123456789012', digests: [DIGEST]}
  expect(parseSignature(`v1=${DIGEST},x=,t=123456789012`)).toEqual(longest)
  const upper = DIGEST.toUpperCase()
  const refused = `v1=# t=1 t=1,v1=${upper} t=1,t=1,v1=# t=1234567890123,v1=# t=-1,v1=# t=1,v1=#,v1=short t=1,v1=#, t=١,v1=#
    t,v1=# t=,v1=# t=1,v1 t=1,v1=0# t=1,v1=#0 t=1,v1=0#,x= t=1,v1=#0,x= t=1,é=1,v1=#`
  for (const form of [...refused.split(/\s+/), '', 't=1, v1=#', 't=1,v1=#\n']) {
    const header = form.replace('#', DIGEST)
    expect(parseSignature(header), header).toBeUndefined()
  }
})

test('a secret of only prefix, spaces and quotes verifies nothing', () => {
  for (const secret of ['', 'whsec_', 'whsec_whsec_', ' whsec_ ', '"whsec_"', "'`\ufeff\u200b"]) {
    expect(isEmptySecret(secret), secret).toBe(true)
    const named = {name: 'file', secret}
    const header = `t=1,v1=${DIGEST}`
    for (const _ of ['first', 'again']) {
      expect(() => verify({secrets: [named], header, rawBody: BODY, now: 1})).toThrow(
        'an empty signing secret verifies nothing',
      )
    }
  }
  for (const secret of ['whsec_a', 'awhsec_', 'a', '0']) expect(isEmptySecret(secret), secret).toBe(false)
})

test('each refusal reports what is known', () => {
  const secrets = [{name: 'file', secret: 'whsec_test'}]
  const judged = (header: string | string[] | undefined, now = 1_700_000_000, rawBody: Uint8Array = BODY) =>
    verify({secrets, header, rawBody, now})
  const signed = `t=1700000000,v1=${DIGEST}`
  expect(judged(undefined)).toEqual({valid: false, reason: 'missing_header'})
  expect(judged([])).toEqual({valid: false, reason: 'missing_header'})
  expect(judged([signed, signed])).toEqual({valid: false, reason: 'malformed_header'})
  // Fractions of a second are ignored.
  expect(judged([signed], 1_700_000_300.9)).toMatchObject({valid: true, ageSeconds: 300})
  const wrong = {valid: false, timestamp: 1_700_000_000}
  const mismatch = {...wrong, reason: 'signature_mismatch', ageSeconds: 10}
  expect(judged(signed, 1_700_000_010, Buffer.from('{}'))).toEqual(mismatch)
  const late = {...wrong, reason: 'timestamp_outside_tolerance', ageSeconds: 301, secretName: 'file'}
  expect(judged(signed, 1_700_000_301)).toEqual(late)
})

test('of several secrets that match, the first is named', () => {
  const secrets = ['first', 'second'].map(name => ({name, secret: 'whsec_test'}))
  const header = sign('whsec_test', '1700000000', BODY)
  expect(verify({secrets, header, rawBody: BODY, now: 1_700_000_000}).secretName).toBe('first')
})

interface Vector {
  readonly name: string
  readonly secret_base64: string
  readonly header: string
  readonly body_base64: string
  readonly now: number
  readonly reason: string
}

const vectors: Vector[] = JSON.parse(
  readFileSync(new URL('../../vectors/signatures/vectors.json', import.meta.url), 'utf8'),
)

/** Vectors for a mismatch are verified with `whsec_test` instead of the secret that signed them. */
const secretOf = ({reason, secret_base64}: Vector) =>
  reason === 'signature_mismatch' ? 'whsec_test' : Buffer.from(secret_base64, 'base64').toString()

test.each(vectors.map(vector => [vector.name, vector] as const))('openssl: %s', (_, vector) => {
  const rawBody = Buffer.from(vector.body_base64, 'base64')
  const secrets = [{name: 'file', secret: secretOf(vector)}]
  const {valid, reason} = verify({secrets, header: vector.header, rawBody, now: vector.now})
  expect({valid, reason}).toEqual({valid: vector.reason === 'ok', reason: vector.reason})
})

test('keys and bodies of any length have the digest of node:crypto', () => {
  for (const keyBytes of [1, 63, 64, 65, 200]) {
    const secret = 'k'.repeat(keyBytes)
    for (const bodyBytes of [0, 1, 50, 51, 52, 64, 65_536, 65_537]) {
      const rawBody = Buffer.alloc(bodyBytes, 0xe9)
      const digest = createHmac('sha256', secret).update('123456789012.').update(rawBody).digest('hex')
      const terms = {secrets: [{name: 'file', secret}], now: 123_456_789_012}
      const signature = {timestamp: '123456789012', digests: [digest]}
      for (const form of [rawBody, rawBody.toString('latin1')])
        expect(verifyParsed(signature, form, terms).reason, `${keyBytes}, ${bodyBytes}`).toBe('ok')
      const changed = Buffer.concat([rawBody, Buffer.of(0)])
      expect(verifyParsed(signature, changed, terms).reason).toBe('signature_mismatch')
    }
  }
})
