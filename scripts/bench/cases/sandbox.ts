/** The local sandbox with much in it, and under many connections. */
import {Agent, request} from 'node:http'
import {join} from 'node:path'
import process from 'node:process'
import {
  connectTo,
  reservationRequest,
  type SandboxClient,
  searchRequest,
} from '../../../test/support/sandbox.js'
import {type Bench, BOOKCTL, firstLine, reference, stop} from '../support/bench.js'
import {figure, growth, median, type Point, percentile, type Row} from '../support/figures.js'

const KEY = '5f0c1f8e-6c0b-4a5e-9d2b-1f6f2f6b7a10'

/**
 * Look-ups with three sizes of its state: the time of an answer must grow no more than the state does, and should not
 * grow. The state is one real reservation, copied (references/copy-reservation.cjs).
 */
export async function sandboxGrowth(bench: Bench): Promise<Row[]> {
  const costs = new Map<string, Point[]>()
  for (const size of bench.size([1000, 10_000, 100_000], [100, 1000, 10_000])) {
    const database = join(bench.room(), 'sandbox.db')
    const made = await withSandbox(bench, database, reserve)
    await bench.node([reference('copy-reservation.cjs'), database, String(size)])
    const times = await withSandbox(bench, database, client => lookUp(client, made, bench.size(200, 40)))
    for (const [name, milliseconds] of times)
      costs.set(name, [...(costs.get(name) ?? []), {size, costs: milliseconds}])
  }
  return [...costs].map(([name, points]) => growth(`sandbox, ${name}`, points))
}

interface Made {
  readonly ref: string
  readonly offer: string
  readonly request: object
}

/** Runs `work` with a sandbox on `database`, which is ended afterwards. */
async function withSandbox<T>(
  bench: Bench,
  database: string,
  work: (client: SandboxClient, baseUrl: string) => Promise<T>,
): Promise<T> {
  const child = bench.start(process.execPath, [BOOKCTL, 'sandbox', 'start', '--json', '--db', database], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const {origin, base_url} = await firstLine<{origin: string; base_url: string}>(child)
  try {
    return await work(await connectTo(origin), base_url)
  } finally {
    await stop(child)
  }
}

/** Searches, and reserves the first offer from the balance. */
async function reserve({search, reserve}: SandboxClient): Promise<Made> {
  const [booked, other] = await search()
  const request = reservationRequest(booked.offer_id, {client_reference_id: 'BENCH'})
  const {status, json} = await reserve(request, KEY)
  if (status !== 201) throw new Error(`reserving: ${status} ${JSON.stringify(json)}`)
  return {ref: json.data.reservation_ref, offer: other.offer_id, request}
}

/** Milliseconds of each answer, `times` times each. */
async function lookUp({call, reserve}: SandboxClient, {ref, offer, request}: Made, times: number) {
  const lookUps = {
    'one reservation': () => call('GET', `/reservations/${ref}`),
    'a page of reservations': () => call('GET', '/reservations?limit=20&status=CONFIRMED'),
    'reservation by client reference': () => call('GET', '/reservations?client_reference_id=BENCH'),
    'price of an offer': () => call('GET', `/hotels/offers/${offer}`),
    'repeated Idempotency-Key': () => reserve(request, KEY),
  }
  const milliseconds = new Map<string, number[]>()
  for (const [name, ask] of Object.entries(lookUps)) {
    const each: number[] = []
    for (let n = 0; n < times; n++) {
      const started = performance.now()
      const {status, json} = await ask()
      each.push(performance.now() - started)
      if (status >= 300) throw new Error(`${name}: ${status} ${JSON.stringify(json)}`)
    }
    milliseconds.set(name, each)
  }
  return milliseconds
}

const CONNECTIONS = 200
const READS = ['/account', '/reservations']

/**
 * 200 connections that search and read in turn, each as fast as it is answered: the slowest answers are to be no more
 * than five times as slow as the usual one, so that no connection starves.
 */
export async function sandboxCrowd(bench: Bench): Promise<Row[]> {
  const database = join(bench.room(), 'sandbox.db')
  const latencies = await withSandbox(bench, database, (client, baseUrl) =>
    crowd(client, baseUrl, bench.size(20_000, 1000)),
  )
  const [usual, slow] = [median(latencies), percentile(latencies, 0.99)]
  return [
    {
      measured: `sandbox, ${CONNECTIONS} connections: the answer slower than 99 of 100`,
      against: 'the median answer',
      ours: figure([slow], 'ms'),
      reference: figure([usual], 'ms'),
      value: slow / usual,
      reach: {atMost: 5},
    },
  ]
}

/** Milliseconds until each of `count` answers. */
async function crowd({token}: SandboxClient, baseUrl: string, count: number): Promise<number[]> {
  const agent = new Agent({keepAlive: true})
  const headers = {authorization: `Bearer ${token}`, 'content-type': 'application/json'}
  const body = JSON.stringify(searchRequest())
  const ask = (read: string | undefined) =>
    new Promise<number>((resolve, reject) => {
      const started = performance.now()
      const options = {agent, headers, method: read ? 'GET' : 'POST'}
      const asked = request(baseUrl + (read ?? '/hotels/search'), options, answer => {
        if (answer.statusCode !== 200) reject(new Error(`${read ?? 'search'}: ${answer.statusCode}`))
        answer.resume().on('end', () => resolve(performance.now() - started))
      })
      asked.on('error', reject).end(read ? undefined : body)
    })
  const latencies: number[] = []
  let next = 0
  const askOn = async () => {
    while (next < count) latencies.push(await ask(READS[next++ % (READS.length + 1)]))
  }
  await Promise.all(Array.from({length: CONNECTIONS}, askOn))
  agent.destroy()
  return latencies
}
