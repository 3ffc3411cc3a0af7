/** The envelope: paths, methods, bodies, request ids, and who may ask at all. */
import {request as httpRequest} from 'node:http'
import {expect, test} from 'vitest'
import {searchRequest} from '../support/sandbox.js'
import {refusalOf, sandboxForEachTest} from './each-sandbox.js'

const {sandbox, client} = sandboxForEachTest({})

/** As `fetch`, but with any Host and Origin. */
function raw(method: string, path: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const {hostname, port} = new URL(sandbox.origin)
    const request = httpRequest({hostname, port, path, method, headers}, answer => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    })
    request.on('error', reject)
    request.end(method === 'POST' ? '{"advance_seconds":0}' : undefined)
  })
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

test('every answer has a request id, and an error repeats it', async () => {
  const good = await client.call('GET', '/account')
  const bad = await client.call('GET', '/nothing')
  expect(good.headers.get('x-request-id')).toMatch(/^req_/)
  expect(bad.headers.get('x-request-id')).toBe(bad.json.error.request_id)
  expect(bad.headers.get('x-request-id')).not.toBe(good.headers.get('x-request-id'))
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
  // A whole address as the target, as to a proxy, does not hide another Host.
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

test('accepts requests of its own pages', async () => {
  const type = {'content-type': 'application/json'}
  const headers = {origin: sandbox.origin, 'sec-fetch-site': 'same-origin', ...type}
  expect(await raw('POST', '/_sandbox/clock', headers)).toBe(200)
})

test('serves the OpenAPI description and the dashboard', async () => {
  const description = await sandbox.control('GET', '/openapi.json')
  expect(description.json.servers[0].url).toBe(sandbox.baseUrl)
  expect((await sandbox.control('GET', '/')).json).toContain(sandbox.baseUrl)
})
