/** A few cells of each part of the proof, the same each time; `npm run proof` runs all of them. */
import {execFile} from 'node:child_process'
import {promisify} from 'node:util'
import {expect, test} from 'vitest'
import {PARTS} from './parts.js'

const SEED = 6

test.each(PARTS)('$title: a sample', async part => {
  expect(part.sample).not.toEqual([])
  const failed: string[] = []
  await part.run(
    new Set(part.sample),
    (name, {wrong}) => {
      if (wrong.length > 0) failed.push([name, ...wrong].join('\n'))
    },
    SEED,
  )
  expect(failed.join('\n\n')).toBe('')
})

test.each(PARTS)('$title: each cell has a name of its own', ({names}) => {
  expect(new Set(names).size).toBe(names.length)
})

test('--only chooses the cells whose name contains all its texts, in either case', async () => {
  const cwd = new URL('../..', import.meta.url)
  const proof = (...argv: string[]) =>
    promisify(execFile)(process.execPath, ['--import', 'tsx', 'test/proof/main.ts', ...argv], {cwd})
  const {stdout} = await proof('--list', '--only', 'fault matrix: account', '--only', 'GZIP')
  const lines = stdout.trim().split('\n')
  expect(lines.filter(line => !/^Fault matrix: account.*gzip/i.test(line))).toEqual([])
  await expect(proof('--list', '--only', 'no such cell')).rejects.toMatchObject({code: 2})
})
