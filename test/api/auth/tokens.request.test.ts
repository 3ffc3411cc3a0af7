/** The OAuth endpoints: the requests, and the meaning of each answer (§4.1, §4.2). */
import {expect, test} from 'vitest'
import {requestToken, revokeToken, tokenClientOf} from '../../../src/api/auth/tokens.js'
import {ExchangeError, SendError, type SendPolicy, type WireRequest} from '../../../src/api/types.js'
import {fakeClock} from '../../support/clocks.js'

const BASE = 'https://service.test/partner-api/v1'
const NOW = 1_800_000_000

/** Creates a service that answers `status` with `body`, or fails with `error`. */
function setUp(status: number, body: unknown, error?: unknown) {
  const sent: {request: WireRequest; policy: SendPolicy}[] = []
  const sender = {
    async send(request: WireRequest, policy: SendPolicy) {
      sent.push({request, policy})
      if (error !== undefined) throw error
      const bytes = Buffer.from(JSON.stringify(body))
      const headers = {'x-request-id': 'req_1'}
      return {url: request.url, status, headers, body: bytes, attempts: 1, mayHaveActed: false}
    },
  }
  const credentials = {clientId: 'cid_1', clientSecret: 'sk_test_1'}
  const parts = {baseUrl: BASE, sender, clock: fakeClock(NOW), timeoutSeconds: 7, credentials}
  const failureOf = (work: Promise<unknown>) => work.then(() => undefined).catch(failure => failure)
  return {
    sent,
    ask: (scopes: readonly string[] = ['b', 'a', 'b', '']) => requestToken(parts, scopes),
    refused: (scopes: readonly string[] = ['b', 'a']) => failureOf(requestToken(parts, scopes)),
    revoke: () => revokeToken(parts, 'token-1'),
    notRevoked: () => failureOf(revokeToken(parts, 'token-1')),
  }
}

const HEADERS = {accept: 'application/json', 'content-type': 'application/json'}
const REPEATED = {repeatable: true, timeoutSeconds: 7}

test('requests a token with credentials and sorted scopes, and may repeat the request', async () => {
  const {ask, sent} = setUp(200, {data: {access_token: 't', expires_in: 60, scope: 'b, a a'}})
  expect(await ask()).toEqual({
    access_token: 't',
    scopes: ['a', 'b'],
    askedScopes: ['a', 'b'],
    obtainedAt: NOW,
    expiresAt: NOW + 60,
  })
  const credentials = {client_id: 'cid_1', client_secret: 'sk_test_1'}
  const body = JSON.stringify({grant_type: 'client_credentials', ...credentials, scope: 'a b'})
  const request = {method: 'POST', url: `${BASE}/oauth/token`, headers: HEADERS, body}
  expect(sent).toEqual([{request, policy: REPEATED}])
})

test('a token is revoked without credentials', async () => {
  const {revoke, sent} = setUp(204, {})
  await revoke()
  const request = {method: 'POST', url: `${BASE}/oauth/revoke`, headers: HEADERS, body: '{"token":"token-1"}'}
  expect(sent).toEqual([{request, policy: REPEATED}])
})

test.each([200, 201, 299])('%i is a success', async status => {
  expect((await setUp(status, {access_token: 't'}).ask()).access_token).toBe('t')
  await setUp(status, {}).revoke()
})

test.each([199, 300, 400, 404, 500])('%i is no success', async status => {
  expect(await setUp(status, {access_token: 't'}).refused()).toBeInstanceOf(Error)
  expect(await setUp(status, {}).notRevoked()).toBeInstanceOf(Error)
})

test('refuses a success without a token, or with one that cannot be in a header', async () => {
  const understood = "the service's answer cannot be understood"
  expect((await setUp(200, {data: {}}).refused()).message).toBe(`${understood}: it holds no access_token`)
  expect((await setUp(200, {access_token: 'a\nb'}).refused()).message).toBe(
    `${understood}: no header may hold its access_token`,
  )
  for (const access_token of ['a\tb', ' ~', 'é\u00ff'])
    expect((await setUp(200, {access_token}).ask()).access_token).toBe(access_token)
  for (const access_token of ['\u0001', 'a\u007f', 'ş'])
    expect(await setUp(200, {access_token}).refused()).toBeInstanceOf(Error)
})

