/** One exchange with raw servers: the answer, or the fault and whether a byte may have been sent. */
import {execFile} from 'node:child_process'
import {subscribe, unsubscribe} from 'node:diagnostics_channel'
import {promisify} from 'node:util'
import {gzipSync} from 'node:zlib'
import {buildConnector, Client} from 'undici'
// The files that connection.ts loads by their paths. A test compares them with what the package exports.
// @ts-expect-error: the file has no types of its own.
import deepConnector from 'undici/lib/core/connect.js'
// @ts-expect-error: the file has no types of its own.
import DeepClient from 'undici/lib/dispatcher/client.js'
import {describe, expect, test} from 'vitest'
import {diagnoseConnecting} from '../../../src/api/http/exchange.js'
import {createTransport, type TransportOptions} from '../../../src/api/http/transport.js'
import type {ExchangeError, ExchangeFault, ExchangeLimits} from '../../../src/api/types.js'
import {trustedCertificates} from '../../../src/cli/session/trust.js'
import {ownWire} from '../../support/own.js'
import {certificateFile, tlsIdentity} from '../../support/tls.js'
import {httpAnswer, type Script} from '../../support/wire.js'

const PHASES = {connectMilliseconds: 5000, headersMilliseconds: 5000, bodyMilliseconds: 5000}
const LIMITS: ExchangeLimits = {...PHASES, totalMilliseconds: 10_000, maxAnswerBytes: 1_000_000}
const CA_FILE = certificateFile('ca')
const CA = await trustedCertificates(CA_FILE, {})

const serve = (script: Script, tls?: ReturnType<typeof tlsIdentity>) => ownWire(() => script, tls)

/** Starts a server that does not speak TLS, or never answers. */
async function withoutTls(connection: 'plain' | 'hang'): Promise<string> {
  const server = await serve('hang')
  server.connection = connection
  return https(server.port)
}

interface Sending extends Partial<ExchangeLimits>, Partial<TransportOptions> {
  headers?: Record<string, string>
}

function send(url: string, {headers = {}, ca, env = {}, insecure = false, ...limits}: Sending = {}) {
  const request = {method: 'POST', url, headers: {'x-test': '1', ...headers}, body: '{"ü":1}'}
  return createTransport({ca, env, insecure})(request, {...LIMITS, ...limits})
}

const faultOf = (...parameters: Parameters<typeof send>): Promise<ExchangeError> =>
  send(...parameters).then(
    answer => expect.fail(`answered ${answer.status}`),
    (error: ExchangeError) => error,
  )

const local = (port: number) => `http://127.0.0.1:${port}/p?q=1#f`
const plain = async (script: Script) => local((await serve(script)).port)
const bytes = (head: string, body = '') => ({bytes: `HTTP/1.1 200 OK\r\n${head}\r\n\r\n${body}`})
const OK: Script = {bytes: httpAnswer(200, '{}')}
const HINTS = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'
const SWITCHING = 'HTTP/1.1 101 X\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'
const ANSWER = 'HTTP/1.1 201 Created\r\ncontent-length: 2\r\n\r\n{}'

describe('an answer', () => {
  test('is returned complete, with lower-case header names and repeated headers joined', async () => {
    const head = 'HTTP/1.1 418 Tea\r\nX-A: 1\r\nx-a: 2\r\ncontent-length: 3\r\n\r\nyes'
    const server = await serve({bytes: head})
    const answer = await send(local(server.port))
    expect(answer).toMatchObject({status: 418, headers: {'x-a': '1, 2'}})
    expect(Buffer.from(answer.body).toString()).toBe('yes')
    const headers = {'accept-encoding': 'identity', 'content-length': '8', connection: 'close'}
    expect(server.requests).toMatchObject([{path: '/p?q=1', body: '{"ü":1}', headers}])
  })

  test('may be chunked', async () => {
    const url = await plain(bytes('transfer-encoding: chunked', '2\r\nab\r\n1\r\nc\r\n0\r\n\r\n'))
    expect(Buffer.from((await send(url)).body).toString()).toBe('abc')
  })
})

