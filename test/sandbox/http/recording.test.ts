/** What is kept of requests to judge by: facts and hashes, the latest ones, and no secrets. */
import {once} from 'node:events'
import {copyFileSync, readFileSync} from 'node:fs'
import {Agent, get, type RequestOptions} from 'node:http'
import {join} from 'node:path'
import type {Readable} from 'node:stream'
import {expect, onTestFinished, test} from 'vitest'
import {KEPT_EVIDENCE, type SeenRequest} from '../../../src/sandbox/certify/evidence.js'
import {addRequests, findRequest} from '../../../src/sandbox/store/evidence.js'
import {MIGRATIONS} from '../../../src/sandbox/store/schema.js'
import {openDatabase} from '../../../src/storage/database.js'
import {closing, ownDirectory} from '../../support/own.js'
import {startSandbox, type TestSandbox, type TestSandboxOptions} from '../../support/sandbox.js'
import {startSubscriber} from '../../support/subscriber.js'
import {waitUntil} from '../../support/wait.js'

const MAIN = 'cid_sandbox'

/** Runs `work` with a sandbox on a file, closes it, and returns what was seen of the main client. */
async function seenDuring(
  work: (sandbox: TestSandbox) => Promise<unknown>,
  options: TestSandboxOptions = {},
) {
  const path = join(ownDirectory(), 'sandbox.db')
  const sandbox = await startSandbox({database: path, databaseOwner: 'users', ...options})
  try {
    await work(sandbox)
    return {...sandbox.sandbox.evidence(MAIN, 0), path}
  } finally {
    await sandbox.close()
  }
}

const shortOf = ({operation, status, ending, code}: SeenRequest) =>
  [operation, status, ending, code].filter(each => each !== null).join(' ')

test('keeps operation, answer, and what a booking was made of', async () => {
  const {requests} = await seenDuring(async sandbox => {
    const client = await sandbox.client()
    const {reservation_ref, client_reference_id} = await client.book()
    await client.get(`/reservations?client_reference_id=${client_reference_id}`)
    await client.get('/reservations?client_reference_id=none')
    await client.call('GET', '/reservations/RSV-none')
    const {voucher} = await client.get(`/reservations/${reservation_ref}/voucher`)
    await fetch(voucher.url, {headers: {authorization: `Bearer ${client.token}`}})
  })
  expect(requests.map(shortOf)).toEqual([
    'token.create 200 answered',
    'hotels.search 200 answered',
    'reservations.create 201 answered',
    'reservations.list 200 answered',
    'reservations.list 200 answered',
    'reservations.show 404 answered reservation_not_found',
    'voucher.show 200 answered',
    'voucher.download 200 answered',
  ])
  const [token, search, made, found, none, , , link] = requests
  expect(token?.facts.askedScopes).toContain('account:read')
  expect(search?.token).toBe(token?.facts.issued)
  expect(made?.facts).toMatchObject({
    key: expect.any(String),
    keyIsUuid: true,
    reservation: expect.stringMatching(/^RSV-/),
  })
  expect(found?.facts).toEqual({isEmpty: false, reference: made?.facts.reference})
  expect(none?.facts.isEmpty).toBe(true)
  expect(link?.facts).toMatchObject({isAuthorized: true, reservation: made?.facts.reservation})
  expect(link?.facts.expiresAt).toBe((link?.at ?? 0) + 3600)
})

test('tells connections apart, and when each was opened', async () => {
  const agent = new Agent({keepAlive: true, maxSockets: 1})
  onTestFinished(() => agent.destroy())
  const {requests} = await seenDuring(async ({baseUrl, client}) => {
    const {token} = await client()
    const headers = {authorization: `Bearer ${token}`}
    const show = async (options: RequestOptions) => {
      const [answer] = (await once(get(`${baseUrl}/account`, {headers, ...options}), 'response')) as [
        Readable,
      ]
      await answer.resume().toArray()
    }
    await show({agent})
    await show({agent})
    await show({agent: false})
  })
  const [, first, second, third] = requests
  const opened = first?.connection ?? 0
  expect([first?.connected, second?.connection, second?.connected]).toEqual([opened, opened, second?.begun])
  expect(first?.begun).toBeGreaterThanOrEqual(opened)
  expect(third?.connection).toBeGreaterThan(second?.ended ?? Number.POSITIVE_INFINITY)
  expect(third?.connected).toBe(third?.connection)
})

test('a request in process has no connection', async () => {
  const {requests} = await seenDuring(({client}) => client(), {inProcess: true})
  expect(requests).toMatchObject([{connection: null, connected: requests[0]?.begun}])
})

test('the same body has the same hash in another order of its fields', async () => {
  const {requests} = await seenDuring(async sandbox => {
    const client = await sandbox.client()
    await client.reserve({offer_id: 'off_1', client_reference_id: 'a'})
    await client.reserve({client_reference_id: 'a', offer_id: 'off_1'})
    await client.reserve({client_reference_id: 'b', offer_id: 'off_1'})
  })
  const [first, second, third] = requests.slice(1).map(({content}) => content)
  expect(second).toBe(first)
  expect(third).not.toBe(first)
})

