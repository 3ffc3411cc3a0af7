import {createDecipheriv, hkdfSync} from 'node:crypto'
import {expect, test} from 'vitest'
import {createSeal} from '../../../src/state/postgres/seal.js'

const PLACE = {table: 'access_tokens', column: 'sealed', row: ['http://h/v1', 'cid_1', 'a b']}

test('what was sealed opens with the same secret, and each time looks different', () => {
  const seal = createSeal('sk_test_1')
  const [one, two] = [seal.seal('a token', PLACE), createSeal('sk_test_1').seal('a token', PLACE)]
  expect(seal.open(one, PLACE)).toBe('a token')
  expect(seal.open(two, PLACE)).toBe('a token')
  expect(one.equals(two)).toBe(false)
  expect(one.includes('a token')).toBe(false)
})

test('nothing opens under another secret, in another row, or when a byte was changed or cut off', () => {
  const seal = createSeal('sk_test_1')
  const sealed = seal.seal('a token', PLACE)
  expect(createSeal('sk_test_2').open(sealed, PLACE)).toBeUndefined()
  expect(seal.open(sealed, {...PLACE, row: ['http://h/v1', 'cid_1', 'a']})).toBeUndefined()
  expect(seal.open(sealed, {...PLACE, row: ['http://h/v1', 'cid_1a', ' b']})).toBeUndefined()
  expect(seal.open(sealed, {...PLACE, column: 'other'})).toBeUndefined()
  for (let n = 0; n < sealed.length; n++) {
    const changed = Buffer.from(sealed)
    changed[n] = (changed[n] as number) ^ 1
    expect(seal.open(changed, PLACE)).toBeUndefined()
    expect(seal.open(sealed.subarray(0, n), PLACE)).toBeUndefined()
  }
})

test('the key is HKDF-SHA256 of the secret, so other programs can open what is theirs', () => {
  const sealed = createSeal('sk_test_1').seal('a token', PLACE)
  const salt = sealed.subarray(9, 25)
  const key = Buffer.from(hkdfSync('sha256', 'sk_test_1', salt, 'bookctl/v1|access_tokens|sealed', 32))
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(25, 37), {authTagLength: 16})
  decipher.setAAD(Buffer.from('1:113:access_tokens6:sealed11:http://h/v15:cid_13:a b'))
  decipher.setAuthTag(sealed.subarray(37, 53))
  expect(decipher.update(sealed.subarray(53), undefined, 'utf8') + decipher.final('utf8')).toBe('a token')
})

test('fingerprints are equal for equal texts under one secret, and say nothing to others', () => {
  const seal = createSeal('sk_test_1')
  expect(seal.fingerprint('x')).toBe(createSeal('sk_test_1').fingerprint('x'))
  expect(seal.fingerprint('x')).not.toBe(seal.fingerprint('y'))
  expect(seal.fingerprint('x')).not.toBe(createSeal('sk_test_2').fingerprint('x'))
  expect(seal.keyId).toMatch(/^[0-9a-f]{16}$/)
})
