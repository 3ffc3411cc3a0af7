/** A few cells of each part of the proof, the same each time. `npm run proof` runs all cells. */
import {expect, test} from 'vitest'
import {PARTS} from './parts.js'

const SEED = 6

/** Runs the sample of every third part, starting with the part of this index. Three workers share the sample. */
export function sampleThird(first: 0 | 1 | 2): void {
  const parts = PARTS.filter((_, n) => n % 3 === first)
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
