/** `bookctl account --json` with a token it has, against a bare script that makes the same request with undici. */
import {type Bench, reference} from '../support/bench.js'
import {type Row, race} from '../support/figures.js'
import {startService} from '../support/service.js'

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
  stop()
  return [row]
}
