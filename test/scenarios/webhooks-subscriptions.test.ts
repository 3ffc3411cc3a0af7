/** Subscriptions and their deliveries on the command line, with the local sandbox. */
import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {beforeEach, expect, test} from 'vitest'
import {findFreePort} from '../../src/cli/features/sandbox/port.js'
import type {Home} from '../support/bookctl.js'
import {ownHome, ownListening} from '../support/own.js'
import {sandboxOfFile} from '../support/served-sandbox.js'
import {storedSecrets} from './scripted-home.js'

const URL_TYPED = 'https://partner.example/hooks'
const CREATE = ['webhooks', 'create', '--url', URL_TYPED, '--event', 'voucher.ready']

const sandbox = await sandboxOfFile()
let home: Home
beforeEach(async () => {
  home = ownHome(sandbox.env)
  await sandbox.recordIn(home)
})

interface Created {
  readonly subscription: {id: string; secret: string; url: string; events: string[]; is_active: boolean}
  readonly stored_in: string
}

test('the local sandbox creates, lists, tests, updates and deletes them', async () => {
  const {exit, result} = await home.json<Created>([...CREATE, '--event', 'payment.failed'])
  expect(exit).toBe(0)
  const {id, secret} = result.subscription
  const subscribed = {
    id: expect.stringMatching(/^whsub_/),
    url: URL_TYPED,
    events: ['voucher.ready', 'payment.failed'],
    secret: expect.stringMatching(/^whsec_/),
    is_active: true,
  }
  expect(result).toEqual({
    ...subscribed,
    subscription: subscribed,
    stored_in: join(home.configDirectory, 'tokens.db'),
  })
  expect(storedSecrets(home)).toEqual([{id, secret}])

  const listed = await home.json<{subscriptions: {id: string}[]}>(['webhooks', 'list'])
  const {secret: _, ...shown} = result.subscription
  expect(listed.result.subscriptions.find(one => one.id === id)).toEqual(shown)
  const row = `${id}\t${URL_TYPED}\tvoucher.ready payment.failed\t`
  expect((await home.run(['webhooks', 'list'])).stdout).toContain(row)

  const tested = await home.json<{answer: {event_id: string; delivery_id: string}}>(['webhooks', 'test', id])
  const ids = {event_id: expect.stringMatching(/^evt_/), delivery_id: expect.stringMatching(/^dlv_/)}
  // No server has this address.
  const outcome = {delivered: false, status: null, ms: expect.any(Number), delivery_error: expect.any(String)}
  const tried = {...outcome, attempted_at: expect.any(String)}
  expect(tested.result).toEqual({subscription_id: id, ...ids, answer: ids, ...tried})
  const deliveries = await home.json<{deliveries: {delivery_id: string}[]}>(['sandbox', 'deliveries'])
  const {delivery_id} = tested.result.answer
  const pending = {delivery_id, subscription_id: id, type: 'voucher.ready', status: 'PENDING'}
  expect(deliveries.result.deliveries).toContainEqual(expect.objectContaining(pending))
  const redeliver = ['sandbox', 'deliveries', '--redeliver', delivery_id]
  const again = await home.json<{deliveries: {attempts: unknown[]}[]}>(redeliver)
  expect(again.result.deliveries[0]?.attempts.length).toBeGreaterThan(0)

  const updated = await home.json(['webhooks', 'update', id, '--passive', '--event', 'voucher.ready'])
  const subscription = {...shown, events: ['voucher.ready'], is_active: false}
  expect(updated.result).toEqual({subscription})
  const deleted = await home.json(['webhooks', 'delete', id])
  expect(deleted.result).toEqual({subscription_id: id, deleted: true, secret_removed: true})
  expect(storedSecrets(home)).toEqual([])
  expect((await home.json(['webhooks', 'delete', id])).exit).toBe(5)
})

test('a second subscription for an address, and a path that the listener does not take, are warned of', async () => {
  const listener = await ownListening(home, ['--tls', '--path', '/hooks'])
  const create = (path: string) => home.run(CREATE.with(3, `https://127.0.0.1:${listener.port}${path}`))
  const right = await create('/hooks')
  expect(right).toMatchObject({exit: 0, stderr: ''})
  const second = await create('/hooks')
  expect(second.exit).toBe(0)
  expect(second.stderr).toMatch(
    /^Warning: the subscription whsub_\S+ sends to this address already \(voucher\.ready\)/,
  )
  const wrong = await create('/second')
  expect(wrong.exit).toBe(0)
  expect(wrong.stderr).toMatch(/^Warning: what listens at https:\S+ answers 404 for the path \/second: /)
  expect(wrong.stderr).toContain('bookctl webhooks listen --path /second')
})

