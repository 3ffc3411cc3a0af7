/** `bookctl webhooks verify` of one file, against a bare script that reads its arguments and prints a line. */
import {join} from 'node:path'
import {alternate, type Case, reference} from '../support/bench.js'
import {SECRET, SIGNED_AT, writeRequest} from '../support/captures.js'
import {compared, figure} from '../support/figures.js'

export const verifyOne: Case = {
  name: 'verify-one',
  async run(bench) {
    const file = join(bench.room(), 'request.http')
    writeRequest(file)
    const env = {BOOKCTL_WEBHOOK_SECRET: SECRET}
    const {ours, other} = await alternate(
      bench.size(31, 5),
      () => bench.bookctl(['webhooks', 'verify', file, '--at', String(SIGNED_AT)], {env}),
      () => bench.node([reference('parse-args.cjs'), file, '--at', String(SIGNED_AT)]),
    )
    return [
      compared({
        measured: '`bookctl webhooks verify` of one file',
        against: 'bare script: `parseArgs`, print a line',
        ours: figure(
          ours.map(({milliseconds}) => milliseconds),
          'ms',
        ),
        reference: figure(
          other.map(({milliseconds}) => milliseconds),
          'ms',
        ),
        reach: {atMost: 1.6},
      }),
    ]
  },
}
