/** The frame of `npm run proof`: its parts can be named and told apart, and its tables count rightly. */
import {execFile} from 'node:child_process'
import {promisify} from 'node:util'
import {describe, expect, test} from 'vitest'
import {PARTS} from '../../scripts/proof/parts.js'
import {figuresOf, markdown, partTable} from '../../scripts/proof/table.js'

const run = promisify(execFile)
const proof = (...argv: string[]) =>
  run(process.execPath, ['--import', 'tsx', 'scripts/proof/main.ts', ...argv], {
    cwd: new URL('../..', import.meta.url),
    maxBuffer: 64 << 20,
  })

test.each(PARTS.map(part => [part.title, part] as const))(
  '%s: each cell has a name of its own',
  (_, part) => {
    const names = part.names()
    expect(names.length).toBeGreaterThan(0)
    expect(new Set(names).size).toBe(names.length)
  },
)

test('--only takes what holds all its texts, in either case, and what nothing holds is refused', async () => {
  const {stdout} = await proof('--list', '--only', 'fault matrix: account', '--only', 'GZIP')
  expect(stdout.trim().split('\n')).not.toHaveLength(0)
  for (const line of stdout.trim().split('\n')) expect(line).toMatch(/^Fault matrix: account.*gzip/i)
  await expect(proof('--list', '--only', 'no such cell')).rejects.toMatchObject({code: 2})
  await expect(proof('--only', '-vv')).rejects.toMatchObject({
    code: 2,
    stderr: expect.not.stringMatching(/^ +at /m),
  })
})

describe('figures', () => {
  const figures = figuresOf({title: 'Kills', unit: 'kills', names: () => [], run: async () => {}})
  figures.add({group: 'reserve', count: 40, wrong: []})
  figures.add({group: 'reserve', count: 2, wrong: ['two debits', 'two reservations']})
  figures.add({group: 'config:set', wrong: []})
  const ended = figures.after(90)

  test('are counted by group', () => {
    expect(ended.groups).toEqual([
      {name: 'reserve', count: 42, wrong: 1},
      {name: 'config:set', count: 1, wrong: 0},
    ])
    expect(partTable(ended)).toMatch(/config set +1 kills +0 failed\nall +43 kills +1 failed\n90 s/)
  })

  test('make one row of a part in the table of all', () => {
    expect(markdown([ended]).split('\n').at(2)).toBe('| Kills | 43 kills | 1      | 1.5 min |')
  })
})
