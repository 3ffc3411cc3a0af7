import {execFileSync} from 'node:child_process'
import {alternate, type Bench} from '../support/bench.js'
import {compared, figure, growth, percentile, type Row} from '../support/figures.js'
import {CONNECTIONS, send, signedEvents} from '../support/load.js'
import {type Receiver, startListen, startReference} from '../support/receivers.js'

const HALF_LOAD_SECONDS = 5

/**
 * Compares `bookctl webhooks listen`, which stores every event on disk before it answers 200, with a bare node:http server that
 * reads the body and answers 200. There are 50 connections with one signed event at a time. Then measures the time of an answer
 * at half of the maximum rate, and the limit of the load generator itself.
 */
export async function listen(bench: Bench): Promise<Row[]> {
  const count = bench.size(30_000, 4000)
  const ours = await startListen(bench)
  const bare = await startReference(bench, 'receiver.cjs')
  const nothing = await startReference(bench, 'no-receiver.cjs')
  let round = 0
  const perSecond = async ({port}: Receiver) => {
    const {seconds, refused} = await send(port, signedEvents(`round${round++}`, count))
    return (count - refused) / seconds
  }
  const rates = await alternate(
    bench.size(3, 2),
    () => perSecond(ours),
    () => perSecond(bare),
  )
  const limit = [await perSecond(nothing), await perSecond(nothing)]
  const received = figure(rates.ours, 'a second')
  const pace = Math.round(received.median / 2)
  const paced = await send(ours.port, signedEvents('paced', pace * HALF_LOAD_SECONDS), pace)
  const [p50, p99] = [0.5, 0.99].map(part => percentile(paced.latencies, part)) as [number, number]
  await Promise.all([ours.stop(), bare.stop(), nothing.stop()])
  return [
    compared({
      measured: `\`bookctl webhooks listen\`, ${CONNECTIONS} connections`,
      against: 'bare node:http server: read the body, answer 200',
      ours: received,
      reference: figure(rates.other, 'a second'),
      reach: {atLeast: 0.35},
    }),
    {
      measured: `the same at half of what it can take (${pace} a second): 99 of 100 answered in`,
      ours: figure([p99], 'ms'),
      value: p99,
      reach: {atMost: 20},
      remark: `half of them in ${p50.toFixed(1)} ms; ${paced.refused} not answered 200`,
    },
    {measured: 'the load generator itself, nothing behind it', ours: figure(limit, 'a second')},
  ]
}

/**
 * Sends a million events to one receiver. Reports how the time grows, and compares the resident memory at the end with the memory
 * after the first of three counts.
 */
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
    // ps prints kibibytes.
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
