/**
 * `bookctl webhooks verify` of one large body, against openssl's HMAC of the same file: whole processes, both; and what
 * each takes longer than for the smallest body, which leaves out starting: openssl starts in a tenth of Node's time.
 */
import {join} from 'node:path'
import {alternate, type Bench, BOOKCTL} from '../support/bench.js'
import {SECRET, SIGNED_AT, writeLargeBody} from '../support/captures.js'
import {compared, figure, median, type Row} from '../support/figures.js'

const MEGABYTES = 100

interface Body {
  readonly file: string
  readonly signature: string
}

export async function verifyLarge(bench: Bench): Promise<Row[]> {
  const [large, smallest] = [MEGABYTES * 1e6, 0].map(bytes => {
    const file = join(bench.room(), 'body.json')
    return {file, signature: writeLargeBody(file, bytes)}
  }) as [Body, Body]
  const env = {BOOKCTL_WEBHOOK_SECRET: SECRET}
  const argv = ({file, signature}: Body) => [
    'webhooks',
    'verify',
    file,
    '--signature',
    signature,
    '--at',
    String(SIGNED_AT),
  ]
  const verify = async (body: Body) => (await bench.bookctl(argv(body), {env})).milliseconds
  const openssl = async ({file}: Body) =>
    (await bench.run('openssl', ['dgst', '-sha256', '-hmac', SECRET, file])).milliseconds
  const timed = async (check: (body: Body) => Promise<number>) => {
    const [whole, least] = [await check(large), await check(smallest)]
    return {whole, least, above: whole - least}
  }
  const {megabytes} = await bench.nodeWithPeak([BOOKCTL, ...argv(large)], {env})
  const runs = await alternate(
    bench.size(11, 3),
    () => timed(verify),
    () => timed(openssl),
  )
  const perSecond = (who: 'ours' | 'other', what: 'whole' | 'above') =>
    figure(
      runs[who].map(run => (MEGABYTES * 1000) / run[what]),
      'MB/s',
    )
  const starts = [runs.ours, runs.other].map(each => median(each.map(({least}) => least)).toFixed(0))
  return [
    compared({
      measured: `\`bookctl webhooks verify\` of one body of ${MEGABYTES} MB`,
      against: '`openssl dgst -sha256 -hmac` of the same file',
      ours: perSecond('ours', 'whole'),
      reference: perSecond('other', 'whole'),
      reach: {atLeast: 0.8},
      remark: `${Math.round(megabytes)} MB at most; of the smallest body: ${starts.join(' ms against ')} ms`,
    }),
    compared({
      measured: 'the same, less what the smallest body takes',
      against: 'the same of openssl',
      ours: perSecond('ours', 'above'),
      reference: perSecond('other', 'above'),
      reach: {atLeast: 0.8},
    }),
  ]
}
