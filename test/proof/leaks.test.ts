/** The search for leaks in short: every command, every debug switch and every echo at least once; `npm run proof -- --only leak` has all. */
import {afterAll, beforeAll, expect, test} from 'vitest'
import {COMMANDS} from '../support/manifest.js'
import {Canaries, type SecretKind} from './canaries.js'
import {ECHOES} from './echo-service.js'
import {ROWS} from './fault-rows.js'
import {ELSEWHERE, SILENT, TO_RECEIVERS} from './fault-silent.js'
import {type OpenLeakBench, openLeakBench} from './leak-bench.js'
import {type LeakResult, leakName, runLeakCell} from './leak-cell.js'
import {allLeakCells, shortLeakCells} from './leak-plan.js'
import {RESULTS} from './leak-rules.js'
import {runSpecialCell, SHORT_SPECIAL_CELLS, SPECIAL_CELLS, specialName} from './leak-special.js'
import {ALL, SWITCHES} from './leak-switches.js'
import {inTwos} from './matrix.js'

const UNSTRUCK = [...Object.keys(SILENT), ...TO_RECEIVERS, ...ELSEWHERE]

let bench: OpenLeakBench
beforeAll(async () => {
  bench = await openLeakBench()
})
afterAll(() => bench?.close())

test('every command is searched for leaks, and what may be shown is of a command that there is', () => {
  const listed = [...new Set(ROWS.map(({command}) => command)), ...UNSTRUCK]
  expect(listed.sort()).toEqual(Object.keys(COMMANDS).sort())
  expect(Object.keys(RESULTS).filter(id => !COMMANDS[id])).toEqual([])
  const special = new Set(SPECIAL_CELLS.map(({group}) => group))
  expect(UNSTRUCK.filter(id => !special.has(id))).toEqual([])
})

test('every row, every switch and every echo has its turn in the short form', () => {
  const cells = shortLeakCells()
  expect(new Set(cells.map(({row}) => row)).size).toBe(ROWS.length)
  expect(new Set(cells.map(cell => cell.with)).size).toBe(SWITCHES.length)
  expect(new Set(cells.flatMap(({strike}) => ('echo' in strike ? [strike.echo] : []))).size).toBe(
    ECHOES.length,
  )
})

test('in the long form, every pair of row and switch, and of strike and switch, has its cell', () => {
  const cells = allLeakCells()
  const pairs = new Set(
    cells.flatMap(({row, with: debug, strike}) => [
      `${ROWS.indexOf(row)} ${debug.name}`,
      `${'echo' in strike ? strike.echo.name : strike.fault.name} ${debug.name}`,
    ]),
  )
  const strikes = new Set(cells.map(({strike}) => ('echo' in strike ? strike.echo.name : strike.fault.name)))
  expect(pairs.size).toBe((ROWS.length + strikes.size) * SWITCHES.length)
  const names = [...cells.map(leakName), ...SPECIAL_CELLS.map(specialName)]
  expect(new Set(names).size).toBe(names.length)
})

test('a canary is found however it is written, and only then', () => {
  const canaries = new Canaries([])
  canaries.harvest('{"data":{"access_token":"tok/en+12345"}}')
  const bytes = Buffer.from('id:tok/en+12345x')
  const written = ['tok/en+12345', 'tok%2Fen%2B12345', 'tok%2fen%2b12345', 'tok\\/en+12345']
  for (const text of [
    ...written,
    bytes.toString('base64'),
    bytes.toString('base64url'),
    bytes.toString('hex'),
  ])
    expect(canaries.seenIn(`a ${text} b`)).toEqual(['access token'])
  expect(canaries.seenIn('tok/en')).toEqual([])
  expect(canaries.seenIn('tok/en+12345', ['access token'])).toEqual([])
  canaries.add('at_0123456789abcdefghijklmnopqrst', 'access token')
  for (const half of ['at_0123456789abcd', 'efghijklmnopqrst'])
    expect(canaries.seenIn(half)).toEqual(['access token'] satisfies SecretKind[])
})

async function failuresOf<T>(
  cells: readonly T[],
  nameOf: (cell: T) => string,
  run: (cell: T) => Promise<LeakResult>,
): Promise<string> {
  const failed: string[] = []
  await inTwos(cells, async cell => {
    const {wrong} = await run(cell)
    if (wrong.length > 0) failed.push([nameOf(cell), ...wrong].join('\n'))
  })
  return failed.join('\n\n')
}

test('no secret is where it was not asked for, whatever the service echoes', async () => {
  expect(await failuresOf(shortLeakCells(), leakName, cell => runLeakCell(bench, cell))).toBe('')
})

test('nor where the service has no part in it: local commands, a crash, the browser, a prompt', async () => {
  expect(SHORT_SPECIAL_CELLS.filter(({name}) => name.endsWith(` × ${ALL.name}`)).length).toBeGreaterThan(20)
  expect(await failuresOf(SHORT_SPECIAL_CELLS, specialName, cell => runSpecialCell(bench, cell))).toBe('')
})
