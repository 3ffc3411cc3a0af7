/** `doctor` against the faults it is there to find, each real: bad servers, bad files, no network, no login. */

import {X509Certificate} from 'node:crypto'
import {chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync} from 'node:fs'
import {type AddressInfo, connect, createServer, type Server} from 'node:net'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {makeAuthority, makeCertificate} from '../../src/webhooks/receive/certificate.js'
import {Home, type RunOptions} from '../support/bookctl.js'
import {answer, ScriptedService} from '../support/scripted-service.js'
import {certificateFile, tlsIdentity} from '../support/tls.js'
import {SIGNING_SECRET, startReceiver} from '../support/webhook-files.js'
import {httpAnswer, jsonAnswer, startWireServer} from '../support/wire.js'

interface Check {
  readonly name: string
  readonly status: 'ok' | 'warn' | 'fail' | 'skipped'
  readonly detail: string
  readonly fix: string | null
}

const CREDENTIALS = {BOOKCTL_CLIENT_ID: 'cid_1', BOOKCTL_CLIENT_SECRET: 'sk_test_right'}
const closing: (() => unknown)[] = []
let home: Home

beforeEach(() => {
  home = new Home(CREDENTIALS)
  closing.push(() => home.remove())
})
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function doctor(baseUrl: string | undefined, argv: string[] = [], options: RunOptions = {}) {
  const env = {...(baseUrl === undefined ? {} : {BOOKCTL_BASE_URL: baseUrl}), ...options.env}
  const {exit, result, stderr} = await home.json<{checks: Check[]}>(['doctor', ...argv], {...options, env})
  const checks = Object.fromEntries(result.checks.map(check => [check.name, check]))
  const at = (name: string): Check => checks[name] ?? expect.fail(`no check ${name}`)
  for (const {status, fix, name} of result.checks) {
    const needsFix = status === 'fail' || status === 'warn'
    expect(`${name}: ${fix === null ? 'no fix' : 'a fix'}`).toBe(`${name}: ${needsFix ? 'a fix' : 'no fix'}`)
  }
  expect(JSON.stringify(result)).not.toMatch(/sk_test_|sk_live_|whsec_[a-zA-Z]|token-\d/)
  return {exit, at, checks: result.checks, stderr}
}

async function startScripted(): Promise<ScriptedService> {
  const service = await ScriptedService.start()
  closing.push(() => service.close())
  return service
}

async function startHttps(identity: {cert: string | Buffer; key: string | Buffer}): Promise<string> {
  const refuse = () => jsonAnswer(401, {error: {code: 'token_invalid'}}, {date: new Date().toUTCString()})
  const server = await startWireServer(refuse, identity)
  closing.push(() => server.close())
  return `https://127.0.0.1:${server.port}/v1`
}

describe('a service that is as it should be', () => {
  test('every check is ok or has nothing to look at, and the exit code is 0', async () => {
    const service = await startScripted()
    const {exit, checks, stderr} = await doctor(service.baseUrl)
    expect({exit, stderr}).toEqual({exit: 0, stderr: ''})
    expect(checks.filter(({status}) => !['ok', 'skipped'].includes(status))).toEqual([])
    expect(checks.map(({name}) => name).join(', ')).toBe(
      'versions, configuration, permissions, databases, environment, settings, disk, sandbox, login, ' +
        'trust, proxy, dns, connection, tls, service, clock, token, scopes, account, signing secrets, receiver',
    )
  })

  test('in a pipe a line a check; the words say it, no colour does', async () => {
    const service = await startScripted()
    const {stdout} = await home.run(['doctor'], {env: {BOOKCTL_BASE_URL: service.baseUrl}})
    expect(stdout).toMatch(/^ok\tversions\t/)
    expect(stdout).not.toContain('\u001b')
  })
})