test('the deep imports are what undici exports', () => {
  expect(DeepClient).toBe(Client)
  expect(deepConnector).toBe(buildConnector)
})

const https = (port: number) => `https://127.0.0.1:${port}/p`
const secure = async (name: string, more = {}) =>
  https((await serve(OK, {...tlsIdentity(name), ...more})).port)
const TLS_1_1 = {maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers: 'ALL:@SECLEVEL=0'} as const
const LONG = `HTTP/1.1 200 OK\r\n${'x-a: b\r\n'.repeat(20_000)}`
const ZIPPED = httpAnswer(200, gzipSync(Buffer.alloc(500_000)), {'content-encoding': 'gzip'})
const short = {connectMilliseconds: 100, headersMilliseconds: 100, bodyMilliseconds: 100}

type Start = Script | (() => Promise<string>)
type Case = [what: string, sent: boolean, ExchangeFault, reason: RegExp, Start, Sending?]
const stalled: Script = {...bytes('content-length: 5', 'ab'), after: 'hang'}
const long: Script = {...bytes('a: b', 'a'.repeat(2e6)), after: 'hang'}
const tooLong: Script = {...bytes('content-length: 2000000', 'ab'), after: 'hang'}
const proxied = {headers: {'proxy-authorization': 'x'}, env: {HTTPS_PROXY: 'http://127.0.0.1:1'}}

test.each<Case>([
  ['the port is closed', false, 'refused', /^ECONNREFUSED 127\.0\.0\.1:1$/, async () => local(1)],
  ['no such name', false, 'dns', /no-such-host\.invalid/, async () => 'http://no-such-host.invalid/p'],
  ['a bad header', false, 'reset', /before the request/, OK, {headers: {a: 'a\nb'}}],
  ["a header of undici's own", false, 'protocol', /be sent/, async () => 'https://a.test/p', proxied],
  ['no handshake', false, 'connect_timeout', /connecting to 127/, () => withoutTls('hang'), short],
  ['no TLS', false, 'tls', /TLS with/, () => withoutTls('plain')],
  ['TLS 1.1', false, 'tls', /./, () => secure('good', TLS_1_1), {ca: CA}],
  ['self-signed', false, 'tls', /self-signed.*--ca-file.*; subject localhost/, () => secure('self-signed')],
  [
    'an unknown authority',
    false,
    'tls',
    /known.*--ca-file.*subject good, issued by Test/,
    () => secure('good'),
  ],
  ['expired', false, 'tls', /CERT_HAS_EXPIRED.*until 20/, () => secure('expired'), {ca: CA}],
  ['of another host', false, 'tls', /another host name.*; subject /, () => secure('other-host'), {ca: CA}],
  ['a reset', true, 'reset', /ended without/, 'reset'],
  ['no answer', true, 'timeout', /waiting for an answer/, 'hang', short],
  ['hints alone', true, 'timeout', /waiting/, {bytes: HINTS, after: 'hang'}, short],
  ['a body that stalls', true, 'timeout', /reading the answer/, stalled, short],
  ['a total limit', true, 'timeout', /in all/, 'hang', {totalMilliseconds: 200}],
  ['a cut answer', true, 'cut', /./, bytes('content-length: 9', 'ab')],
  ['no HTTP', true, 'protocol', /not HTTP/, {bytes: 'SSH-2.0-OpenSSH\r\n\r\n'}],
  ['two lengths', true, 'protocol', /./, bytes('content-length: 5\r\ncontent-length: 2', 'ok')],
  ['a long body', true, 'too_large', /larger than 1000000/, long],
  ['a long body that says so', true, 'too_large', /larger than 1000000/, tooLong],
  ['endless headers', true, 'too_large', /headers/, {bytes: LONG, after: 'hang'}],
  ['compressed, which is never inflated', true, 'protocol', /./, {bytes: ZIPPED}],
  [
    'another protocol',
    true,
    'reset',
    /ended without an answer \(UND_ERR_SOCKET\)$/,
    {bytes: SWITCHING + ANSWER},
  ],
])('%s: a byte was sent is %s, as undici reports; the fault is %s', async (...given) => {
  const [, sent, fault, reason, start, options] = given
  const url = typeof start === 'function' ? await start() : await plain(start)
  let written = false
  const onHeaders = (message: unknown) => {
    if ((message as {request: {path: string}}).request.path.startsWith('/p')) written = true
  }
  subscribe('undici:client:sendHeaders', onHeaders)
  const error = await faultOf(url, options)
  unsubscribe('undici:client:sendHeaders', onHeaders)
  expect(error).toMatchObject({name: 'ExchangeError', sent, fault, reason: expect.stringMatching(reason)})
  expect(error.isRefusedHere).toBe(fault === 'refused')
  expect(error.reason).not.toContain('q=1')
  expect(written).toBe(sent)
})

