/** The local sandbox with a large state. */
import {join} from 'node:path'
import process from 'node:process'
import {connectTo, reservationRequest, type SandboxClient} from '../../../test/support/sandbox.js'
import {type Bench, BOOKCTL, firstLine, reference, stop} from '../support/bench.js'
import {growth, type Point, type Row} from '../support/figures.js'

const KEY = '5f0c1f8e-6c0b-4a5e-9d2b-1f6f2f6b7a10'

/**
 * Measures look-ups with three sizes of the state. The time must not grow faster than the state, and should not grow at all. The
 * state consists of copies of one real reservation (references/copy-reservation.cjs).
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

/** Runs `work` with a sandbox on `database`, and stops the sandbox afterwards. */
async function withSandbox<T>(
  bench: Bench,
  database: string,
  work: (client: SandboxClient) => Promise<T>,
): Promise<T> {
  const child = bench.start(process.execPath, [BOOKCTL, 'sandbox', 'start', '--json', '--db', database], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const {origin} = await firstLine<{origin: string}>(child)
  try {
    return await work(await connectTo(origin))
  } finally {
    await stop(child)
  }
}

/** Searches, and reserves the first offer from the account. */
async function reserve({search, reserve}: SandboxClient): Promise<Made> {
  const [booked, other] = await search()
  const request = reservationRequest(booked.offer_id, {client_reference_id: 'BENCH'})
  const {status, json} = await reserve(request, KEY)
  if (status !== 201) throw new Error(`reserving: ${status} ${JSON.stringify(json)}`)
  return {ref: json.data.reservation_ref, offer: other.offer_id, request}
}

/** Measures each look-up `times` times. Returns milliseconds. */
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
