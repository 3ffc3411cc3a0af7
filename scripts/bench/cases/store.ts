/**
 * Stores events in PostgreSQL, which waits for the disk as in production. Compares the store of a receiver with a plain loop of
 * the same multi-row inserts with pg. Also measures the cost of an event when many are stored, and compares one receiver with two
 * separate processes that get half of the requests each.
 */
import pg from 'pg'
import {openSharedKeeper} from '../../../src/state/postgres/shared.js'
import {parseStoreUrl} from '../../../src/state/postgres/url.js'
import {findPostgres, type PostgresServer, startPostgres} from '../../../test/support/postgres.js'
import {alternate, type Bench} from '../support/bench.js'
import {compared, figure, growth, type Row} from '../support/figures.js'
import {send, signedEvents} from '../support/load.js'
import {startListen} from '../support/receivers.js'

const ROWS = 100
/** The number of transactions that a receiver runs at the same time. */
const AT_ONCE = 4
const BODY = Buffer.from(JSON.stringify({type: 'reservation.confirmed', note: 'x'.repeat(560)}))
const HEADERS = ['content-type', 'application/json', 'x-service-signature', `t=1,v1=${'0'.repeat(64)}`]
const SAMPLES = 5

export async function store(bench: Bench): Promise<Row[]> {
  const found = await findPostgres()
  if ('missing' in found) throw new Error(found.missing)
  const server = await startPostgres({fsync: 'on'})
  try {
    return [...(await stored(bench, server)), await receivers(bench, server)]
  } finally {
    await server.close()
  }
}

async function stored(bench: Bench, server: PostgresServer): Promise<Row[]> {
  const url = await server.url('stored')
  const address = parseStoreUrl(url, {})
  const keeper = await openSharedKeeper('default', {address, trusted: undefined, timeoutMilliseconds: 10_000})
  const count = bench.size(20_000, 4000)
  let batches = 0
  const receive = async () => {
    const prefix = `evt_${batches++}`
    const events = Array.from({length: ROWS}, (_, n) => ({
      eventId: `${prefix}_${n}`,
      type: 'reservation.confirmed',
      receivedAt: Date.now() / 1000,
      secretName: 'env',
      rawHeaders: HEADERS,
      body: BODY,
      reservationRef: `RSV-${n}`,
      targets: [],
    }))
    const results = await keeper.receive(events)
    if (results.some(({duplicate}) => duplicate)) throw new Error('an event was stored before')
  }
  const pool = new pg.Pool({connectionString: url, max: AT_ONCE})
  await pool.query(`CREATE TABLE bare (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, event_id text NOT NULL UNIQUE,
    type text, received_at timestamptz NOT NULL, secret text NOT NULL, headers text NOT NULL, body bytea NOT NULL);
    CREATE INDEX ON bare (received_at)`)
  const places = Array.from(
    {length: ROWS},
    (_, n) => `($${[1, 2, 3, 4, 5, 6].map(i => n * 6 + i).join(', $')})`,
  )
  const text = `INSERT INTO bare (event_id, type, received_at, secret, headers, body) VALUES ${places.join(', ')}
    ON CONFLICT (event_id) DO NOTHING`
  const insert = async () => {
    const prefix = `evt_${batches++}`
    const rest = ['reservation.confirmed', new Date(), 'env', HEADERS.join('\n'), BODY]
    const values = Array.from({length: ROWS}, (_, n) => [`${prefix}_${n}`, ...rest]).flat()
    await pool.query({name: 'insert', text, values})
  }
  const perSecond = (batch: () => Promise<void>) => async () => (count * 1000) / (await timed(count, batch))
  try {
    const rates = await alternate(bench.size(SAMPLES, 2), perSecond(receive), perSecond(insert))
    const sizes = bench.size([10_000, 100_000, 1_000_000], [1000, 10_000])
    const points: {size: number; costs: number[]}[] = []
    const some = bench.size(5000, 1000)
    for (const size of sizes) {
      await fill(server, size)
      const costs: number[] = []
      for (let n = 0; n < SAMPLES; n++) costs.push(await timed(some, receive))
      points.push({size, costs})
    }
    return [
      compared({
        measured: `events into PostgreSQL by a receiver's store, ${ROWS} at a time, ${AT_ONCE} connections`,
        against: 'bare loop of the same multi-row inserts with pg',
        ours: figure(rates.ours, 'a second'),
        reference: figure(rates.other, 'a second'),
        reach: {atLeast: 0.8},
      }),
      growth(`store, ${some.toLocaleString('en')} events when so many are stored`, points),
    ]
  } finally {
    await pool.end()
    await keeper.close()
  }
}

/** Returns the milliseconds for `count` events. */
async function timed(count: number, batch: () => Promise<void>): Promise<number> {
  const began = performance.now()
  let left = count / ROWS
  const work = async () => {
    while (left-- > 0) await batch()
  }
  await Promise.all(Array.from({length: AT_ONCE}, work))
  return performance.now() - began
}

/** Fills the table up to `size` events, which the server generates. */
async function fill(server: PostgresServer, size: number): Promise<void> {
  await server.sql(
    `INSERT INTO bookctl.events (profile, event_id, type, received_at, secret_name, headers, body, arrival)
     SELECT 'default', 'old_' || md5(n::text || $1), 'voucher.ready', now() - n * interval '1 second', 'env', $2, $3,
       gen_random_uuid() FROM generate_series(1, $1::int - (SELECT count(*) FROM bookctl.events)) AS n`,
    [size, HEADERS.join('\n'), BODY.subarray(0, 200)],
    'stored',
  )
  await server.sql('VACUUM ANALYZE bookctl.events', [], 'stored')
  await server.sql('CHECKPOINT', [], 'stored')
}

async function receivers(bench: Bench, server: PostgresServer): Promise<Row> {
  const env = {BOOKCTL_STORE: await server.url('receivers')}
  const [one, two] = [await startListen(bench, env), await startListen(bench, env)]
  const count = bench.size(10_000, 2000)
  let round = 0
  const perSecond = async (...ports: number[]) => {
    const part = Math.floor(count / ports.length)
    const requests = ports.map((_, n) => signedEvents(`round${round}_${n}`, part))
    round++
    const began = performance.now()
    const sent = await Promise.all(ports.map((port, n) => send(port, requests[n] ?? [])))
    const refused = sent.reduce((sum, each) => sum + each.refused, 0)
    return (part * ports.length - refused) / ((performance.now() - began) / 1000)
  }
  const rates = await alternate(
    bench.size(SAMPLES, 2),
    () => perSecond(one.port, two.port),
    () => perSecond(one.port),
  )
  await Promise.all([one.stop(), two.stop()])
  return compared({
    measured: 'two `bookctl webhooks listen` on one PostgreSQL',
    against: 'one of them',
    ours: figure(rates.ours, 'a second'),
    reference: figure(rates.other, 'a second'),
  })
}
