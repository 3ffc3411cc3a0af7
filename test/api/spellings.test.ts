/** The ways a secret may be written: each is in the text, wherever in it the secret begins. */
import fc from 'fast-check'
import {expect, test} from 'vitest'
import {spellingsOf} from '../../src/api/redact/spellings.js'

test('plain, percent-encoded, in JSON, in hex and in base64 of each beginning', () => {
  expect(spellingsOf('a"ş/')).toEqual([
    ...['a"ş/', 'a%22%C5%9F%2F', 'a\\"ş/', '6122c59f2f'],
    ...['YSLFny', 'EixZ8v', 'hIsWfL'],
  ])
  expect(spellingsOf('?>abc').slice(3)).toEqual(['Pz5hYm', '8+YWJj', '8-YWJj', '/PmFiY', '_PmFiY'])
})

test('wherever a secret stands in a text that is base64, one of its spellings stands there too', () => {
  const secret = fc.string({minLength: 6, maxLength: 30, unit: fc.constantFrom(...'aZ9ş+/?~ÿ')})
  fc.assert(
    fc.property(fc.string({maxLength: 5}), secret, fc.string({maxLength: 5}), (before, secret, after) => {
      for (const encoding of ['base64', 'base64url'] as const) {
        const text = Buffer.from(before + secret + after).toString(encoding)
        expect(spellingsOf(secret).some(spelling => text.includes(spelling))).toBe(true)
      }
    }),
  )
})

test('no spelling is so short that it would take innocent text apart', () => {
  for (const secret of ['abc', 'abcd', 'abcde'])
    for (const spelling of spellingsOf(secret))
      expect(spelling.length).toBeGreaterThanOrEqual(Math.min(4, secret.length))
  expect(spellingsOf('abc')).toContain('abc')
})
