/** `bookctl webhooks verify` for a single request, for captures, and for a large body. */
import {rmSync, statSync} from 'node:fs'
import {availableParallelism} from 'node:os'
import {join} from 'node:path'
import process from 'node:process'
import {alternate, type Bench, BOOKCTL, canPin, reference} from '../support/bench.js'
import {SECRET, SIGNED_AT, writeCapture, writeLargeBody, writeRequest} from '../support/captures.js'
import {compared, figure, growth, median, type Row, race} from '../support/figures.js'

const MEGABYTES = 100

interface Body {
  readonly file: string
  readonly signature: string
}

/**
 * Verifies one large body, compared with openssl's HMAC of the same file, each as a whole process. Also compares how much longer
 * each takes than for the smallest body. That leaves out the start, which takes openssl a tenth of Node's time.
 */
export async function verifyLarge(bench: Bench): Promise<Row[]> {
  const [large, smallest] = [MEGABYTES * 1e6, 0].map(bytes => {
    const file = join(bench.room(), 'body.json')
    return {file, signature: writeLargeBody(file, bytes)}
  }) as [Body, Body]
  const env = {BOOKCTL_WEBHOOK_SECRET: SECRET}
  const at = ['--at', String(SIGNED_AT)]
  const argv = ({file, signature}: Body) => ['webhooks', 'verify', file, '--signature', signature, ...at]
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

/** The loop keeps at most this many lines in memory, and repeats them. */
const MOST_LINES_IN_MEMORY = 100_000

/** The jobs of the run with threads, which is compared with the loop on one core. */
const JOBS = 2

/**
 * Verifies captures of three sizes. Compares the events a second with a plain loop of JSON.parse, base64 and HMAC, and measures
 * how time and memory grow. Both use one core if the system supports that. The largest capture is also verified with threads.
 */
export async function verifyMany(bench: Bench): Promise<Row[]> {
  const sizes = bench.size([10_000, 100_000, 1_000_000], [1000, 10_000, 100_000])
  const directory = bench.room()
  const file = (count: number) => join(directory, `${count}.ndjson`)
  for (const count of sizes) writeCapture(file(count), count)
  const largest = sizes.at(-1) as number
  const lineBytes = Math.round(statSync(file(largest)).size / largest)
  const inMemory = file(sizes.filter(count => count <= MOST_LINES_IN_MEMORY).at(-1) as number)

  const points: {size: number; costs: number[]}[] = []
  const peaks: number[] = []
  const looped: number[] = []
  const threaded: Awaited<ReturnType<typeof verify>>[] = []
  for (const size of sizes) {
    const runs = []
    for (let n = 0; n < 3; n++) {
      runs.push(await verify(bench, file(size), 1))
      if (size < largest) continue
      looped.push(await loop(bench, inMemory, size))
      threaded.push(await verify(bench, file(size), JOBS))
    }
    points.push({size, costs: runs.map(({milliseconds}) => milliseconds)})
    peaks.push(Math.max(...runs.map(({megabytes}) => megabytes)))
  }
  rmSync(directory, {recursive: true})

  const ratesOf = (milliseconds: readonly number[]) => milliseconds.map(each => (largest * 1000) / each)
  const most = Math.max(...peaks)
  const cores = canPin() ? 'one core' : 'taskset is not there: more than one core'
  return [
    compared({
      measured: `\`bookctl webhooks verify\` of ${largest.toLocaleString('en')} captured events of ${lineBytes} bytes`,
      against: 'loop of JSON.parse, base64, HMAC; lines in memory',
      ours: figure(ratesOf(points.at(-1)?.costs ?? []), 'a second'),
      reference: figure(looped, 'a second'),
      reach: {atLeast: 0.75},
      remark: `${Math.round(peaks.at(-1) ?? 0)} MB at most; ${cores}`,
    }),
    compared({
      measured: `the same with \`--jobs ${JOBS}\``,
      against: 'the same loop, on one core',
      ours: figure(ratesOf(threaded.map(({milliseconds}) => milliseconds)), 'a second'),
      reference: figure(looped, 'a second'),
      reach: {atLeast: 1.5},
      remark: `${Math.round(Math.max(...threaded.map(({megabytes}) => megabytes)))} MB at most; ${availableParallelism()} cores`,
    }),
    {
      measured: 'the same: most memory, at the worst of the three sizes',
      ours: figure([most], 'MB'),
      value: most,
      reach: {atMost: 120},
      remark: peaks.map(peak => `${Math.round(peak)} MB`).join(', '),
    },
    growth('verify, a capture', points),
  ]
}

function verify(bench: Bench, file: string, jobs: number) {
  const argv = ['webhooks', 'verify', file, '--at', 'received', '--format', 'ndjson', '--jobs', String(jobs)]
  const options = {env: {BOOKCTL_WEBHOOK_SECRET: SECRET}, oneCore: jobs === 1}
  return bench.nodeWithPeak([BOOKCTL, ...argv], options)
}

/** Returns events a second. */
async function loop(bench: Bench, file: string, count: number): Promise<number> {
  const argv = [reference('hmac-loop.cjs'), file, SECRET, String(count)]
  const {stdout} = await bench.node(argv, {stdio: ['ignore', 'pipe', 'pipe'], oneCore: true})
  const {valid, milliseconds} = JSON.parse(stdout)
  if (valid !== count) throw new Error(`the loop found ${valid} of ${count} valid`)
  return (count * 1000) / milliseconds
}

/** Compares the smallest command with the smallest Node program. */
export async function verifyOne(bench: Bench): Promise<Row[]> {
  const file = join(bench.room(), 'request.http')
  writeRequest(file)
  const env = {BOOKCTL_WEBHOOK_SECRET: SECRET}
  const row = await race(bench, {
    measured: '`bookctl webhooks verify` of one file',
    against: '`node -e 0`',
    // Newer versions of Node cache the compiled code.
    reach: {atMost: Number.parseInt(process.versions.node, 10) < 22 ? 3.9 : 3.0},
    times: 31,
    ours: () => bench.bookctl(['webhooks', 'verify', file, '--at', String(SIGNED_AT)], {env}),
    other: () => bench.node(['-e', '0']),
  })
  return [row]
}
