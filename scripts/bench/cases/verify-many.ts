/**
 * `bookctl webhooks verify` of captures of three sizes: how many events a second against a bare loop of JSON.parse,
 * base64 and HMAC, how the time grows, and how much memory it takes. Both on one core, where the system can say so.
 */
import {rmSync} from 'node:fs'
import {join} from 'node:path'
import {type Bench, BOOKCTL, type Case, canPin, reference} from '../support/bench.js'
import {SECRET, writeCapture} from '../support/captures.js'
import {compared, figure} from '../support/figures.js'
import {growth} from '../support/growth.js'

/** The loop holds so many lines at most, and goes over them again. */
const MOST_LINES_IN_MEMORY = 100_000

export const verifyMany: Case = {
  name: 'verify-many',
  async run(bench) {
    const sizes = bench.size([10_000, 100_000, 1_000_000], [1000, 10_000, 100_000])
    const directory = bench.room()
    const file = (count: number) => join(directory, `${count}.ndjson`)
    const bytes = new Map<number, number>()
    for (const count of sizes) bytes.set(count, await writeCapture(file(count), count))
    const largest = sizes.at(-1) as number
    const inMemory = file(sizes.filter(count => count <= MOST_LINES_IN_MEMORY).at(-1) as number)

    const points = []
    const perSecond = {ours: [] as number[], loop: [] as number[]}
    for (const count of sizes) {
      const runs = []
      for (let n = 0; n < 3; n++) {
        runs.push(await verify(bench, file(count)))
        if (count === largest) perSecond.loop.push(await loop(bench, inMemory, count))
      }
      if (count === largest) perSecond.ours = runs.map(({milliseconds}) => (count * 1000) / milliseconds)
      points.push({size: count, runs})
    }
    rmSync(directory, {recursive: true})

    const peaks = points.map(({runs}) => Math.max(...runs.map(({peakBytes}) => peakBytes)))
    const count = largest.toLocaleString('en')
    const lineBytes = Math.round((bytes.get(largest) as number) / largest)
    return [
      compared({
        measured: `\`bookctl webhooks verify\` of ${count} captured events of ${lineBytes} bytes`,
        against: 'loop of JSON.parse, base64, HMAC; lines in memory',
        ours: figure(perSecond.ours, 'a second', peaks.at(-1)),
        reference: figure(perSecond.loop, 'a second'),
        reach: {atLeast: 0.7},
        remark: canPin() ? 'one core' : 'taskset is not there: more than one core',
      }),
      {
        measured: 'the same: most memory, at the worst of the three sizes',
        against: '',
        ours: figure([Math.max(...peaks) / 1e6], 'MB'),
        value: Math.max(...peaks) / 1e6,
        reach: {atMost: 120},
        remark: peaks.map(peak => `${Math.round(peak / 1e6)} MB`).join(', '),
      },
      growth(
        'verify, a capture',
        points.map(({size, runs}) => ({size, costs: runs.map(({milliseconds}) => milliseconds)})),
      ),
    ]
  },
}

function verify(bench: Bench, file: string) {
  const argv = ['webhooks', 'verify', file, '--at', 'received', '--format', 'ndjson']
  return bench.nodeWithPeak([BOOKCTL, ...argv], {env: {BOOKCTL_WEBHOOK_SECRET: SECRET}, oneCore: true})
}

/** Events a second. */
async function loop(bench: Bench, file: string, count: number): Promise<number> {
  const argv = [reference('hmac-loop.cjs'), file, SECRET, String(count)]
  const {valid, milliseconds} = JSON.parse(
    (await bench.node(argv, {stdio: ['ignore', 'pipe', 'pipe'], oneCore: true})).stdout,
  )
  if (valid !== count) throw new Error(`the loop found ${valid} of ${count} valid`)
  return (count * 1000) / milliseconds
}
