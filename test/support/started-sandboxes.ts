/** Sandboxes that tests start in homes of their own, with a stop by themselves when the test ends. */
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

/** What `sandbox env` exports. */
export async function exportsOf(home: Home, ...argv: string[]): Promise<Record<string, string>> {
  const {exit, stdout} = await home.run(['sandbox', 'env', ...argv])
  expect(exit).toBe(0)
  return Object.fromEntries([...stdout.matchAll(/^export (\w+)='(.*)'$/gm)].map(([, ...pair]) => pair))
}
