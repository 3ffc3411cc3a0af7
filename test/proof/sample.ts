/** A few cells of each part of the proof, the same each time; `npm run proof` runs all of them. */
import {expect, test} from 'vitest'
import {PARTS} from './parts.js'

const SEED = 6

/** Every other part is in the first half (0), the rest in the second (1). */
export function sampleHalf(half: 0 | 1): void {
  const parts = PARTS.filter((_, n) => n % 2 === half)
  test.each(parts)('$title: a sample', async ({names, sample, leftOut, run}) => {
    expect(new Set(names).size).toBe(names.length)
    expect(sample.length + leftOut.length).toBeGreaterThan(0)
    const failed: string[] = []
    const report: Parameters<typeof run>[1] = (name, {wrong}) => {
      if (wrong.length > 0) failed.push([name, ...wrong].join('\n'))
    }
    await run(new Set(sample), report, SEED)
    expect(failed.join('\n\n')).toBe('')
  })
}