test('distinguishes answers from those that were cut, injected, or not awaited by the client', async () => {
  const {requests} = await seenDuring(async sandbox => {
    const client = await sandbox.client()
    const fault = (kind: string, more: object = {}) =>
      sandbox.fault({operation: 'account.show', kind, ...more})
    await fault('status', {status: 429, retry_after: 2})
    await client.call('GET', '/account')
    for (const kind of ['drop-before', 'truncate']) {
      await fault(kind)
      await client.call('GET', '/account').catch(() => {})
    }
    await fault('latency', {latency_ms: 60_000})
    const headers = {authorization: `Bearer ${client.token}`}
    const signal = AbortSignal.timeout(100)
    await fetch(`${sandbox.baseUrl}/account`, {headers, signal}).catch(() => {})
    // The server notices a little later, long before it would answer.
    const last = () => sandbox.sandbox.evidence(MAIN, 0).requests.at(-1)
    await waitUntil(() => last()?.ending === 'gone', 'the end of the connection')
  })
  const [limited, dropped, truncated, left] = requests.slice(1)
  expect(limited).toMatchObject({
    status: 429,
    ending: 'answered',
    fault: 'status',
    code: 'rate_limited',
    retryAfter: 2,
  })
  expect(dropped).toMatchObject({status: null, ending: 'cut', fault: 'drop-before'})
  expect(truncated).toMatchObject({status: null, ending: 'cut', fault: 'truncate'})
  expect(left).toMatchObject({status: null, ending: 'gone', fault: 'latency'})
  expect((left?.ended ?? 0) - (left?.begun ?? 0)).toBeLessThan(5000)
})

test('a request with an expired token belongs to the client that the token was issued to', async () => {
  const {requests} = await seenDuring(async sandbox => {
    const client = await sandbox.client()
    await sandbox.advance(7201)
    await client.call('GET', '/account')
    await (await sandbox.client('_poor')).call('GET', '/account')
  })
  expect(requests.map(shortOf)).toEqual([
    'token.create 200 answered',
    'account.show 401 answered token_expired',
  ])
  expect(requests.map(({moved}) => moved)).toEqual([0, 7201])
})

test('records misplaced secrets with the client they belong to', async () => {
  const {requests, path} = await seenDuring(async sandbox => {
    const client = await sandbox.client()
    const send = (path: string, init: RequestInit = {}) => fetch(sandbox.baseUrl + path, init)
    const basic = Buffer.from('cid_sandbox:sk_test_sandbox').toString('base64')
    await send('/oauth/token', {method: 'POST', headers: {authorization: `Basic ${basic}`}})
    await send('/account?client_secret=sk_test_sandbox')
    await client.call('POST', '/hotels/search', {remark: 'sk_test_sandbox'})
    await send(`/account?access_token=${client.token}`)
    // Of another client, and of none.
    await client.call('POST', '/hotels/search', {remark: 'sk_test_unknown'})
    await send('/account?client_secret=sk_test_sandbox_poor')
  })
  expect(requests.slice(1).map(({facts}) => facts.misplaced)).toEqual([
    'secret in header',
    'secret in url',
    'secret in body',
    'token in url',
    undefined,
  ])
  expect(readFileSync(path, 'latin1')).not.toMatch(/sk_test_sandbox|at_[\w-]{20}/)
})

test('keeps what a subscriber answered, and whether it was reached', async () => {
  const {attempts} = await seenDuring(
    async sandbox => {
      const client = await sandbox.client()
      const {origin} = closing(await startSubscriber(answer => answer.writeHead(503).end()))
      for (const url of [`${origin}/hooks`, 'http://127.0.0.1:1/hooks']) {
        const body = {url, events: ['payment.failed']}
        const {id} = (await client.call('POST', '/webhooks/subscriptions', body)).json.data
        await client.call('POST', `/webhooks/subscriptions/${id}/test`)
      }
      await sandbox.advance(1)
      await sandbox.control('POST', '/_sandbox/drills', {client_id: MAIN, drills: ['old-event']})
    },
    {allowHttpLoopback: true},
  )
  const reached = {isAccepted: false, isSent: true}
  const missed = {status: null, isAccepted: false, isSent: false}
  expect(attempts.slice(0, 2)).toMatchObject([
    {...reached, status: 503, isLast: false, forgery: null},
    {...missed, isLast: false},
  ])
  // An event of a drill is sent once.
  expect(attempts.slice(2)).toHaveLength(4)
  expect(attempts.slice(2).every(({isLast}) => isLast)).toBe(true)
})

test('keeps the latest, also through a restart, until a reset', async () => {
  const database = openDatabase(':memory:', {migrations: MIGRATIONS, hasLog: true})
  onTestFinished(() => database.close())
  const {requests} = await seenDuring(sandbox => sandbox.client())
  const [seen] = requests as [SeenRequest]
  const add = (sequence: number) => {
    const numbered = {...seen, sequence, requestId: `req_${sequence}`}
    addRequests(database, [{seen: numbered, method: 'GET', path: '/a'}])
  }
  add(1)
  add(2)
  add(KEPT_EVIDENCE + 1)
  expect(findRequest(database, 'req_1')).toBeUndefined()
  expect(findRequest(database, 'req_2')).toMatchObject({seen: {sequence: 2}, path: '/a'})

  const path = join(ownDirectory(), 'sandbox.db')
  const start = (database: string) => startSandbox({database, databaseOwner: 'users', inProcess: true})
  const first = await start(path)
  await first.client()
  const {request_id} = (await first.listed('requests'))[0]
  await first.close()
  expect(readFileSync(path, 'latin1')).toContain(request_id)
  // In the same process, the file of a closed database stays locked for a while.
  copyFileSync(path, `${path}.copy`)
  const second = await start(`${path}.copy`)
  const show = async () => (await second.control('GET', `/_sandbox/requests/${request_id}`)).json
  const kept = {operation: 'token.create', status: 200, path: '/partner-api/v1/oauth/token', body: null}
  expect((await show()).data).toMatchObject(kept)
  await second.control('POST', '/_sandbox/reset', {})
  expect((await show()).error.code).toBe('not_found')
  await second.close()
})
