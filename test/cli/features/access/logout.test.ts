/** Logging out while the environment has credentials: what is revoked, what is removed, and what remains. */
import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {beforeEach, describe, expect, test} from 'vitest'
import type {Sender} from '../../../../src/api/types.js'
import {
  everything,
  logOut,
  logoutTargetFrom,
  remainingAfter,
} from '../../../../src/cli/features/access/logout.js'
import {usage} from '../../../../src/contract/failure.js'
import type {Keychain} from '../../../../src/state/secret-store.js'
import {fakeClock} from '../../../support/clocks.js'
import {stateForEachTest} from '../../../support/own-state.js'
import {rejectionOf} from '../../../support/thrown.js'

const URL = 'https://service.test/v1'
const PAIR = {BOOKCTL_CLIENT_ID: 'cid_env', BOOKCTL_CLIENT_SECRET: 'sk_test_env'}
const PAIR_NAMES = 'BOOKCTL_CLIENT_ID BOOKCTL_CLIENT_SECRET'
const NOW = 1000

/** The contents of the keychain; undefined if there is none. */
let inKeychain: Map<string, string> | undefined

const keychain: Keychain = {
  async read(account) {
    if (!inKeychain) throw usage('no_keychain', 'there is no keychain')
    return inKeychain.get(account)
  },
  write: async (account, secret) => void inKeychain?.set(account, secret),
  async remove(account) {
    if (!inKeychain) throw usage('no_keychain', 'there is no keychain')
    return inKeychain.delete(account)
  },
}

beforeEach(() => {
  inKeychain = new Map()
})
const place = stateForEachTest(keychain)

/** Adds a profile to config.json, and stores a secret for it unless `secret` is 'none'. */
async function login(name: string, secret: 'file' | 'keychain' | 'none' = 'file', current = 'default') {
  const {profiles} = place.state.settings.read()
  const profile = {base_url: URL, client_id: 'cid_1', secret_store: secret === 'none' ? 'file' : secret}
  const settings = {profiles: {...profiles, [name]: profile}, current_profile: current}
  writeFileSync(join(place.path, 'config.json'), JSON.stringify(settings), {mode: 0o600})
  if (secret !== 'none')
    await place.state.secrets.write({profile: name, clientId: 'cid_1'}, secret, 'sk_test_1')
}

const keepToken = (clientId: string, baseUrl = URL) =>
  place.state.tokens.put(
    {baseUrl, clientId, clientSecret: 's', secretFingerprint: 'f'},
    {access_token: `token of ${clientId}`, scopes: [], askedScopes: [], obtainedAt: 1, expiresAt: NOW + 1},
  )

const leavingBy = (env: Record<string, string>, flags: {profile?: string}) =>
  logoutTargetFrom({settings: place.state.settings.read(), env, flags}, place.state)

const remaining = async (env: Record<string, string>, flags: {profile?: string} = {}) =>
  remainingAfter(await leavingBy(env, flags), env, place.state)

const PROFILE = (name: string) => ({what: 'profile', name, command: `bookctl logout --profile ${name}`})
const ENVIRONMENT = (names: string) => ({what: 'environment', name: names, command: `unset ${names}`})

