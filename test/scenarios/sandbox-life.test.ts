/** The sandbox a person lives with: its port, what finds it, several beside each other, and what it prints. */
import {rmSync, statSync, symlinkSync} from 'node:fs'
import {createServer} from 'node:net'
import {join} from 'node:path'
import {afterEach, expect, test} from 'vitest'
import {type Finished, Home, type Serving} from '../support/bookctl.js'
import {eventually} from '../support/eventually.js'
import {startListening} from '../support/listening.js'
import {serveLocalSandbox} from '../support/served-sandbox.js'
import {GUESTS, SEARCH} from '../support/stay.js'
import {startSubscriber} from '../support/subscriber.js'
import {atTerminal} from '../support/terminal.js'

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const each of undo.splice(0).reverse()) await each()
})

function newHome(env: Record<string, string> = {}): Home {
  const home = new Home(env)
  undo.push(() => home.remove())
  return home
}

interface Started extends Serving {
  readonly baseUrl: string
  readonly port: number
  readonly pid: number
  stop(signal?: NodeJS.Signals): Promise<Finished>
}

async function start(home: Home, ...argv: string[]): Promise<Started> {
  const serving = home.serve(['sandbox', 'start', ...argv])
  const {base_url: baseUrl = '', pid} = (await serving.ready) ?? {}
  if (baseUrl === '') throw new Error(`it ended: ${JSON.stringify(await serving.ended)}`)
  const stop = (signal: NodeJS.Signals = 'SIGTERM') => {
    serving.child.kill(signal)
    return serving.ended
  }
  undo.push(() => stop('SIGKILL'))
  return {...serving, baseUrl, port: Number(new URL(baseUrl).port), pid: Number(pid), stop}
}

/** Keeps a port from others until the test ends. */
async function occupy(port: number): Promise<void> {
  const server = createServer()
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(port, '127.0.0.1', resolve),
  )
  undo.push(() => server.close())
}

/** What `sandbox env` exports. */
async function exportsOf(home: Home, ...argv: string[]): Promise<Record<string, string>> {
  const {exit, stdout} = await home.run(['sandbox', 'env', ...argv])
  expect(exit).toBe(0)
  return Object.fromEntries([...stdout.matchAll(/^export (\w+)='(.*)'$/gm)].map(([, ...pair]) => pair))
}

test('starts on the same port again, so that exports, profiles and tokens survive a restart', async () => {
  const home = newHome()
  const first = await start(home)
  expect(first.port).toBeGreaterThanOrEqual(4010)
  const env = await exportsOf(home)
  const stdin = env.BOOKCTL_CLIENT_SECRET ?? ''
  const login = ['login', '--base-url', first.baseUrl, '--client-id', 'cid_sandbox', '--client-secret-stdin']
  expect((await home.run(login, {stdin})).exit).toBe(0)
  expect((await home.run(['sandbox', 'reset'])).exit).toBe(0)
  await first.stop()

  const second = await start(home)
  expect(second.baseUrl).toBe(first.baseUrl)
  expect((await home.run(['account'], {env})).exit).toBe(0)
  expect((await home.run(['account'])).exit).toBe(0)
})

test('says that its port is taken and uses another one, which is then the one it keeps', async () => {
  const home = newHome()
  const {port, stop} = await start(home)
  await stop()
  await occupy(port)
  const elsewhere = await start(home)
  expect(elsewhere.port).not.toBe(port)
  const {stderr} = await elsewhere.stop()
  expect(stderr).toContain(`Port ${port} is in use; using ${elsewhere.port}`)
  expect((await start(home)).port).toBe(elsewhere.port)
})

test('a port that was typed is used or refused, and remembered', async () => {
  const home = newHome()
  const {port, stop} = await start(home, '--port', '0')
  await stop()
  const again = await start(home, '--port', String(port))
  expect(again.port).toBe(port)
  const other = await home.refusal(['sandbox', 'start', '--port', String(port), '--db', ':memory:'])
  expect(other).toMatchObject({exit: 2, code: 'port_unavailable'})
  await again.stop()
  expect((await start(home)).port).toBe(port)
})

