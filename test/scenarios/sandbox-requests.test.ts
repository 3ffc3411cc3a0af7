/** `sandbox requests`: an operator looks at what a program sent to the local sandbox, and watches it. */
import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, test} from 'vitest'
import {eventually} from '../support/eventually.js'
import {ownHome} from '../support/own.js'
import {ownSandbox} from '../support/served-sandbox.js'
import {exportsOf, start} from '../support/started-sandboxes.js'
import {atTerminal} from '../support/terminal.js'

interface Logged {
  readonly request_id: string
  readonly operation: string | null
  readonly client_id: string | null
  readonly status: number | null
}

const COLUMNS = ['--columns', 'operation,client_id,status']

test('lists requests, narrows them, and shows one with its bodies', async () => {
  const {home} = await ownSandbox()
  const list = async (...argv: string[]) =>
    (await home.run(['sandbox', 'requests', ...COLUMNS, ...argv])).stdout.trimEnd().split('\n')
  expect(await home.json(['sandbox', 'requests'])).toMatchObject({exit: 0, result: {requests: []}})
  await home.run(['account'])
  await home.run(['account'], {env: await exportsOf(home, '--client', 'poor')})
  await home.run(['reservations', 'show', 'RSV-none'])
  expect(await list()).toEqual([
    'token.create\tcid_sandbox\t200',
    'account.show\tcid_sandbox\t200',
    'token.create\tcid_sandbox_poor\t200',
    'account.show\tcid_sandbox_poor\t200',
    'token.create\tcid_sandbox\t200',
    'reservations.show\tcid_sandbox\t404',
  ])
  expect(await list('--client', 'poor', '--operation', 'account.show')).toEqual([
    'account.show\tcid_sandbox_poor\t200',
  ])
  expect(await list('--status', '4xx')).toEqual(['reservations.show\tcid_sandbox\t404'])
  expect(await list('--status', '500', '--status', '404')).toHaveLength(1)

  const [id = ''] = (
    await home.run(['sandbox', 'requests', '--operation', 'token.create', '--quiet'])
  ).stdout.split('\n')
  const {result} = await home.json<{request: object}>(['sandbox', 'requests', id])
  expect(result.request).toMatchObject({
    request_id: id,
    body: {client_id: 'cid_sandbox', client_secret: '[redacted]'},
    answer: {data: {access_token: '[redacted]', scope: 'account:read'}},
  })
  const screen = atTerminal(home, ['sandbox', 'requests', id], {columns: 100, rows: 60})
  expect(await screen.exit).toBe(0)
  for (const line of [
    /^operation: +token\.create$/m,
    /^Body:$/m,
    /^ {2}"client_secret": "\[redacted\]"/m,
    /^Answer:$/m,
  ])
    expect(screen.screen()).toMatch(line)
  for (const text of [JSON.stringify(result), screen.raw()]) expect(text).not.toMatch(/sk_test_|"at_/)
})

test('refuses what fits no request', async () => {
  const {home} = await ownSandbox()
  const refused = await home.refusal(['sandbox', 'requests', 'req_none'])
  expect(refused).toMatchObject({
    exit: 5,
    code: 'not_found',
    hint: expect.stringContaining('sandbox requests'),
  })
  for (const argv of [
    ['--status', '9'],
    ['--operation', 'x'],
    ['req_1', '--follow'],
    ['req_1', '--client', 'poor'],
  ])
    expect((await home.refusal(['sandbox', 'requests', ...argv])).exit).toBe(2)
  const away = await ownHome().refusal(['sandbox', 'requests', '--follow'])
  expect(away).toMatchObject({exit: 7, code: 'sandbox_not_running'})
})

test('follows the requests that come, a line each, until Ctrl-C or the end of the sandbox', async () => {
  const home = ownHome()
  const served = await start(home, '--db', ':memory:')
  const env = await exportsOf(home)
  await home.run(['account'], {env})
  const follow = (...argv: string[]) => home.serve(['sandbox', 'requests', '--follow', ...argv])
  const all = follow()
  const failures = follow('--status', '4xx')
  // Both follow once each has shown a request that was sent since.
  await eventually(async () => {
    await home.run(['reservations', 'show', 'RSV-none'], {env})
    expect(Math.min(all.lines.length, failures.lines.length)).toBeGreaterThan(0)
  })
  const shown = failures.lines as unknown as Logged[]
  expect(shown[0]).toMatchObject({operation: 'reservations.show', client_id: 'cid_sandbox', status: 404})
  const interrupted = await all.stop('SIGINT')
  expect(interrupted.exit).toBe(130)
  await served.stop()
  const ended = await failures.ended
  expect(ended.exit).toBe(0)
  expect(ended.stderr).toContain('The local sandbox has stopped.')
  const ids = shown.map(({request_id}) => request_id)
  expect(new Set(ids).size).toBe(ids.length)
  for (const {stdout, stderr} of [interrupted, ended])
    expect(stdout + stderr).not.toMatch(/sk_test_|Bearer|\bat_/)
  // Looking is no request of this machine.
  const kept = readFileSync(join(home.configDirectory, 'exchanges.jsonl'), 'utf8')
  expect(kept).toContain('"reservations show"')
  expect(kept).not.toContain('"sandbox requests"')
})

test('at a terminal it prints the lines of sandbox start', async () => {
  const home = ownHome()
  await start(home, '--db', ':memory:')
  const env = await exportsOf(home)
  const terminal = atTerminal(home, ['sandbox', 'requests', '--follow'], {columns: 120})
  await eventually(async () => {
    await home.run(['account'], {env})
    expect(terminal.screen()).toMatch(/^GET \/partner-api\/v1\/account 200 \d+ ms req_[\w-]+$/m)
  })
  terminal.press('ctrl-c')
  expect(await terminal.exit).toBe(130)
})
