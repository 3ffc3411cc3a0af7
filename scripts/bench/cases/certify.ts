/** What it costs the local sandbox to keep the evidence of requests, and to judge much of it. */
import type {ChildProcess} from 'node:child_process'
import {once} from 'node:events'
import {join} from 'node:path'
import process from 'node:process'
import {KEPT_EVIDENCE} from '../../../src/sandbox/certify/evidence.js'
import {connectTo, reservationRequest, type SandboxClient} from '../../../test/support/sandbox.js'
import {alternate, type Bench, type RunOptions, reference} from '../support/bench.js'
import {compared, figure, type Row} from '../support/figures.js'

const SAMPLES = 40
/** A sample takes less than a second, so that a busy machine slows both sides alike. */
const BOOKINGS = 25

export async function evidence(bench: Bench): Promise<Row[]> {
  const keeping = await startProcess(bench, 'with')
  const bare = await startProcess(bench, 'without')
  try {
    const {ours, other} = await alternate(bench.size(SAMPLES, 3), keeping.sample, bare.sample)
    const row = {
      measured: `local sandbox, processor time of a request (search, price, booking, reservation, voucher), evidence kept`,
      against: 'the same without evidence',
      reach: {atMost: 1.03},
      ours: figure(ours, 'ms'),
      reference: figure(other, 'ms'),
    }
    return [compared(row)]
  } finally {
    keeping.child.kill()
    bare.child.kill()
  }
}

/** Judges as many requests as the sandbox keeps. Memory is counted beyond that of a process that judges none. */
export async function judging(bench: Bench): Promise<Row[]> {
  const count = bench.size(KEPT_EVIDENCE, 10_000)
  const room = bench.room()
  const judge = (name: string) => [...LOADER, reference('judge.ts'), join(room, name)]
  await bench.node([...judge('full.db'), String(count)])
  await bench.node([...judge('empty.db'), '0'])
  const options: RunOptions = {stdio: ['ignore', 'pipe', 'pipe']}
  const milliseconds: number[] = []
  const megabytes: number[] = []
  for (let n = 0; n < bench.size(5, 1); n++) {
    const full = await bench.nodeWithPeak(judge('full.db'), options)
    const empty = await bench.nodeWithPeak(judge('empty.db'), options)
    const judged = JSON.parse(full.stdout) as {milliseconds: number; requests: number}
    if (judged.requests !== count) throw new Error(`judged ${judged.requests} requests, not ${count}`)
    milliseconds.push(judged.milliseconds)
    megabytes.push(full.megabytes - empty.megabytes)
  }
  const time = figure(milliseconds, 'ms')
  const memory = figure(megabytes, 'MB')
  const measured = `judging ${count.toLocaleString('en')} requests, with reading them`
  return [
    {measured, ours: time, value: time.median, reach: {atMost: 2000}},
    {measured: 'the same: memory that it takes', ours: memory, value: memory.median, reach: {atMost: 150}},
  ]
}

const LOADER = ['--import', import.meta.resolve('tsx')]

async function startProcess(bench: Bench, mode: 'with' | 'without') {
  const child = bench.start(process.execPath, [...LOADER, reference('sandbox.ts'), mode], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const [origin] = (await once(child, 'message')) as [string]
  const client = await connectTo(origin)
  return {child, sample: () => sampleOf(child, client)}
}

/** Returns the processor time of a request in milliseconds. */
async function sampleOf(child: ChildProcess, client: SandboxClient): Promise<number> {
  const before = await processorTime(child)
  let count = 0
  for (let n = 0; n < BOOKINGS; n++) {
    const [offer] = await client.search()
    await client.get(`/hotels/offers/${offer.offer_id}`)
    const {json} = await client.reserve(reservationRequest(offer.offer_id, {payment: {mode: 'instant'}}))
    await client.get(`/reservations/${json.data.reservation_ref}`)
    await client.call('GET', `/reservations/${json.data.reservation_ref}/voucher`)
    count += 5
  }
  return ((await processorTime(child)) - before) / count
}

async function processorTime(child: ChildProcess): Promise<number> {
  const answer = once(child, 'message')
  child.send('time')
  return Number((await answer)[0])
}
