/** Tokens: credentials, scopes, expiry, revocation (§4.1, §4.2, §5). */
import {expect, test} from 'vitest'
import type {JsonAnswer} from '../support/sandbox.js'
import {refusalOf, sandboxForEachTest} from './each-sandbox.js'

const {sandbox, client} = sandboxForEachTest()

const CREDENTIALS = {
  grant_type: 'client_credentials',
  client_id: 'cid_sandbox',
  client_secret: 'sk_test_sandbox',
  scope: 'hotels:read',
}

function askToken(change: Record<string, unknown> = {}): Promise<JsonAnswer> {
  return sandbox.control('POST', '/partner-api/v1/oauth/token', {...CREDENTIALS, ...change})
}

test('a token has its type, its lifetime and the granted scopes', async () => {
  const {status, json, headers} = await askToken({scope: 'hotels:read account:read'})
  expect(status).toBe(200)
  expect(json.data).toMatchObject({token_type: 'Bearer', expires_in: 7200, scope: 'hotels:read account:read'})
  expect(headers.get('cache-control')).toBe('no-store')
})

test.each([
  ['wrong secret', {client_secret: 'sk_test_sandbox_poor'}, 401, 'invalid_client'],
  ['unknown scope name', {scope: 'hotels:read hotels:fly'}, 400, 'invalid_scope'],
  ['no scope', {scope: ' '}, 400, 'invalid_scope'],
  ['other grant', {grant_type: 'password'}, 400, 'unsupported_grant_type'],
  ['a missing secret', {client_secret: undefined}, 400, 'validation_failed'],
])('%s is refused', async (_, change, status, code) => {
  const answer = await askToken(change)
  expect(await refusalOf(answer)).toBe(`${status} ${code}`)
  expect(answer.json.error_description).toBe(answer.json.error.message)
})

test('ignores parameters it does not know (RFC 6749 §3.2, RFC 7009 §2.1)', async () => {
  const {json} = await askToken({audience: 'x', resource: ['y']})
  const {access_token: token} = json.data
  const path = '/partner-api/v1/oauth/revoke'
  const revoked = await sandbox.control('POST', path, {token, token_type_hint: 'access_token', more: 1})
  expect([revoked.status, revoked.json]).toEqual([200, {data: {revoked: true}}])
  const used = await client.call('GET', '/hotels/1010001', undefined, {authorization: `Bearer ${token}`})
  expect(await refusalOf(used)).toBe('401 token_invalid')
})

test('grants the requested scopes that the client has, and refuses if it has none of them', async () => {
  const reader = {client_id: 'cid_sandbox_readonly', client_secret: 'sk_test_sandbox_readonly'}
  const granted = await askToken({...reader, scope: 'reservations:read reservations:write'})
  expect(granted.json.data.scope).toBe('reservations:read')
  expect(await refusalOf(askToken({...reader, scope: 'reservations:write'}))).toBe('400 invalid_scope')
})

test('a token expires after 7200 seconds, not before', async () => {
  await sandbox.advance(7199)
  expect((await client.call('GET', '/account')).status).toBe(200)
  await sandbox.advance(1)
  const late = await client.call('GET', '/account')
  expect(await refusalOf(late)).toBe('401 token_expired')
  expect(late.headers.get('www-authenticate')).toMatch(/^Bearer/)
})

test('a revoked token is unknown, and revoking needs no other token', async () => {
  for (const token of [client.token, client.token, 'never issued']) {
    const answer = await sandbox.control('POST', '/partner-api/v1/oauth/revoke', {token})
    expect(answer.status).toBe(200)
  }
  expect(await refusalOf(client.call('GET', '/account'))).toBe('401 token_invalid')
})

test.each([undefined, 'Basic abc', 'Bearer', 'Bearer nonsense'])(
  'Authorization %s is refused with a challenge',
  async authorization => {
    const answer = await client.call('GET', '/account', undefined, {authorization: authorization ?? ''})
    expect(await refusalOf(answer)).toBe('401 token_invalid')
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/)
  },
)

test('an operation needs its own scope', async () => {
  const client = await sandbox.client('', 'hotels:read')
  expect(await refusalOf(client.call('GET', '/account'))).toBe('403 insufficient_scope')
})
