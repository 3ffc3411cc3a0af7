/** What is relied on of undici: the one path inside the package, and when a request counts as sent. */
import {subscribe, unsubscribe} from 'node:diagnostics_channel'
import {readFileSync} from 'node:fs'
import {createServer, type Server} from 'node:net'
import {Client} from 'undici'
// @ts-expect-error: the file has no types of its own.
import DeepClient from 'undici/lib/dispatcher/client.js'
import {afterEach, expect, test} from 'vitest'
import {inspectTls, tryConnecting} from '../../src/api/http/inspect.js'
import {createTransport} from '../../src/api/http/transport.js'
import type {ExchangeError} from '../../src/api/types.js'
import {certificateFile, tlsIdentity} from '../support/tls.js'
import {httpAnswer, type Script, startWireServer, type Wire} from '../support/wire.js'

const LIMITS = {
  ...{connectMilliseconds: 300, headersMilliseconds: 300, bodyMilliseconds: 300},
  ...{totalMilliseconds: 2000, maxAnswerBytes: 1000},
}

const open: (Server | Wire)[] = []
afterEach(() => Promise.all(open.splice(0).map(server => server.close())))

async function serve(script: Script, identity?: string): Promise<Wire> {
  const server = await startWireServer(
    () => script,
    identity === undefined ? undefined : tlsIdentity(identity),
  )
  open.push(server)
  return server
}

/** A server that takes connections and says nothing, not even of TLS; or `says` to what it first receives. */
async function serveTcp(says?: string): Promise<number> {
  const server = createServer(socket => {
    socket.on('error', () => {}).on('data', () => says !== undefined && socket.end(says))
  }).listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  open.push(server)
  return (server.address() as {port: number}).port
}

test('the class imported by its path is the one the package exports', () => {
  expect(DeepClient).toBe(Client)
})

const OK: Script = {bytes: httpAnswer(200, 'ok')}
const plain = async (script: Script) => `http://127.0.0.1:${(await serve(script)).port}/x`

test.each<[string, boolean, () => Promise<[url: string, env?: NodeJS.ProcessEnv]>]>([
  ['answered', true, async () => [await plain(OK)]],
  ['reset', true, async () => [await plain('reset')]],
  ['ended', true, async () => [await plain('end')]],
  ['never answered', true, async () => [await plain('hang')]],
  ['cut', true, async () => [await plain({bytes: 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nab'})]],
  ['answered with 100 Continue', true, async () => [await plain({bytes: 'HTTP/1.1 100 Continue\r\n\r\n'})]],
  ['refused by the port', false, async () => ['http://127.0.0.1:1/x']],
  ['to an unknown name', false, async () => ['http://no-such-host.invalid/x']],
  ['with a header no request may carry', false, async () => [await plain(OK), {HEADER: 'a\nb'}]],
  ['without a TLS handshake', false, async () => [`https://127.0.0.1:${await serveTcp()}/x`]],
  [
    'to a server without TLS',
    false,
    async () => [`https://127.0.0.1:${await serveTcp('HTTP/1.1 400 Bad\r\n\r\n')}/x`],
  ],
  [
    'to an untrusted certificate',
    false,
    async () => [`https://127.0.0.1:${(await serve(OK, 'self-signed')).port}/x`],
  ],
  [
    'refused by a proxy',
    false,
    async () => [
      'https://service.test/x',
      {HTTPS_PROXY: `http://127.0.0.1:${await serveTcp('HTTP/1.1 403 No\r\n\r\n')}`},
    ],
  ],
])('a request %s: `sent` is %s, as undici says on its diagnostics channel', async (_, expected, at) => {
  const [url, env = {}] = await at()
  const {pathname} = new URL(url)
  let written = false
  const onHeaders = (message: unknown) => {
    if ((message as {request: {path: string}}).request.path === pathname) written = true
  }
  subscribe('undici:client:sendHeaders', onHeaders)
  const headers: Record<string, string> = env.HEADER === undefined ? {} : {'x-test': env.HEADER}
  const sent = await createTransport({env})({method: 'POST', url, headers, body: '{}'}, LIMITS).then(
    () => true,
    (error: ExchangeError) => error.sent,
  )
  unsubscribe('undici:client:sendHeaders', onHeaders)
  expect({sent, written}).toEqual({sent: expected, written: expected})
})

test('a look at the connection sends nothing, also to a server whose certificate is refused', async () => {
  const tls = await serve(OK, 'good')
  const http = await serve(OK)
  const way = (url: string, ca?: string[]) => ({url: new URL(url), proxy: undefined, ca, milliseconds: 3000})
  await tryConnecting(way(`http://127.0.0.1:${http.port}/v1`))
  const {chain, problem} = await inspectTls(way(`https://127.0.0.1:${tls.port}/v1`))
  expect([chain[0]?.subject, problem]).toEqual([
    'good',
    {kind: 'unknown_authority', reason: expect.stringContaining('known authority')},
  ])
  const ca = [readFileSync(certificateFile('ca'), 'utf8')]
  expect((await inspectTls(way(`https://127.0.0.1:${tls.port}/v1`, ca))).problem).toBeUndefined()
  await expect.poll(() => [http.connections, tls.connections]).toEqual([1, 2])
  expect([http.requests, tls.requests]).toEqual([[], []])
})

test('a look sends the credentials of a proxy to no proxy whose certificate is refused', async () => {
  const proxy = await serve('hang', 'self-signed')
  const origin = `https://localhost:${proxy.port}`
  const way = {
    url: new URL('https://service.test/v1'),
    proxy: {origin, authorization: 'Basic eDp5'},
    ca: undefined,
    milliseconds: 3000,
  }
  await expect(inspectTls(way)).rejects.toMatchObject({fault: 'tls', sent: false})
  expect(proxy.requests).toEqual([])
})
