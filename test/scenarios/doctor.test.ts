/** `doctor`: the problems that it finds at the service, on the connection and on this machine. */
import {execFileSync, spawn} from 'node:child_process'
import {X509Certificate} from 'node:crypto'
import {chmodSync, readdirSync, symlinkSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {text} from 'node:stream/consumers'
import {afterAll, beforeEach, describe, expect, test} from 'vitest'
import {makeAuthority, makeCertificate} from '../../src/cli/features/webhooks/listen-tls.js'
import type {Home} from '../support/bookctl.js'
import {closing, ownHome, ownProxy} from '../support/own.js'
import {answering, refusing, ScriptedService} from '../support/scripted-service.js'
import {atTerminal} from '../support/terminal.js'
import {certificateFile, tlsIdentity} from '../support/tls.js'
import {SIGNING_SECRET, startReceiver} from '../support/webhook-files.js'
import {jsonAnswer, startWireServer} from '../support/wire.js'
import {type Check, containing, failed, OK, runDoctor, SKIPPED, WARN} from './run-doctor.js'

const CA = ['--ca-file', certificateFile('ca')]
const NAMES =
  'versions, configuration, permissions, databases, environment, settings, store, login, ' +
  'trust, proxy, dns, connection, tls, service, clock, token, scopes, account, signing secrets, listener, receiver'
const service = await ScriptedService.start()
afterAll(() => service.close())

let home: Home
beforeEach(() => {
  home = ownHome({...service.env})
  service.script = () => false
})

const doctor = (argv: string[] = [], options: Parameters<typeof runDoctor>[2] = {}) =>
  runDoctor(home, argv, options)
const at = (baseUrl: string, ...argv: string[]) => doctor(argv, {baseUrl})
async function startHttps(identity: {cert: string | Buffer; key: string | Buffer}): Promise<string> {
  const refuse = () => jsonAnswer(401, {error: {code: 'token_invalid'}}, {date: new Date().toUTCString()})
  const server = closing(await startWireServer(refuse, identity))
  return `https://127.0.0.1:${server.port}/v1`
}

test('if nothing is wrong, every check is ok or skipped, and the exit code is 0', async () => {
  const {exit, stderr, ...checks} = await doctor()
  expect({exit, stderr}).toEqual({exit: 0, stderr: ''})
  const all: Check[] = Object.values(checks as Record<string, Check>)
  expect(all.filter(({status}) => !['ok', 'skipped'].includes(status))).toEqual([])
  expect(Object.keys(checks).join(', ')).toBe(NAMES)
  // In a pipe, each check is a line without colour.
  const {stdout} = await home.run(['doctor'])
  expect(stdout).toMatch(/^ok\tversions\t/)
  expect(stdout).not.toContain('\u001b')
})

describe('at a terminal', () => {
  const env = {BOOKCTL_BASE_URL: 'http://127.0.0.1:1/v1', BOOKCTL_BASEURL: 'x'}
  const seen = async (more: Record<string, string> = {}, ...argv: string[]) => {
    const terminal = atTerminal(home, ['doctor', ...argv], {rows: 60, env: {...env, ...more}})
    expect(await terminal.exit).toBe(7)
    return {screen: terminal.screen(), raw: terminal.raw()}
  }

  test('each check has a sign, a fix is under its line, and a summary comes last', async () => {
    const {screen, raw} = await seen()
    expect(screen).toMatch(/^✓ versions +version /)
    expect(screen).toMatch(
      /^! environment +BOOKCTL_BASEURL .*\n( {19}.*\n)* {19}Fix: did you mean BOOKCTL_BASE_URL\?$/m,
    )
    expect(screen).toMatch(
      /^✗ connection +ECONNREFUSED 127\.0\.0\.1:1\n {19}Fix: nothing listens there[\s\S]*bookctl sandbox start/m,
    )
    expect(screen).toMatch(/^- tls, service, clock, token, scopes, account: connection failed$/m)
    const summary = /\n\n21 checks: \d+ ok, 1 warning \(environment\), 1 failed \(connection\), 9 skipped$/
    expect(screen).toMatch(summary)
    expect(raw).toContain('\u001b[31m✗')
  })

  test('accessible output has words in place of signs, and needs no colour', async () => {
    const {screen} = await seen({BOOKCTL_ACCESSIBLE: '1'})
    expect(screen).toMatch(/^ok {6}versions[\s\S]*\nfailed {2}connection[\s\S]*\nskipped tls, service,/)
    expect(screen).not.toMatch(/[✓✗]/)
    const {raw} = await seen({NO_COLOR: '1'})
    expect(raw).toContain('✗ connection')
    expect(raw).not.toContain('\u001b[31m')
  })

  test('a format that is asked for is the table, with what failed on stderr', async () => {
    const {screen} = await seen({}, '--format', 'table')
    expect(screen).toMatch(/^STATUS +NAME/)
    expect(screen).toMatch(/^21 checks: .*1 failed \(connection\)/m)
  })
})

describe('certificates', () => {
  test('of an unknown authority, and of one that --ca-file names', async () => {
    const url = await startHttps(tlsIdentity('good'))
    expect(await at(url)).toMatchObject({exit: 7, tls: {fix: containing('--ca-file')}})
    const known = {
      ...OK,
      detail: expect.stringMatching(/TLSv1\.[23]; good, issued by Test Authority, until 2119/),
    }
    expect(await at(url, ...CA)).toMatchObject({tls: known})
    expect(await at(url, '--insecure')).toMatchObject({tls: WARN, service: OK})
  })

  test('about to end', async () => {
    const now = Date.now() / 1000
    const authority = await makeAuthority(now)
    const whole = new X509Certificate((await makeCertificate(authority, '127.0.0.1', now)).cert)
    const left = Date.parse(whole.validTo) / 1000 - now
    const ending = await makeCertificate(authority, '127.0.0.1', now - left + 10.5 * 86_400)
    const file = join(home.directory, 'authority.pem')
    writeFileSync(file, authority.cert)
    const tls = {status: 'warn', detail: containing('ends in 10 days')}
    expect(await at(await startHttps(ending), '--ca-file', file)).toMatchObject({tls})
  })
})

describe('the connection', () => {
  test.each([
    [service.baseUrl, ['--proxy', 'http://127.0.0.1:1'], {exit: 0, proxy: {detail: containing('directly')}}],
    ['https://127.0.0.1:1/v1', ['--ca-file', '/nonexistent.pem'], {exit: 2, trust: {status: 'fail'}}],
  ])('%s %j', async (url, argv, expected) => {
    expect(await at(url, ...argv)).toMatchObject(expected)
  })

  test('certificates are seen through a proxy', async () => {
    const upstreamPort = Number(new URL(await startHttps(tlsIdentity('good'))).port)
    const {port} = await ownProxy(upstreamPort)
    const found = await at('https://service.test/v1', '--proxy', `http://127.0.0.1:${port}`, ...CA)
    expect(found).toMatchObject({proxy: {detail: containing('--proxy')}, service: OK})
    expect(found).toMatchObject({tls: {status: 'ok', detail: containing('Test Authority')}})
  })
})

describe('the service', () => {
  test.each([
    [-120, 'warn', 0],
    [900, 'fail', 2],
  ])('whose clock is %i s off', async (seconds, status, exit) => {
    service.script = (_, response) => {
      response.setHeader('date', new Date(Date.now() + seconds * 1000).toUTCString())
      return false
    }
    const clock = {status, detail: expect.stringMatching(/ahead of|behind/)}
    expect(await doctor()).toMatchObject({exit, clock})
  })

  test('that refuses the credentials, or grants fewer scopes', async () => {
    const wrong = await doctor([], {env: {BOOKCTL_CLIENT_SECRET: 'sk_test_wrong'}})
    expect(wrong).toMatchObject({exit: 4, token: {status: 'fail', fix: containing('bookctl login')}})
    service.liveTokens.add('token-9')
    const data = {access_token: 'token-9', token_type: 'Bearer', expires_in: 7200, scope: 'account:read'}
    service.at('/oauth/token', answering({data}, 200))
    const scopes = {status: 'warn', detail: containing('reservations:write')}
    expect(await doctor()).toMatchObject({exit: 0, scopes})
  })

  test('that refuses the account to a ready token: a failed check, reported on stderr', async () => {
    service.script = refusing(403, 'forbidden')
    const env = {BOOKCTL_TOKEN: 'ready-token'}
    const stderr = containing('1 failed (account)')
    expect(await doctor([], {env})).toMatchObject({exit: 4, stderr, account: {status: 'fail'}})
    expect((await doctor(['--quiet'], {env})).stderr).toBe('')
  })
})

test('a webhook receiver that keeps the rules, and one that is not there', async () => {
  const env = {BOOKCTL_WEBHOOK_SECRET: SIGNING_SECRET}
  const receiver = await startReceiver()
  expect(await doctor(['--receiver', receiver.url], {env})).toMatchObject({
    receiver: OK,
    'signing secrets': {detail: containing('BOOKCTL_WEBHOOK_SECRET')},
  })
  const none = await doctor(['--receiver', 'http://127.0.0.1:1/'], {env})
  expect(none).toMatchObject({exit: 7, receiver: {status: 'fail'}})
})

describe('this machine', () => {
  test('without a login, runs the checks that need none', async () => {
    const env = {BOOKCTL_CLIENT_ID: undefined, BOOKCTL_CLIENT_SECRET: undefined}
    const login = {fix: containing('bookctl login')}
    expect(await doctor([], {baseUrl: undefined, env})).toMatchObject({exit: 4, login, service: SKIPPED})
    expect(await doctor([], {env})).toMatchObject({exit: 4, service: OK, token: SKIPPED})
  })

  test('a key of config.json that nothing reads', async () => {
    home.configure('{"profiles": {}, "themes": 1}')
    const configuration = failed('themes is unknown; known here:')
    expect(await doctor()).toMatchObject({exit: 2, configuration, service: OK})
  })

  test('wrong settings of the environment and of config.json are one failed check, and stop no other', async () => {
    home.configure('{"profiles": {}, "defaults": {"currency": "EURO"}}')
    const env = {BOOKCTL_TIMEOUT: 'soon', BOOKCTL_NATIONALITY: 'T1'}
    const found = await doctor([], {baseUrl: 'https://127.0.0.1:1/v1', env})
    expect(found).toMatchObject({exit: 2, connection: {status: 'fail'}})
    for (const words of ['BOOKCTL_TIMEOUT: must be', 'BOOKCTL_NATIONALITY: must', 'defaults.currency: must'])
      expect(found).toMatchObject({settings: failed(words)})
  })

  test.runIf(process.platform !== 'win32')('files that others may read, and links', async () => {
    home.configure('{"profiles":{}}')
    chmodSync(home.configDirectory, 0o755)
    chmodSync(join(home.configDirectory, 'config.json'), 0o644)
    const permissions = {
      status: 'warn',
      detail: expect.stringMatching(/\(755\).*config\.json.*\(644\)/),
      fix: expect.stringMatching(/^chmod 700 /),
    }
    expect(await doctor(['--offline'])).toMatchObject({permissions})
    symlinkSync('/etc/hostname', join(home.configDirectory, 'state.db'))
    expect(await doctor(['--offline'])).toMatchObject({exit: 2, permissions: failed('regular file')})
  })

  test('a file in place of the configuration directory', async () => {
    const env = {BOOKCTL_CONFIG_DIR: join(home.directory, 'file')}
    writeFileSync(env.BOOKCTL_CONFIG_DIR, '')
    expect(await doctor(['--offline'], {env})).toMatchObject({
      exit: 2,
      permissions: failed('is not a directory'),
    })
  })

  test('a damaged database is found, and nothing is created or changed', async () => {
    await home.run(['account'])
    writeFileSync(join(home.configDirectory, 'state.db'), 'x'.repeat(8192), {mode: 0o600})
    // SQLite creates and removes files beside a database that another process has open.
    const files = () => readdirSync(home.configDirectory).filter(name => !/-(wal|shm)$/.test(name))
    const before = files()
    expect(await doctor(['--offline'])).toMatchObject({exit: 2, databases: failed('state.db is damaged')})
    expect(files()).toEqual(before)
  })

  test('a named pipe in place of a database is named, and not waited for', async () => {
    home.configure('{"profiles":{}}')
    execFileSync('mkfifo', [join(home.configDirectory, 'tokens.db')])
    // A separate process is killed from outside, because a process that waits for the other end of a pipe ignores signals.
    const env = {...process.env, BOOKCTL_CONFIG_DIR: home.configDirectory}
    const limit = {timeout: 20_000, killSignal: 'SIGKILL'} as const
    const child = spawn(process.execPath, ['bin/run.js', 'doctor', '--offline', '--json'], {env, ...limit})
    expect(await text(child.stdout)).toContain('tokens.db is not a regular file')
  })

  test('a home that cannot be written', async () => {
    const blocked = join(home.directory, 'file')
    writeFileSync(blocked, '')
    const env = {BOOKCTL_CONFIG_DIR: join(blocked, 'config')}
    expect(await doctor([], {env})).toMatchObject({account: OK})
  })

  test('a variable that nothing reads, and checks that are switched off', async () => {
    const offline = (env: Record<string, string>) => doctor(['--offline'], {env})
    const typo = {status: 'warn', fix: 'did you mean BOOKCTL_BASE_URL?'}
    expect(await offline({BOOKCTL_BASEURL: 'x'})).toMatchObject({environment: typo})
    const off = {environment: {status: 'warn', detail: containing('has no effect')}}
    expect(await offline({NODE_TLS_REJECT_UNAUTHORIZED: '0'})).toMatchObject(off)
    const unread = {environment: {status: 'warn', detail: containing('cannot be read')}}
    expect(await offline({NODE_EXTRA_CA_CERTS: '/nonexistent.pem'})).toMatchObject(unread)
  })
})
