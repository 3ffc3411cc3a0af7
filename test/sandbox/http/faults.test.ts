/** Faults over a real connection: which answers are sent, which are cut, and what was done in spite of the fault. */
import {randomUUID} from 'node:crypto'
import {beforeEach, expect, test} from 'vitest'
import {ConnectionDrop} from '../../../src/sandbox/base/answers.js'
import {type JsonAnswer, reservationRequest, startSandbox} from '../../support/sandbox.js'
import {refusalOf, sandboxForEachTest} from '../each-sandbox.js'

const {sandbox, client} = sandboxForEachTest({})
let body: ReturnType<typeof reservationRequest>

beforeEach(async () => {
  body = reservationRequest((await client.search())[0].offer_id)
})

async function reservations(): Promise<unknown[]> {
  return await client.get('/reservations')
}

interface Seen {
  readonly status?: number
  readonly announced?: number
  readonly bytes: number
  readonly ended: 'dropped' | 'cut' | 'whole'
}

/** Returns what a client sees: the status, the announced and the received number of bytes, and how the answer ended. */
async function exchange(path: string, init: RequestInit = {}): Promise<Seen> {
  const answer = await fetch(sandbox.origin + path, init).catch(() => undefined)
  if (!answer?.body) return {bytes: 0, ended: 'dropped'}
  const seen = {status: answer.status, announced: Number(answer.headers.get('content-length')), bytes: 0}
  try {
    for await (const piece of answer.body) seen.bytes += piece.length
    return {...seen, ended: 'whole'}
  } catch {
    return {...seen, ended: 'cut'}
  }
}

function reserveRaw(key: string, signal: AbortSignal | null = null) {
  const authorization = `Bearer ${client.token}`
  const headers = {authorization, 'idempotency-key': key, 'content-type': 'application/json'}
  const init = {method: 'POST', headers, body: JSON.stringify(body), signal}
  return exchange('/partner-api/v1/reservations/hotel', init)
}

test.each([
  [{status: 429, retry_after: 7}, 'rate_limited', true],
  [{status: 500}, 'internal_error', true],
  [{status: 503}, 'service_unavailable', true],
  [{status: 504}, 'upstream_timeout', true],
  [{status: 401, code: 'token_expired'}, 'token_expired', false],
])('answers with the status of %o as often as asked for', async (order, code, retryable) => {
  await sandbox.fault({operation: 'account.show', kind: 'status', times: 2, ...order})
  const answers: JsonAnswer[] = []
  for (let index = 0; index < 3; index += 1) answers.push(await client.call('GET', '/account'))
  expect(answers.map(answer => answer.status)).toEqual([order.status, order.status, 200])
  expect(answers[0]?.json.error).toMatchObject({code, retryable, request_id: expect.stringMatching(/^req_/)})
  expect(answers[0]?.headers.get('retry-after')).toBe(order.status === 429 ? '7' : null)
})

test('a fault strikes its own operation only', async () => {
  await sandbox.fault({operation: 'hotels.search', kind: 'status', status: 500})
  expect((await client.call('GET', '/account')).status).toBe(200)
})

test('answers with HTML in place of JSON', async () => {
  await sandbox.fault({operation: 'account.show', kind: 'html'})
  const answer = await client.call('GET', '/account')
  expect([answer.status, answer.headers.get('content-type')]).toEqual([502, 'text/html; charset=utf-8'])
})

test('drop-before drops the connection before anything is done', async () => {
  await sandbox.fault({operation: 'reservations.create', kind: 'drop-before'})
  expect(await reserveRaw(randomUUID())).toEqual({bytes: 0, ended: 'dropped'})
  expect(await reservations()).toEqual([])
})

test.each(['commit-then-drop', 'truncate'])('%s: done, and the same key says so', async kind => {
  await sandbox.fault({operation: 'reservations.create', kind})
  const key = randomUUID()
  const lost = await reserveRaw(key)
  expect(lost.ended).toBe(kind === 'truncate' ? 'cut' : 'dropped')
  if (kind === 'truncate') expect(lost.bytes).toBe(Math.floor((lost.announced ?? 0) / 2))
  expect(await reservations()).toHaveLength(1)
  const again = await client.reserve(body, key)
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
  expect(await reservations()).toHaveLength(1)
})

