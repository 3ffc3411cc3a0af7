import {createHmac} from 'node:crypto'
import fc from 'fast-check'
import {expect, test} from 'vitest'
import {MOST_SHORT_BYTES, ShortHmac} from '../../src/webhooks/short-hmac.js'
import {verify} from '../../src/webhooks/signature.js'

test('makes the digests of createHmac, whatever came before', () => {
  const made = Buffer.alloc(32)
  const secrets = fc.oneof(
    fc.string({unit: 'grapheme', maxLength: 200}),
    fc.string({minLength: 63, maxLength: 65}),
  )
  fc.assert(
    fc.property(
      secrets,
      fc.stringMatching(/^\d{0,12}\.$/),
      fc.uint8Array({maxLength: 300}),
      (secret, start, rest) => {
        new ShortHmac(secret).digest(start, rest, made)
        const expected = createHmac('sha256', secret).update(start).update(rest).digest('hex')
        expect(made.toString('hex')).toBe(expected)
      },
    ),
  )
})

test.each([-14, -13, -12, 0, 1, 1000])('a body %i bytes longer than what is short has its verdict', more => {
  const rawBody = Buffer.alloc(MOST_SHORT_BYTES + more, 'x')
  const v1 = createHmac('sha256', 'whsec_test').update('123456789012.').update(rawBody).digest('hex')
  const terms = {secrets: [{name: 'file', secret: 'whsec_test'}], header: `t=123456789012,v1=${v1}`}
  expect(verify({...terms, rawBody, now: 123_456_789_012}).reason).toBe('ok')
  rawBody[rawBody.length - 1] = 0
  expect(verify({...terms, rawBody, now: 123_456_789_012}).reason).toBe('signature_mismatch')
})
