/** The crash harness in short: each of its subjects is killed at some of its points. `npm run proof` kills at all, and at random. */
import {expect, test} from 'vitest'
import {runKillCells, shortKillCells} from './kill-cells.js'

const SEED = Number(process.env.BOOKCTL_TEST_SEED ?? 1)

test('whatever is killed is whole, and nothing is lost or done twice', async () => {
  const wrong: string[] = []
  let kills = 0
  await runKillCells(shortKillCells(), {seed: SEED, lanes: 2}, (cell, told) => {
    kills += told.kills
    if (told.wrong.length > 0) wrong.push([cell.name, ...told.wrong].join('\n'))
  })
  expect(wrong.join('\n\n')).toBe('')
  expect(kills).toBeGreaterThanOrEqual(shortKillCells().length)
})