describe('what remains', () => {
  test.each(['file', 'keychain'] as const)(
    'is the profile beside the environment, secret in %s',
    async kind => {
      await login('default', kind)
      expect(await remaining(PAIR)).toEqual([PROFILE('default'), ENVIRONMENT(PAIR_NAMES)])
    },
  )

  test('is the profile that commands would use: the current one, or that of BOOKCTL_PROFILE', async () => {
    await login('default')
    await login('two', 'file', 'two')
    expect((await remaining(PAIR))[0]).toEqual(PROFILE('two'))
    expect((await remaining({...PAIR, BOOKCTL_PROFILE: 'default'}))[0]).toEqual(PROFILE('default'))
  })

  test('is not a profile without a secret, with an unreadable one, or that does not exist', async () => {
    expect(await remaining(PAIR)).toEqual([ENVIRONMENT(PAIR_NAMES)])
    await login('default', 'none')
    expect(await remaining(PAIR)).toEqual([ENVIRONMENT(PAIR_NAMES)])
    await login('default', 'keychain')
    inKeychain = undefined
    expect(await remaining(PAIR)).toEqual([ENVIRONMENT(PAIR_NAMES)])
  })

  test('is the environment alone after a profile that was named, and after all', async () => {
    await login('default')
    expect(await remaining(PAIR, {profile: 'default'})).toEqual([ENVIRONMENT(PAIR_NAMES)])
    const all = everything(place.state)
    const left = await remainingAfter(all, {...PAIR, BOOKCTL_TOKEN: 't'}, place.state)
    expect(left).toEqual([ENVIRONMENT(`BOOKCTL_TOKEN ${PAIR_NAMES}`)])
  })

  test.each([
    [{BOOKCTL_TOKEN: 't'}, [ENVIRONMENT('BOOKCTL_TOKEN')]],
    [{BOOKCTL_CLIENT_ID: 'cid_env'}, []],
    [{BOOKCTL_CLIENT_SECRET: 'sk_test_env'}, []],
    [{BOOKCTL_BASE_URL: URL}, []],
    [{BOOKCTL_PROFILE: 'default'}, []],
    [{}, []],
  ])('after the profile left, with %j in the environment, is %j', async (env, expected) => {
    await login('default')
    expect(await remaining(env)).toEqual(expected)
  })
})

describe('logging out', () => {
  const sender = (status: number): Sender => ({
    send: async ({url}) => ({
      url,
      status,
      headers: {},
      body: Buffer.from('{}'),
      attempts: 1,
      mayHaveActed: false,
    }),
  })
  const leave = async (env: Record<string, string>, status = 200, flags = {}) => {
    const leaving = await leavingBy({BOOKCTL_BASE_URL: URL, ...env}, flags)
    const parts = {sender: sender(status), clock: fakeClock(NOW), timeoutSeconds: 1}
    return logOut(parts, place.state, leaving, await remainingAfter(leaving, env, place.state))
  }
  const kept = async () => (await place.state.tokens.listAll()).map(({client}) => client.clientId)
  const secret = () => place.state.secrets.read({profile: 'default', clientId: 'cid_1'}, 'file')

  test('of the environment alone removes its tokens', async () => {
    await keepToken('cid_env')
    expect(await leave(PAIR)).toMatchObject({profile: null, revoked: true, removed: true})
    expect(await leave(PAIR)).toMatchObject({profile: null, revoked: false, removed: false})
  })

  test('without the keychain that has the secret removes the tokens all the same', async () => {
    await login('default', 'keychain')
    await keepToken('cid_1')
    inKeychain = undefined
    expect((await rejectionOf(leave({}))).message).toContain('there is no keychain')
    expect(await kept()).toEqual([])
  })

  test('says nothing of what remains where nothing does', async () => {
    await login('default')
    expect(await leave({})).toEqual({profile: 'default', revoked: false, removed: true, kept: []})
  })

  test('that could not revoke a token reports what was removed, and what remains', async () => {
    await login('default')
    await keepToken('cid_env')
    const failure = await rejectionOf(leave(PAIR, 500))
    expect(failure.message).toMatch(
      /^tokens removed from this machine, profile default stays logged in, and a token could/,
    )
    const left = [PROFILE('default'), ENVIRONMENT(PAIR_NAMES)]
    const ended = {profile: null, revoked: false, removed: false, kept: [], remaining: left}
    expect(failure.details.result).toEqual(ended)
    expect(await kept()).toEqual([])
  })

  test('with another base URL in the environment removes the profile, and the tokens of both', async () => {
    await login('default')
    await keepToken('cid_1')
    await keepToken('cid_1', 'https://other.test/v1')
    const done = await leave({}, 200, {'base-url': 'https://other.test/v1'})
    expect(done).toEqual({profile: 'default', revoked: true, removed: true, kept: []})
    expect([await kept(), await secret()]).toEqual([[], undefined])
  })
})