test('commit-then-hang does the work and never answers', async () => {
  await sandbox.fault({operation: 'reservations.create', kind: 'commit-then-hang'})
  const key = randomUUID()
  const giveUp = new AbortController()
  const hanging = reserveRaw(key, giveUp.signal)
  while ((await reservations()).length === 0);
  const again = await client.reserve(body, key)
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
  giveUp.abort()
  expect((await hanging).ended).toBe('dropped')
})

test('a voucher can be cut in the middle', async () => {
  const made = await client.reserve(body)
  const ref = made.json.data.reservation_ref
  const {url} = (await client.get(`/reservations/${ref}/voucher`)).voucher
  await sandbox.fault({operation: 'voucher.download', kind: 'truncate'})
  const cut = await exchange(new URL(url).pathname)
  expect([cut.status, cut.ended, cut.bytes]).toEqual([200, 'cut', Math.floor((cut.announced ?? 0) / 2)])
  expect((await exchange(new URL(url).pathname)).ended).toBe('whole')
})

test('the reference -unknown_success commits, then drops the first request only', async () => {
  body.client_reference_id = 'a-unknown_success'
  const key = randomUUID()
  expect((await reserveRaw(key)).ended).toBe('dropped')
  expect(await reservations()).toHaveLength(1)
  const again = await client.reserve(body, key)
  expect([again.status, again.json.data.status]).toEqual([201, 'CONFIRMED'])
})

test('the reference -unknown_soldout drops the first request and commits nothing', async () => {
  body.client_reference_id = 'a-unknown_soldout'
  const key = randomUUID()
  expect((await reserveRaw(key)).ended).toBe('dropped')
  expect(await refusalOf(client.reserve(body, key))).toBe('410 rooms_unavailable')
  expect(await reservations()).toEqual([])
})

test('without a server, a dropped connection and a cut answer are rejections', async () => {
  const inProcess = await startSandbox({inProcess: true})
  const other = await inProcess.client()
  await inProcess.fault({operation: 'account.show', kind: 'drop-before'})
  await expect(other.call('GET', '/account')).rejects.toThrow(ConnectionDrop)
  await inProcess.fault({operation: 'account.show', kind: 'truncate'})
  await expect(other.call('GET', '/account')).rejects.toThrow(ConnectionDrop)
  await inProcess.close()
})

test('a sandbox that closes ends hanging requests', async () => {
  await sandbox.fault({operation: 'account.show', kind: 'commit-then-hang'})
  await sandbox.fault({operation: 'account.show', kind: 'latency', latency_ms: 600_000})
  const path = '/partner-api/v1/account'
  const headers = {authorization: `Bearer ${client.token}`}
  const hanging = [1, 2].map(() => exchange(path, {headers}))
  const arrived = async () => await sandbox.listed('requests')
  const waiting = async () =>
    (await arrived()).filter((entry: {operation: string}) => entry.operation === 'account.show').length
  while ((await waiting()) < 2);
  await sandbox.close()
  expect((await Promise.all(hanging)).map(({ended}) => ended)).toEqual(['dropped', 'dropped'])
  Object.assign(sandbox, await startSandbox())
})

test.each(['commit-then-drop', 'commit-then-hang'])(
  'a refused request leaves %s to the next that is not',
  async kind => {
    const soldOut = [{...body, client_reference_id: 'x-sold_out'}, randomUUID()] as const
    await client.reserve(...soldOut)
    await sandbox.fault({operation: 'reservations.create', kind})
    expect((await client.reserve({...body, client_nationality: 'XX'})).status).toBe(400)
    expect((await client.reserve(...soldOut)).headers.get('idempotent-replayed')).toBe('true')
    expect((await client.reserve(body, 'not a key')).status).toBe(400)
    const left = await sandbox.listed('faults')
    expect(left).toMatchObject([{kind, left: 1}])
  },
)
