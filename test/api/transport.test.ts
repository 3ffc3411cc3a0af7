/** One exchange against raw servers: what comes back, and whether a byte may have left when nothing does. */
import {execFile} from 'node:child_process'
import {createServer} from 'node:net'
import {promisify} from 'node:util'
import {gzipSync} from 'node:zlib'
import {afterEach, describe, expect, test} from 'vitest'
import {createTransport, type TransportOptions} from '../../src/api/http/transport.js'
import type {ExchangeError, ExchangeLimits} from '../../src/api/types.js'
import {trustedCertificates} from '../../src/cli/session/trust.js'
import {certificateFile, tlsIdentity} from '../support/tls.js'
import {httpAnswer, type Script, startWireServer, type Wire} from '../support/wire.js'

const LIMITS: ExchangeLimits = {
  connectMilliseconds: 5000,
  headersMilliseconds: 5000,
  bodyMilliseconds: 5000,
  totalMilliseconds: 10_000,
  maxAnswerBytes: 1_000_000,
}
const CA_FILE = certificateFile('ca')
const CA = await trustedCertificates(CA_FILE, {})

const servers: Wire[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map(server => server.close()))
})

async function serve(script: Script | ((n: number) => Script), tlsOptions?: ReturnType<typeof tlsIdentity>) {
  const server = await startWireServer(
    (_, n) => (typeof script === 'function' ? script(n) : script),
    tlsOptions,
  )
  servers.push(server)
  return server
}

const send = (
  url: string,
  limits: Partial<ExchangeLimits> = {},
  options: Partial<TransportOptions> = {},
  body?: string,
) =>
  createTransport({env: {}, ...options})(
    {
      method: body === undefined ? 'GET' : 'POST',
      url,
      headers: {'x-test': '1'},
      ...(body === undefined ? {} : {body}),
    },
    {...LIMITS, ...limits},
  )

const fault = async (...parameters: Parameters<typeof send>): Promise<ExchangeError> => {
  const settled = await send(...parameters).then(
    answer => expect.fail(`answered ${answer.status}`),
    (error: ExchangeError) => error,
  )
  expect(settled.name).toBe('ExchangeError')
  return settled
}

describe('an answer', () => {
  test('comes back whole, with lower-case header names and repeated headers joined', async () => {
    const server = await serve({
      bytes: 'HTTP/1.1 418 Tea\r\nX-A: 1\r\nx-a: 2\r\ncontent-length: 3\r\n\r\nyes',
    })
    const answer = await send(`http://127.0.0.1:${server.port}/p?q=1#f`, {}, {}, '{"ü":1}')
    expect(answer.status).toBe(418)
    expect(answer.headers['x-a']).toBe('1, 2')
    expect(Buffer.from(answer.body).toString()).toBe('yes')
    const [record] = server.requests
    expect(record?.path).toBe('/p?q=1')
    expect(record?.body).toBe('{"ü":1}')
    expect(record?.headers).toMatchObject({
      'accept-encoding': 'identity',
      'content-length': '8',
      connection: 'close',
    })
  })

  test('is not followed when it is a redirect', async () => {
    const server = await serve({bytes: httpAnswer(307, '', {location: '/elsewhere'})})
    expect((await send(`http://127.0.0.1:${server.port}/`, {}, {}, '{}')).status).toBe(307)
    expect(server.requests).toHaveLength(1)
  })

  test('may be chunked', async () => {
    const server = await serve({
      bytes: 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n',
    })
    expect(Buffer.from((await send(`http://127.0.0.1:${server.port}/`)).body).toString()).toBe('abc')
  })
})

