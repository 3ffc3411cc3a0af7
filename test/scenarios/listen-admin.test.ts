/** Seeing from outside that a receiver works: its admin port, while the store fails and at the end too. */
import {existsSync, renameSync} from 'node:fs'
import {join} from 'node:path'
import {expect, test} from 'vitest'
import {EVENTS, openOwn} from '../../src/state/databases.js'
import {eventually} from '../support/eventually.js'
import {closing, ownDirectory, ownHome, ownListening, ownReceiverHome, ownTarget} from '../support/own.js'
import {scrape} from '../support/prometheus.js'
import {start} from '../support/started-sandboxes.js'
import {certificateFile} from '../support/tls.js'
import {sendEvent} from '../support/webhook-load.js'

const statusOf = async (url: string) => (await fetch(url)).status
const send = (port: number, id: string) => sendEvent(port, `{"id":"${id}","type":"voucher.ready"}`, id)

test('the metrics of a receiver count what it answered and forwarded', async () => {
  const target = await ownTarget(200)
  const to = ['--forward-to', `${target.url}?key=hidden-key`]
  const receiver = await ownListening(ownReceiverHome(), ['--port', '0', '--admin', '0', ...to])
  const {admin_url: admin = ''} = (await receiver.ready) ?? {}
  expect(admin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  expect([await statusOf(`${admin}/healthz`), await statusOf(`${admin}/readyz`)]).toEqual([200, 200])
  expect([await send(receiver.port, 'evt_1'), await send(receiver.port, 'evt_1')]).toEqual([200, 200])
  expect(await statusOf(receiver.url)).toBe(405)
  const forwarded = `bookctl_forward_attempts_total{target="${target.url}",result="done"}`
  await eventually(async () =>
    expect(await scrape(admin)).toMatchObject({
      'bookctl_webhook_requests_total{outcome="stored"}': 1,
      'bookctl_webhook_requests_total{outcome="duplicate"}': 1,
      'bookctl_webhook_refused_total{reason="method"}': 1,
      bookctl_webhook_commit_seconds_count: 2,
      bookctl_webhook_ack_seconds_count: 3,
      bookctl_webhook_waiting: 0,
      bookctl_forward_pending: 0,
      bookctl_store_up: 1,
      [forwarded]: 1,
    }),
  )
  const {stderr} = await receiver.stop()
  expect(stderr).toContain(`health and metrics at ${admin}`)
  expect(stderr).not.toContain('hidden-key')
})

test('a receiver whose store is locked is not ready, and finds out by itself when it is free', async () => {
  const home = ownReceiverHome()
  const receiver = await ownListening(home, ['--port', '0', '--admin', '127.0.0.1:0'])
  const {admin_url: admin = ''} = (await receiver.ready) ?? {}
  const store = closing(openOwn(EVENTS, home.configDirectory))
  store.run('BEGIN IMMEDIATE')
  expect(await send(receiver.port, 'evt_1')).toBe(503)
  const notReady = await fetch(`${admin}/readyz`)
  const reasons = [{reason: 'store_failed', message: expect.stringContaining('in use by another process')}]
  expect([notReady.status, await notReady.json()]).toEqual([503, {ready: false, reasons}])
  expect(await scrape(admin)).toMatchObject({
    bookctl_store_up: 0,
    'bookctl_webhook_requests_total{outcome="busy"}': 1,
  })
  expect(await statusOf(`${admin}/healthz`)).toBe(200)
  store.run('ROLLBACK')
  await eventually(async () => expect(await statusOf(`${admin}/readyz`)).toBe(200))
  expect(await scrape(admin)).toMatchObject({bookctl_store_up: 1})
  expect(await send(receiver.port, 'evt_1')).toBe(200)
  const {stderr} = await receiver.stop()
  // One line says that it failed, though it was tried again, and one that it works again.
  expect(stderr.match(/in use by another process/g)).toHaveLength(1)
  expect(stderr.match(/the store works again/g)).toHaveLength(1)
})

test('a receiver whose store was moved or replaced acknowledges nothing until the file is back', async () => {
  const home = ownReceiverHome()
  const receiver = await ownListening(home, ['--port', '0', '--admin', '0'])
  const {admin_url: admin = ''} = (await receiver.ready) ?? {}
  expect(await send(receiver.port, 'evt_1')).toBe(200)
  const aside = ownDirectory()
  const names = ['events.db', 'events.db-wal', 'events.db-shm']
  const move = (from: string, to: string) => {
    for (const name of names) renameSync(join(from, name), join(to, name))
  }
  move(home.configDirectory, aside)
  // It finds out by itself, before an event comes.
  await eventually(async () => expect(await statusOf(`${admin}/readyz`)).toBe(503))
  expect(await (await fetch(`${admin}/readyz`)).json()).toMatchObject({
    reasons: [{reason: 'store_failed', message: expect.stringContaining('removed, moved or replaced')}],
  })
  expect(await send(receiver.port, 'evt_2')).toBe(503)
  move(aside, home.configDirectory)
  await eventually(async () => expect(await statusOf(`${admin}/readyz`)).toBe(200))
  expect(await send(receiver.port, 'evt_2')).toBe(200)
  move(home.configDirectory, aside)
  const other = closing(openOwn(EVENTS, home.configDirectory))
  expect(await send(receiver.port, 'evt_3')).toBe(503)
  const {exit, stderr} = await receiver.stop()
  expect([exit, stderr]).toEqual([143, expect.stringContaining('start again with those')])
  // The end of the receiver leaves the log of the other file alone.
  expect(existsSync(join(home.configDirectory, 'events.db-wal'))).toBe(true)
  expect(other.all('SELECT event_id FROM events')).toEqual([])
})

test('with --drain it is not ready at once at the end, and still takes events', async () => {
  const home = ownReceiverHome()
  const receiver = await ownListening(home, ['--port', '0', '--admin', '0', '--drain', '30d'])
  const {admin_url: admin = ''} = (await receiver.ready) ?? {}
  receiver.child.kill('SIGTERM')
  await eventually(async () => expect(await statusOf(`${admin}/readyz`)).toBe(503))
  // A hangup reloads, and is no second signal to end.
  receiver.child.kill('SIGHUP')
  expect(await send(receiver.port, 'evt_1')).toBe(200)
  // After a second signal it ends at once, and still in order.
  const {exit, stderr} = await receiver.stop()
  expect([exit, stderr]).toEqual([143, expect.stringContaining('Stopped: 1 valid')])
  expect(await home.json(['webhooks', 'status'])).toMatchObject({result: {listeners: []}})
  const listed = await home.json<{events: object[]}>(['webhooks', 'events', 'list'])
  expect(listed.result.events).toMatchObject([{event_id: 'evt_1'}])
})

test('a certificate that has expired is not ready; its end is a metric', async () => {
  const [cert, key] = [certificateFile('expired'), certificateFile('expired').replace(/pem$/, 'key')]
  const argv = ['--port', '0', '--admin', '0', '--cert', cert, '--key', key]
  const receiver = await ownListening(ownReceiverHome(), argv)
  const {admin_url: admin = ''} = (await receiver.ready) ?? {}
  const answer = await fetch(`${admin}/readyz`)
  const reasons = [{reason: 'certificate_expired'}]
  expect([answer.status, await answer.json()]).toMatchObject([503, {ready: false, reasons}])
  const expiry = (await scrape(admin)).bookctl_certificate_expiry_timestamp_seconds
  expect(expiry).toBeLessThan(Date.now() / 1000)
})

test('an admin address that is taken or no address is refused before anything is received', async () => {
  const home = ownReceiverHome()
  const receiver = await ownListening(home, ['--port', '0', '--admin', '0'])
  const {admin_url: admin = ''} = (await receiver.ready) ?? {}
  const port = new URL(admin).port
  const listen = ['webhooks', 'listen', '--port', '0', '--admin']
  const taken = await home.refusal([...listen, port])
  expect(taken).toMatchObject({
    exit: 2,
    code: 'admin_unavailable',
    message: `--admin: port ${port} is in use`,
  })
  expect(await home.refusal([...listen, '203.0.113.1:0'])).toMatchObject({exit: 2, code: 'admin_unavailable'})
  for (const odd of ['x', '70000', 'a b:1', '::1:80'])
    expect([odd, await home.refusal([...listen, odd])]).toMatchObject([odd, {exit: 2, code: 'invalid_input'}])
})

test('the sandbox has an admin port too', async () => {
  const home = ownHome()
  const sandbox = await start(home, '--port', '0', '--db', ':memory:', '--admin', '[::1]:0')
  const {admin_url: admin = ''} = (await sandbox.ready) ?? {}
  expect(admin).toMatch(/^http:\/\/\[::1\]:\d+$/)
  expect([await statusOf(`${admin}/healthz`), await statusOf(`${admin}/readyz`)]).toEqual([200, 200])
  await fetch(`${sandbox.baseUrl}/account`)
  expect(await scrape(admin)).toMatchObject({
    'bookctl_sandbox_requests_total{status="4xx"}': 1,
    'bookctl_sandbox_requests_total{status="2xx"}': 0,
    'bookctl_sandbox_deliveries{state="pending"}': 0,
    bookctl_sandbox_request_seconds_count: 1,
    bookctl_store_up: 1,
  })
})
