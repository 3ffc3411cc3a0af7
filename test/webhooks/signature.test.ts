import {expect, test} from 'vitest'
import {parseSignature, sign, verify} from '../../src/webhooks/signature.js'

const BODY = Buffer.from('{"id":"evt_01","type":"reservation.confirmed"}')
const DIGEST = '9cca2bf8a7a49218d2c73015a5615cddf0cb941e434c6af79a03dd66a0d31e58'

test('signs as openssl does', () => {
  expect(sign('whsec_test', '1700000000', BODY)).toBe(`t=1700000000,v1=${DIGEST}`)
})

test('accepts what was signed, and names the secret', () => {
  const verdict = verify({
    secrets: [
      {name: 'whsub_old', secret: 'whsec_other'},
      {name: 'whsub_new', secret: 'whsec_test'},
    ],
    header: `t=1700000000,v0=x,v1=${'0'.repeat(64)},v1=${DIGEST}`,
    rawBody: BODY,
    now: 1_700_000_300.9,
  })
  expect(verdict).toEqual({
    valid: true,
    reason: 'ok',
    timestamp: 1_700_000_000,
    ageSeconds: 300,
    secretName: 'whsub_new',
  })
})

test('reads nothing but the grammar', () => {
  expect(parseSignature(`t=1,v1=${DIGEST}`)).toEqual({timestamp: '1', digests: [DIGEST]})
  for (const header of [
    '',
    `v1=${DIGEST}`,
    't=1',
    `t=1, v1=${DIGEST}`,
    `t=1,v1=${DIGEST.toUpperCase()}`,
    `t=1,t=1,v1=${DIGEST}`,
    `t=1234567890123,v1=${DIGEST}`,
    `t=-1,v1=${DIGEST}`,
    `t=1,v1=${DIGEST},v1=short`,
    `t=1,v1=${DIGEST},`,
    `t=1,v1=${DIGEST}\n`,
    `t=١,v1=${DIGEST}`,
  ]) {
    expect(parseSignature(header), header).toBeUndefined()
  }
})
