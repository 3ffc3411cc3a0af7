/**
 * One delivery on the wire: only certain addresses are allowed, redirects are not followed, little of the answer is read, one
 * time limit covers everything, and certificates are checked.
 */

import {createHook} from 'node:async_hooks'
import {readFileSync, rmSync, symlinkSync, writeFileSync} from 'node:fs'
import {createServer, type Server} from 'node:http'
import type {AddressInfo} from 'node:net'
import {networkInterfaces} from 'node:os'
import {join} from 'node:path'
import {afterAll, afterEach, beforeAll, beforeEach, expect, test, vi} from 'vitest'
import {kindOfAddress} from '../../../src/contract/network.js'
import {
  createTrust,
  type PostOptions,
  post,
  type Resolve,
  vetAddresses,
} from '../../../src/sandbox/delivery/attempt.js'
import {closing, ownDirectory, ownWire} from '../../support/own.js'
import {type SandboxClient, startSandbox, type TestSandbox} from '../../support/sandbox.js'
import {type Answering, startSubscriber} from '../../support/subscriber.js'
import {certificateFile, tlsIdentity} from '../../support/tls.js'
import {PATIENCE_SECONDS} from '../../support/wait.js'
import inner from '../../vectors/inner-addresses.json' with {type: 'json'}

const {hosts: HOSTS, whole: WHOLE} = inner
const NAMES: Readonly<Record<string, string[][]>> = inner.names

afterEach(() => void vi.unstubAllEnvs())

const subscriber = async (...options: Parameters<typeof startSubscriber>) =>
  closing(await startSubscriber(...options))

function posting({caFile, ...options}: Partial<PostOptions> & {caFile?: string} = {}): PostOptions {
  return {
    resolve: async () => [{address: '127.0.0.1', family: 4}],
    trust: createTrust(caFile),
    allowHttpLoopback: true,
    limitMilliseconds: PATIENCE_SECONDS * 1000,
    closing: new AbortController().signal,
    ...options,
  }
}

const failing = (text: string) => ({status: null, error: expect.stringContaining(text)})
const body = Buffer.from('{"id":"evt_1","name":"Ayşe Öğüt"}')
const send = (options: PostOptions, url: string) =>
  post(options, {url, headers: {'x-service-event-id': 'evt_1'}, body})

test.each([200, 201, 204, 299, 400, 401, 410, 503])('only a 2xx counts as delivered: %i', async status => {
  const error = status < 300 ? null : 'the status is not 2xx'
  const {origin} = await subscriber(answer => answer.writeHead(status).end())
  expect(await send(posting(), origin)).toEqual({status, ms: expect.any(Number), error, isSent: true})
})

test('sends the bytes as they are, with their length', async () => {
  const {origin, received, port} = await subscriber()
  await send(posting(), `${origin}/hooks/deep?a=1&b=%C5%9F`)
  expect(received[0]).toMatchObject({method: 'POST', path: '/hooks/deep?a=1&b=%C5%9F', body})
  expect(received[0]?.headers).toEqual({
    host: `127.0.0.1:${port}`,
    'x-service-event-id': 'evt_1',
    'content-length': String(body.length),
    connection: 'close',
  })
})

const never: Answering = () => undefined
const dripping: Answering = answer => {
  answer.writeHead(200)
  const timer = setInterval(() => answer.write('.'), 20)
  answer.on('close', () => clearInterval(timer))
}
test.each([
  ['no answer', never, null],
  ['an answer that drips', dripping, 200],
])('%s within the limit does not count as delivered', async (_, answering, status) => {
  const {origin} = await subscriber(answering)
  const posted = await send(posting({limitMilliseconds: 400}), origin)
  expect(posted).toMatchObject({status, error: 'no complete response within 0.4 s'})
})

test('gives up on a receiver that accepts and never starts TLS', async () => {
  const {port} = await ownWire(() => 'hang')
  expect(await send(posting({limitMilliseconds: 300}), `https://localhost:${port}`)).toMatchObject(
    failing('within'),
  )
})

test('a name that is not resolved in time ends the attempt', async () => {
  const options = posting({resolve: () => new Promise(() => undefined), limitMilliseconds: 50})
  expect(await send(options, 'https://partner.example')).toMatchObject(failing('within'))
})