test.each(['Bearer', 'bearer', 'BEARER', ' Bearer ', '', null, undefined])(
  'a token of type %j is a bearer token',
  async token_type => {
    expect((await setUp(200, {data: {access_token: 't', token_type}}).ask()).access_token).toBe('t')
  },
)

test.each<[unknown, string]>([
  ...['mac', 'DPoP', 'N_A', 'Bearer2'].map((type): [string, string] => [type, type]),
  [7, '7'],
  [['Bearer'], '["Bearer"]'],
  ['x\n\u001b[2J', 'x\\n\\u001b[2J'],
  ['sk_test_1', '[redacted]'],
])('a token of type %j cannot be used', async (token_type, shown) => {
  const failure = await setUp(200, {data: {access_token: 't', token_type}}).refused()
  expect(failure).toMatchObject({kind: 'service_failed', details: {code: 'answer_not_understood'}})
  expect(failure.message).toBe(
    `the service's answer cannot be understood: its token_type is ${shown} instead of Bearer`,
  )
})

const error = (code: string) => ({error: {code, message: `because of ${code}`, request_id: 'req_1'}})

test.each([
  [401, 'invalid_client'],
  [400, 'invalid_client'],
  [400, 'unauthorized_client'],
])('%i %s means wrong credentials', async (status, code) => {
  expect(await setUp(status, error(code)).refused()).toMatchObject({
    kind: 'not_allowed',
    message: 'the service does not accept the client id and secret',
    details: {code: 'invalid_client', hint: 'log in again: bookctl login', status, requestId: 'req_1'},
  })
})

test.each([500, 503])('%i with that code is a failure of the service', async status => {
  const failure = await setUp(status, error('invalid_client')).refused()
  expect(failure).toMatchObject({kind: 'service_failed', details: {status}})
})

test('a scope that is not granted is not allowed, as after a 403, and the hint lists those requested', async () => {
  const scope = await setUp(400, error('invalid_scope')).refused()
  expect(scope).toMatchObject({kind: 'not_allowed', details: {code: 'invalid_scope', requestId: 'req_1'}})
  expect(scope.message).toBe('not allowed: because of invalid_scope')
  expect(scope.details.hint).toBe(
    'a scope is missing: the service did not grant this client all of a, b. Only the operator of the service can grant scopes; to use others: bookctl login --scope …',
  )
  const other = await setUp(400, error('invalid_request')).refused()
  expect(other).toMatchObject({kind: 'refused', details: {code: 'invalid_request'}})
  expect(other.details.hint ?? '').not.toContain('scope')
  expect(await setUp(503, error('invalid_scope')).refused()).toMatchObject({kind: 'service_failed'})
})

test('reports no answer as unreachable, since an extra token does no harm', async () => {
  const lost = new SendError(new ExchangeError('reset', true, 'service.test closed the connection'), 4, true)
  for (const failure of [await setUp(0, {}, lost).refused(), await setUp(0, {}, lost).notRevoked()])
    expect(failure).toMatchObject({kind: 'unreachable', details: {code: 'reset'}})
  const defect = new TypeError('made up')
  expect(await setUp(0, {}, defect).refused()).toBe(defect)
})

test('a fingerprint depends on client id and secret, and contains neither', () => {
  const fingerprint = (clientId: string, clientSecret: string) =>
    tokenClientOf(BASE, {clientId, clientSecret}).secretFingerprint
  expect(tokenClientOf(BASE, {clientId: 'cid_1', clientSecret: 'sk_test_1'})).toEqual({
    baseUrl: BASE,
    clientId: 'cid_1',
    clientSecret: 'sk_test_1',
    secretFingerprint: expect.stringMatching(/^[0-9a-f]{16}$/),
  })
  const all = [fingerprint('a', 'b'), fingerprint('a', 'c'), fingerprint('b', 'b'), fingerprint('ab', '')]
  expect(new Set(all).size).toBe(4)
})