describe('certificates', () => {
  test.each([
    ['expired', 'has expired'],
    ['other-host', 'is for another host name'],
    ['self-signed', 'self-signed'],
  ])('%s', async (name, words) => {
    const {exit, at} = await doctor(await startHttps(tlsIdentity(name)), ['--ca-file', certificateFile('ca')])
    expect(exit).toBe(7)
    expect(at('tls')).toMatchObject({status: 'fail', detail: expect.stringContaining(words)})
    expect(at('service')).toMatchObject({status: 'skipped', detail: 'tls failed'})
  })

  test('of an unknown authority, and of one that --ca-file names', async () => {
    const url = await startHttps(tlsIdentity('good'))
    const unknown = await doctor(url)
    expect(unknown.exit).toBe(7)
    expect(unknown.at('tls').detail).toContain('not signed by a known authority')
    expect(unknown.at('tls').fix).toContain('--ca-file')
    const known = await doctor(url, ['--ca-file', certificateFile('ca')])
    expect(known.at('tls')).toMatchObject({status: 'ok'})
    expect(known.at('tls').detail).toMatch(/TLSv1\.[23]; good, issued by Test Authority, until 2119/)
    const insecure = await doctor(url, ['--insecure'])
    expect(insecure.at('tls').status).toBe('warn')
    expect(insecure.at('service').status).toBe('ok')
  })

  test('an authority that comes through a pipe, which nobody can read twice', async () => {
    const url = await startHttps(tlsIdentity('good'))
    const env = {BOOKCTL_BASE_URL: url, AUTHORITY: certificateFile('ca')}
    const before = ['bash', '-c', 'exec "$@" --ca-file <(cat "$AUTHORITY")', 'bash']
    const {stdout} = await home.run(['doctor'], {env, before})
    expect(stdout.split('\n').filter(line => /^\w+\t(trust|tls|service)\t/.test(line))).toEqual([
      expect.stringMatching(/^ok\ttrust/),
      expect.stringMatching(/^ok\ttls/),
      expect.stringMatching(/^ok\tservice/),
    ])
  })

  test('about to end', async () => {
    const now = Date.now() / 1000
    const authority = await makeAuthority(now)
    const whole = new X509Certificate((await makeCertificate(authority, '127.0.0.1', now)).cert)
    const left = Date.parse(whole.validTo) / 1000 - now
    const ending = await makeCertificate(authority, '127.0.0.1', now - left + 10.5 * 86_400)
    const file = join(home.directory, 'authority.pem')
    writeFileSync(file, authority.cert)
    const {at} = await doctor(await startHttps(ending), ['--ca-file', file])
    expect(at('tls')).toMatchObject({status: 'warn', detail: expect.stringContaining('ends in 10 days')})
  })

  test('a bad --ca-file', async () => {
    const {exit, at} = await doctor('https://127.0.0.1:1/v1', ['--ca-file', '/nonexistent.pem'])
    expect(exit).toBe(2)
    expect(at('trust').status).toBe('fail')
  })
})

describe('settings that will not do', () => {
  test('of the environment and of config.json are one failed check, and stop no other', async () => {
    mkdirSync(home.configDirectory, {mode: 0o700})
    const settings = {profiles: {}, defaults: {currency: 'EURO'}}
    writeFileSync(join(home.configDirectory, 'config.json'), JSON.stringify(settings), {mode: 0o600})
    const env = {BOOKCTL_TIMEOUT: 'soon', BOOKCTL_NATIONALITY: 'T1'}
    const {exit, at} = await doctor('https://127.0.0.1:1/v1', [], {env})
    expect(exit).toBe(2)
    expect(at('settings').status).toBe('fail')
    for (const words of ['BOOKCTL_TIMEOUT: must be', 'BOOKCTL_NATIONALITY: must', 'defaults.currency: must'])
      expect(at('settings').detail).toContain(words)
    expect(at('connection').status).toBe('fail')
  })
})

describe('the way there', () => {
  test('nothing listens', async () => {
    const {exit, at} = await doctor('http://127.0.0.1:1/v1')
    expect(exit).toBe(7)
    expect(at('connection')).toMatchObject({status: 'fail', detail: 'ECONNREFUSED 127.0.0.1:1'})
    expect(at('account').status).toBe('skipped')
  })

  test('no such host', async () => {
    const {exit, at} = await doctor('https://nothing.invalid/v1')
    expect(exit).toBe(7)
    expect(at('dns')).toMatchObject({status: 'fail', detail: expect.stringMatching(/^E\w+ nothing\.invalid/)})
  })

  test('a server that never speaks', async () => {
    const {port} = await startTcp(() => {})
    const {exit, at} = await doctor(`https://127.0.0.1:${port}/v1`, ['--timeout', '1'])
    expect(exit).toBe(7)
    expect(at('connection').status).toBe('ok')
    expect(at('tls')).toMatchObject({
      status: 'fail',
      detail: expect.stringContaining('timed out connecting to 127.0.0.1'),
    })
  })

  test('a proxy that refuses, with its password untold', async () => {
    const {port} = await startTcp(socket => socket.end('HTTP/1.1 407 No\r\ncontent-length: 0\r\n\r\n'))
    const env = {HTTPS_PROXY: `http://user:canary@127.0.0.1:${port}`}
    const {exit, at, checks} = await doctor('https://service.test/v1', [], {env})
    expect(exit).toBe(7)
    expect(at('proxy')).toMatchObject({status: 'ok', detail: expect.stringContaining('HTTPS_PROXY')})
    expect(at('dns').status).toBe('skipped')
    expect(at('tls')).toMatchObject({status: 'fail', detail: expect.stringContaining('status 407')})
    expect(JSON.stringify(checks)).not.toContain('canary')
  })

  test('certificates are seen through a proxy', async () => {
    const service = Number(new URL(await startHttps(tlsIdentity('good'))).port)
    const {port} = await startTcp(client => {
      client.once('data', () => {
        const upstream = connect(service, '127.0.0.1', () => client.write('HTTP/1.1 200 OK\r\n\r\n'))
        upstream.on('error', () => client.destroy())
        upstream.pipe(client).pipe(upstream)
      })
    })
    const argv = ['--proxy', `http://127.0.0.1:${port}`, '--ca-file', certificateFile('ca')]
    const {at} = await doctor('https://service.test/v1', argv)
    expect(at('proxy').detail).toContain('--proxy')
    expect(at('tls')).toMatchObject({status: 'ok', detail: expect.stringContaining('Test Authority')})
    expect(at('service').status).toBe('ok')
  })

  test('this machine is reached without the proxy', async () => {
    const service = await startScripted()
    const {exit, at} = await doctor(service.baseUrl, ['--proxy', 'http://127.0.0.1:1'])
    expect(exit).toBe(0)
    expect(at('proxy').detail).toContain('directly')
  })
})

