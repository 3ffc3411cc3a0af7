/** Settings on the command line: which value applies and why, and which values are accepted. */
import {copyFileSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {beforeEach, describe, expect, test} from 'vitest'
import {SETTINGS} from '../../src/cli/session/setting-keys.js'
import {FILE_NAMES} from '../../src/state/file-names.js'
import type {Home} from '../support/bookctl.js'
import {ownHome} from '../support/own.js'
import {certificateFile} from '../support/tls.js'

const PROFILE = {base_url: 'https://partner.example/v1', client_id: 'cid_1'}
let home: Home
let path: string

beforeEach(() => {
  home = ownHome()
  path = join(home.configDirectory, 'config.json')
  mkdirSync(home.configDirectory)
})

const write = (settings: object) => home.configure(settings)
const kept = () => JSON.parse(readFileSync(path, 'utf8'))

describe('what holds', () => {
  test('flag > environment > profile > defaults > built in, each with its origin', async () => {
    const defaults = {timeout: 11}
    const env = {BOOKCTL_TIMEOUT: '13'}
    const profiles = {default: {...PROFILE, timeout: 12}}
    const steps: [object, Record<string, string>, string[], object][] = [
      [{profiles: {}}, {}, [], {value: 30, origin: 'built_in'}],
      [{profiles: {default: PROFILE}, defaults}, {}, [], {value: 11, origin: 'defaults', source_path: path}],
      [{profiles, defaults}, {}, [], {value: 12, origin: 'profile', source: 'default'}],
      [{profiles, defaults}, env, [], {value: 13, origin: 'environment', source: 'BOOKCTL_TIMEOUT'}],
      [{profiles, defaults}, env, ['--timeout', '14'], {value: 14, origin: 'flag', source: '--timeout'}],
    ]
    for (const [settings, env, argv, expected] of steps) {
      write(settings)
      const {result} = await home.json(['config', 'get', 'timeout', ...argv], {env})
      expect(result).toMatchObject(expected)
    }
  })

  test('a profile that is named overrides credentials of the environment, their base URL too', async () => {
    write({profiles: {default: PROFILE}})
    const env = {BOOKCTL_BASE_URL: 'https://a.example/v1', BOOKCTL_CLIENT_ID: 'cid_env', BOOKCTL_TOKEN: 't'}
    const {stdout} = await home.run(['config', 'list', '--profile', 'default'], {env})
    expect(stdout).toMatch(/^base_url\thttps:\/\/partner.*\tprofile\t.*\nclient_id\tcid_1\tprofile\t/m)
  })

  test('credentials of the environment replace all parts of those of the profile', async () => {
    write({profiles: {default: {...PROFILE, mode: 'live', scopes: ['account:read']}}})
    const env = {BOOKCTL_CLIENT_ID: 'cid_env', BOOKCTL_CLIENT_SECRET: 'sk_test_env'}
    const {stdout} = await home.run(['config', 'list'], {env})
    expect(stdout).toContain('client_id\tcid_env\tenvironment\tBOOKCTL_CLIENT_ID\nscopes\t\tunset\t\n')
    expect(stdout).toContain('mode\ttest\tenvironment\tBOOKCTL_CLIENT_SECRET\nsecret_store\t\tunset\t\n')
    const token = {BOOKCTL_TOKEN: 'token'}
    const error = await home.refusal(['config', 'get', 'scopes'], {env: token})
    expect(error).toMatchObject({exit: 2, code: 'not_set'})
    expect(error.hint).toBe(
      'BOOKCTL_TOKEN overrides the profile; to see its value: bookctl config get scopes --profile NAME',
    )
    const {stderr} = await home.run(['config', 'set', 'scopes', 'hotels:read'], {env: token})
    expect(stderr).toContain('the environment variable BOOKCTL_TOKEN overrides this setting')
  })

  test('list shows secrets of the environment that apply as set, and never their values', async () => {
    const pair = {BOOKCTL_CLIENT_ID: 'cid_env', BOOKCTL_CLIENT_SECRET: 'sk_test_planted'}
    const token = {BOOKCTL_TOKEN: 'planted-token'}
    const webhook = {BOOKCTL_WEBHOOK_SECRET: 'whsec_planted'}
    write({profiles: {default: PROFILE}})
    const cases: [Record<string, string>, string[], string[]][] = [
      [{...pair, ...webhook}, [], ['CLIENT_SECRET', 'WEBHOOK_SECRET']],
      [{...pair, ...webhook, ...token}, [], ['TOKEN', 'WEBHOOK_SECRET']],
      [{...pair, ...webhook, ...token}, ['--profile', 'default'], ['WEBHOOK_SECRET']],
    ]
    for (const [env, argv, names] of cases) {
      const {stdout, stderr} = await home.run(['config', 'list', ...argv], {env})
      const secrets = stdout.split('\n').filter(line => line.includes('\tset\t'))
      expect(secrets).toEqual(names.map(name => `${name.toLowerCase()}\tset\tenvironment\tBOOKCTL_${name}`))
      expect(stdout + stderr).not.toContain('planted')
    }
  })

  test('list has every setting, those that nothing gives as unset', async () => {
    type Listed = {settings: {key: string; value: unknown; origin: string}[]}
    const {result} = await home.json<Listed>(['config', 'list'])
    expect(result.settings.map(({key}) => key)).toEqual(Object.keys(SETTINGS))
    expect(result.settings.find(({key}) => key === 'currency')).toMatchObject({value: null, origin: 'unset'})
    expect((await home.run(['config', 'list'])).stdout).toContain('currency\t\tunset\t\n')
  })

  test('an invalid value is shown with a warning, and stops no config command', async () => {
    const env = {BOOKCTL_TIMEOUT: 'soon', BOOKCTL_SCOPES: 'hotels:reed'}
    const got = await home.json(['config', 'get', 'timeout'], {env})
    expect(got).toMatchObject({exit: 0, result: {value: 'soon', source: 'BOOKCTL_TIMEOUT'}})
    expect(got.stderr).toContain('Warning: BOOKCTL_TIMEOUT: must be a whole number')
    const listed = await home.run(['config', 'list'], {env})
    expect(listed).toMatchObject({exit: 0, stdout: expect.stringContaining('timeout\tsoon\tenvironment')})
    expect(listed.stderr).toContain('BOOKCTL_SCOPES: unknown scope hotels:reed')
    for (const argv of [['path'], ['set', 'timeout', '20'], ['unset', 'currency']])
      expect(await home.run(['config', ...argv], {env})).toMatchObject({exit: 0})
    expect(await home.refusal(['config', 'get', 'timeout', '--timeout', 'soon'])).toMatchObject({exit: 2})
  })

  test('path names every file that is there', async () => {
    for (const name of FILE_NAMES) writeFileSync(join(home.configDirectory, name), '')
    const {result} = await home.json<{files: {name: string; exists: boolean}[]}>(['config', 'path'])
    expect(result.files.filter(({exists}) => exists).map(({name}) => name)).toEqual([...FILE_NAMES])
    expect(FILE_NAMES).toContain('exchanges.jsonl')
  })

  test('get prints the bare value; what is not set ends with 2', async () => {
    write({profiles: {}, defaults: {currency: 'EUR'}})
    expect(await home.run(['config', 'get', 'currency'])).toMatchObject({exit: 0, stdout: 'EUR\n'})
    const {stdout} = await home.run(['config', 'get', 'currency', '--show-origin'])
    expect(stdout).toBe(`defaults in ${path}: EUR\n`)
    expect(await home.refusal(['config', 'get', 'nationality'])).toMatchObject({exit: 2, code: 'not_set'})
  })
})

describe('what may be set', () => {
  test('into defaults, or into the profile that is named; other settings stay', async () => {
    write({current_profile: 'default', profiles: {default: {...PROFILE, timeout: 4}}, defaults: {timeout: 5}})
    await home.run(['config', 'set', 'currency', 'eur'])
    await home.run(['config', 'set', 'contact.email', 'a&b@münchen.example', '--profile', 'default'])
    await home.run(['config', 'set', 'scopes', 'hotels:read,account:read'])
    await home.run(['config', 'set', 'paths.reservations.show', '/bookings/{reservation_ref}'])
    const scopes = ['hotels:read', 'account:read']
    const paths = {'reservations.show': '/bookings/{reservation_ref}'}
    const contact = {email: 'a&b@münchen.example'}
    expect(kept()).toEqual({
      current_profile: 'default',
      profiles: {default: {...PROFILE, timeout: 4, contact, scopes, paths}},
      defaults: {timeout: 5, currency: 'EUR'},
    })
    await home.run(['config', 'unset', 'paths.reservations.show'])
    await home.run(['config', 'unset', 'currency'])
    expect(kept().profiles.default.paths).toBeUndefined()
    expect(kept().defaults).toEqual({timeout: 5})
  })

  test.each<[string[], string, string]>([
    [['curency', 'EUR'], 'unknown_setting', 'unknown setting'],
    [['currency', 'EU'], 'invalid_input', 'currency'],
    [['timeout', '0'], 'invalid_input', 'timeout'],
    [['contact.email', 'nobody'], 'invalid_input', 'contact.email'],
    [['signature_header', 'X Y'], 'invalid_input', 'signature_header'],
    [['base_url', 'http://partner.example/v1'], 'invalid_base_url', 'https'],
    [['client_id', 'me'], 'invalid_client_id', 'cid_'],
    [['scopes', 'hotels:reed'], 'unknown_scope', 'hotels:reed'],
    [['secret_store', 'keychain'], 'read_only_setting', 'directly'],
    [['current_profile', 'none'], 'unknown_profile', 'none'],
    [['paths.reservations.show', '/bookings'], 'settings_invalid', '{reservation_ref}'],
  ])('%j is refused and nothing is written', async (argv, code, words) => {
    write({profiles: {default: PROFILE}})
    const error = await home.refusal(['config', 'set', ...argv])
    expect(error).toMatchObject({exit: 2, code})
    expect(error.message).toContain(words)
    expect(kept()).toEqual({profiles: {default: PROFILE}})
  })

  test('ca_file is stored as an absolute path, and must contain certificates', async () => {
    copyFileSync(certificateFile('ca'), join(home.directory, 'ca.pem'))
    expect(await home.run(['config', 'set', 'ca_file', 'ca.pem'])).toMatchObject({exit: 0})
    expect(kept().defaults.ca_file).toBe(join(home.directory, 'ca.pem'))
    writeFileSync(join(home.directory, 'none.pem'), 'nothing')
    const wrong = await home.refusal(['config', 'set', 'ca_file', 'none.pem'])
    expect(wrong).toMatchObject({exit: 2, code: 'invalid_ca_file'})
    expect(await home.run(['config', 'set', 'ca_file', 'not-yet.pem'])).toMatchObject({exit: 0})
    expect(kept().defaults.ca_file).toBe(join(home.directory, 'not-yet.pem'))
  })

  test('--dry-run prints the change and writes nothing', async () => {
    const {result} = await home.json(['config', 'set', 'currency', 'EUR', '--dry-run'])
    const change = {file: path, action: 'set', what: 'defaults.currency', before: null, after: 'EUR'}
    expect(result).toEqual({requests: [], changes: [change]})
    expect(home.kept()).toEqual([])
  })

  test('another base URL takes the paths of the service before with it, and says so', async () => {
    const [paths, other] = [{'reservations.list': '/bookings'}, 'https://other.example/v1']
    write({profiles: {default: {...PROFILE, currency: 'EUR', paths}}})
    const same = ['config', 'set', 'base_url', PROFILE.base_url]
    expect(await home.run(same)).toMatchObject({exit: 0, stderr: ''})
    expect(kept().profiles.default.paths).toEqual(paths)
    const {result} = await home.json<{changes: object[]}>(['config', 'set', 'base_url', other, '--dry-run'])
    const what = 'profiles.default.paths.reservations.list'
    expect(result.changes[1]).toEqual({file: path, action: 'remove', what})
    const {exit, stderr} = await home.run(['config', 'set', 'base_url', other])
    expect({exit, stderr}).toEqual({exit: 0, stderr: expect.stringContaining('paths.reservations.list')})
    expect(kept().profiles.default).toEqual({...PROFILE, base_url: other, currency: 'EUR'})
  })

  test('names the variable that overrides it', async () => {
    const env = {BOOKCTL_CURRENCY: 'USD'}
    const {stderr} = await home.run(['config', 'set', 'currency', 'EUR'], {env})
    expect(stderr).toContain('BOOKCTL_CURRENCY overrides this setting')
  })
})
