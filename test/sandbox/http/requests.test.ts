import {expect, test} from 'vitest'
import {z} from 'zod'
import {validate} from '../../../src/sandbox/http/requests.js'

test('of 80,000 wrong fields the first hundred are named', () => {
  const unknown = Object.fromEntries(Array.from({length: 80_000}, (_, n) => [`field_${n}`, n]))
  const wrong = Array.from({length: 80_000}, () => 'x')
  for (const [schema, json] of [
    [z.strictObject({}), unknown],
    [z.array(z.number()), wrong],
  ] as const)
    expect(() => validate<unknown>(schema, json)).toThrow(
      expect.objectContaining({
        code: 'validation_failed',
        members: {details: expect.objectContaining({length: 100})},
      }),
    )
})
