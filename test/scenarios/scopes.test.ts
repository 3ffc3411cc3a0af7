/** A client or a token without a scope: which is missing, whether it was granted, and who can grant it. */
import {describe, expect, test} from 'vitest'
import {ownHome} from '../support/own.js'
import {sandboxOfFile} from '../support/served-sandbox.js'
import {runDoctor} from './run-doctor.js'

const sandbox = await sandboxOfFile()
const READER = {
  ...sandbox.env,
  BOOKCTL_CLIENT_ID: 'cid_sandbox_readonly',
  BOOKCTL_CLIENT_SECRET: 'sk_test_sandbox_readonly',
}
const OPERATOR = /only the operator of the service can grant scopes/i
const DELETE = ['webhooks', 'delete', 'whsub_1', '--yes']

describe('a refusal for a scope ends with 4 and names it', () => {
  test('if the service issues no token with the scope', async () => {
    const refused = await ownHome(READER).refusal(DELETE)
    expect(refused).toMatchObject({exit: 4, code: 'invalid_scope'})
    expect(refused.hint).toMatch(
      /^the scope webhooks:write is missing: the service did not grant it to this client\. /,
    )
    expect(refused.hint).toMatch(OPERATOR)
  })

  test('if the token has only some of the requested scopes', async () => {
    const env = {...READER, BOOKCTL_SCOPES: 'webhooks:read webhooks:write'}
    const refused = await ownHome(env).refusal(DELETE)
    expect(refused).toMatchObject({exit: 4, code: 'insufficient_scope'})
    expect(refused.hint).toMatch(
      /^the scope webhooks:write is missing: .* granted this client webhooks:read\. /,
    )
    expect(refused.hint).toMatch(OPERATOR)
  })

  test('if the settings name other scopes', async () => {
    const refused = await ownHome({...sandbox.env, BOOKCTL_SCOPES: 'account:read'}).refusal(DELETE)
    expect(refused).toMatchObject({exit: 4, code: 'insufficient_scope'})
    expect(refused.hint).toMatch(
      /requested with account:read, so whether this client was granted it is not known\. /,
    )
    expect(refused.hint).toContain('bookctl login --scope webhooks:write')
  })

  test('if the token is that of BOOKCTL_TOKEN', async () => {
    const {stdout} = await ownHome(sandbox.env).run(['token', '--scope', 'account:read'])
    const token = stdout.trim()
    for (const argv of [DELETE, ['api', 'DELETE', '/webhooks/subscriptions/whsub_1', '--yes']]) {
      const home = ownHome({BOOKCTL_BASE_URL: sandbox.baseUrl, BOOKCTL_TOKEN: token})
      const {exit, stdout: out, stderr} = await home.run(argv)
      expect(exit).toBe(4)
      expect(stderr).toMatch(
        /Hint: the scope webhooks:write is missing: BOOKCTL_TOKEN does not say its scopes, /,
      )
      expect(stderr).toMatch(OPERATOR)
      expect(out + stderr).not.toContain(token)
    }
  })
})

test('a login without any of the scopes asks for no other secret', async () => {
  const argv = ['login', '--client-id', 'cid_sandbox_readonly', '--client-secret-file', '-', '--json']
  const home = ownHome({BOOKCTL_BASE_URL: sandbox.baseUrl})
  const {exit, stdout} = await home.run([...argv, '--scope', 'webhooks:write'], {
    stdin: 'sk_test_sandbox_readonly\n',
  })
  expect(exit).toBe(4)
  expect(JSON.parse(stdout).error).toMatchObject({
    code: 'invalid_scope',
    hint: expect.stringMatching(OPERATOR),
  })
})

describe('doctor reports all eight scopes', () => {
  const scopesOf = async (env: Record<string, string>) => {
    const found: Record<string, unknown> = await runDoctor(ownHome(env))
    return {exit: found.exit, ...(found.scopes as {status: string; detail: string})}
  }

  test('of a client that has them, and of one that has no others than those it asks for', async () => {
    const all =
      'granted: account:read, content:read, hotels:read, reservations:read, reservations:write, tours:read, webhooks:read, webhooks:write'
    expect(await scopesOf(sandbox.env)).toMatchObject({exit: 0, status: 'ok', detail: all})
    const asked = await scopesOf({...READER, BOOKCTL_SCOPES: 'account:read'})
    expect(asked).toMatchObject({exit: 0, status: 'ok'})
    expect(asked.detail).toMatch(
      /^granted: account:read, content:read, hotels:read, .*; not granted: reservations:write \(/,
    )
    expect(asked.detail).toContain('webhooks:write (creating')
  })

  test('and warns of one that commands ask for', async () => {
    const {exit, status, detail} = await scopesOf(READER)
    expect({exit, status}).toEqual({exit: 0, status: 'warn'})
    expect(detail).toMatch(/not granted: reservations:write .*; webhooks:write/)
  })

  test('and stores none of the tokens that it requests to find out', async () => {
    const home = ownHome(sandbox.env)
    await runDoctor(home)
    expect((await home.json(['whoami'])).result).toMatchObject({
      scopes: ['account:read', 'hotels:read', 'reservations:read', 'reservations:write'],
    })
  })
})
