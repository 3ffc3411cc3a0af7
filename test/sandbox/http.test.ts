/**
 * HTTP rules of the sandbox: paths, methods, bodies, request ids, and checks of host and origin. Invalid requests are also
 * answered with JSON, and a slow sender cannot hold a connection open.
 */

import {expect, test} from 'vitest'
import {parse, searchRequest} from '../support/sandbox.js'
import {exchangeRaw} from '../support/webhook-load.js'
import {refusalOf, sandboxForEachTest} from './each-sandbox.js'

const {sandbox, client} = sandboxForEachTest({})

interface RawAnswer {
  readonly status: number
  readonly headers: Record<string, string>
  // biome-ignore lint/suspicious/noExplicitAny: as any JSON document is
  readonly json: any
}

/** Sends `text`, in which HOST stands for the sandbox's host, and returns all answers until the sandbox closes the connection. */
async function exchange(text: string): Promise<RawAnswer[]> {
  const {port, host} = new URL(sandbox.origin)
  const answered = await exchangeRaw(Number(port), text.replaceAll('HOST', host))
  return answered.split(/(?=HTTP\/1\.1 \d)/).map(each => {
    const [head = '', body = ''] = each.split('\r\n\r\n')
    const [first = '', ...lines] = head.split('\r\n')
    const headers = lines.map(line => line.toLowerCase().split(': '))
    return {status: Number(first.split(' ')[1]), headers: Object.fromEntries(headers), json: parse(body)}
  })
}

const TOKEN = '/partner-api/v1/oauth/token'
const head = (line: string, ...headers: string[]) => [`${line} HTTP/1.1`, ...headers, '', ''].join('\r\n')

/** Returns the status of a request with the given Host and Origin. */
async function raw(method: string, path: string, headers: Record<string, string>): Promise<number> {
  const body = method === 'POST' ? '{"advance_seconds":0}' : ''
  const all = {host: 'HOST', connection: 'close', 'content-length': String(body.length), ...headers}
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return (await exchange(head(`${method} ${path}`, ...lines) + body))[0]?.status ?? 0
}

test.each([
  ['GET', '/nothing'],
  ['GET', '/reservations/RSV-1/more'],
  ['POST', '/account/'],
])('%s %s is not found, in JSON', async (method, path) => {
  expect(await refusalOf(client.call(method, path))).toBe('404 not_found')
})

test.each([
  ['GET', '/hotels/search', 'POST'],
  ['DELETE', '/account', 'GET, HEAD'],
  ['GET', '/reservations/hotel', 'POST'],
  ['PUT', '/reservations/RSV-1', 'GET, HEAD, PATCH'],
  ['GET', '/oauth/token', 'POST'],
])('%s %s is a wrong method', async (method, path, allow) => {
  const answer = await client.call(method, path)
  expect(await refusalOf(answer)).toBe('405 method_not_allowed')
  expect(answer.headers.get('allow')).toBe(allow)
})

test.each([
  ['broken JSON', '{"a":', 'application/json'],
  ['another type', JSON.stringify(searchRequest()), 'text/plain'],
  ['no body', '', 'application/json'],
])('%s is refused as an invalid request', async (_, body, type) => {
  expect(await refusalOf(client.call('POST', '/hotels/search', body, {'content-type': type}))).toBe(
    '400 invalid_request',
  )
})

test.each([
  ['/reservations/hotel', 4000],
  ['/reservations/hotel', 100_000],
  ['/hotels/search', 300],
  ['/oauth/token', 300],
])('%s refuses a body nested %d deep, and the log can still be read', async (path, depth) => {
  const body = `${'{"a":['.repeat(depth / 2)}${']}'.repeat(depth / 2)}`
  expect(await refusalOf(client.call('POST', path, body, {'idempotency-key': 'deep'}))).toBe(
    '400 invalid_request',
  )
  expect((await sandbox.control('POST', '/_sandbox/clock', body)).status).toBe(400)
  expect((await sandbox.control('GET', '/_sandbox/requests')).status).toBe(200)
  expect((await sandbox.control('GET', '/ui/requests')).status).toBe(200)
})

test('a body over a mebibyte is too large', async () => {
  expect(
    await refusalOf(client.call('POST', '/hotels/search', JSON.stringify('x'.repeat(1024 * 1024)))),
  ).toBe('413 payload_too_large')
})

