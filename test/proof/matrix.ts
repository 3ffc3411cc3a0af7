/** The fault matrix: all cells there are, those of the short form, and how they are run. */
import {createServer} from 'node:http'
import type {AddressInfo} from 'node:net'
import {type LocalSandbox, startLocalSandbox} from '../support/local-sandbox.js'
import type {Fault} from './fault.js'
import {type Bench, nameOf, runCell} from './fault-cell.js'
import {ROWS, type Row} from './fault-rows.js'
import type {Cell} from './fault-seen.js'
import {FAULTS} from './faults.js'
import {SandboxSide} from './sandbox-side.js'

/** Every row with every fault that means something there. */
export function allCells(): Cell[] {
  return ROWS.flatMap(row => FAULTS.filter(fault => isMeant(row, fault)).map(fault => ({row, fault})))
}

export function isMeant(row: Row, fault: Fault): boolean {
  // A link is to bytes. Of a service elsewhere this machine has no token to revoke, and a sandbox is of this machine.
  if (fault.isOfText && row.nature === 'link') return false
  if (fault.away && (row.nature === 'revoke' || row.isControl)) return false
  // A report asks twice, without a token and with one, and each is a first time to whoever asks.
  if (row.reports && fault.wire?.afterwards) return false
  return !row.leavesOut?.(fault)
}

/** Ours: so many cells a test run has the time for. */
const SHORT_CELLS = 50

/** Every row once, each with another fault, of every group of them; then other faults until there are enough. */
export function shortCells(): Cell[] {
  const met = new Set<Fault>()
  const take = (row: Row, n: number): Cell => {
    // A stride that has no divisor in common with their number leads past all of them.
    const inTurn = FAULTS.map((_, k) => FAULTS[((n + k) * 17) % FAULTS.length] as Fault)
    const fault = inTurn.find(each => !met.has(each) && isMeant(row, each)) as Fault
    met.add(fault)
    return {row, fault}
  }
  return Array.from({length: SHORT_CELLS}, (_, n) => take(ROWS[n % ROWS.length] as Row, n))
}

export interface MatrixBench extends Bench {
  close(): Promise<void>
}

/** One local sandbox for all cells, and the server that nobody should turn to. */
export async function openBench(): Promise<MatrixBench> {
  const sandbox: LocalSandbox = await startLocalSandbox()
  const heard: string[] = []
  const server = createServer((request, response) => {
    const {method, url, headers} = request
    // A voucher's link may lead anywhere, but brings nothing with it.
    if (method !== 'GET' || headers.authorization || headers['content-length']) heard.push(`${method} ${url}`)
    response.writeHead(404).end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    side: new SandboxSide(sandbox.baseUrl),
    other: {origin, heard},
    async close() {
      server.closeAllConnections()
      server.close()
      await sandbox.stop()
    },
  }
}

export interface CellResult {
  readonly name: string
  readonly cell: Cell
  /** Empty when all is as it should be. */
  readonly wrong: readonly string[]
}

/** Runs `cells`, two at a time; `onResult` is told of each as it ends. */
export async function runCells(
  bench: Bench,
  cells: readonly Cell[],
  onResult: (result: CellResult) => void = () => {},
): Promise<CellResult[]> {
  const results: CellResult[] = []
  await inTwos(cells, async cell => {
    const wrong = await runCell(bench, cell).catch(error => [`the cell itself failed: ${error.stack}`])
    const result = {name: nameOf(cell), cell, wrong}
    results.push(result)
    onResult(result)
  })
  return results
}

/**
 * Runs the cells of each group with a bench of its own, one group after the other: thousands of cells in one sandbox make
 * its lists longer than a command reads.
 */
export async function inBenches<T, B extends {close(): Promise<void>}>(
  cells: readonly T[],
  groupOf: (cell: T) => string,
  open: () => Promise<B>,
  run: (bench: B, cells: readonly T[]) => Promise<void>,
): Promise<void> {
  for (const group of new Set(cells.map(groupOf))) {
    const bench = await open()
    try {
      await run(
        bench,
        cells.filter(cell => groupOf(cell) === group),
      )
    } finally {
      await bench.close()
    }
  }
}

/** Does `work` for each of `items`, two at a time. */
export async function inTwos<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items]
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item)
  }
  await Promise.all([worker(), worker()])
}
