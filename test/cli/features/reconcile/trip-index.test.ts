/** The index has the first reservation of each trip. */
import {createHash} from 'node:crypto'
import {expect, test} from 'vitest'
import {TripIndex} from '../../../../src/cli/features/reconcile/trip-index.js'

test('returns the first reservation of each of many trips', () => {
  const index = new TripIndex()
  const keyOf = (n: number) => createHash('sha256').update(`trip ${n}`).digest('hex')
  for (let n = 0; n < 5000; n++) expect(index.add(keyOf(n), `R-${n}`)).toBe(`R-${n}`)
  for (let n = 0; n < 5000; n++) expect(index.add(keyOf(n), 'again')).toBe(`R-${n}`)
})
