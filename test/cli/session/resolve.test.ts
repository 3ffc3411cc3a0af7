import {describe, expect, test} from 'vitest'
import {
  checkSecret,
  effective,
  pathsOf,
  resolveTarget,
  type Surroundings,
  webhookSecretsOfEnvironment,
} from '../../../src/cli/session/resolve.js'
import {checkScopes, SETTINGS, type SettingKey} from '../../../src/cli/session/setting-keys.js'
import type {SettingsFile} from '../../../src/state/settings.js'
import type {State} from '../../../src/state/state.js'
import {rejectionOf, thrownBy} from '../../support/thrown.js'

const ENV = {
  BOOKCTL_BASE_URL: 'https://env.example/v1',
  BOOKCTL_CLIENT_ID: 'cid_env',
  BOOKCTL_CLIENT_SECRET: 'sk_test_env',
}
const PROFILES: SettingsFile['profiles'] = {
  default: {base_url: 'https://default.example/v1', client_id: 'cid_default'},
  other: {base_url: 'https://other.example/v1', client_id: 'cid_other', scopes: ['account:read']},
  local: {base_url: 'http://127.0.0.1:1/v1', client_id: 'cid_local'},
}
const STATE = {
  secrets: {read: async ({profile}: {profile: string}) => `sk_live_${profile}`},
  directory: '/nowhere',
} as unknown as State

type Flags = Surroundings['flags']

const resolve = (flags: Flags, env: NodeJS.ProcessEnv, current_profile?: string, profiles = PROFILES) =>
  resolveTarget({settings: {profiles, current_profile}, env, flags}, STATE)

