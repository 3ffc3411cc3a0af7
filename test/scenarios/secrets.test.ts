/** No secret in any stream, or in any file but its store, however loudly one asks to be told. */
import {readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, expect, test} from 'vitest'
import {Home} from '../support/bookctl.js'
import {serveLocalSandbox} from '../support/served-sandbox.js'
import {GUESTS, SEARCH} from '../support/stay.js'

const SECRET = 'sk_test_sandbox'
/** All that a process takes; NODE_DEBUG is read when it starts. */
const LOUD = {DEBUG: '*', NODE_DEBUG: '*', BOOKCTL_DEBUG: '1', OCLIF_DEBUG: '1', CLI_FLAGS_DEBUG: '1'}
const sandbox = await serveLocalSandbox()
const {home} = sandbox
afterAll(() => sandbox.stop())
const token = (await home.run(['token'])).stdout.trim()

/** What of the planted values, and of the marks of others, stands in `text`. */
function leaks(text: string): string[] {
  const planted = [SECRET, token, 'Bearer at_', '"access_token"', 'U1234567'].filter(value =>
    text.includes(value),
  )
  return [...planted, ...(text.match(/[?&](sig|token|signature)=[\w.-]{8,}/g) ?? [])]
}

test('a token was planted', () => {
  expect(token).toMatch(/^\S{20,}$/)
})

test.each([
  ['the whole way', true],
  ['an expired token', false],
])('loud and verbose: %s', async (_, fresh) => {
  if (!fresh) await home.run(['sandbox', 'clock', '--advance', '3h'])
  const loud = {env: LOUD}
  const {stdout, stderr} = await home.run([...SEARCH, '--quiet', '-v'], loud)
  expect(leaks(stderr)).toEqual([])
  const offer = stdout.split('\n')[0] ?? ''
  const made = await home.run(
    ['reserve', offer, '--pay', 'account', '-v', '--har', 'all.har', ...GUESTS],
    loud,
  )
  expect(made.exit).toBe(0)
  expect(leaks(made.stderr + made.stdout)).toEqual([])
  expect(leaks(readFileSync(join(home.directory, 'all.har'), 'utf8'))).toEqual([])
  const reference = /RSV-\w+/.exec(made.stdout)?.[0] ?? ''
  const saved = await home.run(['voucher', 'download', reference, '-v', '--har', 'all.har'], loud)
  expect(saved.exit).toBe(0)
  expect(leaks(saved.stderr + saved.stdout)).toEqual([])
  expect(leaks(readFileSync(join(home.directory, 'all.har'), 'utf8'))).toEqual([])
})

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

test('secrets are in their store alone, and gone after a logout', async () => {
  const own = new Home()
  const file = join(own.directory, 'secret.txt')
  writeFileSync(file, `${SECRET}\n`, {mode: 0o600})
  const login = ['login', '--base-url', sandbox.baseUrl, '--client-id', 'cid_sandbox']
  expect((await own.run([...login, '--client-secret-file', file])).exit).toBe(0)
  const holding = () =>
    own.kept().filter(name => readFileSync(join(own.configDirectory, name)).includes(SECRET))
  const holders = holding()
  expect(holders.length).toBeGreaterThan(0)
  for (const name of holders) expect(name).toMatch(/^tokens\.db/)
  expect((await own.run(['logout'])).exit).toBe(0)
  expect(holding()).toEqual([])
  own.remove()
})
