/** Proxies: which requests use a proxy, what is sent to it, and what its failures mean. Connection checks send no request. */
import {readFileSync} from 'node:fs'
import {describe, expect, test} from 'vitest'
import {proxyFor} from '../../../src/api/http/connection.js'
import {inspectTls, tryConnecting} from '../../../src/api/http/inspect.js'
import {createTransport} from '../../../src/api/http/transport.js'
import type {ExchangeError} from '../../../src/api/types.js'
import {trustedCertificates} from '../../../src/cli/session/trust.js'
import {ownProxy, ownWire} from '../../support/own.js'
import {certificateFile, tlsIdentity} from '../../support/tls.js'
import {httpAnswer} from '../../support/wire.js'

const PROXY = 'http://proxy.test:3128'
const chosen = (url: string, env: NodeJS.ProcessEnv) => proxyFor(new URL(url), env)?.origin

describe('the choice of a proxy', () => {
  test.each<[url: string, env: NodeJS.ProcessEnv, expected?: string]>([
    ['https://a.test/', {HTTPS_PROXY: PROXY}, PROXY],
    ['https://a.test/', {https_proxy: PROXY, HTTPS_PROXY: 'http://other.test'}, PROXY],
    ['https://a.test/', {HTTP_PROXY: PROXY}],
    ['http://a.test/', {HTTP_PROXY: PROXY}, PROXY],
    ['http://a.test/', {http_proxy: 'proxy.test:3128'}, PROXY],
    ['https://a.test/', {HTTPS_PROXY: PROXY, no_proxy: 'a.test'}],
    ['https://127.0.0.1/', {HTTPS_PROXY: PROXY}],
    ['http://[::1]/', {HTTP_PROXY: PROXY}],
    ['https://a.test/', {HTTPS_PROXY: ''}],
  ])('%s with %j: %s', (url, env, expected) => {
    expect(chosen(url, env)).toBe(expected)
  })

  const EXEMPT = `a.test=* a.test=b.test,* a.test=A.TEST x.a.test=.a.test x.a.test=*.a.test x.a.test=a.test
    a.test=a.test:443 10.1.2.3=10.0.0.0/8 [fd00::1]=fd00::/8 [fd00::1]=[fd00::1]:443 [fd00::1]=fd00:0::1`
  const PROXIED = 'xa.test=a.test a.test:8443=a.test:443 11.1.2.3=10.0.0.0/8 1.10.0.1=10.0.0.1'
  test('NO_PROXY names hosts, domains, ports, addresses and networks', () => {
    const chosenIn = (text: string) =>
      text.split(/\s+/).map(pair => {
        const [host, NO_PROXY = ''] = pair.split('=')
        return [pair, chosen(`https://${host}/`, {HTTPS_PROXY: PROXY, NO_PROXY})]
      })
    for (const [pair, proxy] of chosenIn(EXEMPT)) expect(proxy, pair).toBeUndefined()
    for (const [pair, proxy] of chosenIn(PROXIED)) expect(proxy, pair).toBe(PROXY)
  })

  test.each(['socks5://p.test', 'http://', 'nonsense://x'])('%s is refused without being quoted', text => {
    const refuse = () => chosen('https://a.test/', {HTTPS_PROXY: text.replace('//', '//user:hunter2@')})
    expect(refuse).toThrow(/HTTPS_PROXY must be/)
    expect(refuse).not.toThrow(/hunter2/)
  })
})

const PHASES = {connectMilliseconds: 5000, headersMilliseconds: 5000, bodyMilliseconds: 5000}
const LIMITS = {...PHASES, totalMilliseconds: 10_000, maxAnswerBytes: 1000}

const ca = await trustedCertificates(certificateFile('ca'), {})

function sendThrough(proxyPort: number, limits = LIMITS) {
  const transport = createTransport({ca, env: {HTTPS_PROXY: `http://user:hunt%40er2@127.0.0.1:${proxyPort}`}})
  const headers = {authorization: 'Bearer tok_1'}
  return transport({method: 'POST', url: 'https://service.test/v1/x?q=1', headers, body: '{"a":1}'}, limits)
}

const fault = (sending: Promise<unknown>) =>
  sending.then(
    () => expect.fail('answered'),
    (error: ExchangeError) => error,
  )

const OK = () => ({bytes: httpAnswer(200, 'ok')})
const startService = (name = 'good') => ownWire(OK, tlsIdentity(name))

