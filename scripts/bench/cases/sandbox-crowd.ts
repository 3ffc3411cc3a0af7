/**
 * The local sandbox under 200 connections that search and read in turn, each as fast as it is answered: the slowest
 * answers are to be no more than five times as slow as the usual one, so that no connection starves.
 */
import {Agent, request} from 'node:http'
import {join} from 'node:path'
import {type SandboxClient, searchRequest} from '../../../test/support/sandbox.js'
import type {Bench} from '../support/bench.js'
import {figure, median, percentile, type Row} from '../support/figures.js'
import {withSandbox} from './sandbox-growth.js'

const CONNECTIONS = 200
const READS = ['/account', '/reservations']

export async function sandboxCrowd(bench: Bench): Promise<Row[]> {
  const database = join(bench.room(), 'sandbox.db')
  const latencies = await withSandbox(bench, database, (client, baseUrl) =>
    crowd(client, baseUrl, bench.size(20_000, 1000)),
  )
  const [usual, slow] = [median(latencies), percentile(latencies, 0.99)]
  return [
    {
      measured: `sandbox, ${CONNECTIONS} connections: the answer slower than 99 of 100`,
      against: 'the median answer',
      ours: figure([slow], 'ms'),
      reference: figure([usual], 'ms'),
      value: slow / usual,
      reach: {atMost: 5},
    },
  ]
}

/** Milliseconds until each of `count` answers. */
async function crowd({token}: SandboxClient, baseUrl: string, count: number): Promise<number[]> {
  const agent = new Agent({keepAlive: true})
  const headers = {authorization: `Bearer ${token}`, 'content-type': 'application/json'}
  const body = JSON.stringify(searchRequest())
  const ask = (read: string | undefined) =>
    new Promise<number>((resolve, reject) => {
      const started = performance.now()
      const options = {agent, headers, method: read ? 'GET' : 'POST'}
      const asked = request(baseUrl + (read ?? '/hotels/search'), options, answer => {
        if (answer.statusCode !== 200) reject(new Error(`${read ?? 'search'}: ${answer.statusCode}`))
        answer.resume().on('end', () => resolve(performance.now() - started))
      })
      asked.on('error', reject).end(read ? undefined : body)
    })
  const latencies: number[] = []
  let next = 0
  const askOn = async () => {
    while (next < count) latencies.push(await ask(READS[next++ % (READS.length + 1)]))
  }
  await Promise.all(Array.from({length: CONNECTIONS}, askOn))
  agent.destroy()
  return latencies
}