describe('nothing was sent', () => {
  test('when the port is closed', async () => {
    const server = await serve('hang')
    await server.close()
    const error = await fault(`http://127.0.0.1:${server.port}/secret-path?secret=1`, {}, {}, '{}')
    expect(error).toMatchObject({
      fault: 'refused',
      sent: false,
      reason: `ECONNREFUSED 127.0.0.1:${server.port}`,
    })
  })

  test('when the name does not exist', async () => {
    const error = await fault('http://no-such-host.invalid/v1', {}, {}, '{}')
    expect(error).toMatchObject({fault: 'dns', sent: false})
    expect(error.reason).toContain('no-such-host.invalid')
  })

  test('when the connection does not get through in time', async () => {
    // A TLS server that accepts and says nothing: the socket connects, the handshake never ends.
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    await new Promise(resolve => silent.once('listening', resolve))
    const {port} = silent.address() as {port: number}
    const error = await fault(`https://127.0.0.1:${port}/x`, {connectMilliseconds: 100}, {}, '{}')
    expect(error).toMatchObject({fault: 'connect_timeout', sent: false})
    expect(error.reason).toContain(`connecting to 127.0.0.1:${port}`)
    silent.close()
  })

  test.each([
    ['self-signed', /self-signed.*--ca-file.*; it is of localhost, issued by localhost, until \d{4}-/],
    [
      'good',
      /not signed by a known authority.*--ca-file.*; it is of good, issued by Test Authority, until 2119/,
    ],
  ])('when the certificate is %s and not trusted', async (name, reason) => {
    const server = await serve({bytes: httpAnswer(200, '{}')}, tlsIdentity(name))
    const error = await fault(`https://127.0.0.1:${server.port}/x`, {}, {}, '{}')
    expect(error).toMatchObject({fault: 'tls', sent: false})
    expect(error.reason).toMatch(reason)
    expect(error.reason).toContain(`127.0.0.1:${server.port}`)
    expect(server.requests).toHaveLength(0)
  })

  test.each([
    [
      'expired',
      /has expired \(CERT_HAS_EXPIRED\); it is of expired, issued by Test Authority, until 20\d\d-/,
    ],
    ['other-host', /for another host name.*; it is of .*, issued by Test Authority, until \d{4}-/],
  ])('when the certificate is trusted but %s', async (name, reason) => {
    const server = await serve({bytes: httpAnswer(200, '{}')}, tlsIdentity(name))
    const error = await fault(`https://127.0.0.1:${server.port}/x`, {}, {ca: CA}, '{}')
    expect(error).toMatchObject({fault: 'tls', sent: false})
    expect(error.reason).toMatch(reason)
    expect(server.requests).toHaveLength(0)
  })

  test('when the other side speaks no TLS', async () => {
    const plain = createServer(socket => {
      socket.on('error', () => {}).once('data', () => socket.end('HTTP/1.1 400 Bad\r\n\r\n'))
    }).listen(0, '127.0.0.1')
    await new Promise(resolve => plain.once('listening', resolve))
    const {port} = plain.address() as {port: number}
    expect(await fault(`https://127.0.0.1:${port}/x`)).toMatchObject({fault: 'tls', sent: false})
    plain.close()
  })

  test('when the other side knows TLS 1.1 at most', async () => {
    const old = {
      ...tlsIdentity('good'),
      maxVersion: 'TLSv1.1' as const,
      minVersion: 'TLSv1' as const,
      ciphers: 'ALL:@SECLEVEL=0',
    }
    const server = await serve({bytes: httpAnswer(200, '{}')}, old)
    expect(await fault(`https://127.0.0.1:${server.port}/x`, {}, {ca: CA})).toMatchObject({
      fault: 'tls',
      sent: false,
    })
  })
})