describe('credentials', () => {
  const OF_OTHER = {clientId: 'cid_other', baseUrl: 'https://other.example/v1'}
  const B = 'https://b.example/v1'
  test('of the environment alone are sufficient', async () => {
    const target = {profile: null, baseUrl: ENV.BOOKCTL_BASE_URL, clientId: 'cid_env', mode: 'test'}
    expect(await resolve({}, ENV, undefined, {})).toMatchObject(target)
  })

  test.each<[string, Flags, NodeJS.ProcessEnv, string | undefined, object]>([
    ['default', {}, {}, undefined, {profile: 'default', clientId: 'cid_default', mode: 'live'}],
    ['the current profile', {}, {}, 'other', {profile: 'other', scopes: ['account:read']}],
    ['BOOKCTL_PROFILE before it', {}, {BOOKCTL_PROFILE: 'default'}, 'other', {profile: 'default'}],
    ['--profile before that', {profile: 'other'}, {BOOKCTL_PROFILE: 'default'}, undefined, OF_OTHER],
    ['the environment before the current profile', {}, ENV, 'other', {profile: null}],
    ['--profile before it, address and all', {profile: 'other'}, ENV, undefined, OF_OTHER],
    ['BOOKCTL_BASE_URL alone', {}, {BOOKCTL_BASE_URL: B}, undefined, {clientId: 'cid_default', baseUrl: B}],
    ['--base-url before everything', {'base-url': B}, ENV, undefined, {baseUrl: B, clientId: 'cid_env'}],
    ['BOOKCTL_SCOPES', {}, {BOOKCTL_SCOPES: 'hotels:read'}, 'other', {scopes: ['hotels:read']}],
  ])('%s', async (_, flags, env, current, expected) => {
    expect(await resolve(flags, env, current)).toMatchObject(expected)
  })

  test('if missing, are an error with exit code 4 and a hint', async () => {
    const failure = await rejectionOf(resolve({profile: 'nope'}, {}))
    expect(failure).toMatchObject({kind: 'not_allowed', details: {code: 'not_logged_in'}})
    expect(failure.details.hint).toContain('bookctl login --profile nope')
  })

  test.each<[NodeJS.ProcessEnv, string]>([
    [{BOOKCTL_CLIENT_ID: 'cid_x'}, 'BOOKCTL_CLIENT_SECRET is not'],
    [{BOOKCTL_CLIENT_SECRET: 'sk_test_x'}, 'BOOKCTL_CLIENT_ID is not'],
    [{...ENV, BOOKCTL_BASE_URL: ''}, 'BOOKCTL_BASE_URL is not'],
  ])('half an environment is named: %o', async (env, words) => {
    const failure = await rejectionOf(resolve({}, env, undefined, {}))
    expect(failure).toMatchObject({kind: 'usage', details: {code: 'incomplete_environment'}})
    expect(failure.message).toContain(words)
  })

  test('of the environment do not need a valid config.json', async () => {
    const surroundings = {
      get settings(): never {
        throw new Error('config.json is invalid')
      },
      env: ENV,
      flags: {},
    }
    expect(await resolveTarget(surroundings, STATE)).toMatchObject({clientId: 'cid_env', scopes: undefined})
  })

  test.each<[NodeJS.ProcessEnv, string]>([
    [{...ENV, BOOKCTL_CLIENT_ID: 'hunter2'}, 'invalid_client_id'],
    [{...ENV, BOOKCTL_CLIENT_SECRET: 'hunter2'}, 'invalid_client_secret'],
    [{...ENV, BOOKCTL_BASE_URL: 'https://a:hunter2@env.example/v1'}, 'invalid_base_url'],
  ])('wrong shapes are refused and no secret is echoed: %o', async (env, code) => {
    const failure = await rejectionOf(resolve({}, env))
    expect(failure.details.code).toBe(code)
    expect(JSON.stringify([failure.message, failure.details])).not.toContain('hunter2')
  })

  test.each<[string, Flags, NodeJS.ProcessEnv]>([
    ['--base-url', {'base-url': 'there'}, ENV],
    ['BOOKCTL_BASE_URL', {}, {...ENV, BOOKCTL_BASE_URL: 'there'}],
    ['BOOKCTL_BASE_URL', {profile: 'nope'}, {BOOKCTL_BASE_URL: 'there'}],
    ['config.json: profiles.lost.base_url', {profile: 'lost'}, {}],
  ])('an address that is none is named with its place: %s', async (place, flags, env) => {
    const lost = {lost: {base_url: 'there', client_id: 'cid_1'}}
    const failure = await rejectionOf(resolve(flags, env, undefined, lost))
    expect(failure.message).toBe(
      `${place}: the base URL "there" is not an absolute URL such as https://…/partner-api/v1`,
    )
    expect(failure.details.hint).toMatch(/^correct /)
  })

  test.each<[string, Flags, NodeJS.ProcessEnv]>([
    ['BOOKCTL_CLIENT_ID', {}, {...ENV, BOOKCTL_CLIENT_ID: 'me'}],
    ['BOOKCTL_CLIENT_ID', {}, {...ENV, BOOKCTL_TOKEN: 't', BOOKCTL_CLIENT_ID: 'me'}],
    ['config.json: profiles.lost.client_id', {profile: 'lost'}, {}],
  ])('a client id that is none is named with its place: %s', async (place, flags, env) => {
    const lost = {lost: {base_url: B, client_id: 'me'}}
    const failure = await rejectionOf(resolve(flags, env, undefined, lost))
    expect(failure.message).toBe(`${place}: the client id must start with cid_ and contain no spaces`)
    expect(failure.details.hint).toMatch(/^correct /)
  })

  test('a live key never goes to this machine', async () => {
    expect((await rejectionOf(resolve({}, {}, 'local'))).details.code).toBe('live_key_on_loopback')
  })
})

