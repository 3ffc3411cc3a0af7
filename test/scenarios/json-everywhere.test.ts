/** With --json, stdout is one document for every outcome, with the same exit code as without. */
import {mkdirSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, expect, test} from 'vitest'
import {Home} from '../support/bookctl.js'
import {startLocalSandbox} from '../support/local-sandbox.js'
import {serveLocalSandbox} from '../support/served-sandbox.js'
import {SEARCH} from '../support/stay.js'

const sandbox = await serveLocalSandbox()
const {home} = sandbox
sandbox.recordIn(home)
afterAll(() => sandbox.stop())

test.each<[number, string[]]>([
  [0, []],
  [0, ['hotels']],
  [0, ['--version']],
  [2, ['nonsense']],
  [2, ['account', '--format', 'xml']],
  [5, ['voucher', 'download', 'RSV-0000000000']],
])('exit %i and one document: %j', async (expected, argv) => {
  const {exit, result, stderr} = await home.json(argv)
  expect([exit, stderr, 'error' in result]).toEqual([expected, '', expected !== 0])
})

test.each(['--json', '--format=json'])('%s does the same where a command prints by itself', async form => {
  const other = new Home()
  const start = ['sandbox', 'start', '--db', ':memory:', '--until-stdin-ends']
  expect(JSON.parse((await other.run([...start, form])).stdout)).toMatchObject({type: 'ready'})
  other.remove()
  const {exit, stdout} = await home.run(['voucher', 'download', 'RSV-1', '--file', '-', form])
  expect({exit, code: JSON.parse(stdout).error.code}).toEqual({exit: 2, code: 'invalid_input'})
})

test('success says nothing on stderr, and pipes get lines without a header', async () => {
  const {stdout, stderr} = await home.run([...SEARCH, '--limit', '2'])
  expect(stderr).toBe('')
  const rows = stdout.trimEnd().split('\n')
  expect(rows.length).toBe(2)
  for (const row of rows) expect(row.split('\t')[0]).toMatch(/^off_/)
})

test('sandbox env can be evaluated by a shell', async () => {
  const {stdout} = await home.run(['sandbox', 'env'])
  expect(stdout.split('\n')).toEqual([
    `export BOOKCTL_BASE_URL='${sandbox.baseUrl}'`,
    "export BOOKCTL_CLIENT_ID='cid_sandbox'",
    "export BOOKCTL_CLIENT_SECRET='sk_test_sandbox'",
    '',
  ])
})

test('the running sandbox is found without an address, and not once it has stopped', async () => {
  const other = await startLocalSandbox()
  const env = {BOOKCTL_BASE_URL: undefined}
  const clock = () => other.home.json(['sandbox', 'clock', '--advance', '1h'], {env})
  expect(await clock()).toMatchObject({exit: 0, result: {now: expect.any(String)}})
  expect(await other.home.json(['sandbox', 'reset'], {env})).toMatchObject({exit: 0, result: {reset: true}})
  const {configDirectory} = other.home
  expect(await other.stop('SIGINT')).toBe(130)
  const gone = await home.json(['sandbox', 'clock'], {env: {...env, BOOKCTL_CONFIG_DIR: configDirectory}})
  expect(gone).toMatchObject({exit: 7, result: {error: {code: 'sandbox_not_running'}}})
})

test('sandbox env gives no environment of a sandbox that died', async () => {
  const other = await startLocalSandbox()
  const {origin, baseUrl} = other
  await other.stop('SIGKILL')
  const named = await home.run(['sandbox', 'env', '--base-url', baseUrl])
  expect(named).toMatchObject({exit: 7, stdout: ''})
  expect(named.stderr).toContain('bookctl sandbox start')

  // Its process id may belong to another process by now.
  const note = {origin, base_url: `${origin}/partner-api/v1`, pid: process.pid}
  const lonely = new Home()
  mkdirSync(lonely.configDirectory)
  writeFileSync(join(lonely.configDirectory, 'sandbox-running.json'), JSON.stringify(note))
  expect(await lonely.run(['sandbox', 'env'])).toMatchObject({exit: 7, stdout: ''})
  lonely.remove()
})
