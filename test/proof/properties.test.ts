/** Properties in short: a few hundred values each, other ones each time; `npm run proof -- --only property` makes thousands. */
import {afterAll, expect, test} from 'vitest'
import {PROPERTIES} from './properties/all.js'

const seed = Math.floor(Date.now() / 1000)
afterAll(() => console.log(`properties: seed ${seed}`))

test.each(PROPERTIES)(
  '$name',
  async ({check}) => expect((await check(seed, 200)).failure).toBeUndefined(),
  60_000,
)
