/**
 * One `bookctl webhooks listen` that receives a million events: how the time to take them grows, and how much memory
 * it holds (resident) after them all, against itself after the first of the three counts.
 */
import {execFileSync} from 'node:child_process'
import {existsSync, readFileSync} from 'node:fs'
import type {Case} from '../support/bench.js'
import {compared, figure, type Row} from '../support/figures.js'
import {growth} from '../support/growth.js'
import {send, signedEvents} from '../support/load.js'
import {startListen} from '../support/receivers.js'

export const listenGrowth: Case = {
  name: 'listen-growth',
  async run(bench) {
    const counts = bench.size([10_000, 100_000, 1_000_000], [1000, 4000, 16_000])
    const slab = bench.size(10_000, 1000)
    const {child, port, stop} = await startListen(bench)
    const points = []
    let milliseconds = 0
    for (let sent = slab; sent <= (counts.at(-1) as number); sent += slab) {
      const {seconds, refused} = await send(port, signedEvents(`slab${sent}`, slab))
      if (refused > 0) throw new Error(`${refused} of ${slab} events were not answered 200`)
      milliseconds += seconds * 1000
      if (counts.includes(sent))
        points.push({size: sent, cost: milliseconds, bytes: residentBytes(child.pid)})
    }
    await stop()
    const [first, last] = [points[0], points.at(-1)] as [(typeof points)[0], (typeof points)[0]]
    const memory: Row = compared({
      measured: `\`bookctl webhooks listen\`: memory after ${last.size.toLocaleString('en')} events`,
      against: `itself after ${first.size.toLocaleString('en')}`,
      ours: figure([last.bytes / 1e6], 'MB'),
      reference: figure([first.bytes / 1e6], 'MB'),
      reach: {atMost: 1.3},
    })
    const time = growth(
      'listen, events received',
      points.map(({size, cost}) => ({size, costs: [cost]})),
    )
    return bench.options.quick ? [time] : [memory, time]
  },
}

/** The memory a process holds now. */
function residentBytes(pid: number | undefined): number {
  const status = `/proc/${pid}/status`
  const kibibytes = existsSync(status)
    ? /VmRSS:\s+(\d+)/.exec(readFileSync(status, 'utf8'))?.[1]
    : execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], {encoding: 'utf8'})
  return Number(kibibytes) * 1024
}
