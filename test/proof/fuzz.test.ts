/** Hostile input in short: every saved one, and a few new ones; `npm run proof -- --only fuzz` makes thousands. */
import {afterAll, expect, test} from 'vitest'
import {corpusOf, fuzz, KINDS, PICKS, tryInput} from './fuzz.js'
import {inTwos} from './matrix.js'

const seed = Math.floor(Date.now() / 1000)
afterAll(() => console.log(`fuzz: seed ${seed}`))

test.each(KINDS)(
  'saved inputs: $name',
  async kind => {
    const inputs = corpusOf(kind).map((input, n) => ({...input, pick: (n * 5) % PICKS}))
    expect(inputs.length).toBeGreaterThan(10)
    const failed: string[] = []
    await inTwos(inputs, async ({name, bytes, pick}) => {
      const wrong = await tryInput(kind, bytes, pick)
      if (wrong.length > 0) failed.push([`${kind.name}/${name}, pick ${pick}`, ...wrong].join('\n'))
    })
    expect(failed.join('\n\n')).toBe('')
  },
  120_000,
)

test('new inputs', async () => {
  const found: string[] = []
  await inTwos(KINDS, async kind => {
    const failure = await fuzz(kind, seed, 6)
    if (failure) found.push(failure)
  })
  expect(found.join('\n\n')).toBe('')
}, 120_000)
