/** `listen --subscribe`: creates a subscription, stores its secret, receives a test event, and only then reports "ready". */
import {beforeEach, expect, test} from 'vitest'
import {findFreePort} from '../../src/cli/features/sandbox/port.js'
import type {Home} from '../support/bookctl.js'
import {closing, ownHome, ownListening} from '../support/own.js'
import {answer, ScriptedService} from '../support/scripted-service.js'
import {ownSandbox} from '../support/served-sandbox.js'
import {reservationIn} from '../support/stay.js'
import {atTerminal} from '../support/terminal.js'
import {waitUntil} from '../support/wait.js'
import {sendEvent} from '../support/webhook-load.js'
import {storedSecrets} from './scripted-home.js'

const CREATED = 'whsec_created'

let service: ScriptedService
let home: Home
/** The port behind the public address. */
let receiverPort = 0
/** The requests to the service, in order. */
let asked: string[]

beforeEach(async () => {
  asked = []
  receiverPort = await findFreePort()
  service = closing(await ScriptedService.start())
  service.script = async ({path, body}, response) => {
    if (!path.startsWith('/webhooks/')) return false
    answer(response, 200, {data: await answerTo(path, body)})
    return true
  }
  home = ownHome(service.env)
})

async function answerTo(path: string, body: string): Promise<object> {
  asked.push(`${path} ${body}`)
  if (path === '/webhooks/subscriptions')
    return {id: 'whsub_1', ...JSON.parse(body), secret: CREATED, is_active: true}
  const event = '{"id":"evt_test","type":"reservation.confirmed","data":{"test":true}}'
  asked.push(String(await sendEvent(receiverPort, event, 'evt_test', {path: '/in', secret: CREATED})))
  return {event_id: 'evt_test', delivery_id: 'dlv_1'}
}

const PUBLIC = ['--public-url', 'https://hooks.example.com/in']
const ARGV = ['--subscribe', ...PUBLIC, '--event', 'reservation.confirmed']
const NO_SECRET = {env: {BOOKCTL_WEBHOOK_SECRET: undefined}}

test('the subscription is made and tested before "ready", and later events are checked with its secret', async () => {
  const argv = [...ARGV, '--port', String(receiverPort), '--exit-after', '1']
  const receiver = await ownListening(home, argv, NO_SECRET)
  expect(receiver.url).toBe(`http://127.0.0.1:${receiverPort}/in`)
  const subscribed = '{"url":"https://hooks.example.com/in","events":["reservation.confirmed"]}'
  const path = '/webhooks/subscriptions'
  expect(asked).toEqual([`${path} ${subscribed}`, `${path}/whsub_1/test `, '200'])
  expect(storedSecrets(home)).toEqual([{id: 'whsub_1', secret: CREATED}])
  const event = '{"id":"evt_2","type":"reservation.confirmed"}'
  await sendEvent(receiverPort, event, 'evt_2', {path: '/in', secret: CREATED})
  expect((await receiver.ended).exit).toBe(0)
  expect(receiver.lines).toMatchObject([{event_id: 'evt_test'}, {event_id: 'evt_2'}])
})

test('a test event that does not come is waited for no longer than --within, and the subscription is named', async () => {
  for (const bound of ['--within', '--timeout']) {
    const elsewhere = [...ARGV, '--port', '0', bound, '1']
    const refused = await home.refusal(['webhooks', 'listen', ...elsewhere], NO_SECRET)
    const message = expect.stringMatching(/whsub_1 .* within 1 s/)
    expect(refused).toMatchObject({exit: 8, code: 'test_event_missing', message})
    expect(refused.stderr).toContain('bookctl webhooks delete whsub_1')
  }
})

test('a subscription whose test event does not come, or is not awaited, is deleted again if the client may', async () => {
  const sandbox = await ownSandbox()
  const argv = ['webhooks', 'listen', '--subscribe', '--public-url', `https://127.0.0.1:${receiverPort}/in`]
  const left = async () => (await sandbox.home.json(['webhooks', 'list'])).result
  const {exit, stderr} = await sandbox.home.run([...argv, '--within', '1'], NO_SECRET)
  expect(exit).toBe(8)
  expect(stderr).toContain('was deleted again')
  expect(await left()).toEqual({subscriptions: []})
  const stopped = atTerminal(sandbox.home, argv, NO_SECRET)
  await waitUntil(() => storedSecrets(sandbox.home).length > 0, 'the secret')
  stopped.press('ctrl-c')
  expect(await stopped.exit).toBe(130)
  expect(stopped.raw()).toMatch(/was\s+deleted\s+again/)
  expect(await left()).toEqual({subscriptions: []})
})

test('warns of another subscription for its address, because an event of both comes twice', async () => {
  const sandbox = await ownSandbox()
  const publicUrl = `https://127.0.0.1:${receiverPort}/in`
  const create = ['webhooks', 'create', '--url', publicUrl, '--event', 'voucher.ready', '--quiet']
  const id = (await sandbox.home.run(create)).stdout.trim()
  const argv = ['webhooks', 'listen', '--subscribe', '--public-url', publicUrl, '--within', '1']
  const {stderr} = await sandbox.home.run(argv, NO_SECRET)
  expect(stderr).toContain(`the subscription ${id} sends to this address already (voucher.ready)`)
})

test('the local sandbox delivers to it over TLS, trusting the authority in the shared configuration directory', async () => {
  const sandbox = await ownSandbox()
  const publicUrl = `https://127.0.0.1:${receiverPort}/in`
  const flags = `--tls --subscribe --public-url ${publicUrl} --port ${receiverPort} --exit-after 2 --within 60`
  const terminal = atTerminal(sandbox.home, ['webhooks', 'listen', ...flags.split(' ')], NO_SECRET)
  await terminal.waitFor('Ready:')
  const reference = await reservationIn(sandbox.home)
  expect(await terminal.exit).toBe(0)
  const rows = terminal.screen().match(/✓ .*/g)
  expect(rows?.[0]).toMatch(/reservation\.confirmed .* test event$/)
  const about = ['reservation.confirmed', 'voucher.ready'].map(type => `✓  ${type.padEnd(21)}  ${reference}`)
  expect(
    rows
      ?.slice(1)
      .sort()
      .map(row => row.slice(0, 40)),
  ).toEqual(about)
  expect((await sandbox.home.json(['webhooks', 'list'])).result).toEqual({subscriptions: []})
  for (const list of ['sandbox deliveries', 'webhooks events list']) {
    const shown = atTerminal(sandbox.home, list.split(' '))
    await shown.waitFor(/reservation\.confirmed {2}[\dD]/)
    await shown.exit
  }
})
