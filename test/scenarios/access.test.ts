/** Credentials on the command line: an existing token, the separation of live and test, and the output of dry runs. */
import {existsSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {beforeEach, describe, expect, test} from 'vitest'
import {openState} from '../../src/state/state.js'
import {sign} from '../../src/webhooks/signature/signature.js'
import type {Home} from '../support/bookctl.js'
import {ownHome} from '../support/own.js'
import {sandboxOfFile} from '../support/served-sandbox.js'

const sandbox = await sandboxOfFile()
let home: Home
beforeEach(() => {
  home = ownHome({BOOKCTL_BASE_URL: sandbox.baseUrl})
})

const tokensAsked = async () =>
  (await sandbox.requests()).filter(line => line.endsWith('/oauth/token')).length
const settings = () => readFileSync(join(home.configDirectory, 'config.json'), 'utf8')
const logIn = (...more: string[]) =>
  home.run(['login', '--client-id', 'cid_sandbox', '--client-secret-file', '-', ...more], {
    stdin: 'sk_test_sandbox\n',
  })

describe('BOOKCTL_TOKEN', () => {
  const obtain = async () => {
    const {stdout} = await home.run(['token', '--scope', 'account:read'], {env: sandbox.env})
    return stdout.trim()
  }

  test('is used unchanged, needs no secret, and is not stored', async () => {
    const env = {BOOKCTL_TOKEN: await obtain(), BOOKCTL_CONFIG_DIR: join(home.directory, 'other')}
    const before = await tokensAsked()
    expect(await home.json(['account'], {env})).toMatchObject({exit: 0})
    const used = {client_id: null, mode: 'test', source: 'env', expires_at: null, stored_in: null}
    expect((await home.json(['whoami', '--check'], {env})).result).toMatchObject(used)
    expect(await home.run(['token'], {env})).toMatchObject({exit: 0, stdout: `${env.BOOKCTL_TOKEN}\n`})
    expect(await tokensAsked()).toBe(before)
    const kept = join(env.BOOKCTL_CONFIG_DIR, 'tokens.db')
    if (existsSync(kept)) expect(readFileSync(kept, 'latin1')).not.toContain(env.BOOKCTL_TOKEN)
  })

  test('refused by the service: exit 4, once, and nothing is renewed', async () => {
    const env = {BOOKCTL_TOKEN: 'planted-token', BOOKCTL_CLIENT_ID: 'cid_sandbox'}
    const before = (await sandbox.requests()).length
    const refused = await home.refusal(['account'], {env})
    expect(refused).toMatchObject({exit: 4, code: 'token_not_valid'})
    expect(JSON.stringify(refused)).not.toContain('planted')
    expect((await sandbox.requests()).length).toBe(before + 1)
    expect((await home.json(['whoami', '--check'], {env})).exit).toBe(4)
  })

  test('contains no spaces, and is not shown when it does', async () => {
    const refused = await home.refusal(['account'], {env: {BOOKCTL_TOKEN: 'plan ted'}})
    expect(refused).toMatchObject({exit: 2, code: 'invalid_token'})
    expect(JSON.stringify(refused)).not.toContain('ted"')
  })

  test('counts as live if the service is not on this machine', async () => {
    const env = {BOOKCTL_TOKEN: 'planted', BOOKCTL_BASE_URL: 'https://partner.example/v1'}
    const {result, stderr} = await home.json(['whoami'], {env})
    expect(result).toMatchObject({mode: 'live'})
    expect(stderr).toContain('LIVE')
  })
})

describe('login', () => {
  test('says that the environment overrides it', async () => {
    const {stderr} = await logIn()
    expect(stderr).toContain('the environment overrides this login (BOOKCTL_BASE_URL)')
    delete home.env.BOOKCTL_BASE_URL
    const quiet = await logIn('--base-url', sandbox.baseUrl)
    expect(quiet).toMatchObject({exit: 0, stderr: ''})
  })

  test('--dry-run shows the request without the secret, sends and keeps nothing', async () => {
    const before = (await sandbox.requests()).length
    const {exit, stdout} = await logIn('--dry-run')
    expect(exit).toBe(0)
    expect(stdout).not.toContain('sk_test')
    expect(JSON.parse(stdout)).toMatchObject({
      requests: [{method: 'POST', url: `${sandbox.baseUrl}/oauth/token`}],
      changes: [{file: expect.stringContaining('tokens.db')}, {}, {what: 'profiles.default'}],
    })
    expect((await sandbox.requests()).length).toBe(before)
    expect(existsSync(join(home.configDirectory, 'config.json'))).toBe(false)
  })

  test('a live secret does not get into a test profile, nor a test one into a live one', async () => {
    await logIn()
    const before = settings()
    const live = ['login', '--base-url', 'https://a.example/v1', '--client-id', 'cid_x']
    const refusal = await home.refusal([...live, '--client-secret-stdin'], {stdin: 'sk_live_planted'})
    expect(refusal).toMatchObject({exit: 2, code: 'mode_mismatch'})
    expect(refusal.message).not.toContain('planted')
    expect(settings()).toBe(before)
    writeFileSync(join(home.configDirectory, 'config.json'), before.replace('"test"', '"live"'))
    expect(await home.refusal(['account'])).toMatchObject({exit: 2, code: 'mode_mismatch'})
  })

  test('a live secret of the environment is not sent to the address of a test profile', async () => {
    await logIn()
    const env = {BOOKCTL_BASE_URL: undefined, BOOKCTL_CLIENT_ID: 'cid_x', BOOKCTL_CLIENT_SECRET: 'sk_live_x'}
    expect(await home.refusal(['account'], {env})).toMatchObject({exit: 2, code: 'mode_mismatch'})
  })
})

test('a wrong secret of the environment is named as such, because a login would not help', async () => {
  await logIn()
  const env = {BOOKCTL_CLIENT_ID: 'cid_sandbox', BOOKCTL_CLIENT_SECRET: 'sk_test_bad'}
  const hint = 'check BOOKCTL_CLIENT_ID and BOOKCTL_CLIENT_SECRET, or unset both and use bookctl login'
  expect(await home.refusal(['account'], {env})).toMatchObject({exit: 4, code: 'invalid_client', hint})
})

test('profiles use says that the environment overrides it', async () => {
  await logIn()
  await logIn('--profile', 'two')
  const use = (profile: string, env: Record<string, string | undefined>) =>
    home.run(['profiles', 'use', profile], {env: {BOOKCTL_BASE_URL: undefined, ...env}})
  expect(await use('two', {})).toMatchObject({exit: 0, stderr: ''})
  expect(await use('two', {BOOKCTL_PROFILE: 'two'})).toMatchObject({exit: 0, stderr: ''})
  const other = await use('two', {BOOKCTL_PROFILE: 'default'})
  expect(other.stderr).toContain('the environment overrides this profile (BOOKCTL_PROFILE): unset it')
  expect((await use('two', sandbox.env)).stderr).toContain('BOOKCTL_CLIENT_SECRET')
})

describe('leaving', () => {
  test('--dry-run of logout and profiles remove prints every change and makes none', async () => {
    await logIn()
    const [before, sent] = [settings(), (await sandbox.requests()).length]
    for (const argv of [['logout'], ['logout', '--all'], ['profiles', 'remove', 'default']]) {
      const {exit, result} = await home.json<{requests: object[]; changes: object[]}>([...argv, '--dry-run'])
      const [url, body] = [`${sandbox.baseUrl}/oauth/revoke`, {token: '[redacted]'}]
      expect({argv, exit}).toEqual({argv, exit: 0})
      const headers = {'content-type': 'application/json'}
      expect(result.requests).toEqual([{method: 'POST', url, headers, body}])
      expect(result.changes.length).toBeGreaterThan(1)
    }
    const use = await home.json(['profiles', 'use', 'default', '--dry-run'])
    expect(use.result).toMatchObject({requests: [], changes: [{what: 'current_profile', after: 'default'}]})
    expect([settings(), (await sandbox.requests()).length]).toEqual([before, sent])
    expect(await home.json(['account'])).toMatchObject({exit: 0})
  })

  test('an unknown profile is reported; secrets that are stored without a profile are removed', async () => {
    await logIn()
    const leave = ['logout', '--profile', 'nope']
    for (const argv of [leave, [...leave, '--dry-run']])
      expect(await home.refusal(argv)).toMatchObject({code: 'unknown_profile', hint: 'profiles: default'})
    const state = openState(home.configDirectory)
    state.secrets.writeToFile({profile: 'nope', clientId: 'cid_1'}, 'sk_test_left')
    state.close()
    expect(await home.json([...leave, '--dry-run'])).toMatchObject({exit: 0, result: {requests: []}})
    for (const [argv, result] of [
      [leave, {profile: 'nope', revoked: false, removed: true}],
      [['logout'], {revoked: true, removed: true}],
      [['logout'], {revoked: false, removed: false}],
    ] as const)
      expect(await home.json(argv)).toMatchObject({exit: 0, result})
  })

  test('--dry-run of logout --all names the people it would forget', async () => {
    const state = openState(home.configDirectory)
    const guests = [{name: 'Ayşe', surname: 'Öğüt', birth_date: '1990-02-03'}]
    const people = await state.people()
    people.forClient({baseUrl: sandbox.baseUrl, clientId: 'cid_sandbox'}).keep({guests}, 1)
    state.close()
    const {result} = await home.json<{changes: object[]}>(['logout', '--all', '--dry-run'])
    const file = join(home.configDirectory, 'state.db')
    expect(result.changes).toContainEqual({file, action: 'remove', what: 'details kept of Ayşe Öğüt'})
  })

  const secretOf = (subscription_id: string) => `whsec_${subscription_id.repeat(5)}`
  const store = (subscription_id: string, profile = 'default') => {
    const state = openState(home.configDirectory)
    state.secrets.putSigningSecret({
      subscription_id,
      profile,
      secret: secretOf(subscription_id),
      stored_at: 1,
    })
    state.close()
  }
  const BODY = '{"id":"evt_1","type":"voucher.ready"}'
  /** Runs `webhooks verify` for an event signed with the secret of that subscription. */
  const verify = (subscription_id: string) => {
    const signature = sign(secretOf(subscription_id), '1700000000', Buffer.from(BODY))
    const argv = ['webhooks', 'verify', '-', '--at', '1700000000', '--signature', signature]
    return home.json<{secret: string; findings: {code: string; explanation: string}[]}>(argv, {stdin: BODY})
  }

  test('a logout keeps signing secrets, names them, and they are used without and after the next login', async () => {
    await logIn()
    store('whsub_1')
    store('whsub_2', 'other')
    const dry = await home.json<{changes: {what: string}[]}>(['logout', '--dry-run'])
    expect(JSON.stringify(dry.result)).not.toContain('signing secret')
    const gone = await home.json(['logout'])
    expect(gone).toMatchObject({exit: 0, result: {removed: true, kept: ['whsub_1']}})
    for (const {stderr} of [dry, gone]) {
      expect(stderr).toContain('Signing secrets stay, because the service never shows them again: whsub_1.')
      expect(stderr).toContain('To remove them: bookctl profiles remove default')
    }
    expect(await verify('whsub_1')).toMatchObject({exit: 0, result: {secret: 'whsub_1'}})
    const signed = await home.json(['webhooks', 'sign', '-'], {stdin: BODY})
    expect(signed.exit).toBe(0)
    await logIn()
    expect(await verify('whsub_1')).toMatchObject({exit: 0, result: {secret: 'whsub_1'}})
  })

  test.each([
    ['logout --all', 'whsub_1 (profile default), whsub_2 (profile other)', null, 2],
    ['profiles remove default', 'whsub_1', 'default', 1],
  ])('%s names the signing secrets it removes, and needs a yes', async (line, names, profile, count) => {
    const argv = line.split(' ')
    await logIn()
    store('whsub_1')
    store('whsub_2', 'other')
    const refused = await home.refusal(argv)
    expect(refused).toMatchObject({exit: 2, code: 'confirmation_needed', hint: 'add --yes'})
    for (const said of [refused.message, refused.stderr]) {
      const listed = names.split(', ').every(name => said.includes(name))
      expect({said, listed}).toEqual({said, listed: true})
    }
    expect(await verify('whsub_1')).toMatchObject({exit: 0})
    const {result} = await home.json<{changes: {what: string}[]}>([...argv, '--dry-run'])
    expect(result.changes.filter(({what}) => what.startsWith('signing secret of whsub'))).toHaveLength(count)
    expect(await verify('whsub_1')).toMatchObject({exit: 0})
    expect(await home.json([...argv, '--yes'])).toMatchObject({exit: 0, result: {profile, kept: []}})
    // The message names the removed secret, whether no secret is left or only that of another subscription.
    const left = await home.refusal(['webhooks', 'verify', '-'], {stdin: BODY})
    const when = new RegExp(`that of whsub_1 was removed at 2\\d{3}-.*Z by bookctl ${line}`)
    expect(left).toMatchObject({exit: 2, message: expect.stringMatching(when)})
    store('whsub_3')
    const {exit, result: failed} = await verify('whsub_1')
    expect({exit, findings: failed.findings}).toMatchObject({exit: 9, findings: [{code: 'secret_removed'}]})
    expect(failed.findings[0]?.explanation).toMatch(when)
    expect(await home.json(['logout', '--profile', 'other'])).toMatchObject({
      exit: line === 'logout --all' ? 2 : 0,
    })
  })

  test('without signing secrets neither asks, and a profile of signing secrets alone can be removed', async () => {
    await logIn()
    expect(await home.json(['logout', '--all'])).toMatchObject({exit: 0, result: {kept: []}})
    expect(await home.json(['profiles', 'remove', 'default'])).toMatchObject({exit: 0})
    store('whsub_1')
    expect(await home.refusal(['profiles', 'remove', 'default'])).toMatchObject({exit: 2})
    const remove = ['profiles', 'remove', 'default', '--yes']
    expect(await home.json(remove)).toMatchObject({exit: 0, result: {removed: true, kept: []}})
    expect(await home.refusal(remove)).toMatchObject({exit: 2, code: 'unknown_profile'})
  })

  test('live credentials are not removed without --yes', async () => {
    await logIn('--profile', 'real')
    const path = join(home.configDirectory, 'config.json')
    writeFileSync(path, settings().replace('"mode": "test"', '"mode": "live"'))
    for (const argv of [['logout'], ['logout', '--all'], ['profiles', 'remove', 'real']]) {
      const stderr = expect.stringContaining('LIVE')
      expect(await home.refusal(argv)).toMatchObject({exit: 2, code: 'confirmation_needed', stderr})
    }
    const remove = ['profiles', 'remove', 'real', '--yes']
    expect(await home.json(remove)).toMatchObject({exit: 0, result: {removed: true}})
  })
})
