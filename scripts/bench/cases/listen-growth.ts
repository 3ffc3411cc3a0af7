/**
 * One `bookctl webhooks listen` that receives a million events: how the time to take them grows, and how much memory
 * it holds (resident) after them all, against itself after the first of the three counts.
 */
import {execFileSync} from 'node:child_process'
import type {Bench} from '../support/bench.js'
import {compared, figure, growth, type Row} from '../support/figures.js'
import {send, signedEvents} from '../support/load.js'
import {startListen} from '../support/receivers.js'

export async function listenGrowth(bench: Bench): Promise<Row[]> {
  const counts = bench.size([10_000, 100_000, 1_000_000], [1000, 4000, 16_000])
  const slab = bench.size(10_000, 1000)
  const {child, port, stop} = await startListen(bench)
  const points: {size: number; costs: number[]}[] = []
  const memory: number[] = []
  let milliseconds = 0
  for (let sent = slab; sent <= (counts.at(-1) as number); sent += slab) {
    const {seconds, refused} = await send(port, signedEvents(`slab${sent}`, slab))
    if (refused > 0) throw new Error(`${refused} of ${slab} events were not answered 200`)
    milliseconds += seconds * 1000
    if (!counts.includes(sent)) continue
    points.push({size: sent, costs: [milliseconds]})
    // ps says kibibytes.
    const kibibytes = execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)], {encoding: 'utf8'})
    memory.push((Number(kibibytes) * 1024) / 1e6)
  }
  await stop()
  const time = growth('listen, events received', points)
  if (bench.isQuick) return [time]
  const [first, last] = [counts.at(0), counts.at(-1)].map(count => count?.toLocaleString('en'))
  const row = compared({
    measured: `\`bookctl webhooks listen\`: memory after ${last} events`,
    against: `itself after ${first}`,
    ours: figure(memory.slice(-1), 'MB'),
    reference: figure(memory.slice(0, 1), 'MB'),
    reach: {atMost: 1.3},
  })
  return [row, time]
}
