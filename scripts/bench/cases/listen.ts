/**
 * `bookctl webhooks listen`, which has every event on the disk before it answers 200, against a bare node:http server
 * that reads the body and answers 200: 50 connections, each with one signed event at a time. Then how long an answer
 * takes at half of the events it can take; and what the load generator does where nothing is behind it.
 */
import {alternate, type Bench} from '../support/bench.js'
import {compared, figure, percentile, type Row} from '../support/figures.js'
import {CONNECTIONS, send, signedEvents} from '../support/load.js'
import {type Receiver, startListen, startReference} from '../support/receivers.js'

const HALF_LOAD_SECONDS = 5

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