describe('what is shown of the credentials is what requests use', () => {
  const HERE = 'http://127.0.0.1:1/v1'
  const PAIR = {BOOKCTL_CLIENT_ID: 'cid_env', BOOKCTL_CLIENT_SECRET: 'sk_test_env'}
  const TOKEN = {BOOKCTL_TOKEN: 'token', BOOKCTL_BASE_URL: 'https://env.example/v1'}
  const FULL: SettingsFile['profiles'] = {
    default: {
      base_url: 'https://default.example/v1',
      client_id: 'cid_default',
      scopes: ['account:read'],
      secret_store: 'file',
    },
    live: {base_url: 'https://live.example/v1', client_id: 'cid_live', mode: 'live', scopes: []},
  }
  const OF_PROFILE = ['profile', 'default']
  const UNSET = ['unset', null]
  const of = (variable: string) => ['environment', `BOOKCTL_${variable}`]

  type Expected = Readonly<Record<'client_id' | 'scopes' | 'mode' | 'secret_store', (string | null)[]>>
  test.each<[string, Flags, NodeJS.ProcessEnv, Expected]>([
    ['a profile', {}, {}, {client_id: OF_PROFILE, scopes: OF_PROFILE, mode: UNSET, secret_store: OF_PROFILE}],
    [
      'a profile without scopes, but with a mode',
      {profile: 'live'},
      {BOOKCTL_SCOPES: ' ,'},
      {
        client_id: ['profile', 'live'],
        scopes: UNSET,
        mode: ['profile', 'live'],
        secret_store: ['built_in', null],
      },
    ],
    [
      'a profile with BOOKCTL_SCOPES',
      {},
      {BOOKCTL_SCOPES: 'hotels:read'},
      {client_id: OF_PROFILE, scopes: of('SCOPES'), mode: UNSET, secret_store: OF_PROFILE},
    ],
    [
      'client id and secret of the environment',
      {},
      PAIR,
      {client_id: of('CLIENT_ID'), scopes: UNSET, mode: of('CLIENT_SECRET'), secret_store: UNSET},
    ],
    [
      'these with BOOKCTL_SCOPES',
      {},
      {...PAIR, BOOKCTL_SCOPES: 'hotels:read'},
      {client_id: of('CLIENT_ID'), scopes: of('SCOPES'), mode: of('CLIENT_SECRET'), secret_store: UNSET},
    ],
    [
      'a token alone, whose scopes are unknown',
      {},
      {...TOKEN, BOOKCTL_SCOPES: 'hotels:read'},
      {client_id: UNSET, scopes: UNSET, mode: of('TOKEN'), secret_store: UNSET},
    ],
    [
      'a token with a client id, at this machine',
      {'base-url': HERE},
      {...TOKEN, ...PAIR},
      {client_id: of('CLIENT_ID'), scopes: UNSET, mode: of('TOKEN'), secret_store: UNSET},
    ],
    [
      '--profile, which overrides the environment',
      {profile: 'default'},
      {...TOKEN, ...PAIR},
      {client_id: OF_PROFILE, scopes: OF_PROFILE, mode: UNSET, secret_store: OF_PROFILE},
    ],
  ])('%s', async (_, flags, env, expected) => {
    const surroundings = {settings: {profiles: FULL}, env, flags}
    const show = (name: keyof Expected) => effective(SETTINGS[name], surroundings)
    const target = await resolveTarget(surroundings, STATE)
    for (const name of ['client_id', 'scopes', 'mode', 'secret_store'] as const) {
      const {origin, source} = show(name)
      expect([name, origin, source]).toEqual([name, ...(expected[name] ?? [])])
    }
    expect(show('client_id').value ?? 'token').toBe(target.clientId)
    expect([show('scopes').value ?? []].flat()).toEqual(target.scopes ?? [])
    // The mode of a profile that names none is known from its secret alone.
    expect(show('mode').value ?? 'live').toBe(target.mode)
  })

  test.each([
    [{...PAIR, BOOKCTL_CLIENT_SECRET: 'sk_test_a b'}],
    [{...TOKEN, BOOKCTL_BASE_URL: 'there'}],
    [{BOOKCTL_CLIENT_ID: 'cid_env'}],
  ])('with %o, which is refused, no mode is shown', async env => {
    const surroundings = {settings: {profiles: FULL}, env, flags: {}}
    expect(effective(SETTINGS.mode, surroundings)).toMatchObject({value: null, origin: 'unset'})
    await rejectionOf(resolveTarget(surroundings, STATE))
  })
})