describe('a byte may have left', () => {
  test.each([
    ['reset', 'reset'],
    ['end', 'reset'],
  ] as const)('when the connection is ended by %s after the request', async (script, name) => {
    const server = await serve(script)
    expect(await fault(`http://127.0.0.1:${server.port}/x`, {}, {}, '{}')).toMatchObject({
      fault: name,
      sent: true,
    })
  })

  test('when no answer comes', async () => {
    const server = await serve('hang')
    const error = await fault(`http://127.0.0.1:${server.port}/x`, {headersMilliseconds: 80}, {}, '{}')
    expect(error).toMatchObject({fault: 'timeout', sent: true})
    expect(error.reason).toContain('waiting for an answer')
  })

  test('when the body stalls, and when time is up in all', async () => {
    const server = await serve({bytes: 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nab', after: 'hang'})
    const url = `http://127.0.0.1:${server.port}/x`
    expect(await fault(url, {bodyMilliseconds: 80})).toMatchObject({fault: 'timeout', sent: true})
    expect((await fault(url, {totalMilliseconds: 200})).reason).toContain('in all')
  })

  test('when the answer is cut at any byte', async () => {
    const whole = httpAnswer(200, '{"data":{"reservation_ref":"RSV-1"}}', {
      'content-type': 'application/json',
    })
    for (const after of ['end', 'reset'] as const) {
      const server = await serve(n => ({bytes: whole.subarray(0, n - 1), after}))
      for (let cut = 0; cut < whole.length; cut++) {
        const error = await fault(`http://127.0.0.1:${server.port}/x`, {}, {}, '{}')
        expect
          .soft({cut, sent: error.sent, known: ['cut', 'reset'].includes(error.fault)})
          .toEqual({cut, sent: true, known: true})
      }
      expect(server.requests).toHaveLength(whole.length)
    }
  })

  test('when a chunked answer is cut', async () => {
    const server = await serve({bytes: 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nabcde\r\n'})
    expect(await fault(`http://127.0.0.1:${server.port}/x`)).toMatchObject({fault: 'cut', sent: true})
  })

  test('when the answer is no HTTP', async () => {
    const server = await serve({bytes: 'SSH-2.0-OpenSSH\r\n\r\n'})
    expect(await fault(`http://127.0.0.1:${server.port}/x`)).toMatchObject({fault: 'protocol', sent: true})
  })

  test.each([
    ['two lengths', 'content-length: 5\r\ncontent-length: 2'],
    ['one of less than nothing', 'content-length: -2'],
    ['a length beside chunks', 'content-length: 2\r\ntransfer-encoding: chunked'],
  ])('when the head contradicts itself: %s', async (_, headers) => {
    const server = await serve({bytes: `HTTP/1.1 200 OK\r\n${headers}\r\n\r\nok`})
    expect(await fault(`http://127.0.0.1:${server.port}/x`)).toMatchObject({fault: 'protocol', sent: true})
  })

  test.each([
    [
      'a long body that says so',
      {bytes: 'HTTP/1.1 200 OK\r\ncontent-length: 2000000\r\n\r\nab', after: 'hang'},
    ],
    ['a long body that does not', {bytes: `HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(1_100_000)}`, after: 'hang'}],
    ['endless headers', {bytes: `HTTP/1.1 200 OK\r\n${'x-a: b\r\n'.repeat(20_000)}`, after: 'hang'}],
  ] as [string, Script][])('when the answer is too large: %s', async (_, script) => {
    const server = await serve(script)
    expect(await fault(`http://127.0.0.1:${server.port}/x`)).toMatchObject({fault: 'too_large', sent: true})
  })

  test('when the answer is compressed, which is never inflated', async () => {
    const server = await serve({
      bytes: httpAnswer(200, gzipSync(Buffer.alloc(500_000)), {'content-encoding': 'gzip'}),
    })
    expect(await fault(`http://127.0.0.1:${server.port}/x`)).toMatchObject({fault: 'protocol', sent: true})
  })
})

describe('trust', () => {
  test('--ca-file is enough, also for an address and a host name', async () => {
    const server = await serve({bytes: httpAnswer(200, '{}')}, tlsIdentity('good'))
    for (const host of ['127.0.0.1', 'localhost']) {
      expect((await send(`https://${host}:${server.port}/x`, {}, {ca: CA})).status).toBe(200)
    }
  })

  test('--ca-file adds to NODE_EXTRA_CA_CERTS', async () => {
    const server = await serve({bytes: httpAnswer(200, '{}')}, tlsIdentity('good'))
    const unrelated = certificateFile('self-signed')
    const script = `
      import {createTransport} from ${JSON.stringify(new URL('../../src/api/http/transport.ts', import.meta.url).href)}
      import {trustedCertificates} from ${JSON.stringify(new URL('../../src/cli/session/trust.ts', import.meta.url).href)}
      const {env} = process
      const send = createTransport({ca: await trustedCertificates(${JSON.stringify(unrelated)}, env), env})
      const answer = await send({method: 'GET', url: 'https://127.0.0.1:${server.port}/x', headers: {}}, ${JSON.stringify(LIMITS)})
      console.log(answer.status)`
    const parameters = ['--import', 'tsx', '--input-type=module', '-e', script]
    const env = {...process.env, NODE_EXTRA_CA_CERTS: CA_FILE}
    const {stdout} = await promisify(execFile)(process.execPath, parameters, {env})
    expect(stdout.trim()).toBe('200')
  })

  test('switched-off certificate checks are refused, and change nothing on this machine', async () => {
    const env = {NODE_TLS_REJECT_UNAUTHORIZED: '0'}
    await expect(send('https://service.test/v1', {}, {env})).rejects.toMatchObject({
      kind: 'usage',
      details: {code: 'certificate_check_disabled'},
    })
    const server = await serve({bytes: httpAnswer(200, '{}')}, tlsIdentity('self-signed'))
    expect(await fault(`https://127.0.0.1:${server.port}/x`, {}, {env})).toMatchObject({
      fault: 'tls',
      sent: false,
    })
  })
})

test('close() ends what is under way', async () => {
  const server = await serve('hang')
  const transport = createTransport({env: {}})
  const pending = transport({method: 'GET', url: `http://127.0.0.1:${server.port}/x`, headers: {}}, LIMITS)
  const settled = pending.catch((error: ExchangeError) => error)
  await expect.poll(() => server.requests.length).toBe(1)
  await transport.close()
  expect(await settled).toMatchObject({name: 'ExchangeError', sent: true})
})

describe('--insecure', () => {
  test('takes any certificate of a server on this machine, and refuses other hosts before connecting', async () => {
    const server = await startWireServer(() => ({bytes: httpAnswer(200, 'ok')}), tlsIdentity('expired'))
    const transport = createTransport({env: {}, insecure: true})
    const send = (url: string) =>
      transport(
        {method: 'GET', url, headers: {}},
        {
          connectMilliseconds: 5000,
          headersMilliseconds: 5000,
          bodyMilliseconds: 5000,
          totalMilliseconds: 5000,
          maxAnswerBytes: 1000,
        },
      )
    expect((await send(`https://127.0.0.1:${server.port}/`)).status).toBe(200)
    await expect(send('https://service.test/')).rejects.toMatchObject({
      details: {code: 'insecure_not_loopback'},
    })
    await server.close()
  })
})
