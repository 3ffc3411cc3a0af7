/**
 * Look-ups of the local sandbox with three sizes of its state: the time of an answer must grow no more than the state
 * does, and should not grow. The state is one real reservation, copied (references/copy-reservation.cjs).
 */
import {join} from 'node:path'
import process from 'node:process'
import {Client} from 'undici'
import {type Bench, BOOKCTL, type Case, ended, firstLine, reference} from '../support/bench.js'
import {growth} from '../support/growth.js'
import {searchBody} from '../support/service.js'

const KEY = '5f0c1f8e-6c0b-4a5e-9d2b-1f6f2f6b7a10'
const SCOPE = 'hotels:read reservations:read reservations:write'

interface Ready {
  readonly base_url: string
  readonly origin: string
  readonly client_id: string
  readonly client_secret: string
}

export const sandboxGrowth: Case = {
  name: 'sandbox-growth',
  async run(bench) {
    const costs = new Map<string, {size: number; costs: number[]}[]>()
    for (const size of bench.size([1000, 10_000, 100_000], [100, 1000, 10_000])) {
      const database = join(bench.room(), 'sandbox.db')
      const made = await withSandbox(bench, database, reserve)
      await bench.node([reference('copy-reservation.cjs'), database, String(size)])
      const times = await withSandbox(bench, database, call => lookUp(call, made, bench.size(200, 40)))
      for (const [name, milliseconds] of times) {
        costs.set(name, [...(costs.get(name) ?? []), {size, costs: milliseconds}])
      }
    }
    return [...costs].map(([name, points]) => growth(`sandbox, ${name}`, points))
  },
}

type Call = (method: 'GET' | 'POST', path: string, body?: string) => Promise<Record<string, never>>
type Made = {readonly ref: string; readonly offer: string; readonly request: string}

/** Runs `work` with a sandbox on `database`, which is ended afterwards. */
async function withSandbox<T>(bench: Bench, database: string, work: (call: Call) => Promise<T>): Promise<T> {
  const child = bench.start(process.execPath, [BOOKCTL, 'sandbox', 'start', '--json', '--db', database], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const {base_url, origin, client_id, client_secret} = await firstLine<Ready>(child)
  const client = new Client(origin)
  const headers: Record<string, string> = {'content-type': 'application/json', 'idempotency-key': KEY}
  const call: Call = async (method, path, body = '') => {
    const url = new URL(base_url + path)
    const answer = await client.request({
      method,
      path: url.pathname + url.search,
      headers,
      body: body || null,
    })
    const json = (await answer.body.json()) as Record<string, never>
    if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(json)}`)
    return json
  }
  const asked = {grant_type: 'client_credentials', client_id, client_secret, scope: SCOPE}
  const {data} = (await call('POST', '/oauth/token', JSON.stringify(asked))) as {
    data?: {access_token: string}
  }
  headers.authorization = `Bearer ${data?.access_token}`
  try {
    return await work(call)
  } finally {
    await client.close()
    const end = ended(child)
    child.kill('SIGTERM')
    await end
  }
}

/** Searches, and reserves the first offer from the balance. */
async function reserve(call: Call): Promise<Made> {
  const found = (await call('POST', '/hotels/search', searchBody(101))) as {
    data?: {offers: {offer_id: string}[]}
  }
  const [booked, other] = (found.data?.offers ?? []).map(({offer_id}) => offer_id) as [string, string]
  const person = {name: 'Deniz', surname: 'Ertan'}
  const request = JSON.stringify({
    offer_id: booked,
    client_reference_id: 'BENCH',
    client_nationality: 'TR',
    contact: {...person, email: 'deniz@example.com', phone_country_code: '+90', phone_number: '5321234567'},
    guests: [1, 2].map(n => ({
      ...person,
      type: 'ADULT',
      birth_date: '1990-05-14',
      gender: 'MALE',
      nationality: 'TR',
      identity: {type: 'TC', number: '10000000146'},
      is_lead: n === 1,
    })),
    payment: {mode: 'account'},
  })
  const made = (await call('POST', '/reservations/hotel', request)) as {data?: {reservation_ref: string}}
  return {ref: made.data?.reservation_ref ?? '', offer: other, request}
}

/** Milliseconds of each answer, `times` times each. */
async function lookUp(
  call: Call,
  {ref, offer, request}: Made,
  times: number,
): Promise<Map<string, number[]>> {
  const lookUps: readonly [string, 'GET' | 'POST', string, string?][] = [
    ['one reservation', 'GET', `/reservations/${ref}`],
    ['a page of reservations', 'GET', '/reservations?limit=20&status=CONFIRMED'],
    ['reservation by client reference', 'GET', '/reservations?client_reference_id=BENCH'],
    ['price of an offer', 'GET', `/hotels/offers/${offer}`],
    ['repeated Idempotency-Key', 'POST', '/reservations/hotel', request],
  ]
  const milliseconds = new Map<string, number[]>()
  for (const [name, ...asked] of lookUps) {
    const each: number[] = []
    for (let n = 0; n < times; n++) {
      const started = performance.now()
      await call(...asked)
      each.push(performance.now() - started)
    }
    milliseconds.set(name, each)
  }
  return milliseconds
}