describe('a live key', () => {
  const HERE = [
    'localhost',
    'localhost.',
    'api.localhost',
    'API.LOCALHOST.',
    '127.0.0.1',
    '127.255.0.3',
    '[::1]',
    '0.0.0.0',
    '[::]',
    '2130706433',
    '[::ffff:127.0.0.1]',
    '[::ffff:127.8.0.1]',
    '[::127.0.0.1]',
    '[::ffff:0.0.0.0]',
    '0x7f.1',
  ]
  test.each(HERE)('is never sent to %s, and a test key may be', host => {
    const {message} = thrownBy(() => checkSecret('sk_live_1', `https://${host}/v1`))
    expect(message).toMatch(/never sent to this machine/)
    expect(checkSecret('sk_test_1', `https://${host}/v1`)).toBe('test')
  })

  const ELSEWHERE = [
    'api.example.test',
    '10.0.0.1',
    '128.0.0.1',
    '[2001:db8::7f00:1]',
    'notlocalhost',
    'localhost.example.test',
  ]
  test.each([undefined, ...ELSEWHERE.map(host => `https://${host}/v1`)])('may be sent to %s', baseUrl => {
    expect(checkSecret('sk_live_1', baseUrl)).toBe('live')
  })
})

test.each([
  [undefined, undefined],
  ['', undefined],
  ['  ', ['']],
  [' whsec_a ', ['whsec_a']],
  ['whsec_a \n whsec_b', ['whsec_a', 'whsec_b']],
])('BOOKCTL_WEBHOOK_SECRET %j has the secrets %j', (text, secrets) => {
  expect(webhookSecretsOfEnvironment({BOOKCTL_WEBHOOK_SECRET: text})).toEqual(secrets)
})

test('an unknown scope names the valid ones', () => {
  expect(thrownBy(() => checkScopes('--scope', 'hotels:reed')).details.hint).toContain('hotels:read')
})

describe('a path is shown as it is sent', () => {
  const name = 'paths.reservations.list'
  const key = (SETTINGS as Readonly<Record<string, SettingKey>>)[name] as SettingKey
  const paths = (path: string) => ({paths: {'reservations.list': path}})
  const here = {base_url: 'https://here.example/v1', client_id: 'cid_1'}
  const there = {base_url: 'https://there.example/v1', client_id: 'cid_1'}
  const ofHere = {...ENV, BOOKCTL_BASE_URL: 'https://HERE.example/v1/'}
  const defaults = paths('/defaults')

  test.each<[string, SettingsFile['profiles'], Flags, NodeJS.ProcessEnv, string?, string?]>([
    ['of the profile', {default: {...here, ...paths('/own')}}, {}, {}, '/own', 'default'],
    ['not of the defaults, where a profile is used', {default: here}, {}, {}],
    ['of the defaults, with credentials of the environment', {default: there}, {}, ofHere, '/defaults'],
    ['of a profile of its service first', {a: there, b: {...here, ...paths('/b')}}, {}, ofHere, '/b', 'b'],
    ['not of another service', {default: {...there, ...paths('/t')}}, {'base-url': here.base_url}, {}],
    [
      'of another profile of the service that --base-url names',
      {default: {...there, ...paths('/t')}, b: {...here, ...paths('/b')}},
      {'base-url': here.base_url},
      {},
      '/b',
      'b',
    ],
    ['not of another profile of its service', {default: here, b: {...here, ...paths('/b')}}, {}, {}],
    [
      'of the profile that --profile names',
      {b: {...here, ...paths('/b')}},
      {profile: 'b'},
      {...ENV, BOOKCTL_TOKEN: 't'},
      '/b',
      'b',
    ],
  ])('%s', async (_, profiles, flags, env, path, source) => {
    const surroundings = {settings: {profiles, defaults}, env, flags}
    const shown = effective(key, surroundings)
    const origin = source ? 'profile' : path ? 'defaults' : 'unset'
    expect(shown).toMatchObject({value: path ?? null, origin, source: source ?? null})
    const target = await resolveTarget(surroundings, STATE)
    const sent: Readonly<Record<string, string>> = pathsOf(target, surroundings.settings)?.paths ?? {}
    expect(sent['reservations.list']).toBe(path)
  })
})
