/** Sandboxes that tests start in their homes. They are stopped when the test ends. */
import {expect, onTestFinished} from 'vitest'
import type {Home} from './bookctl.js'

export type Started = Awaited<ReturnType<typeof start>>

export async function start(home: Home, ...argv: string[]) {
  const serving = home.serve(['sandbox', 'start', ...argv])
  const {base_url: baseUrl = '', pid} = await serving.started()
  onTestFinished(async () => void (await serving.stop('SIGKILL')))
  return {...serving, baseUrl, port: Number(new URL(baseUrl).port), pid: Number(pid)}
}

/** Returns the variables that `sandbox env` exports. */
export async function exportsOf(home: Home, ...argv: string[]): Promise<Record<string, string>> {
  const {exit, stdout} = await home.run(['sandbox', 'env', ...argv])
  expect(exit).toBe(0)
  return Object.fromEntries([...stdout.matchAll(/^export (\w+)='(.*)'$/gm)].map(([, ...pair]) => pair))
}