test('a test event reports the answer of the receiver, if the service states it', async () => {
  const url = 'https://127.0.0.1:1/'
  const {subscription_id: id} = (
    await home.json<{subscription_id: string}>([...CREATE.with(3, url), '--query', '{subscription_id: id}'])
  ).result
  const argv = ['webhooks', 'test', id]
  const refused = await home.json(argv)
  expect(refused).toMatchObject({
    exit: 0,
    result: {delivered: false, delivery_error: expect.stringContaining('ECONNREFUSED')},
  })
  await sandbox.fault({operation: 'subscriptions.deliveries', kind: 'status', status: 403})
  const untold = await home.json<{delivery_unknown: string}>(argv)
  expect(untold).toMatchObject({
    exit: 0,
    result: {delivered: null, status: null, event_id: expect.stringMatching(/^evt_/)},
  })
  expect(untold.result.delivery_unknown).toBeTruthy()
})

test('the secret is stored even if the output is not read', async () => {
  const done = await home.run(CREATE, {onStart: child => child.stdout?.destroy()})
  expect(done).toMatchObject({exit: 0, stderr: ''})
  const [id, secret] = [expect.stringMatching(/^whsub_/), expect.stringMatching(/^whsec_/)]
  expect(storedSecrets(home)).toEqual([{id, secret}])
})

test('an unknown event type is a warning, and the service decides', async () => {
  const argv = ['webhooks', 'create', '--url', URL_TYPED, '--event', 'reservation.exploded']
  const {exit, result, stderr} = await home.json<{error: {code: string}}>(argv)
  expect([exit, result.error.code]).toEqual([5, 'validation_failed'])
  expect(stderr).toContain('Warning: reservation.exploded')
})

test('http on this machine is for the local sandbox to refuse', async () => {
  const argv = ['webhooks', 'create', '--url', 'http://127.0.0.1:4020/', '--event', 'voucher.ready']
  const hint = expect.stringMatching(/webhooks listen --tls.*sandbox start --allow-http-loopback/)
  expect(await home.refusal(argv)).toMatchObject({exit: 5, code: 'url_not_https', hint})
  const live = {BOOKCTL_BASE_URL: 'https://service.invalid/v1'}
  expect(await home.refusal(argv, {env: live})).toMatchObject({exit: 2, code: 'url_not_https'})
})

test('a lost answer is exit 10, and nothing is sent again without --again', async () => {
  await sandbox.fault({operation: 'subscriptions.create', kind: 'commit-then-drop'})
  const url = 'https://lost.example/hooks'
  const argv = ['webhooks', 'create', '--url', url, '--event', 'voucher.ready']
  const count = async () => {
    const {result} = await home.json<{subscriptions: {url: string}[]}>(['webhooks', 'list'])
    return result.subscriptions.filter(one => one.url === url).length
  }
  const hint = (text: string) => expect.stringContaining(text)
  expect(await home.refusal(argv)).toMatchObject({exit: 10, hint: hint('bookctl webhooks list')})
  expect(await count()).toBe(1)
  const refused = {exit: 10, code: 'earlier_creation_unknown', hint: hint('--again')}
  expect(await home.refusal(argv)).toMatchObject(refused)
  expect(await count()).toBe(1)
  expect((await home.json([...argv, '--again'])).exit).toBe(0)
  expect(await count()).toBe(2)
  // The outcome is known now, so a third creation is allowed, and so is one after a refusal.
  expect((await home.json([...argv.slice(0, -1), 'voucher.exploded'])).exit).toBe(5)
  expect((await home.json(argv)).exit).toBe(0)
})

test('where nothing can be stored, nothing is created', async () => {
  writeFileSync(join(home.directory, 'file'), '')
  const list = async () => (await home.json(['webhooks', 'list'])).result
  const before = await list()
  const env = {BOOKCTL_CONFIG_DIR: join(home.directory, 'file', 'config')}
  const hint = expect.stringContaining('BOOKCTL_CONFIG_DIR')
  expect(await home.refusal(CREATE, {env})).toMatchObject({exit: 2, hint})
  expect(await list()).toEqual(before)
})

test('of many deliveries the newest are shown', async () => {
  const url = `https://127.0.0.1:${await findFreePort()}/nobody`
  const create = ['webhooks', 'create', '--url', url, '--event', 'voucher.ready', '--quiet']
  const id = (await home.run(create)).stdout.trim()
  for (let n = 0; n < 3; n++) await home.run(['webhooks', 'test', id])
  const list = (...more: string[]) => home.run(['sandbox', 'deliveries', '--quiet', ...more])
  const all = (await list()).stdout.trim().split('\n')
  expect(all.length).toBeGreaterThanOrEqual(3)
  expect((await list('--limit', '2')).stdout.trim().split('\n')).toEqual(all.slice(-2))
  expect((await list('--limit', '0')).exit).toBe(2)
})
