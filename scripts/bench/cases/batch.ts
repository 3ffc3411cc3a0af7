/** A batch of reservations against a service that is slow, and the memory of a large one. */
import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {type Bench, BOOKCTL} from '../support/bench.js'
import {compared, figure, type Row} from '../support/figures.js'
import {startReference} from '../support/receivers.js'

const ANSWER_MILLISECONDS = 200

/**
 * Compares eight trips at a time with one by one, as trips a second, against a service that takes 200 ms for every answer; and
 * measures the peak memory for 10,000 trips, which a service without delay books.
 */
export async function batch(bench: Bench): Promise<Row[]> {
  const slow = await startReference(bench, 'slow-service.cjs', [String(ANSWER_MILLISECONDS)])
  const rate = async (trips: number, parallel: number) => {
    const run = await bench.bookctl(argv(bench, trips, parallel), {env: environment(bench, slow.port)})
    return (trips * 1000) / run.milliseconds
  }
  const trips = bench.size(500, 80)
  const together: number[] = []
  const alone: number[] = []
  for (let n = 0; n < bench.size(3, 1); n++) {
    together.push(await rate(trips, 8))
    alone.push(await rate(bench.size(100, 10), 1))
  }
  await slow.stop()
  const quick = await startReference(bench, 'slow-service.cjs', ['0'])
  const many = bench.size(10_000, 500)
  const run = await bench.nodeWithPeak([BOOKCTL, ...argv(bench, many, 8)], {
    env: environment(bench, quick.port),
  })
  await quick.stop()
  return [
    compared({
      measured: `\`bookctl reserve batch --parallel 8\` of ${trips} trips, ${ANSWER_MILLISECONDS} ms an answer`,
      against: 'the same with --parallel 1',
      ours: figure(together, 'a second'),
      reference: figure(alone, 'a second'),
      reach: {atLeast: 6},
    }),
    {
      measured: `\`bookctl reserve batch\` of ${many.toLocaleString('en')} trips: most memory`,
      ours: figure([run.megabytes], 'MB'),
      value: run.megabytes,
      reach: {atMost: 200},
      remark: `${Math.round(run.milliseconds / 1000)} s, a service without delay`,
    },
  ]
}

function environment(bench: Bench, port: number): Record<string, string> {
  return {
    BOOKCTL_BASE_URL: `http://127.0.0.1:${port}/partner-api/v1`,
    BOOKCTL_CLIENT_ID: 'cid_bench',
    BOOKCTL_CLIENT_SECRET: 'sk_test_bench',
    BOOKCTL_CONFIG_DIR: bench.room(),
  }
}

/** The command line that books a new file of `trips`, each with criteria of its own. */
function argv(bench: Bench, trips: number, parallel: number): string[] {
  const guest = {
    name: 'Ayşe',
    surname: 'Öğüt',
    birth_date: '1990-02-03',
    gender: 'FEMALE',
    nationality: 'TR',
    identity: {type: 'TC', number: '10000000146'},
  }
  const lines = Array.from({length: trips}, (_, n) => {
    const day = new Date(Date.UTC(2030, 0, 1 + (n % 700))).toISOString().slice(0, 10)
    return JSON.stringify({
      client_reference_id: `TRIP-${n}`,
      search: {
        city: 101 + Math.floor(n / 700),
        check_in: day,
        nights: 3,
        rooms: [{adults: 1, children_ages: []}],
        client_nationality: 'TR',
        currency: 'EUR',
      },
      contact: {
        name: 'Ayşe',
        surname: 'Öğüt',
        email: 'ayse@example.com',
        phone_country_code: '+90',
        phone_number: '5321234567',
      },
      guests: [guest],
    })
  })
  const path = join(bench.room(), 'trips.ndjson')
  writeFileSync(path, `${lines.join('\n')}\n`)
  return ['reserve', 'batch', path, '--parallel', String(parallel), '--json']
}