test.each([
  [{code: 'ECONNREFUSED', address: '::1', port: 1}, true],
  [{errors: [Object.assign(new Error(), {code: 'ECONNREFUSED', address: '127.0.0.1', port: 1})]}, true],
  [{code: 'ECONNREFUSED'}, true],
  [{code: 'ECONNREFUSED', address: '10.0.0.1', port: 1}, false],
  [{code: 'EHOSTUNREACH', address: '127.0.0.1', port: 1}, false],
])('%j of localhost is refused by a port of this machine: %s', (error, isRefusedHere) => {
  const place = {target: 'localhost:1', proxy: undefined}
  expect(diagnoseConnecting(error, place)).toEqual(['refused', expect.any(String), isRefusedHere])
})

test('an answer cut at any byte is a fault of a request that was sent', async () => {
  const whole = httpAnswer(200, '{"data":{"reservation_ref":"RSV-1"}}', {'content-type': 'application/json'})
  for (const after of ['end', 'reset'] as const) {
    const server = await ownWire((_, n) => ({bytes: whole.subarray(0, n - 1), after}))
    for (let cut = 0; cut < whole.length; cut++) {
      const {sent, fault} = await faultOf(local(server.port))
      expect.soft([cut, sent, ['cut', 'reset'].includes(fault)]).toEqual([cut, true, true])
    }
    expect(server.requests).toHaveLength(whole.length)
  }
})

describe('trust', () => {
  test('--ca-file is enough, also for an address and a host name', async () => {
    const {port} = await serve(OK, tlsIdentity('good'))
    for (const host of ['127.0.0.1', 'localhost'])
      expect((await send(`https://${host}:${port}/x`, {ca: CA})).status).toBe(200)
  })

  test('--ca-file adds to NODE_EXTRA_CA_CERTS', async () => {
    const url = await secure('good')
    const source = (path: string) => JSON.stringify(new URL(`../../../src/${path}`, import.meta.url).href)
    const script = `
      import {createTransport} from ${source('api/http/transport.ts')}
      import {trustedCertificates} from ${source('cli/session/trust.ts')}
      const {env} = process
      const ca = await trustedCertificates(${JSON.stringify(certificateFile('self-signed'))}, env)
      const request = {method: 'GET', url: '${url}', headers: {}}
      console.log((await createTransport({ca, env})(request, ${JSON.stringify(LIMITS)})).status)`
    const parameters = ['--import', 'tsx', '--input-type=module', '-e', script]
    const env = {...process.env, NODE_EXTRA_CA_CERTS: CA_FILE}
    const {stdout} = await promisify(execFile)(process.execPath, parameters, {env})
    expect(stdout.trim()).toBe('200')
  })

  test('--insecure takes any certificate of this machine, and refuses other hosts before connecting', async () => {
    expect((await send(await secure('expired'), {insecure: true})).status).toBe(200)
    const refused = {details: {code: 'insecure_not_loopback'}}
    await expect(send('https://service.test/', {insecure: true})).rejects.toMatchObject(refused)
  })
})

test('close() aborts requests in progress', async () => {
  const server = await serve('hang')
  const transport = createTransport({env: {}})
  const pending = transport({method: 'GET', url: local(server.port), headers: {}}, LIMITS)
  const settled = pending.catch((error: ExchangeError) => error)
  await expect.poll(() => server.requests.length).toBe(1)
  await transport.close()
  expect(await settled).toMatchObject({name: 'ExchangeError', sent: true})
})