test('reads 64 KiB of a big answer, and its status counts', async () => {
  let written = 0
  const {origin} = await subscriber(answer => {
    answer.writeHead(200)
    const piece = Buffer.alloc(64 * 1024)
    const more = () => {
      while (!answer.destroyed && answer.write(piece)) written += piece.length
    }
    answer.on('drain', more)
    more()
  })
  expect(await send(posting(), origin)).toMatchObject({status: 200, error: null})
  expect(written).toBeLessThan(64 * 1024 * 1024)
})

test('an answer that is cut, or is not HTTP, is a failure', async () => {
  const cut = await subscriber(answer => {
    answer.writeHead(200, {'content-length': '100'})
    answer.write('short', () => answer.destroy())
  })
  expect(await send(posting(), cut.origin)).toMatchObject({status: 200, error: expect.any(String)})
  const {origin} = await ownWire(() => ({bytes: 'SSH-2.0-OpenSSH\r\n'}))
  expect(await send(posting(), origin)).toMatchObject(failing('HPE_'))
})

test('ignores a proxy of the environment', async () => {
  const proxy = await subscriber()
  for (const name of ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY']) {
    vi.stubEnv(name, proxy.origin)
  }
  const {origin} = await subscriber()
  expect(await send(posting(), origin)).toMatchObject({status: 200})
  expect(proxy.connections()).toBe(0)
})

const ca = certificateFile('ca')

test('a certificate of an added authority is trusted as soon as its file is there', async () => {
  const file = join(ownDirectory(), 'listen-ca.pem')
  const {port, received} = await subscriber(undefined, tlsIdentity('good'))
  const options = posting({caFile: file})
  const url = `https://localhost:${port}/hooks`
  expect(await send(options, url)).toMatchObject(failing('certificate'))
  writeFileSync(file, readFileSync(ca))
  expect(await send(options, url)).toMatchObject({status: 200, error: null})
  expect(await send(options, `https://127.0.0.1:${port}/`)).toMatchObject({status: 200, error: null})
  expect(received).toHaveLength(2)
  writeFileSync(file, 'no certificate')
  expect(await send(options, url)).toMatchObject({status: null})
})

test('a link in the place of such a file is not followed', async () => {
  const file = join(ownDirectory(), 'listen-ca.pem')
  symlinkSync(ca, file)
  expect(createTrust(file)()).toBeUndefined()
  rmSync(file)
  writeFileSync(file, readFileSync(ca))
  expect(createTrust(file)()).toBeDefined()
})

test.each(['expired', 'other-host', 'self-signed'])(
  'nothing is sent under a certificate that does not hold: %s',
  async name => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
    const {port, received} = await subscriber(undefined, tlsIdentity(name))
    const posted = await send(posting({caFile: ca}), `https://localhost:${port}`)
    expect(posted).toMatchObject({status: null, error: expect.any(String)})
    expect(received).toHaveLength(0)
  },
)

test('the closing of the sandbox ends an attempt', async () => {
  const {origin, waitFor} = await subscriber(never)
  const closing = new AbortController()
  const posted = send(posting({closing: closing.signal}), origin)
  await waitFor(1)
  closing.abort()
  expect(await posted).toMatchObject({status: null, error: 'the sandbox stopped'})
})

const vetted = async (url: string, address: string, allowHttpLoopback = false) => {
  const resolve = async () => [{address, family: 4}]
  return (await vetAddresses(new URL(url), {resolve, allowHttpLoopback})).map(each => each.address)
}

// These hosts are allowed. Hosts that are refused are in FORMS below.
test.each([
  ['127.0.0.1', '127.0.0.1'],
  ['127.255.255.254', '127.255.255.254'],
  ['[0:0:0:0:0:0:0:1]', '::1'],
  ['8.8.8.8', '8.8.8.8'],
  ['100.63.255.255', '100.63.255.255'],
  ['172.32.0.1', '172.32.0.1'],
  ['[2606:4700:4700::1111]', '2606:4700:4700::1111'],
])('https://%s leads to %s', async (host, address) => {
  expect(await vetted(`https://${host}:8443/?a=1`, '10.0.0.1')).toEqual([address])
})

test('refuses addresses with a zone, and what is not an address', () => {
  for (const text of ['fe80::1%eth0', '::1%lo', '2606:4700::1%1', '', 'localhost', '1.2.3'])
    expect(kindOfAddress(text)).toBe('refused')
})

