/** The sandbox's own controls: clock, request log and reset. */
import {expect, test} from 'vitest'
import {ADULT, reservationRequest} from '../../support/sandbox.js'
import {refusalOf, sandboxForEachTest} from '../each-sandbox.js'

const {sandbox, client} = sandboxForEachTest()

test('marks the answers of the controls, and no others, with a header', async () => {
  const markOf = async (path: string) =>
    (await sandbox.sandbox.handle(new Request(new URL(path, sandbox.baseUrl)))).headers.get('x-local-sandbox')
  expect([await markOf('/_sandbox/clock'), await markOf('/_sandbox/events')]).toEqual(['bookctl', 'bookctl'])
  expect([await markOf('/'), await markOf('/partner-api/v1/account')]).toEqual([null, null])
})

test('the clock only moves forward', async () => {
  expect((await sandbox.control('GET', '/_sandbox/clock')).json).toEqual({now: '2030-06-01T12:00:00.000Z'})
  const moved = await sandbox.control('POST', '/_sandbox/clock', {advance_seconds: 90})
  expect(moved.json).toEqual({now: '2030-06-01T12:01:30.000Z'})
  for (const advance_seconds of [-1, '60', null]) {
    expect((await sandbox.control('POST', '/_sandbox/clock', {advance_seconds})).status).toBe(400)
  }
})

test('logs what was sent, without secrets and identity numbers', async () => {
  const [offer] = await client.search()
  const body = reservationRequest(offer.offer_id, {payment: {mode: 'instant'}})
  const made = await client.reserve(body, 'the-key-used')
  await sandbox.sandbox.handle(new Request(made.json.data.payment.url))
  await sandbox.control('POST', '/partner-api/v1/oauth/revoke', {token: client.token})
  const log = await sandbox.listed('requests')
  const text = JSON.stringify(log)
  const paymentToken = made.json.data.payment.url.split('/').at(-1)
  for (const secret of ['sk_test_sandbox', client.token, ADULT.identity.number, paymentToken]) {
    expect(text).not.toContain(secret)
  }
  expect(log.map((entry: {operation: string; status: number}) => [entry.operation, entry.status])).toEqual([
    ['token.create', 200],
    ['hotels.search', 200],
    ['reservations.create', 201],
    ['payment.page', 200],
    ['token.revoke', 200],
  ])
  expect(log[2]).toMatchObject({
    method: 'POST',
    path: '/partner-api/v1/reservations/hotel',
    headers: {'idempotency-key': 'the-key-used', authorization: '[redacted]'},
    body: {offer_id: offer.offer_id, guests: [{name: 'Ayşe'}, {}]},
  })
})

test('logs the filters of lists in a query and no other value', async () => {
  const secrets = 'client_secret=sk_test_sandbox&token=tok-1&sk_live_bare'
  await sandbox.control('POST', `/partner-api/v1/oauth/token?${secrets}`, {})
  await client.call('GET', '/reservations?status=CONFIRMED&limit=2&access_token=tok-2')
  const log = await sandbox.listed('requests')
  expect(log.slice(-2).map(({path}: {path: string}) => path)).toEqual([
    '/partner-api/v1/oauth/token?client_secret=[redacted]&token=[redacted]&[redacted]',
    '/partner-api/v1/reservations?status=CONFIRMED&limit=2&access_token=[redacted]',
  ])
})

test('logs a request to a path that it does not serve, and none for its own pages', async () => {
  await sandbox.control('GET', '/v1/account')
  await sandbox.control('GET', '/ui/events')
  const log = await sandbox.listed('requests')
  expect(log.at(-1)).toMatchObject({path: '/v1/account', operation: null, status: 404})
})

test('keeps the last 200 requests in the log', async () => {
  for (let index = 0; index < 205; index += 1) await client.call('GET', `/hotels/${index}`)
  const log = await sandbox.listed('requests')
  expect(log).toHaveLength(200)
  expect(log.at(-1).path).toBe('/partner-api/v1/hotels/204')
})

test('logs no body over 16 KiB, only that it was longer', async () => {
  const sent = ['x'.repeat(16 * 1024 - 2), 'x'.repeat(16 * 1024 - 1)]
  for (const body of sent) await client.call('POST', '/hotels/search', JSON.stringify(body))
  const log = await sandbox.listed('requests')
  const kept = log.slice(-2).map(({body}: {body: unknown}) => body)
  expect(kept).toEqual([sent[0], '[longer than 16384 bytes]'])
})

test('a reset deletes everything but the start-up clients', async () => {
  const [offer] = await client.search()
  await client.convert(offer)
  await sandbox.advance(3600)
  await sandbox.fault({operation: '*', kind: 'status', status: 500, times: 5})
  expect((await sandbox.control('POST', '/_sandbox/reset')).status).toBe(200)
  expect((await client.call('GET', '/account')).json.error.code).toBe('token_invalid')
  const fresh = await sandbox.client()
  expect((await fresh.get('/account')).balance).toBe('100000.00')
  expect(await fresh.get('/reservations')).toEqual([])
  expect(await sandbox.listed('events')).toEqual([])
  expect((await sandbox.control('GET', '/_sandbox/clock')).json.now).toBe('2030-06-01T12:00:00.000Z')
})

test('refuses unknown controls and invalid faults', async () => {
  expect((await sandbox.control('GET', '/_sandbox/nothing')).status).toBe(404)
  expect((await sandbox.control('POST', '/_sandbox/events')).status).toBe(405)
  for (const order of [
    {operation: 'hotels.fly', kind: 'html'},
    {operation: '*', kind: 'earthquake'},
    {operation: '*', kind: 'status'},
    {operation: '*', kind: 'latency'},
    {operation: '*', kind: 'html', times: 0},
  ]) {
    expect(await refusalOf(sandbox.control('POST', '/_sandbox/faults', order))).toBe('400 validation_failed')
  }
})
