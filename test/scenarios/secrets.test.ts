/** No secret in any stream, or in any file but its store, however loudly one asks to be told. */
import {afterAll, expect, test} from 'vitest'
import {serveLocalSandbox} from '../support/served-sandbox.js'

const SECRET = 'sk_test_sandbox'
/** All that a process takes; NODE_DEBUG is read when it starts. */
const LOUD = {DEBUG: '*', NODE_DEBUG: '*', BOOKCTL_DEBUG: '1', OCLIF_DEBUG: '1', CLI_FLAGS_DEBUG: '1'}
const sandbox = await serveLocalSandbox()
const {home} = sandbox
sandbox.recordIn(home)
afterAll(() => sandbox.stop())
const token = (await home.run(['token'])).stdout.trim()

/** What of the planted values, and of the marks of others, stands in `text`. */
function leaks(text: string): string[] {
  const planted = [SECRET, token, 'Bearer at_', '"access_token"', 'U1234567'].filter(value =>
    text.includes(value),
  )
  return [...planted, ...(text.match(/[?&](sig|token|signature)=[\w.-]{8,}/g) ?? [])]
}

test.each<[string[], Record<string, string>?]>([
  [['login', '--client-secret', SECRET]],
  [['account', SECRET]],
  [['account', `--profile=${SECRET}`]],
  [['account', '--base-url', `https://user:${SECRET}@example.com/v1`]],
  [['account'], {BOOKCTL_BASE_URL: 'http://127.0.0.1:1/v1'}],
  [['account'], {BOOKCTL_CLIENT_ID: `id_${SECRET}`}],
  [['account'], {BOOKCTL_CLIENT_SECRET: `${SECRET}_wrong`}],
  [['account'], {BOOKCTL_CLIENT_SECRET: `${SECRET} wrong`}],
  [['nonsense', SECRET]],
])('a failure tells nothing: %j', async (argv, env = {}) => {
  const runs = [
    await home.run(argv, {env: {BOOKCTL_DEBUG: '1', ...env}}),
    await home.run([...argv, '--json'], {env: {BOOKCTL_DEBUG: '1', ...env}}),
  ]
  if (env.BOOKCTL_CLIENT_SECRET) runs.push(await home.run(argv, {env: {...LOUD, ...env}}))
  for (const {exit, stdout, stderr} of runs) {
    expect(exit).not.toBe(0)
    expect(leaks(stdout + stderr)).toEqual([])
  }
})
