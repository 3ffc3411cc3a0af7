/** `bookctl mcp`: from its start to the first answer, and its memory after a day of calls. */
import type {ChildProcess} from 'node:child_process'
import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import process from 'node:process'
import {createInterface} from 'node:readline'
import {FOUR_NIGHTS} from '../../../test/support/stay.js'
import {type Bench, BOOKCTL, firstLine, stop} from '../support/bench.js'
import {figure, type Row} from '../support/figures.js'
import {processorMilliseconds} from '../support/receivers.js'

/** A call of ten searches; the others show, list and read. */
const CALLS_A_SEARCH = 10
const AT_A_TIME = 4

/** Measures the processor time of starts up to the answer of `initialize`, and the memory of one server after many calls. */
export async function mcp(bench: Bench): Promise<Row[]> {
  const argv = [BOOKCTL, 'sandbox', 'start', '--json', '--db', join(bench.room(), 'sandbox.db')]
  const sandbox = bench.start(process.execPath, argv, {stdio: ['ignore', 'pipe', 'inherit']})
  const {base_url, client_id, client_secret} = await firstLine<Record<string, string>>(sandbox)
  const env = {
    BOOKCTL_BASE_URL: base_url ?? '',
    BOOKCTL_CLIENT_ID: client_id ?? '',
    BOOKCTL_CLIENT_SECRET: client_secret ?? '',
    BOOKCTL_CONFIG_DIR: bench.room(),
  }
  const starts: {processor: number; elapsed: number}[] = []
  // The first start is not measured.
  for (let run = 0; run <= bench.size(9, 3); run++) {
    const server = new Server(bench, env)
    const elapsed = await server.initialize()
    if (run > 0) starts.push({processor: processorMilliseconds(server.child), elapsed})
    await server.close()
  }
  const count = bench.size(10_000, 500)
  const server = new Server(bench, env)
  await server.initialize()
  await callTools(server, count)
  const [megabytes, most] = ['VmRSS', 'VmHWM'].map(name => memoryOf(server.child, name))
  await server.close()
  await stop(sandbox)
  const processor = starts.map(({processor}) => processor)
  const elapsed = figure(
    starts.map(each => each.elapsed),
    'ms',
  )
  return [
    {
      measured: '`bookctl mcp`, start to the first answer: processor time',
      ours: figure(processor, 'ms'),
      value: figure(processor, 'ms').median,
      reach: {atMost: 400},
      remark: `${Math.round(elapsed.median)} ms by the clock`,
    },
    {
      measured: `\`bookctl mcp\`: memory after ${count.toLocaleString('en')} calls`,
      ours: figure([megabytes ?? Number.NaN], 'MB'),
      value: megabytes ?? Number.NaN,
      reach: {atMost: 160},
      remark: `${Math.round(most ?? Number.NaN)} MB at most`,
    },
  ]
}

/** Calls tools `count` times, a few at a time. Throws if one fails. */
async function callTools(server: Server, count: number): Promise<void> {
  let left = count
  const work = async () => {
    let offer = ''
    for (let n = 0; left > 0; n++) {
      left -= 1
      if (n % CALLS_A_SEARCH === 0) {
        const {offers} = await server.call('search_hotels', FOUR_NIGHTS)
        offer = (offers as {offer_id: string}[])[0]?.offer_id ?? ''
      } else if (n % 2 === 0) await server.call('show_offer', {offer_id: offer})
      else if (n % 3 === 0) await server.call('list_reservations', {})
      else await server.call('account', {})
    }
  }
  await Promise.all(Array.from({length: AT_A_TIME}, work))
}

/** A server, and the client of it. */
class Server {
  readonly child: ChildProcess
  private readonly started = performance.now()
  private readonly waiting = new Map<number, (answer: Record<string, unknown>) => void>()
  private count = 0

  constructor(bench: Bench, env: Record<string, string>) {
    this.child = bench.start(process.execPath, [BOOKCTL, 'mcp'], {env, stdio: ['pipe', 'pipe', 'inherit']})
    createInterface({input: this.child.stdout as NodeJS.ReadableStream}).on('line', line => {
      const answer = JSON.parse(line)
      this.waiting.get(answer.id)?.(answer)
      this.waiting.delete(answer.id)
    })
  }

  /** Resolves with the milliseconds from the start to the answer. */
  async initialize(): Promise<number> {
    const clientInfo = {name: 'bench', version: '1'}
    await this.request('initialize', {protocolVersion: '2025-11-25', capabilities: {}, clientInfo})
    return performance.now() - this.started
  }

  async call(name: string, given: object): Promise<Record<string, unknown>> {
    const {result} = await this.request('tools/call', {name, arguments: given})
    const {isError, structuredContent} = result as {isError?: boolean; structuredContent: object}
    if (isError) throw new Error(`${name}: ${JSON.stringify(structuredContent)}`)
    return {...structuredContent}
  }

  private request(method: string, params: object): Promise<Record<string, unknown>> {
    const id = ++this.count
    return new Promise(resolve => {
      this.waiting.set(id, resolve)
      this.child.stdin?.write(`${JSON.stringify({jsonrpc: '2.0', id, method, params})}\n`)
    })
  }

  async close(): Promise<void> {
    const ended = new Promise(resolve => this.child.once('close', resolve))
    this.child.stdin?.end()
    await ended
  }
}

/** Returns the memory that /proc states under `name`, in MB of 1,000,000 bytes; NaN on systems without /proc. */
function memoryOf({pid}: ChildProcess, name: string): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return (Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) * 1024) / 1e6
  } catch {
    return Number.NaN
  }
}