test('listen takes 4020, another port when that is in use, and a typed one only', async () => {
  const home = newHome()
  const one = await startListening(home)
  const two = await startListening(home)
  undo.push(() => Promise.all([one.stop(), two.stop()]))
  expect(one.port).toBeGreaterThanOrEqual(4020)
  expect(two.port).not.toBe(one.port)
  const {stderr} = await two.stop()
  expect(stderr).toContain(`Port 4020 is in use; using ${two.port}`)
  const refusal = await home.refusal(['webhooks', 'listen', '--port', String(one.port)], {
    env: {BOOKCTL_WEBHOOK_SECRET: 'whsec_x'},
  })
  expect(refusal).toMatchObject({exit: 2, code: 'port_unavailable'})
})

test('the controls find the sandbox that runs, whatever BOOKCTL_BASE_URL names', async () => {
  const home = newHome({BOOKCTL_BASE_URL: 'http://127.0.0.1:9/partner-api/v1'})
  const {baseUrl} = await start(home, '--db', ':memory:')
  expect(await exportsOf(home)).toMatchObject({BOOKCTL_BASE_URL: baseUrl})
  expect((await home.run(['sandbox', 'clock', '--advance', '1m'])).exit).toBe(0)
  const {result} = await home.json<{servers: {url: string}[]}>(['sandbox', 'openapi'])
  expect(result.servers[0]?.url).toBe(baseUrl)
  home.env.BOOKCTL_BASE_URL = 'https://partners.example.com/v1'
  expect((await home.run(['sandbox', 'deliveries'])).exit).toBe(0)
  const typed = ['sandbox', 'deliveries', '--base-url', 'https://partners.example.com/v1']
  expect(await home.refusal(typed)).toMatchObject({exit: 2, code: 'not_a_sandbox'})
})

test('without a login the hint is the line that uses the sandbox, if one runs', async () => {
  const home = newHome()
  expect((await home.refusal(['account'])).hint).toContain('bookctl login')
  const {stop} = await start(home, '--db', ':memory:')
  const refusal = await home.refusal(['account'])
  expect(refusal).toMatchObject({exit: 4, code: 'not_logged_in'})
  expect(refusal.hint).toContain('eval "$(bookctl sandbox env)"')
  // What is exported would not count beside a profile that is typed.
  expect((await home.refusal(['account', '--profile', 'x'])).hint).toContain('bookctl login --profile x')
  await stop('SIGKILL')
  expect((await home.refusal(['account'])).hint).toContain('bookctl login')
})

interface Listed {
  readonly sandboxes: {base_url: string; pid: number; database: string; started_at: string}[]
}

test('several run beside each other, and the end of one hides no other', async () => {
  const home = newHome()
  expect((await home.json<Listed>(['sandbox', 'list'])).result).toEqual({sandboxes: []})
  const usual = await start(home)
  const inMemory = await start(home, '--db', ':memory:')
  const inFile = await start(home, '--db', 'other.db')
  const {result} = await home.json<Listed>(['sandbox', 'list'])
  expect(result.sandboxes).toMatchObject([
    {base_url: inFile.baseUrl, pid: inFile.pid, database: join(home.directory, 'other.db')},
    {base_url: inMemory.baseUrl, database: ':memory:'},
    {base_url: usual.baseUrl, database: join(home.configDirectory, 'sandbox.db')},
  ])
  const env = await home.run(['sandbox', 'env'])
  expect(env.stdout).toContain(inFile.baseUrl)
  expect(env.stderr).toContain('3 local sandboxes are running')
  expect(await exportsOf(home, '--base-url', usual.baseUrl)).toMatchObject({BOOKCTL_BASE_URL: usual.baseUrl})

  await inFile.stop('SIGKILL')
  expect(await exportsOf(home)).toMatchObject({BOOKCTL_BASE_URL: inMemory.baseUrl})
  await inMemory.stop()
  const left = await home.run(['sandbox', 'env'])
  expect(left.stdout).toContain(usual.baseUrl)
  expect(left.stderr).toBe('')
  const rows = await home.run(['sandbox', 'list'])
  expect(rows.stdout.split('\t').slice(0, 2)).toEqual([usual.baseUrl, String(usual.pid)])
})

