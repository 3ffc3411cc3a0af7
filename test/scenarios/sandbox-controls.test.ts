import {expect, onTestFinished, test} from 'vitest'
import {eventually} from '../support/eventually.js'
import {ownHome} from '../support/own.js'
import {ownSandbox} from '../support/served-sandbox.js'
import {exportsOf, start} from '../support/started-sandboxes.js'
import {reservationIn} from '../support/stay.js'
import {startSubscriber} from '../support/subscriber.js'
import {atTerminal, ends} from '../support/terminal.js'

test('prints each request of a client, without secrets, and none for the dashboard', async () => {
  const home = ownHome()
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
  const {baseUrl, lines, stop} = await start(ownHome(), '--db', ':memory:', '--quiet')
  await fetch(`${baseUrl}/account`)
  await stop()
  expect(lines).toEqual([])
})

test('goes on if the reader of its output is gone', async () => {
  const {baseUrl, child, stop} = await start(ownHome(), '--db', ':memory:')
  child.stdout?.destroy()
  for (let n = 0; n < 3; n += 1) expect((await fetch(`${baseUrl}/account`)).status).toBe(401)
  expect((await stop()).exit).toBe(143)
})

test('at a terminal it prints the dashboard, then a line for each request', async () => {
  const home = ownHome()
  const terminal = atTerminal(home, ['sandbox', 'start', '--db', ':memory:'], {columns: 120})
  await terminal.waitFor(/Dashboard: http:\/\/127\.0\.0\.1:\d+\//)
  await terminal.waitFor('Ctrl-C')
  const env = await exportsOf(home)
  await fetch(`${env.BOOKCTL_BASE_URL}/account`)
  await terminal.waitFor(/GET \/partner-api\/v1\/account 401 \d+ ms req_[\w-]+/)
  await fetch(`${env.BOOKCTL_BASE_URL}/${'x'.repeat(75)}`)
  await terminal.waitFor(/x{75} 404 \d+ ms\r?\n/)
  terminal.press('ctrl-c')
  expect(await terminal.exit).toBe(130)
})

test.each([
  ['poor', 'cid_sandbox_poor', '10.00'],
  ['readonly', 'cid_sandbox_readonly', '100000.00'],
])('sandbox env --client %s exports credentials that work', async (client, id, balance) => {
  const sandbox = await ownSandbox()
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

/** Starts a sandbox, and subscribes a receiver that accepts every delivery without checking it. */
async function subscribed() {
  const subscriber = await startSubscriber()
  const home = ownHome()
  const started = await start(home, '--db', ':memory:', '--allow-http-loopback')
  onTestFinished(subscriber.close)
  Object.assign(home.env, await exportsOf(home))
  const create = ['webhooks', 'create', '--url', `${subscriber.origin}/hooks`]
  await home.json([...create, '--event', 'payment.failed', '--event', 'reservation.cancelled'])
  return {home, subscriber, started}
}

test('trigger sends a signed event to the subscriptions of its type, with or without a reservation', async () => {
  const {home, subscriber} = await subscribed()
  const made = await home.json<Triggered>(['sandbox', 'trigger', 'payment.failed'])
  expect(made).toMatchObject({
    exit: 0,
    result: {
      event: {type: 'payment.failed', data: {reservation_ref: 'RSV-0000000000', payment_status: 'FAILED'}},
      deliveries: [{status: 'DELIVERED', attempts: [{status: 200}]}],
    },
  })
  // The previous request only tested whether the address accepts its path.
  const received = subscriber.received.at(-1)
  expect(received?.headers['x-service-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/)
  expect(JSON.parse(String(received?.body))).toEqual(made.result.event)

  const reference = await reservationIn(home)
  const cancelled = ['sandbox', 'trigger', 'reservation.cancelled', reference]
  const about = await home.json<Triggered>(cancelled)
  expect(about.result.event.data).toMatchObject({
    reservation_ref: reference,
    status: 'CANCELLED',
    refund_amount: expect.stringMatching(/^\d+\.\d\d$/),
  })
  const deliveries = ['sandbox', 'deliveries', '--reservation', reference]
  const rows = await home.run([...deliveries, '--columns', 'reservation_ref,type,status'])
  expect(rows.stdout).toBe(`${reference}\treservation.cancelled\tDELIVERED\n`)
  const {result} = await home.json(['reservations', 'show', reference])
  expect(result).toMatchObject({reservation: {status: 'CONFIRMED'}})

  const unheard = await home.json<Triggered>(['sandbox', 'trigger', 'voucher.ready'])
  expect(unheard).toMatchObject({exit: 0, result: {deliveries: []}})
})

test('trigger lists the valid types and reports an unknown reservation, and clock states its limit', async () => {
  const home = ownHome()
  await start(home, '--db', ':memory:')
  const far = await home.refusal(['sandbox', 'clock', '--advance', '99999d'])
  expect(far).toMatchObject({exit: 5, message: expect.stringContaining('at most 3660 days')})
  const wrong = await home.refusal(['sandbox', 'trigger', 'reservation.confirm'])
  const message = expect.stringMatching(/reservation\.confirm.*reservation\.confirmed.*voucher\.ready$/)
  expect(wrong).toMatchObject({exit: 2, code: 'unknown_event_type', message})
  const missing = await home.refusal(['sandbox', 'trigger', 'voucher.ready', 'RSV-0123456789'])
  const hint = expect.stringContaining('bookctl reservations list')
  expect(missing).toMatchObject({exit: 5, code: 'reservation_not_found', hint})
})

test('faults are injected, listed and removed at the command line', async () => {
  const sandbox = await ownSandbox()
  const {home} = sandbox
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
  ['bogus', 'must be one of: status, latency, drop-before'],
  ['status', '--status is required for the kind status'],
  [
    'latency --latency-ms 1 --status 500',
    '--status is for the kind status or commit-then-status or html, not for latency',
  ],
  [
    'html --code not_found',
    '--code is for the kind status or commit-then-status or lose-offer, not for html',
  ],
  ['status --status 200', '--status: must be a whole number from 400 to 599'],
  ['truncate --operation hotel.search', '--operation must be one of: *, token.create'],
  ['truncate --times 0', '--times: must be a whole number from 1'],
])('fault add %s is refused before anything is sent', async (flags, message) => {
  const refusal = await ownHome().refusal(['sandbox', 'fault', 'add', ...flags.split(' ')])
  expect(refusal).toMatchObject({exit: 2, message: expect.stringContaining(message)})
})

test('reset asks a person, and no script', async () => {
  const sandbox = await ownSandbox()
  const {home} = sandbox
  await home.run(['account'])
  const requests = async () => (await sandbox.requests()).length
  expect(await requests()).toBe(2)
  const question = `Delete everything that the local sandbox at ${sandbox.origin} stores?`
  await ends(atTerminal(home, ['sandbox', 'reset']), 2, [question, 'n\r'])
  expect(await requests()).toBe(2)
  await ends(atTerminal(home, ['sandbox', 'reset']), 0, [question, 'y\r'])
  expect(await requests()).toBe(0)
  await ends(atTerminal(home, ['sandbox', 'reset', '--yes']), 0)
  expect((await home.json(['sandbox', 'reset'])).result).toEqual({reset: true, origin: sandbox.origin})
})