describe('through a proxy', () => {
  test('the proxy sees only its own credentials and the host', async () => {
    const service = await startService()
    const proxy = await ownProxy(service.port)
    expect((await sendThrough(proxy.port)).status).toBe(200)
    const [head = ''] = proxy.heads
    expect(head).toMatch(/^CONNECT service\.test:443 HTTP\/1\.1/)
    expect(head).toContain(`Basic ${Buffer.from('user:hunt@er2').toString('base64')}`)
    expect(head).not.toContain('tok_1')
    expect(service.requests[0]?.headers['proxy-authorization']).toBeUndefined()
  })

  test.each([
    [407, 'proxy_refused'],
    [502, 'proxy'],
  ])('a CONNECT answered %i means that nothing was sent', async (status, name) => {
    const proxy = await ownProxy(1, status)
    const error = await fault(sendThrough(proxy.port))
    expect(error).toMatchObject({fault: name, sent: false})
    expect(error.reason).toContain(`proxy http://127.0.0.1:${proxy.port}`)
    expect(error.reason).toContain(String(status))
    expect(error.reason).not.toMatch(/hunt|user:/)
  })

  test.each(['localhost', '127.0.0.1'])(
    'a proxy with a certificate for %s is reached under it',
    async host => {
      const through = async (identity: string, trusted: string[] | undefined) => {
        const proxy = await ownWire(() => ({bytes: httpAnswer(407, '')}), tlsIdentity(identity))
        const transport = createTransport({ca: trusted, env: {HTTPS_PROXY: `https://${host}:${proxy.port}`}})
        const error = await fault(
          transport({method: 'GET', url: 'https://service.test/v1', headers: {}}, LIMITS),
        )
        return [error.fault, error.sent, proxy.requests.map(({path}) => path)]
      }
      expect(await through('good', ca)).toEqual(['proxy_refused', false, ['service.test:443']])
      for (const [identity, trusted] of [
        ['good', undefined],
        ['other-host', ca],
      ] as const)
        expect(await through(identity, trusted)).toEqual(['tls', false, []])
    },
  )

  test('a proxy that cannot be reached is named, and nothing was sent', async () => {
    const reason = 'proxy http://127.0.0.1:1 cannot be reached (ECONNREFUSED)'
    expect(await fault(sendThrough(1))).toMatchObject({fault: 'proxy', sent: false, reason})
  })

  test('a proxy that never answers the CONNECT is named, and nothing was sent', async () => {
    const silent = await ownWire(() => 'hang')
    const error = await fault(sendThrough(silent.port, {...LIMITS, connectMilliseconds: 100}))
    expect(error).toMatchObject({fault: 'connect_timeout', sent: false})
    expect(error.reason).toContain(`through proxy http://127.0.0.1:${silent.port}`)
    await expect.poll(() => silent.requests[0]?.path).toBe('service.test:443')
  })

  test.each(['self-signed', 'expired', 'other-host'])('the certificate behind it counts: %s', async name => {
    const service = await startService(name)
    const proxy = await ownProxy(service.port)
    const error = await fault(sendThrough(proxy.port))
    expect(error).toMatchObject({fault: 'tls', sent: false})
    expect(error.reason).toContain('service.test:443')
    expect(service.requests).toHaveLength(0)
  })
})

test('checking a connection sends no request, even if the certificate is refused', async () => {
  const tls = await startService()
  const http = await ownWire(OK)
  const way = (url: string, ca?: string[]) => ({url: new URL(url), proxy: undefined, ca, milliseconds: 3000})
  await tryConnecting(way(`http://127.0.0.1:${http.port}/v1`))
  const {chain, problem} = await inspectTls(way(`https://127.0.0.1:${tls.port}/v1`))
  expect([chain[0]?.subject, problem]).toEqual([
    'good',
    {advice: expect.stringContaining('--ca-file'), reason: expect.stringContaining('known authority')},
  ])
  const ca = [readFileSync(certificateFile('ca'), 'utf8')]
  expect((await inspectTls(way(`https://127.0.0.1:${tls.port}/v1`, ca))).problem).toBeUndefined()
  await expect.poll(() => [http.connections, tls.connections]).toEqual([1, 2])
  expect([http.requests, tls.requests]).toEqual([[], []])
})

test('the credentials of a proxy are not sent to one whose certificate is refused', async () => {
  const proxy = await ownWire(() => 'hang', tlsIdentity('self-signed'))
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
