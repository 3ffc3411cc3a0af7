/**
 * `bookctl webhooks verify` of one large body, against openssl's HMAC of the same file: whole processes, both; and what
 * each takes longer than for the smallest body, which leaves out starting: openssl starts in a tenth of Node's time.
 */
import {join} from 'node:path'
import {alternate, BOOKCTL, type Case} from '../support/bench.js'
import {SECRET, SIGNED_AT, writeLargeBody} from '../support/captures.js'
import {compared, figure, type Row} from '../support/figures.js'

const MEGABYTES = 100

interface Body {
  readonly file: string
  readonly signature: string
}

export const verifyLarge: Case = {
  name: 'verify-large',
  async run(bench) {
    const [large, smallest] = [MEGABYTES * 1e6, 0].map(bytes => {
      const file = join(bench.room(), 'body.json')
      return {file, signature: writeLargeBody(file, bytes)}
    }) as [Body, Body]
    const env = {BOOKCTL_WEBHOOK_SECRET: SECRET}
    const argv = ({file, signature}: Body) => [
      ...['webhooks', 'verify', file, '--signature', signature, '--at', String(SIGNED_AT)],
    ]
    const verify = async (body: Body) => (await bench.bookctl(argv(body), {env})).milliseconds
    const openssl = async ({file}: Body) =>
      (await bench.run('openssl', ['dgst', '-sha256', '-hmac', SECRET, file])).milliseconds
    const timed = async (check: (body: Body) => Promise<number>) => {
      const [whole, least] = [await check(large), await check(smallest)]
      return {whole, least, above: whole - least}
    }

    const {peakBytes} = await bench.nodeWithPeak([BOOKCTL, ...argv(large)], {env})
    const measured = `\`bookctl webhooks verify\` of one body of ${MEGABYTES} MB`
    const perSecond = (milliseconds: readonly number[], peak?: number) =>
      figure(
        milliseconds.map(each => (MEGABYTES * 1000) / each),
        'MB/s',
        peak,
      )
    const hasOpenssl = await bench.run('openssl', ['version']).then(
      () => true,
      () => false,
    )
    if (!hasOpenssl) {
      const remark = 'openssl is not there'
      const alone: Row = {measured, against: '', ours: perSecond([await verify(large)], peakBytes), remark}
      return [alone]
    }
    const runs = await alternate(
      bench.size(11, 3),
      () => timed(verify),
      () => timed(openssl),
    )
    const starting = [runs.ours, runs.other].map(of =>
      figure(
        of.map(({least}) => least),
        'ms',
      ).median.toFixed(0),
    )
    return [
      compared({
        measured,
        against: '`openssl dgst -sha256 -hmac` of the same file',
        ours: perSecond(
          runs.ours.map(({whole}) => whole),
          peakBytes,
        ),
        reference: perSecond(runs.other.map(({whole}) => whole)),
        reach: {atLeast: 0.8},
        remark: `of the smallest body: ${starting.join(' ms against ')} ms`,
      }),
      compared({
        measured: 'the same, less what the smallest body takes',
        against: 'the same of openssl',
        ours: perSecond(runs.ours.map(({above}) => above)),
        reference: perSecond(runs.other.map(({above}) => above)),
        reach: {atLeast: 0.8},
      }),
    ]
  },
}