test('plain http is sent only to loopback addresses, and only if that is allowed', async () => {
  const url = 'http://partner.example/hooks'
  expect(await vetted(url, '127.0.0.1', true)).toEqual(['127.0.0.1'])
  await expect(vetted(url, '127.0.0.1')).rejects.toThrow('not https')
  await expect(vetted(url, '8.8.8.8', true)).rejects.toThrow('plain http')
})

const asked = new Map<string, number>()
const resolve: Resolve = async name => {
  const count = asked.get(name) ?? 0
  asked.set(name, count + 1)
  const lists = NAMES[name]
  if (!lists) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), {code: 'ENOTFOUND'})
  const addresses = lists[Math.min(count, lists.length - 1)] ?? []
  return addresses.map(address => ({address, family: address.includes(':') ? 6 : 4}))
}

/** Every address of this machine except loopback. The test's listener is reachable at each. */
const OWN = Object.values(networkInterfaces())
  .flatMap(list => list ?? [])
  .filter(({internal, scopeid}) => !internal && !scopeid)
  .map(({address}) => (address.includes(':') ? `[${address}]` : address))

/** Allowed addresses of this machine. They show that the listener is reachable, so that the refusals prove something. */
const OPEN = ['127.0.0.1', '127.1', '0x7f000001', '2130706433', '127。0。0。1', '①②⑦.1']

let sandbox: TestSandbox
let client: SandboxClient
let listener: Server
let port: number
let redirect: string | undefined
const arrived: string[] = []
/** All connections that any code requested from the system, recorded through Node's own hooks. */
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
  // Without a host the server listens on every address of this machine, including IPv6 if available.
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

/** Returns what was dialled, except connections of this test to the sandbox itself. */
function dialled(): string[] {
  const own = Number(new URL(sandbox.origin).port)
  return connecting.flatMap(({address, port: to}) => (to === own ? [] : [`${address}`]))
}

interface Sent {
  /** Why the subscription was refused. */
  readonly refused?: string
  /** The error of each attempt; null if it was delivered. */
  readonly errors: (string | null)[]
}

/** Creates a subscription with `url`, or changes an existing one to it, and sends a test event. */
async function sendTest(url: string, attempts = 1): Promise<Sent> {
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

test('the table has at least 160 addresses', () => {
  expect(new Set([...HOSTS, ...WHOLE]).size).toBeGreaterThanOrEqual(160)
})

test.each(OPEN)('http://%s leads to this machine, and is seen to', async host => {
  expect(await sendTest(`http://${host}:${port}/hooks`)).toEqual({errors: [null]})
  expect([dialled(), arrived.length]).toEqual([['127.0.0.1'], 1])
})

test.each([...new Set(FORMS)])('nothing is sent to %j', async form => {
  const {refused, errors} = await sendTest(form.replace('PORT', String(port)))
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
  expect(await sendTest(`http://127.0.0.1:${port}/`)).toEqual({errors: ['a redirect is not followed']})
  expect([dialled(), [...asked]]).toEqual([['127.0.0.1'], []])
})

test('a host name of this machine is connected to', async () => {
  // The listener does not speak TLS, so the attempt fails after dialling. Plain http would be refused, because the URL does not
  // name a loopback address.
  expect((await sendTest(`https://here.example:${port}/`)).errors).toEqual([
    expect.not.stringMatching(/^not sent/),
  ])
  expect([dialled(), arrived, asked.get('here.example')]).toEqual([['127.0.0.1'], [], 1])
})

test('connects to the checked address even if the name resolves to another one by then, and checks it again before the next attempt', async () => {
  const {errors} = await sendTest(`https://rebinding.example:${port}/`, 2)
  expect(errors).toEqual([expect.not.stringMatching(/^not sent/), expect.stringContaining('10.0.0.1')])
  expect([dialled(), asked.get('rebinding.example')]).toEqual([['127.0.0.1'], 2])
})

test('nothing is sent to a subscription whose URL was changed to a private address', async () => {
  const wanted = {url: `http://127.0.0.1:${port}/`, events: ['voucher.ready']}
  const {id} = (await client.call('POST', '/webhooks/subscriptions', wanted)).json.data
  const change = (url: string) => client.call('PATCH', `/webhooks/subscriptions/${id}`, {url})
  expect((await change('http://10.0.0.1/')).status).toBe(400)
  await change('https://10.0.0.1/')
  await client.call('POST', `/webhooks/subscriptions/${id}/test`)
  await sandbox.advance(0)
  expect([dialled(), arrived]).toEqual([[], []])
})
