/** Against openssl: the committed vectors, and random bodies signed by openssl while the test runs. */
import {readFileSync} from 'node:fs'
import fc from 'fast-check'
import {expect, test} from 'vitest'
import {createVerifier, sign, verify} from '../../src/webhooks/signature/signature.js'

interface Vector {
  readonly name: string
  readonly secret_base64: string
  readonly header: string
  readonly body_base64: string
  readonly now: number
  readonly reason: string
}

const vectors: Vector[] = JSON.parse(
  readFileSync(new URL('../vectors/signatures/vectors.json', import.meta.url), 'utf8'),
)

/** The vectors signed with another secret than `whsec_test` name it; these are checked with `whsec_test`. */
const secretOf = ({reason, secret_base64}: Vector) =>
  reason === 'signature_mismatch' ? 'whsec_test' : Buffer.from(secret_base64, 'base64').toString()

test.each(vectors.map(vector => [vector.name, vector] as const))('openssl: %s', (_, vector) => {
  const rawBody = Buffer.from(vector.body_base64, 'base64')
  const secrets = [{name: 'file', secret: secretOf(vector)}]
  const check = (body: Uint8Array) => {
    const verdict = verify({secrets, header: vector.header, rawBody: body, now: vector.now})
    expect(verdict.valid).toBe(verdict.reason === 'ok')
    return verdict.reason
  }
  expect(check(rawBody)).toBe(vector.reason)
  const inPieces = createVerifier({secrets, header: vector.header, now: vector.now})
  inPieces.update(rawBody)
  expect(inPieces.finish().reason).toBe(vector.reason)
  if (vector.reason === 'malformed_header') return
  expect(check(Buffer.concat([rawBody, Buffer.from('\n')]))).toBe('signature_mismatch')
  const flipped = Buffer.from(rawBody)
  if (flipped.length === 0) return
  flipped[0] = (flipped[0] ?? 0) ^ 1
  expect(check(flipped)).toBe('signature_mismatch')
})

test('a signature holds at every place of the window, and in pieces of any size', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({maxLength: 100}),
      fc.integer({min: -400, max: 400}),
      fc.integer({min: 0, max: 400}),
      fc.nat(100),
      (rawBody, away, toleranceSeconds, at) => {
        const secrets = [
          {name: 'x', secret: 'whsec_x'},
          {name: 'y', secret: 'whsec_y'},
        ]
        const header = sign('whsec_y', '1700000000', rawBody)
        const terms = {secrets, header, now: 1_700_000_000 + away, toleranceSeconds}
        const verdict = verify({...terms, rawBody})
        const inPieces = createVerifier(terms)
        for (const piece of [rawBody.subarray(0, at), rawBody.subarray(at)]) inPieces.update(piece)
        expect(inPieces.finish()).toEqual(verdict)
        expect(verdict.valid).toBe(Math.abs(away) <= toleranceSeconds)
        expect(verdict.secretName).toBe('y')
        expect(verdict.ageSeconds).toBe(away)
      },
    ),
  )
})
