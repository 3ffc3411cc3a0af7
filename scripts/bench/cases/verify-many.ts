/**
 * `bookctl webhooks verify` of captures of three sizes: how many events a second against a bare loop of JSON.parse,
 * base64 and HMAC, how the time grows, and how much memory it takes. Both on one core, where the system can say so.
 */
import {rmSync, statSync} from 'node:fs'
import {join} from 'node:path'
import {type Bench, BOOKCTL, canPin, reference} from '../support/bench.js'
import {SECRET, writeCapture} from '../support/captures.js'
import {compared, figure, growth, type Row} from '../support/figures.js'

/** The loop holds so many lines at most, and goes over them again. */
const MOST_LINES_IN_MEMORY = 100_000

export async function verifyMany(bench: Bench): Promise<Row[]> {
  const sizes = bench.size([10_000, 100_000, 1_000_000], [1000, 10_000, 100_000])
  const directory = bench.room()
  const file = (count: number) => join(directory, `${count}.ndjson`)
  for (const count of sizes) writeCapture(file(count), count)
  const largest = sizes.at(-1) as number
  const lineBytes = Math.round(statSync(file(largest)).size / largest)
  const inMemory = file(sizes.filter(count => count <= MOST_LINES_IN_MEMORY).at(-1) as number)

  const points: {size: number; costs: number[]}[] = []
  const peaks: number[] = []
  const looped: number[] = []
  for (const size of sizes) {
    const runs = []
    for (let n = 0; n < 3; n++) {
      runs.push(await verify(bench, file(size)))
      if (size === largest) looped.push(await loop(bench, inMemory, size))
    }
    points.push({size, costs: runs.map(({milliseconds}) => milliseconds)})
    peaks.push(Math.max(...runs.map(({megabytes}) => megabytes)))
  }
  rmSync(directory, {recursive: true})

  const rates = points.at(-1)?.costs.map(cost => (largest * 1000) / cost) ?? []
  const most = Math.max(...peaks)
  const cores = canPin() ? 'one core' : 'taskset is not there: more than one core'
  return [
    compared({
      measured: `\`bookctl webhooks verify\` of ${largest.toLocaleString('en')} captured events of ${lineBytes} bytes`,
      against: 'loop of JSON.parse, base64, HMAC; lines in memory',
      ours: figure(rates, 'a second'),
      reference: figure(looped, 'a second'),
      reach: {atLeast: 0.7},
      remark: `${Math.round(peaks.at(-1) ?? 0)} MB at most; ${cores}`,
    }),
    {
      measured: 'the same: most memory, at the worst of the three sizes',
      ours: figure([most], 'MB'),
      value: most,
      reach: {atMost: 120},
      remark: peaks.map(peak => `${Math.round(peak)} MB`).join(', '),
    },
    growth('verify, a capture', points),
  ]
}

function verify(bench: Bench, file: string) {
  const argv = ['webhooks', 'verify', file, '--at', 'received', '--format', 'ndjson']
  return bench.nodeWithPeak([BOOKCTL, ...argv], {env: {BOOKCTL_WEBHOOK_SECRET: SECRET}, oneCore: true})
}

/** Events a second. */
async function loop(bench: Bench, file: string, count: number): Promise<number> {
  const argv = [reference('hmac-loop.cjs'), file, SECRET, String(count)]
  const {stdout} = await bench.node(argv, {stdio: ['ignore', 'pipe', 'pipe'], oneCore: true})
  const {valid, milliseconds} = JSON.parse(stdout)
  if (valid !== count) throw new Error(`the loop found ${valid} of ${count} valid`)
  return (count * 1000) / milliseconds
}
