/**
 * Compares `webhooks listen` with a bare node:http server that reads the body and answers 200:
 *   npm run build && node --import tsx scripts/bench-listen.ts [seconds]
 * 50 kept connections on this machine send signed events, each of its own id, as fast as they are answered.
 */
import {spawn} from 'node:child_process'
import {mkdtempSync, openSync, readFileSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import process from 'node:process'
import {setTimeout as sleep} from 'node:timers/promises'
import {load, percentile, SECRET, signedEvent} from '../test/support/webhook-load.js'

const SECONDS = Number(process.argv[2] ?? 5)
const CONNECTIONS = 50
const BARE = `require('node:http').createServer((request, response) => {
  const pieces = []
  request.on('data', piece => pieces.push(piece)).on('end', () => {
    Buffer.concat(pieces)
    response.writeHead(200, {'Content-Length': '0'}).end()
  })
}).listen(0, '127.0.0.1', function () { console.log(JSON.stringify({port: this.address().port})) })`

const home = mkdtempSync(join(tmpdir(), 'bookctl-bench-'))
const env = {...process.env, BOOKCTL_CONFIG_DIR: home, BOOKCTL_WEBHOOK_SECRET: SECRET}
const run = new URL('../bin/run.js', import.meta.url).pathname
const listen = [run, 'webhooks', 'listen', '--json']

try {
  const bare = await measure('bare server', ['-e', BARE])
  const ours = await measure('webhooks listen', listen)
  console.log(`ratio ${(ours / bare).toFixed(2)}`)
} finally {
  rmSync(home, {recursive: true, force: true})
}

/** Requests a second. What it prints goes to a file, so that reading it costs nobody's time. */
async function measure(name: string, argv: readonly string[]): Promise<number> {
  const printed = join(home, `${name}.out`)
  const file = openSync(printed, 'w')
  const child = spawn(process.execPath, argv, {env, stdio: ['ignore', file, 'inherit']})
  const port = await portIn(printed)
  await send(port, 1, `${name} warm`)
  const {answers, latencies, seconds} = await send(port, SECONDS, name)
  const failed = answers.filter(({status}) => status !== 200).length
  const rate = (answers.length - failed) / seconds
  const [p50, p99] = [0.5, 0.99].map(part => percentile(latencies, part).toFixed(1))
  console.log(`${name}: ${Math.round(rate)} a second, p50 ${p50} ms, p99 ${p99} ms, ${failed} not 200`)
  child.kill('SIGTERM')
  await new Promise(resolve => child.once('close', resolve))
  return rate
}

async function send(port: number, seconds: number, name: string) {
  const until = performance.now() + seconds * 1000
  let n = 0
  const prefix = name.replaceAll(' ', '_')
  const next = () => (performance.now() < until ? signedEvent(`evt_${prefix}_${n++}`) : undefined)
  return load({port, connections: CONNECTIONS, next})
}

/** The port in the first line of the file, as soon as it is there. */
async function portIn(path: string): Promise<number> {
  for (;;) {
    const [line, ...more] = readFileSync(path, 'utf8').split('\n')
    if (more.length > 0) {
      const {port, url} = JSON.parse(line ?? '')
      return port ?? Number(new URL(url).port)
    }
    await sleep(20)
  }
}