describe('the service', () => {
  test.each([
    [-120, 'warn', 0],
    [900, 'fail', 2],
  ])('whose clock is %i s off', async (seconds, status, exit) => {
    const service = await startScripted()
    service.script = (_, response) => {
      response.setHeader('date', new Date(Date.now() + seconds * 1000).toUTCString())
      return false
    }
    const found = await doctor(service.baseUrl)
    expect(found.exit).toBe(exit)
    expect(found.at('clock')).toMatchObject({status, detail: expect.stringMatching(/ahead of|behind/)})
  })

  test.each([
    ['500', 500, '{}', 'application/json', {status: 'fail'}, 6],
    ['a web page', 200, '<html>', 'text/html', {status: 'warn'}, 0],
    ['404', 404, '<html>', 'text/html', {status: 'warn'}, 0],
  ] as const)('%s without a token', async (_, status, body, type, expected, exit) => {
    const service = await startScripted()
    service.script = ({headers, path}, response) => {
      if (path !== '/account' || headers.authorization !== undefined) return false
      response.writeHead(status, {'content-type': type}).end(body)
      return true
    }
    const found = await doctor(service.baseUrl)
    expect(found.exit).toBe(exit)
    expect(found.at('service')).toMatchObject(expected)
  })

  test('wrong credentials, and scopes that were not granted', async () => {
    const service = await startScripted()
    const env = {BOOKCTL_CLIENT_SECRET: 'sk_test_wrong'}
    const wrong = await doctor(service.baseUrl, [], {env})
    expect(wrong.exit).toBe(4)
    expect(wrong.at('token')).toMatchObject({status: 'fail', fix: expect.stringContaining('bookctl login')})
    service.script = ({path}, response) => {
      if (path !== '/oauth/token') return false
      service.liveTokens.add('token-9')
      const data = {access_token: 'token-9', token_type: 'Bearer', expires_in: 7200, scope: 'account:read'}
      answer(response, 200, {data})
      return true
    }
    const {exit, at} = await doctor(service.baseUrl)
    expect(exit).toBe(0)
    expect(at('scopes')).toMatchObject({status: 'warn'})
    expect(at('scopes').detail).toContain('reservations:write')
  })

  test('an account that cannot be read', async () => {
    const service = await startScripted()
    service.script = ({headers, path}, response) => {
      if (path !== '/account' || headers.authorization === undefined) return false
      response.writeHead(502, {'content-type': 'text/html'}).end(httpAnswer(502, '<html>'))
      return true
    }
    const {exit, at} = await doctor(service.baseUrl, ['--timeout', '3'])
    expect({exit, status: at('account').status}).toEqual({exit: 6, status: 'fail'})
  })
})