test('a database in use is named with the address and the process that use it', async () => {
  const home = newHome()
  const {pid, port} = await start(home)
  const refusal = await home.refusal(['sandbox', 'start'])
  expect(refusal).toMatchObject({
    exit: 2,
    code: 'sandbox_already_running',
    message: `already running at http://127.0.0.1:${port} (pid ${pid})`,
  })
  symlinkSync(home.configDirectory, join(home.directory, 'alias'))
  const alias = ['sandbox', 'start', '--db', 'alias/sandbox.db']
  expect((await home.refusal(alias)).code).toBe('sandbox_already_running')
})

test('two that start at the same moment on one database: one runs, and the other names it', async () => {
  const home = newHome()
  const both = [home.serve(['sandbox', 'start']), home.serve(['sandbox', 'start'])]
  undo.push(() => both.map(({child}) => child.kill('SIGKILL')))
  const ready = (await Promise.all(both.map(each => each.ready))).filter(line => line !== undefined)
  expect(ready).toHaveLength(1)
  const {stdout} = await Promise.race(both.map(each => each.ended))
  expect(JSON.parse(stdout).error.message).toBe(
    `already running at ${ready[0]?.origin} (pid ${ready[0]?.pid})`,
  )
})

test('records are private, and those of killed sandboxes are removed by the next', async () => {
  const home = newHome()
  const killed = await start(home, '--db', ':memory:')
  await killed.stop('SIGKILL')
  expect(home.kept()).toContain(`sandbox-running-${killed.pid}.json`)
  const left = await home.json<{checks: {name: string; detail: string}[]}>(['doctor', '--offline'])
  expect(JSON.stringify(left.result.checks)).toContain('no longer running')
  await start(home)
  expect(home.kept().filter(name => name.startsWith('sandbox-running'))).toEqual(['sandbox-running.json'])
  expect(statSync(join(home.configDirectory, 'sandbox-running.json')).mode & 0o777).toBe(0o600)
})

test('one whose database was removed is still found beside the one on the new database', async () => {
  const home = newHome()
  const old = await start(home)
  for (const end of ['', '-wal', '-shm'])
    rmSync(join(home.configDirectory, `sandbox.db${end}`), {force: true})
  const fresh = await start(home)
  const urls = (await home.json<Listed>(['sandbox', 'list'])).result.sandboxes.map(each => each.base_url)
  expect(urls).toEqual([fresh.baseUrl, old.baseUrl])
  await old.stop()
  expect(await exportsOf(home)).toMatchObject({BOOKCTL_BASE_URL: fresh.baseUrl})
})

test('prints each request as it comes, without secrets, and the dashboard is none', async () => {
  const home = newHome()
  const {baseUrl, lines, stop} = await start(home, '--db', ':memory:')
  const env = await exportsOf(home)
  await home.run(['account'], {env})
  const {origin} = new URL(baseUrl)
  await fetch(`${origin}/`)
  await fetch(`${origin}/vouchers/secret-of-a-link`)
  await fetch(`${baseUrl}/oauth/token?client_secret=sk_test_in_query`, {method: 'POST'})
  await fetch(`${origin}/v1/sk_live_in_path`)
  await fetch(`${origin}/_sandbox/faults`, {
    method: 'POST',
    headers: {'content-type': 'application/json'},
    body: '{"operation":"*","kind":"drop-before"}',
  })
  await fetch(`${baseUrl}/account`).catch(() => {})
  await eventually(() => expect(lines).toHaveLength(6))
  const common = {type: 'request', ms: expect.any(Number), request_id: expect.stringMatching(/^req_/)}
  expect(lines).toEqual([
    {...common, method: 'POST', path: '/partner-api/v1/oauth/token', status: 200},
    {...common, method: 'GET', path: '/partner-api/v1/account', status: 200},
    {...common, method: 'GET', path: '/vouchers/[redacted]', status: 403},
    {...common, method: 'POST', path: '/partner-api/v1/oauth/token?client_secret=[redacted]', status: 400},
    {...common, method: 'GET', path: expect.stringMatching(/redacted/), status: 404},
    {...common, method: 'GET', path: '/partner-api/v1/account', status: null},
  ])
  const {stdout, stderr} = await stop()
  expect(`${stdout}${stderr}`).not.toMatch(/in_query|in_path|secret-of-a-link/)
})

