/**
 * The fault matrix in short: every row once, and a third of the faults. `npm run proof` runs every row with every fault. And the lists are complete: each command of the manifest is in one of them.
 */
import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {Home} from '../support/bookctl.js'
import {COMMANDS} from '../support/manifest.js'
import {Wire} from '../support/wire.js'
import {ROWS} from './fault-rows.js'
import {ELSEWHERE, SILENT, TO_RECEIVERS} from './fault-silent.js'
import {type CellResult, inTwos, type MatrixBench, openBench, runCells, shortCells} from './matrix.js'
import {receiverName, runReceiverCell, shortReceiverCells} from './receiver-cell.js'
import {startReceiverSide} from './receiver-side.js'

let bench: MatrixBench
beforeAll(async () => {
  bench = await openBench()
})
afterAll(() => bench.close())

test('every command is in the matrix, or said to ask the service nothing', () => {
  const inRows = [...new Set(ROWS.map(({command}) => command))]
  const listed = [...inRows, ...Object.keys(SILENT), ...TO_RECEIVERS, ...ELSEWHERE].sort()
  expect(listed).toEqual(Object.keys(COMMANDS).sort())
})

test('what is said to ask the service nothing asks nothing', async () => {
  const proxy = await Wire.start({upstream: bench.side.origin, other: bench.other.origin})
  const home = new Home({
    ...{BOOKCTL_CLIENT_ID: 'cid_sandbox', BOOKCTL_CLIENT_SECRET: 'sk_test_sandbox'},
    BOOKCTL_BASE_URL: `${proxy.origin}/partner-api/v1`,
  })
  writeFileSync(join(home.directory, 'body.json'), '{}')
  writeFileSync(join(home.directory, 'signing.txt'), 'whsec_abcdefghijklmnopqrstuvwxyz0123456789\n')
  const exits: Record<string, unknown> = {}
  for (const [id, argv] of Object.entries(SILENT)) exits[id] = (await home.run(argv)).exit
  // 2: what was named is not there; 9: no valid signature.
  expect(Object.entries(exits).filter(([, exit]) => ![0, 2, 9].includes(Number(exit)))).toEqual([])
  expect([proxy.connections, proxy.requests]).toEqual([0, []])
  await proxy.close()
  home.remove()
})

test('every row has its turn in the short form, and no fault has two', () => {
  const cells = shortCells()
  expect(new Set(cells.map(({row}) => row)).size).toBe(ROWS.length)
  expect(new Set(cells.map(({fault}) => fault)).size).toBe(cells.length)
})

test('each command makes of each fault what the rules say', async () => {
  const results = await runCells(bench, shortCells())
  const failed = results.filter(({wrong}: CellResult) => wrong.length > 0)
  expect(failed.map(({name, wrong}) => [name, ...wrong].join('\n')).join('\n\n')).toBe('')
  expect(bench.other.heard).toEqual([])
})

test('each command that sends events makes of a fault of the receiver what the rules say', async () => {
  const side = await startReceiverSide()
  const failed: string[] = []
  await inTwos(shortReceiverCells(), async cell => {
    const wrong = await runReceiverCell(side, bench.other.origin, cell)
    if (wrong.length > 0) failed.push([receiverName(cell), ...wrong].join('\n'))
  })
  side.close()
  expect(failed.join('\n\n')).toBe('')
})
