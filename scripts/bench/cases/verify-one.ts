/** `bookctl webhooks verify` of one file, against a bare script that reads its arguments and prints a line. */
import {join} from 'node:path'
import {type Case, reference} from '../support/bench.js'
import {SECRET, SIGNED_AT, writeRequest} from '../support/captures.js'
import {race} from '../support/race.js'

export const verifyOne: Case = {
  name: 'verify-one',
  async run(bench) {
    const file = join(bench.room(), 'request.http')
    writeRequest(file)
    const env = {BOOKCTL_WEBHOOK_SECRET: SECRET}
    return [
      await race(bench, {
        measured: '`bookctl webhooks verify` of one file',
        against: 'bare script: `parseArgs`, print a line',
        reach: {atMost: 1.6},
        times: 31,
        ours: () => bench.bookctl(['webhooks', 'verify', file, '--at', String(SIGNED_AT)], {env}),
        other: () => bench.node([reference('parse-args.cjs'), file, '--at', String(SIGNED_AT)]),
      }),
    ]
  },
}
