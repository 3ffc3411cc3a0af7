import {execFileSync} from 'node:child_process'
import {join} from 'node:path'
import {SECRET} from '../../../test/support/webhook-load.js'
import {alternate, type Bench, inTurn} from '../support/bench.js'
import {compared, type Figure, figure, growth, median, percentile, type Row} from '../support/figures.js'
import {CONNECTIONS, send, signedEvents} from '../support/load.js'
import {processorSeconds, type Receiver, startListen, startReference} from '../support/receivers.js'

const HALF_LOAD_SECONDS = 5
const SAMPLES = 5

/**
 * Compares `bookctl webhooks listen`, which stores every event on disk before it answers 200, with two others in the same run: a
 * bare node:http server that reads the body and answers 200, and the floor, which checks the signature, finds duplicates in memory
 * and appends to one file, flushed before it answers. There are 50 connections with one signed event at a time. Then measures the
 * time of an answer at half of the maximum rate, also of the floor, and the limit of the load generator itself.
 */
export async function listen(bench: Bench): Promise<Row[]> {
  const count = bench.size(30_000, 4000)
  const ours = await startListen(bench)
  const bare = await startReference(bench, 'receiver.cjs')
  const floor = await startReference(bench, 'floor.cjs', [join(bench.room(), 'events'), SECRET])
  const nothing = await startReference(bench, 'no-receiver.cjs')
  let round = 0
  const load = async (receiver: Receiver) => {
    const before = processorSeconds(receiver)
    const {seconds, refused} = await send(receiver.port, signedEvents(`round${round++}`, count))
    const microseconds = ((processorSeconds(receiver) - before) * 1e6) / count
    return {rate: (count - refused) / seconds, microseconds}
  }
  const loads = await inTurn(
    bench.size(SAMPLES, 2),
    [ours, bare, floor].map(receiver => () => load(receiver)),
  )
  const rates = loads.map(runs =>
    figure(
      runs.map(({rate}) => rate),
      'a second',
    ),
  )
  const [received, ofBare, ofFloor] = rates as [Figure, Figure, Figure]
  const [used, usedByBare, usedByFloor] = loads.map(runs =>
    median(runs.map(({microseconds}) => microseconds)).toFixed(0),
  )
  const limit = [(await load(nothing)).rate, (await load(nothing)).rate]
  const pace = Math.round(received.median / 2)
  const paced =
    ({port}: Receiver) =>
    async () => {
      const sent = await send(port, signedEvents(`paced${round++}`, pace * HALF_LOAD_SECONDS), pace)
      const [p50, p99] = [0.5, 0.99].map(part => percentile(sent.latencies, part)) as [number, number]
      return {p50, p99, refused: sent.refused}
    }
  const answers = await alternate(bench.size(SAMPLES, 1), paced(ours), paced(floor))
  await Promise.all([ours, bare, floor, nothing].map(each => each.stop()))
  const [slowest, slowestOfFloor] = [answers.ours, answers.other].map(runs =>
    figure(
      runs.map(({p99}) => p99),
      'ms',
    ),
  ) as [Figure, Figure]
  const half = median(answers.ours.map(({p50}) => p50))
  const refused = answers.ours.reduce((sum, run) => sum + run.refused, 0)
  const measured = `\`bookctl webhooks listen\`, ${CONNECTIONS} connections`
  const atHalf = `the same at half of what it can take (${pace} a second): 99 of 100 answered in`
  return [
    compared({
      measured,
      against: 'bare node:http server: read the body, answer 200',
      ours: received,
      reference: ofBare,
      reach: {atLeast: 0.45},
      remark: `processor time an event: ${used} µs against ${usedByBare} µs`,
    }),
    compared({
      measured,
      against: 'the floor: check, parse, append to a file, one fdatasync for all that came',
      ours: received,
      reference: ofFloor,
      reach: {atLeast: 0.95},
      remark: `processor time an event: ${used} µs against ${usedByFloor} µs`,
    }),
    {
      measured: atHalf,
      ours: slowest,
      value: slowest.median,
      reach: {atMost: 10},
      remark: `half of them in ${half.toFixed(1)} ms; ${refused} not answered 200`,
    },
    compared({
      measured: atHalf,
      against: 'the floor at the same rate',
      ours: slowest,
      reference: slowestOfFloor,
      reach: {atMost: 2},
    }),
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
