/**
 * Server-side request forgery against the sandbox as it runs: for each way to write, to resolve or to redirect to an
 * inner address a subscription is made, an event sent, and what the process then dialled is looked at. The listener on
 * all addresses of this machine, and the table's first lines, show that something would be seen.
 */
import {createHook} from 'node:async_hooks'
import {createServer, type Server} from 'node:http'
import type {AddressInfo} from 'node:net'
import {networkInterfaces} from 'node:os'
import {afterAll, beforeAll, beforeEach, expect, test} from 'vitest'
import type {Resolve} from '../../../src/sandbox/delivery/addresses.js'
import {type SandboxClient, startSandbox, type TestSandbox} from '../../support/sandbox.js'
import {HOSTS, NAMES, WHOLE} from '../../vectors/inner-addresses.js'

const asked = new Map<string, number>()
const resolve: Resolve = async name => {
  const count = asked.get(name) ?? 0
  asked.set(name, count + 1)
  const lists = NAMES[name]
  if (!lists) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), {code: 'ENOTFOUND'})
  const addresses = lists[Math.min(count, lists.length - 1)] ?? []
  return addresses.map(address => ({address, family: address.includes(':') ? 6 : 4}))
}

/** Every address of this machine except loopback: our listener is behind each. */
const OWN = Object.values(networkInterfaces())
  .flatMap(list => list ?? [])
  .filter(({internal, scopeid}) => !internal && !scopeid)
  .map(({address}) => (address.includes(':') ? `[${address}]` : address))

/** Addresses of this machine that are allowed: if these were not dialled, the others would prove nothing. */
const OPEN = ['127.0.0.1', '127.1', '0x7f000001', '2130706433', '127。0。0。1', '①②⑦.1']

let sandbox: TestSandbox
let client: SandboxClient
let listener: Server
let port: number
let redirect: string | undefined
const arrived: string[] = []
/** What the system was asked to connect to, by any code: Node's own objects for that. */
const connecting: {address?: string; port?: number}[] = []
const hook = createHook({
  init(_, type, __, resource) {
    if (type === 'TCPCONNECTWRAP') connecting.push(resource)
  },
})

beforeAll(async () => {
  listener = createServer((request, answer) => {
    arrived.push(String(request.headers.host))
    if (redirect === undefined) answer.end()
    else answer.writeHead(307, {location: redirect}).end()
  })
  // Without a host: every address of this machine, IPv6 as well where there is any.
  await new Promise<void>(done => listener.listen(0, done))
  port = (listener.address() as AddressInfo).port
  sandbox = await startSandbox({resolve, allowHttpLoopback: true})
  client = await sandbox.client()
  hook.enable()
})
afterAll(async () => {
  hook.disable()
  await sandbox.close()
  listener.closeAllConnections()
  listener.close()
})
beforeEach(() => {
  arrived.length = 0
  connecting.length = 0
  asked.clear()
  redirect = undefined
})

/** What was dialled, except the sandbox itself, which this test calls. */
function dialled(): string[] {
  const own = Number(new URL(sandbox.origin).port)
  return connecting.flatMap(({address, port: to}) => (to === own ? [] : [`${address}`]))
}

interface Sent {
  /** Why the subscription was not made. */
  readonly refused?: string
  /** What each attempt says; null for a delivered one. */
  readonly errors: (string | null)[]
}

/** Makes a subscription with `url`, or changes one to it, and sends a test event. */
async function send(url: string, attempts = 1): Promise<Sent> {
  const made = await client.call('POST', '/webhooks/subscriptions', {url, events: ['voucher.ready']})
  if (made.status !== 201) return {refused: made.json.error.code, errors: []}
  const {id} = made.json.data
  const tested = await client.call('POST', `/webhooks/subscriptions/${id}/test`)
  const {delivery_id} = tested.json.data
  await sandbox.advance(0)
  for (let n = 1; n < attempts; n++)
    await sandbox.control('POST', `/_sandbox/deliveries/${delivery_id}/redeliver`)
  const listed = await client.call('GET', `/webhooks/subscriptions/${id}/deliveries`)
  await client.call('DELETE', `/webhooks/subscriptions/${id}`)
  return {errors: listed.json.data[0].attempts.map(({error}: {error: string | null}) => error)}
}

const FORMS = [
  ...[...OWN, ...HOSTS].flatMap(host => [`https://${host}:PORT/hooks`, `http://${host}:PORT/hooks?a=1`]),
  ...WHOLE,
]

test('the table is long enough to mean something', () => {
  expect(new Set([...HOSTS, ...WHOLE]).size).toBeGreaterThanOrEqual(160)
})

test.each(OPEN)('http://%s leads to this machine, and is seen to', async host => {
  expect(await send(`http://${host}:${port}/hooks`)).toEqual({errors: [null]})
  expect([dialled(), arrived.length]).toEqual([['127.0.0.1'], 1])
})

test.each([...new Set(FORMS)])('nothing is sent to %j', async form => {
  const {refused, errors} = await send(form.replace('PORT', String(port)))
  if (refused === undefined) {
    expect(errors).toHaveLength(1)
    expect(errors[0]).toMatch(/^not sent: |ENOTFOUND/)
  } else expect(['url_not_https', 'validation_failed']).toContain(refused)
  expect([dialled(), arrived]).toEqual([[], []])
})

test.each([
  'http://10.0.0.1/',
  'http://169.254.169.254/latest/meta-data/',
  'http://private.example/',
  '//[fd00::1]/',
])('a redirect to %s is not followed', async location => {
  redirect = location
  expect(await send(`http://127.0.0.1:${port}/`)).toEqual({errors: ['a redirect is not followed']})
  expect([dialled(), [...asked]]).toEqual([['127.0.0.1'], []])
})

test('a name that leads here is dialled', async () => {
  // It speaks no TLS, and plain http is for addresses that say themselves that they are this machine's.
  expect((await send(`https://here.example:${port}/`)).errors).toEqual([
    expect.not.stringMatching(/^not sent/),
  ])
  expect([dialled(), arrived, asked.get('here.example')]).toEqual([['127.0.0.1'], [], 1])
})

test('a name that resolves elsewhere after the check is dialled where it was checked, and checked again', async () => {
  const {errors} = await send(`https://rebinding.example:${port}/`, 2)
  expect(errors).toEqual([expect.not.stringMatching(/^not sent/), expect.stringContaining('10.0.0.1')])
  expect([dialled(), asked.get('rebinding.example')]).toEqual([['127.0.0.1'], 2])
})

test('a subscription that is changed to an inner address is not sent to either', async () => {
  const wanted = {url: `http://127.0.0.1:${port}/`, events: ['voucher.ready']}
  const {id} = (await client.call('POST', '/webhooks/subscriptions', wanted)).json.data
  const change = (url: string) => client.call('PATCH', `/webhooks/subscriptions/${id}`, {url})
  expect((await change('http://10.0.0.1/')).status).toBe(400)
  await change('https://10.0.0.1/')
  await client.call('POST', `/webhooks/subscriptions/${id}/test`)
  await sandbox.advance(0)
  expect([dialled(), arrived]).toEqual([[], []])
})
