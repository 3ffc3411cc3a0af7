/** `npm run bench` prints its table and leaves nothing behind. Tests do not check how long anything took. */
import {execFile} from 'node:child_process'
import {readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import process from 'node:process'
import {fileURLToPath} from 'node:url'
import {promisify} from 'node:util'
import {expect, test} from 'vitest'
import {
  exponents,
  isReached,
  median,
  percentile,
  type Row,
  spread,
} from '../../scripts/bench/support/figures.js'
import {ownDirectory} from '../support/own.js'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

test('the table has a row for each thing measured', async () => {
  const temporary = ownDirectory()
  const file = join(temporary, 'table.md')
  const argv = ['run', '-s', 'bench', '--', '--quick', '--only', 'verify-one', '--markdown', file]
  const env = {...process.env, TMPDIR: temporary}
  const {stdout} = await promisify(execFile)('npm', argv, {cwd: ROOT, env})
  const [head, , titles, , ...rows] = stdout.trimEnd().split('\n')
  expect(head).toMatch(/^\d{4}-\d\d-\d\d, Node v[\d.]+, \d+ × .*; quick: small sizes, few runs\./)
  expect(titles).toBe('| Measured | bookctl | Against | Reference | Ratio | Reach |  | Remarks |')
  expect(head).toContain('no NODE_OPTIONS')
  expect(readFileSync(file, 'utf8')).toBe(stdout)
  expect(rows).toHaveLength(1)
  expect(rows[0]).toMatch(
    /^\| `bookctl webhooks verify` of one file \| [\d.]+ ms ± \d+ % \| `node -e 0` \| [\d.]+ ms ± \d+ % \| [\d.]+ \| ≤ 3(\.9)? \| [✓✗] \| {2}\|$/,
  )
  expect(readdirSync(temporary).filter(name => name.startsWith('bookctl-'))).toEqual([])
})

test('computes median, percentile, spread and exponent', () => {
  expect(median([5, 1, 3])).toBe(3)
  expect(median([4, 1, 3, 2])).toBe(2.5)
  expect(percentile([10, 20, 30, 40], 0.5)).toBe(30)
  expect(percentile([10, 20, 30, 40], 1)).toBe(40)
  expect(spread([8, 9, 10, 11, 12])).toBeCloseTo(0.2)
  const points = [1, 10, 100].map(size => ({size, cost: size ** 2}))
  expect(exponents(points)).toEqual([2, 2].map(value => expect.closeTo(value)))

  const row: Row = {measured: '', ours: {median: 1, unit: ''}, value: 1.3}
  expect(isReached(row)).toBeUndefined()
  expect(isReached({...row, reach: {atMost: 1.3}})).toBe(true)
  expect(isReached({...row, reach: {atMost: 1.2}})).toBe(false)
  expect(isReached({...row, reach: {atLeast: 1.4}})).toBe(false)
})