describe('this machine', () => {
  test('no login: what can be looked at is', async () => {
    const none = {BOOKCTL_CLIENT_ID: undefined, BOOKCTL_CLIENT_SECRET: undefined}
    const nothing = await doctor(undefined, [], {env: none})
    expect(nothing.exit).toBe(4)
    expect(nothing.at('login').fix).toContain('bookctl login')
    expect(nothing.at('service').status).toBe('skipped')
    const service = await startScripted()
    const {exit, at} = await doctor(service.baseUrl, [], {env: none})
    expect(exit).toBe(4)
    expect(at('service').status).toBe('ok')
    expect(at('token').status).toBe('skipped')
  })

  test.each([
    ['{"profiles": nonsense', 'fail', 'not JSON'],
    [
      '{"profiles":{"a":{"base_url":"x","client_id":"y","colour":1}}}',
      'fail',
      'profiles.a.colour is unknown; known here:',
    ],
  ])('config.json %s', async (text, status, words) => {
    mkdirSync(home.configDirectory, {mode: 0o700})
    writeFileSync(join(home.configDirectory, 'config.json'), text, {mode: 0o600})
    const service = await startScripted()
    const {exit, at} = await doctor(service.baseUrl)
    expect(exit).toBe(status === 'fail' ? 2 : 0)
    expect(at('configuration')).toMatchObject({status, detail: expect.stringContaining(words)})
    expect(at('service').status).toBe('ok')
  })

  test.runIf(process.platform !== 'win32')('files that others may read, and links', async () => {
    mkdirSync(home.configDirectory, {mode: 0o755})
    chmodSync(home.configDirectory, 0o755)
    const config = join(home.configDirectory, 'config.json')
    writeFileSync(config, '{"profiles":{}}')
    chmodSync(config, 0o644)
    const open = await doctor(undefined, ['--offline'])
    expect(open.at('permissions').status).toBe('warn')
    expect(open.at('permissions').detail).toMatch(/\(755\).*config\.json.*\(644\)/)
    expect(open.at('permissions').fix).toMatch(/^chmod 700 /)
    symlinkSync('/etc/hostname', join(home.configDirectory, 'state.db'))
    const link = await doctor(undefined, ['--offline'])
    expect(link.exit).toBe(2)
    expect(link.at('permissions')).toMatchObject({
      status: 'fail',
      detail: expect.stringContaining('regular file'),
    })
  })

  test('a damaged database is found, and nothing is created or changed', async () => {
    const service = await startScripted()
    await home.run(['account'], {env: {BOOKCTL_BASE_URL: service.baseUrl}})
    const file = join(home.configDirectory, 'state.db')
    writeFileSync(file, 'x'.repeat(8192), {mode: 0o600})
    // SQLite's own files beside a database come and go with whoever has it open.
    const files = () => readdirSync(home.configDirectory).filter(name => !/-(wal|shm)$/.test(name))
    const before = files()
    const {exit, at} = await doctor(undefined, ['--offline'])
    expect(exit).toBe(2)
    expect(at('databases')).toMatchObject({
      status: 'fail',
      detail: expect.stringContaining('state.db is damaged'),
    })
    expect(files()).toEqual(before)
  })

  test('a home that cannot be written', async () => {
    const service = await startScripted()
    const blocked = join(mkdtempSync(join(tmpdir(), 'bookctl-test-')), 'file')
    closing.push(() => rmSync(join(blocked, '..'), {recursive: true}))
    writeFileSync(blocked, '')
    const env = {BOOKCTL_CONFIG_DIR: join(blocked, 'config')}
    const {at} = await doctor(service.baseUrl, [], {env})
    expect(at('account').status).toBe('ok')
  })

  test('a variable that nothing reads, and checks that are switched off', async () => {
    const typo = await doctor(undefined, ['--offline'], {env: {BOOKCTL_BASEURL: 'x'}})
    expect(typo.at('environment')).toMatchObject({status: 'warn', fix: 'did you mean BOOKCTL_BASE_URL?'})
    const off = await doctor(undefined, ['--offline'], {env: {NODE_TLS_REJECT_UNAUTHORIZED: '0'}})
    expect(off.at('environment').status).toBe('fail')
  })
})

describe('a webhook receiver', () => {
  test('that keeps the rules, and one that is not there', async () => {
    const service = await startScripted()
    const env = {BOOKCTL_WEBHOOK_SECRET: SIGNING_SECRET}
    const receiver = await startReceiver()
    const good = await doctor(service.baseUrl, ['--receiver', receiver.url], {env})
    expect(good.at('receiver')).toMatchObject({status: 'ok'})
    expect(good.at('signing secrets').detail).toContain('BOOKCTL_WEBHOOK_SECRET')
    const none = await doctor(service.baseUrl, ['--receiver', 'http://127.0.0.1:1/'], {env})
    expect({exit: none.exit, status: none.at('receiver').status}).toEqual({exit: 7, status: 'fail'})
  })
})

async function startTcp(serve: (socket: import('node:net').Socket) => void): Promise<{port: number}> {
  const server: Server = createServer(socket => {
    socket.on('error', () => {})
    closing.push(() => socket.destroy())
    serve(socket)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => server.close())
  return {port: (server.address() as AddressInfo).port}
}

test('a ready token that the account is refused to is a failed check, told on stderr', async () => {
  const service = await startScripted()
  service.script = (_request, response) => {
    answer(response, 403, {error: {code: 'forbidden', message: 'no'}})
    return true
  }
  const env = {BOOKCTL_TOKEN: 'ready-token'}
  const {exit, at, stderr, checks} = await doctor(service.baseUrl, [], {env})
  expect([exit, at('account').status]).toEqual([4, 'fail'])
  expect(stderr).toContain(`1 of ${checks.length} checks failed: account`)
  expect((await doctor(service.baseUrl, ['--quiet'], {env})).stderr).toBe('')
})