test('--quiet prints no requests', async () => {
  const home = newHome()
  const {baseUrl, lines, stop} = await start(home, '--db', ':memory:', '--quiet')
  await fetch(`${baseUrl}/account`)
  await stop()
  expect(lines).toEqual([])
})

test('goes on when the reader of its lines is gone', async () => {
  const home = newHome()
  const {baseUrl, child, stop} = await start(home, '--db', ':memory:')
  child.stdout?.destroy()
  for (let n = 0; n < 3; n += 1) expect((await fetch(`${baseUrl}/account`)).status).toBe(401)
  expect((await stop()).exit).toBe(143)
})

test('at a terminal: the dashboard, then a line for each request', async () => {
  const home = newHome()
  const terminal = atTerminal(home, ['sandbox', 'start', '--db', ':memory:'], {columns: 120})
  await terminal.waitFor(/Dashboard: http:\/\/127\.0\.0\.1:\d+\//)
  await terminal.waitFor('Ctrl-C')
  const env = await exportsOf(home)
  await fetch(`${env.BOOKCTL_BASE_URL}/account`)
  await terminal.waitFor(/GET \/partner-api\/v1\/account 401 \d+ ms req_\w+/)
  terminal.press('ctrl-c')
  expect(await terminal.exit).toBe(130)
})

test.each([
  ['poor', 'cid_sandbox_poor', '10.00'],
  ['readonly', 'cid_sandbox_readonly', '100000.00'],
])('sandbox env --client %s exports credentials that work', async (client, id, balance) => {
  const sandbox = await serveLocalSandbox()
  undo.push(() => sandbox.stop())
  sandbox.recordIn(sandbox.home)
  const env = await exportsOf(sandbox.home, '--client', client)
  expect(env.BOOKCTL_CLIENT_ID).toBe(id)
  const {exit, result} = await sandbox.home.json<{account: object}>(['account'], {env})
  expect(exit).toBe(0)
  expect(JSON.stringify(result.account)).toContain(balance)
})

interface Triggered {
  readonly event: {id: string; type: string; data: Record<string, unknown>}
  readonly deliveries: {status: string; subscription_id: string; attempts: {status: number}[]}[]
}

/** A sandbox that delivers to a receiver, which checks nothing. */
async function subscribed() {
  const subscriber = await startSubscriber()
  const home = newHome()
  const started = await start(home, '--db', ':memory:', '--allow-http-loopback')
  undo.push(() => subscriber.close())
  Object.assign(home.env, await exportsOf(home))
  const create = ['webhooks', 'create', '--url', `${subscriber.origin}/hooks`]
  await home.json([...create, '--event', 'payment.failed', '--event', 'reservation.cancelled'])
  return {home, subscriber, started}
}

test('trigger sends a signed event to those who subscribed to its type, about a reservation or none', async () => {
  const {home, subscriber} = await subscribed()
  const made = await home.json<Triggered>(['sandbox', 'trigger', 'payment.failed'])
  expect(made).toMatchObject({
    exit: 0,
    result: {
      event: {type: 'payment.failed', data: {reservation_ref: 'RSV-0000000000', payment_status: 'FAILED'}},
      deliveries: [{status: 'DELIVERED', attempts: [{status: 200}]}],
    },
  })
  const [received] = subscriber.received
  expect(received?.headers['x-service-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/)
  expect(JSON.parse(String(received?.body))).toEqual(made.result.event)

  const offer = (await home.run([...SEARCH, '--quiet'])).stdout.split('\n')[0] ?? ''
  const {result} = await home.json<{reservation_ref: string}>([
    'reserve',
    offer,
    ...['--pay', 'account', ...GUESTS],
  ])
  const cancelled = ['sandbox', 'trigger', 'reservation.cancelled', result.reservation_ref]
  const about = await home.json<Triggered>(cancelled)
  expect(about.result.event.data).toMatchObject({
    reservation_ref: result.reservation_ref,
    status: 'CANCELLED',
    refund_amount: expect.stringMatching(/^\d+\.\d\d$/),
  })
  const shown = await home.json<{reservation: {status: string}}>([
    'reservations',
    'show',
    result.reservation_ref,
  ])
  expect(shown.result.reservation.status).toBe('CONFIRMED')

  const unheard = await home.json<Triggered>(['sandbox', 'trigger', 'voucher.ready'])
  expect(unheard).toMatchObject({exit: 0, result: {deliveries: []}})
})

test('trigger names the types there are, and the reservation there is not', async () => {
  const home = newHome()
  await start(home, '--db', ':memory:')
  const wrong = await home.refusal(['sandbox', 'trigger', 'reservation.confirm'])
  expect(wrong).toMatchObject({exit: 2, code: 'unknown_event_type'})
  expect(wrong.message).toMatch(/reservation\.confirm.*reservation\.confirmed.*voucher\.ready$/)
  const missing = await home.refusal(['sandbox', 'trigger', 'voucher.ready', 'RSV-0123456789'])
  expect(missing).toMatchObject({exit: 5, code: 'reservation_not_found'})
})

test('faults are injected, listed and removed at the command line', async () => {
  const sandbox = await serveLocalSandbox()
  undo.push(() => sandbox.stop())
  const {home} = sandbox
  sandbox.recordIn(home)
  const add = ['sandbox', 'fault', 'add']
  await home.run([...add, 'status', '--status', '503', '--retry-after', '1', '--operation', 'account.show'])
  await home.run([...add, 'latency', '--latency-ms', '5', '--times', '2'])
  const {result} = await home.json(['sandbox', 'fault', 'list'])
  expect(result).toEqual({
    faults: [
      {operation: 'account.show', kind: 'status', times: 1, status: 503, retry_after: 1, left: 1},
      {operation: '*', kind: 'latency', times: 2, latency_ms: 5, left: 2},
    ],
  })
  const answer = await fetch(`${sandbox.baseUrl}/account`)
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
  expect((await home.run(['sandbox', 'fault', 'clear'])).exit).toBe(0)
  expect((await home.json(['sandbox', 'fault', 'list'])).result).toEqual({faults: []})
})

test.each([
  [['bogus'], 'must be one of: status, latency, drop-before'],
  [['status'], '--status is required for the kind status'],
  [['latency'], '--latency-ms is required for the kind latency'],
  [
    ['latency', '--latency-ms', '1', '--status', '500'],
    '--status is for the kind status or html, not for latency',
  ],
  [['truncate', '--retry-after', '1'], '--retry-after is for the kind status, not for truncate'],
  [['html', '--code', 'not_found'], '--code is for the kind status, not for html'],
  [['status', '--status', '200'], '--status: must be a whole number from 400 to 599'],
  [['truncate', '--operation', 'hotel.search'], '--operation must be one of: *, token.create'],
  [['truncate', '--times', '0'], '--times: must be a whole number from 1'],
])('fault add %j is refused before anything is sent', async (argv, message) => {
  const refusal = await newHome().refusal(['sandbox', 'fault', 'add', ...argv])
  expect(refusal.exit).toBe(2)
  expect(refusal.message).toContain(message)
})

test('reset asks a person, and no script', async () => {
  const sandbox = await serveLocalSandbox()
  undo.push(() => sandbox.stop())
  const {home} = sandbox
  sandbox.recordIn(home)
  await home.run(['account'])
  const requests = async () => (await sandbox.requests()).length
  expect(await requests()).toBe(2)
  const refused = atTerminal(home, ['sandbox', 'reset'])
  await refused.waitFor(`Delete everything that the local sandbox at ${sandbox.origin} stores?`)
  refused.type('n\r')
  expect(await refused.exit).toBe(2)
  expect(await requests()).toBe(2)
  const agreed = atTerminal(home, ['sandbox', 'reset'])
  await agreed.waitFor('stores?')
  agreed.type('y\r')
  expect(await agreed.exit).toBe(0)
  expect(await requests()).toBe(0)
  const atOnce = atTerminal(home, ['sandbox', 'reset', '--yes'])
  expect(await atOnce.exit).toBe(0)
  expect((await home.json(['sandbox', 'reset'])).result).toEqual({reset: true, origin: sandbox.origin})
})
