/**
 * Hostile input in short: some of the saved ones, other ones each time, and a few new ones. `npm run proof -- --only
 * fuzz` reads all that are saved and makes thousands.
 */
import {afterAll, expect, test} from 'vitest'
import {corpusOf, fuzz, KINDS, trySaved} from './fuzz.js'
import {inTwos} from './matrix.js'

const seed = Math.floor(Date.now() / 1000)
afterAll(() => console.log(`fuzz: seed ${seed}`))

test.each(KINDS)(
  'saved inputs: $name',
  async kind => {
    const inputs = corpusOf(kind)
    expect(inputs.length).toBeGreaterThanOrEqual(40)
    const share = Math.ceil(inputs.length / 12)
    const chosen = inputs.filter((_, n) => n % share === seed % share)
    const failed: string[] = []
    await inTwos(chosen, async input => void failed.push(...(await trySaved(kind, input, seed))))
    expect(failed.join('\n\n')).toBe('')
  },
  120_000,
)

test('new inputs', async () => {
  const found: string[] = []
  await inTwos(KINDS, async kind => {
    const {failure} = await fuzz(kind, seed, 5)
    if (failure) found.push(failure)
  })
  expect(found.join('\n\n')).toBe('')
})
