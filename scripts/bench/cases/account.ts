/** `bookctl account --json` with a token it has, against a bare script that makes the same request with undici. */
import {alternate, type Case, reference} from '../support/bench.js'
import {compared, figure} from '../support/figures.js'
import {startService} from '../support/service.js'

export const account: Case = {
  name: 'account',
  async run(bench) {
    const {baseUrl, env, stop} = await startService(bench)
    // The first run, which does not count, obtains the token.
    const {ours, other} = await alternate(
      bench.size(31, 5),
      () => bench.bookctl(['account', '--json'], {env}),
      () => bench.node([reference('request.cjs'), `${baseUrl}/account`]),
    )
    stop()
    return [
      compared({
        measured: '`bookctl account --json`, token cached',
        against: 'bare script, the same request by undici',
        ours: figure(
          ours.map(({milliseconds}) => milliseconds),
          'ms',
        ),
        reference: figure(
          other.map(({milliseconds}) => milliseconds),
          'ms',
        ),
        reach: {atMost: 1.35},
      }),
    ]
  },
}
