/** `bookctl webhooks verify` of one large body, against openssl's HMAC of the same file: whole processes, both. */
import {join} from 'node:path'
import {alternate, BOOKCTL, type Case} from '../support/bench.js'
import {SECRET, SIGNED_AT, writeLargeBody} from '../support/captures.js'
import {compared, figure, type Row} from '../support/figures.js'

export const verifyLarge: Case = {
  name: 'verify-large',
  async run(bench) {
    const megabytes = bench.size(100, 20)
    const file = join(bench.room(), 'body.json')
    const signature = writeLargeBody(file, megabytes * 1e6)
    const argv = ['webhooks', 'verify', file, '--signature', signature, '--at', String(SIGNED_AT)]
    const env = {BOOKCTL_WEBHOOK_SECRET: SECRET}
    const {peakBytes} = await bench.nodeWithPeak([BOOKCTL, ...argv], {env})
    const row = {
      measured: `\`bookctl webhooks verify\` of one body of ${megabytes} MB`,
      against: '`openssl dgst -sha256 -hmac` of the same file',
      reach: {atLeast: 0.8},
    }
    const perSecond = (runs: readonly {milliseconds: number}[]) =>
      runs.map(({milliseconds}) => (megabytes * 1000) / milliseconds)
    const hasOpenssl = await bench.run('openssl', ['version']).then(
      () => true,
      () => false,
    )
    if (!hasOpenssl) {
      const runs = [await bench.bookctl(argv, {env})]
      const alone: Row = {
        ...row,
        ours: figure(perSecond(runs), 'MB/s', peakBytes),
        remark: 'openssl is not there',
      }
      return [alone]
    }
    const {ours, other} = await alternate(
      bench.size(11, 3),
      () => bench.bookctl(argv, {env}),
      () => bench.run('openssl', ['dgst', '-sha256', '-hmac', SECRET, file]),
    )
    return [
      compared({
        ...row,
        ours: figure(perSecond(ours), 'MB/s', peakBytes),
        reference: figure(perSecond(other), 'MB/s'),
      }),
    ]
  },
}
