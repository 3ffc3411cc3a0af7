/** Runs `doctor` for scenarios, with its checks by name. */
import {expect} from 'vitest'
import type {Home, RunOptions} from '../support/bookctl.js'

/** A check. If its status is neither ok nor skipped, it has a fix. */
export type Check = {name: string; status: string; fix: string | null}

export const containing = (text: string) => expect.stringContaining(text)
export const failed = (words: string) => ({status: 'fail', detail: containing(words)})
export const [OK, WARN, SKIPPED] = [{status: 'ok'}, {status: 'warn'}, {status: 'skipped'}]

/** Runs `doctor`, with the service at `baseUrl` (default: that of the home). */
export async function runDoctor(
  home: Home,
  argv: string[] = [],
  options: RunOptions & {baseUrl?: string | undefined} = {},
) {
  const env = {...('baseUrl' in options ? {BOOKCTL_BASE_URL: options.baseUrl} : {}), ...options.env}
  const {exit, result, stderr} = await home.json<{checks: Check[]}>(['doctor', ...argv], {env})
  for (const {status, fix, name} of result.checks)
    expect([name, fix !== null]).toEqual([name, status === 'fail' || status === 'warn'])
  expect(JSON.stringify(result)).not.toMatch(/sk_test_|sk_live_|whsec_[a-zA-Z]|token-\d/)
  return {exit, stderr, ...Object.fromEntries(result.checks.map(check => [check.name, check]))}
}
