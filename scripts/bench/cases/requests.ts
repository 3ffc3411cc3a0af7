/** Commands that ask a service: that of references/service.cjs. */
import {join} from 'node:path'
import {type Bench, BOOKCTL, reference} from '../support/bench.js'
import {growth, type Row, race} from '../support/figures.js'
import {startReference} from '../support/receivers.js'

/** `bookctl hotels search` with answers of three sizes: found, remembered on this machine, and printed. */
export async function searchGrowth(bench: Bench): Promise<Row[]> {
  const {env, stop} = await startService(bench)
  const points = []
  const peaks = []
  for (const size of bench.size([1000, 10_000, 100_000], [100, 1000, 10_000])) {
    const runs = []
    for (let n = 0; n < 3; n++) {
      const fresh = {...env, BOOKCTL_CONFIG_DIR: join(bench.room(), 'config')}
      const argv = [BOOKCTL, ...searchArguments(size), '--timeout', '60']
      runs.push(await bench.nodeWithPeak(argv, {env: fresh}))
    }
    points.push({size, costs: runs.map(({milliseconds}) => milliseconds)})
    peaks.push(Math.round(Math.max(...runs.map(({megabytes}) => megabytes))))
  }
  await stop()
  const row = growth('hotels search, offers in the answer', points)
  return [{...row, remark: `${row.remark}; memory ${peaks.join(', ')} MB`}]
}

/** A command with a token it has, against a bare script that makes the same request with undici. */
export async function account(bench: Bench): Promise<Row[]> {
  const {baseUrl, env, stop} = await startService(bench)
  // The first run, which does not count, obtains the token.
  const row = await race(bench, {
    measured: '`bookctl account --json`, token cached',
    against: 'bare script, the same request by undici',
    reach: {atMost: 1},
    times: 31,
    ours: () => bench.bookctl(['account', '--json'], {env}),
    other: () => bench.node([reference('request.cjs'), `${baseUrl}/account`]),
  })
  await stop()
  return [row]
}

/** Starts the service; `env` points bookctl at it. */
async function startService(bench: Bench) {
  const {port, stop} = await startReference(bench, 'service.cjs')
  const baseUrl = `http://127.0.0.1:${port}/partner-api/v1`
  const env = {
    BOOKCTL_BASE_URL: baseUrl,
    BOOKCTL_CLIENT_ID: 'cid_bench',
    BOOKCTL_CLIENT_SECRET: 'sk_test_bench',
    BOOKCTL_CONFIG_DIR: bench.room(),
  }
  return {baseUrl, env, stop}
}

/** What asks for `count` offers. */
function searchArguments(count: number): string[] {
  const stay = ['--check-in', '2030-06-01', '--nights', '3', '--nationality', 'TR', '--currency', 'EUR']
  return ['hotels', 'search', '--city', String(count), ...stay]
}
