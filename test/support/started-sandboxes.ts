/** Sandboxes that tests start in homes of their own, with a stop by themselves when the test ends. */
import {createServer} from 'node:net'
import {expect, onTestFinished} from 'vitest'
import type {Finished, Home, Serving} from './bookctl.js'

export interface Started extends Serving {
  readonly baseUrl: string
  readonly port: number
  readonly pid: number
  stop(signal?: NodeJS.Signals): Promise<Finished>
}

export async function start(home: Home, ...argv: string[]): Promise<Started> {
  const serving = home.serve(['sandbox', 'start', ...argv])
  const {base_url: baseUrl = '', pid} = (await serving.ready) ?? {}
  if (baseUrl === '') throw new Error(`it ended: ${JSON.stringify(await serving.ended)}`)
  const stop = (signal: NodeJS.Signals = 'SIGTERM') => {
    serving.child.kill(signal)
    return serving.ended
  }
  onTestFinished(async () => void (await stop('SIGKILL')))
  return {...serving, baseUrl, port: Number(new URL(baseUrl).port), pid: Number(pid), stop}
}

/** Keeps a port from others until the test ends. */
export async function occupy(port: number): Promise<void> {
  const server = createServer()
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(port, '127.0.0.1', resolve),
  )
  onTestFinished(() => void server.close())
}

/** What `sandbox env` exports. */
export async function exportsOf(home: Home, ...argv: string[]): Promise<Record<string, string>> {
  const {exit, stdout} = await home.run(['sandbox', 'env', ...argv])
  expect(exit).toBe(0)
  return Object.fromEntries([...stdout.matchAll(/^export (\w+)='(.*)'$/gm)].map(([, ...pair]) => pair))
}
