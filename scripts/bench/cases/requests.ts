/** A command that sends a request, to the service of references/service.cjs. */
import {type Bench, reference} from '../support/bench.js'
import {type Row, race} from '../support/figures.js'
import {startReference} from '../support/receivers.js'

/** Compares a command that has a cached token with a plain script that sends the same request with undici. */
export async function account(bench: Bench): Promise<Row[]> {
  const {port, stop} = await startReference(bench, 'service.cjs')
  const baseUrl = `http://127.0.0.1:${port}/partner-api/v1`
  const env = {
    BOOKCTL_BASE_URL: baseUrl,
    BOOKCTL_CLIENT_ID: 'cid_bench',
    BOOKCTL_CLIENT_SECRET: 'sk_test_bench',
    BOOKCTL_CONFIG_DIR: bench.room(),
  }
  // The first run is not measured: it obtains the token.
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