test('refuses another host name everywhere', async () => {
  const {port} = new URL(sandbox.origin)
  for (const path of ['/', '/partner-api/v1/account', '/_sandbox/clock', '/pay/x', '/vouchers/x']) {
    for (const host of [`evil.example:${port}`, '127.0.0.1', '127.0.0.1:1']) {
      expect([path, host, await raw('GET', path, {host})]).toEqual([path, host, 403])
    }
  }
  // A request target with a whole URL, as for a proxy, does not bypass the check of the Host header.
  const whole = `${sandbox.origin}/_sandbox/clock`
  expect(await raw('GET', whole, {host: 'evil.example'})).toBe(403)
  expect(await raw('GET', 'http://evil.example/_sandbox/clock', {host: `127.0.0.1:${port}`})).toBe(403)
  expect(await raw('GET', '/_sandbox/clock', {host: `127.0.0.1:${port}`})).toBe(200)
})

test.each([
  {origin: 'https://evil.example'},
  {origin: 'null'},
  {origin: 'http://127.0.0.1:1'},
  {'sec-fetch-site': 'cross-site'},
  {'sec-fetch-site': 'same-site'},
])('refuses pages of another origin: %o', async headers => {
  expect(await raw('GET', '/_sandbox/clock', headers)).toBe(403)
  expect(await raw('POST', '/_sandbox/clock', {...headers, 'content-type': 'application/json'})).toBe(403)
  expect(await raw('POST', '/partner-api/v1/oauth/token', headers)).toBe(403)
  expect(await raw('POST', '/pay/any', headers)).toBe(403)
})

test('serves the OpenAPI description', async () => {
  const description = await sandbox.control('GET', '/openapi.json')
  expect(description.json.servers[0].url).toBe(sandbox.baseUrl)
})

test.each([
  ['a header that is none', head('GET /', 'Host: HOST', 'Bad header'), 400, 'invalid_request'],
  ['a head of 20 KB', head('GET /', 'Host: HOST', `X: ${'x'.repeat(20_000)}`), 431, 'head_too_large'],
  ['an unknown expectation', head(`POST ${TOKEN}`, 'Host: HOST', 'Expect: x'), 417, 'expectation_failed'],
  ['OPTIONS *', head('OPTIONS *', 'Host: HOST'), 400, 'invalid_request'],
  ['CONNECT', head('CONNECT a:1', 'Host: HOST'), 400, 'invalid_request'],
  ['no Host', head('GET /'), 400, 'invalid_request'],
  ['a Host that is none', head('GET /', 'Host: a b'), 400, 'invalid_request'],
  ['an unknown method', head('FROB /', 'Host: HOST'), 400, 'invalid_request'],
  ['the beginning of TLS', '\x16\x03\x01\x02\x00\x01\x00', 400, 'invalid_request'],
  [
    'a chunk that is none',
    `${head(`POST ${TOKEN}`, 'Host: HOST', 'Transfer-Encoding: chunked')}zz\r\n`,
    400,
    'invalid_request',
  ],
])('%s is refused in JSON with a request id', async (_, text, status, code) => {
  const [{headers, json, ...answer}] = (await exchange(text)) as [RawAnswer]
  expect([answer.status, json.error.code]).toEqual([status, code])
  expect(headers).toMatchObject({'content-type': 'application/json', connection: 'close'})
  expect(headers['x-request-id']).toBe(json.error.request_id.toLowerCase())
})

test('a whole address is a target like its path (RFC 9112 §3.2.2), whatever the case of its scheme', async () => {
  for (const scheme of ['http', 'HTTP']) {
    const text = head(`GET ${scheme}://HOST/_sandbox/clock`, 'Host: HOST', 'Connection: close')
    const [{status, json}] = (await exchange(text)) as [RawAnswer]
    expect([status, json]).toEqual([200, {now: '2030-06-01T12:00:00.000Z'}])
  }
})

test('gives up on a head or a body that does not arrive completely', async () => {
  const slow = head(`POST ${TOKEN}`, 'Host: HOST', 'Content-Length: 100')
  const started = performance.now()
  const given = await Promise.all([slow.slice(0, -2), `${slow}{"grant_type":`].map(exchange))
  for (const [answer] of given)
    expect([answer?.status, answer?.json.error.code]).toEqual([408, 'request_timeout'])
  expect(performance.now() - started).toBeGreaterThan(3900)
  expect((await sandbox.control('GET', '/_sandbox/clock')).status).toBe(200)
})

test('refuses bytes after an answered request that are no request', async () => {
  const good = head('GET /_sandbox/clock', 'Host: HOST')
  expect((await exchange(`${good}\x00`)).map(({status}) => status)).toEqual([200, 400])
})
