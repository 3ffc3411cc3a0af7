/** A partner listens for events: what is printed, kept, replayed and exported; and a wait in a script. */
import {execFileSync, spawn, spawnSync} from 'node:child_process'
import {
  closeSync,
  constants,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import {request as requestHttps} from 'node:https'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {afterEach, expect, test} from 'vitest'
import {findFreePort} from '../../src/cli/features/sandbox/free-port.js'
import {openState} from '../../src/state/state.js'
import {Home} from '../support/bookctl.js'
import {eventually} from '../support/eventually.js'
import {type ListenProcess, startListening, startTarget} from '../support/listening.js'
import {certificateFile} from '../support/tls.js'
import {exchangeRaw, SECRET, signedRequest} from '../support/webhook-load.js'

const homes: Home[] = []
const processes: ListenProcess[] = []

afterEach(async () => {
  for (const {child} of processes) child.kill('SIGKILL')
  await Promise.all(processes.splice(0).map(({ended}) => ended))
  for (const home of homes.splice(0)) home.remove()
})

function newHome(): Home {
  const home = new Home({BOOKCTL_WEBHOOK_SECRET: SECRET})
  homes.push(home)
  return home
}

async function listening(...args: Parameters<typeof startListening>): Promise<ListenProcess> {
  const started = await startListening(...args)
  processes.push(started)
  return started
}

const CLOSE = 'Connection: close\r\n'
const bodyOf = (id: string, type = 'reservation.confirmed') =>
  `{"id":"${id}", "type":"${type}","data":{"status":"CONFIRMED","total":1250.00}}`

async function send(port: number, id: string, type?: string, secret?: string): Promise<number> {
  const request = signedRequest(bodyOf(id, type), id, {headers: CLOSE, ...(secret ? {secret} : {})})
  return Number((await exchangeRaw(port, request)).slice(9, 12))
}

test('each request is a line, and what was right is kept, shown, exported and verified again', async () => {
  const home = newHome()
  const capture = join(home.directory, 'capture.ndjson')
  const receiver = await listening(home, ['--capture', capture])
  expect(receiver.url).toBe(`http://127.0.0.1:${receiver.port}/`)
  const statuses = [
    await send(receiver.port, 'evt_1'),
    await send(receiver.port, 'evt_1'),
    await send(receiver.port, 'evt_2', 'voucher.ready', 'whsec_wrong'),
  ]
  expect(statuses).toEqual([200, 200, 401])
  await eventually(() => expect(receiver.lines.length).toBe(3))
  const [first, second, third] = receiver.lines
  expect(Object.keys(first ?? {})).toEqual([
    ...['type', 'verdict', 'reason', 'event_id', 'event_type', 'duplicate', 'received_at', 'ack_ms'],
    ...['body_base64', 'headers', 'event'],
  ])
  expect(first).toMatchObject({verdict: 'valid', reason: 'ok', event_id: 'evt_1', duplicate: false})
  expect(Buffer.from(String(first?.body_base64), 'base64').toString()).toBe(bodyOf('evt_1'))
  expect(second).toMatchObject({verdict: 'valid', duplicate: true})
  expect(third).toMatchObject({verdict: 'invalid', reason: 'signature_mismatch', event_id: 'evt_2'})
  expect((await receiver.stop()).exit).toBe(143)
  expect(
    readFileSync(capture, 'utf8')
      .trim()
      .split('\n')
      .map(line => JSON.parse(line)),
  ).toEqual(receiver.lines)
  expect(statSync(capture).mode & 0o777).toBe(0o600)

  const listed = await home.json<{events: unknown[]}>(['webhooks', 'events', 'list'])
  expect(listed.result.events).toMatchObject([
    {event_id: 'evt_1', event_type: 'reservation.confirmed', secret: 'env[0]'},
  ])
  const shown = await home.run(['webhooks', 'events', 'show', 'evt_1'])
  expect(shown.stdout).toContain(`\n\n${bodyOf('evt_1')}\n`)
  const {stdout: exported} = await home.run(['webhooks', 'events', 'export'])
  expect(JSON.parse(exported)).toEqual({...first, ack_ms: null})
  const {result} = await home.json(['webhooks', 'events', 'export'])
  expect(result).toEqual({records: [JSON.parse(exported)]})
  for (const flags of [
    ['--columns', 'event_id'],
    ['--format', 'csv'],
    ['--query', 'records'],
  ]) {
    expect(await home.json(['webhooks', 'events', 'export', ...flags])).toMatchObject({exit: 2})
  }
  const nothing = await home.json(['webhooks', 'events', 'export', '--type', 'voucher.ready'])
  expect(nothing.result).toEqual({records: []})
  const verified = await home.json(['webhooks', 'verify', '-', '--at', 'received'], {stdin: exported})
  expect(verified).toMatchObject({exit: 0, result: {valid: true, event_id: 'evt_1'}})
})

const canLimit = spawnSync('prlimit', ['--version']).status === 0

test.runIf(canLimit)(
  'on a disk that fills up nothing is acknowledged that is not kept, and it goes on',
  async () => {
    const home = newHome()
    const receiver = await listening(home)
    const limit = (bytes: string) =>
      spawnSync('prlimit', ['--pid', String(receiver.child.pid), `--fsize=${bytes}:`])
    expect(await send(receiver.port, 'evt_1')).toBe(200)
    limit('0')
    expect(await send(receiver.port, 'evt_2')).toBe(503)
    expect(await send(receiver.port, 'evt_3')).toBe(503)
    limit('unlimited')
    expect(await send(receiver.port, 'evt_3')).toBe(200)
    const {exit, stderr} = await receiver.stop()
    expect(exit).toBe(143)
    expect(stderr).toMatch(/cannot write more to .*events.db/)
    expect(receiver.lines.map(({event_id, duplicate}) => [event_id, duplicate])).toEqual([
      ['evt_1', false],
      ['evt_3', false],
    ])
    const {result} = await home.json<{events: {event_id: string}[]}>(['webhooks', 'events', 'list'])
    expect(result.events.map(({event_id}) => event_id).sort()).toEqual(['evt_1', 'evt_3'])
  },
)

test('an event is replayed as it came, or signed anew', async () => {
  const home = newHome()
  const receiver = await listening(home)
  const old = signedRequest(bodyOf('evt_1'), 'evt_1', {
    headers: CLOSE,
    timestamp: Math.floor(Date.now() / 1000) - 290,
  })
  await exchangeRaw(receiver.port, old)
  await receiver.stop()
  const again = newHome()
  const second = await listening(again)
  const replay = (...more: string[]) =>
    home.json<{replayed: unknown[]}>(['webhooks', 'events', 'replay', 'evt_1', '--to', second.url, ...more])
  expect(await replay()).toMatchObject({
    exit: 0,
    result: {replayed: [{event_id: 'evt_1', status: 200, late: false}]},
  })
  expect(await replay('--resign')).toMatchObject({exit: 0})
  await eventually(() => expect(second.lines).toMatchObject([{duplicate: false}, {duplicate: true}]))
  const signatures = second.lines.map(line => (line.headers as Record<string, string>)['x-service-signature'])
  expect(old.toString()).toContain(`X-Service-Signature: ${signatures[0]}\r\n`)
  expect(signatures[1]).not.toBe(signatures[0])
  const gone = await startTarget(200)
  await gone.close()
  expect(await home.json(['webhooks', 'events', 'replay', 'evt_1', '--to', gone.url])).toMatchObject({
    exit: 7,
    result: {replayed: [{status: null, error: 'ECONNREFUSED'}]},
  })
  expect(await home.refusal(['webhooks', 'events', 'replay', 'evt_9', '--to', second.url])).toMatchObject({
    exit: 2,
    code: 'event_not_found',
  })
})

test('a script waits for an event, and is told when it does not come', async () => {
  const home = newHome()
  const expectation = ['--expect', "data.status == 'CONFIRMED'", '--exit-after', '2', '--within', '60']
  const receiver = await listening(home, [...expectation, '--event', 'reservation.confirmed'])
  await send(receiver.port, 'evt_1', 'voucher.ready')
  await send(receiver.port, 'evt_2')
  await send(receiver.port, 'evt_2')
  await send(receiver.port, 'evt_3')
  expect(await receiver.ended).toMatchObject({exit: 0})
  expect(receiver.lines.map(line => line.event_id)).toEqual(['evt_2', 'evt_2', 'evt_3'])
  const all = await home.json<{events: unknown[]}>(['webhooks', 'events', 'list'])
  expect(all.result.events.length).toBe(3)

  const late = await home.run(['webhooks', 'listen', '--within', '0', '--exit-after', '1'])
  expect(late).toMatchObject({exit: 8, stdout: ''})
  expect(late.stderr).toContain('0 of 1 expected events came')
})

test('--tls shows a certificate that the authority in the configuration directory vouches for', async () => {
  const home = newHome()
  const receiver = await listening(home, ['--tls'])
  const ca = readFileSync(join(home.configDirectory, 'listen-ca.pem'))
  expect(statSync(join(home.configDirectory, 'listen-ca-key.pem')).mode & 0o777).toBe(0o600)
  expect(await statusOverTls(receiver.port, ca, 'localhost')).toBe(200)
  expect(await statusOverTls(receiver.port, ca, '127.0.0.1')).toBe(200)
  await expect(statusOverTls(receiver.port, undefined, 'localhost')).rejects.toThrow(/certificate/)
  await receiver.stop()
  // The same authority the next time: what trusts it goes on trusting it.
  const next = await listening(home, ['--tls'])
  expect(await statusOverTls(next.port, ca, 'localhost')).toBe(200)
})

test('probe and replay trust the authority of a listen --tls of this machine, not through a link', async () => {
  const home = newHome()
  const receiver = await listening(home, ['--tls'])
  const url = receiver.url.replace('127.0.0.1', 'localhost')
  const probe = await home.json<{probes: unknown[]}>(['webhooks', 'probe', url])
  expect(probe.exit).toBe(0)
  const [{event_id} = {event_id: ''}] = (
    await home.json<{events: {event_id: string}[]}>(['webhooks', 'events', 'list', '--limit', '1'])
  ).result.events
  const replay = ['webhooks', 'events', 'replay', event_id, '--to', url]
  expect(await home.json(replay)).toMatchObject({exit: 0, result: {replayed: [{status: 200}]}})
  const ca = join(home.configDirectory, 'listen-ca.pem')
  renameSync(ca, `${ca}.moved`)
  symlinkSync(`${ca}.moved`, ca)
  expect(await home.json(replay)).toMatchObject({exit: 7, result: {replayed: [{status: null}]}})
})

test('--dry-run of a replay: the bytes that would be sent; of listen: the requests and files of its start', async () => {
  const home = newHome()
  const receiver = await listening(home)
  await send(receiver.port, 'evt_1')
  await receiver.stop()
  const target = await startTarget(200)
  const replay = ['webhooks', 'events', 'replay', 'evt_1', '--to', target.url, '--dry-run']
  const {exit, result} = await home.json<{headers: Record<string, string>; body_base64: string}>(replay)
  expect({exit, ...result}).toMatchObject({exit: 0, method: 'POST', url: target.url, body: {id: 'evt_1'}})
  expect(Buffer.from(result.body_base64, 'base64').toString()).toBe(bodyOf('evt_1'))
  expect(result.headers['X-Service-Signature']).toMatch(/^t=\d+,v1=/)
  const anew = await home.json<typeof result>([...replay, '--resign', '--secret-stdin'], {
    stdin: 'whsec_other',
  })
  expect(anew.result.headers['X-Service-Signature']).not.toBe(result.headers['X-Service-Signature'])
  expect(target.got).toEqual([])
  await target.close()

  const env = {
    BOOKCTL_CONFIG_DIR: join(home.directory, 'fresh'),
    BOOKCTL_BASE_URL: 'http://127.0.0.1:9/v1',
    BOOKCTL_CLIENT_ID: 'cid_1',
    BOOKCTL_CLIENT_SECRET: 'sk_test_1',
  }
  const subscribe = ['--subscribe', '--public-url', 'https://hooks.example/', '--event', 'voucher.ready']
  const listen = await home.json(['webhooks', 'listen', ...subscribe, '--tls', '--dry-run'], {env})
  expect(listen).toMatchObject({
    exit: 0,
    result: {
      requests: [
        {method: 'POST', body: {url: 'https://hooks.example/', events: ['voucher.ready']}},
        {method: 'POST', url: 'http://127.0.0.1:9/v1/webhooks/subscriptions/SUBSCRIPTION_ID/test'},
      ],
      changes: [
        {what: 'signing secret of the subscription', action: 'create'},
        {file: join(env.BOOKCTL_CONFIG_DIR, 'listen-ca.pem')},
        {file: join(env.BOOKCTL_CONFIG_DIR, 'events.db'), action: 'create'},
      ],
    },
  })
  expect(existsSync(env.BOOKCTL_CONFIG_DIR)).toBe(false)
})

test('a given certificate is shown, and a key that is not its own is refused', async () => {
  const home = newHome()
  const key = (name: string) => certificateFile(name).replace(/pem$/, 'key')
  // What stands before it is in no encoding that anybody knows of.
  const cert = join(home.directory, 'good.pem')
  writeFileSync(cert, Buffer.concat([Buffer.from([0x23, 0xdd, 0x0a]), readFileSync(certificateFile('good'))]))
  const receiver = await listening(home, ['--cert', cert, '--key', key('good')])
  expect(receiver.url).toMatch(/^https:/)
  expect(await statusOverTls(receiver.port, readFileSync(certificateFile('ca')), 'localhost')).toBe(200)
  const refused = await home.json([
    'webhooks',
    'listen',
    '--cert',
    certificateFile('good'),
    '--key',
    key('expired'),
  ])
  expect(refused).toMatchObject({exit: 2, result: {error: {code: 'invalid_key'}}})
})

function statusOverTls(port: number, ca: Buffer | undefined, host: string): Promise<number> {
  const bytes = signedRequest(bodyOf('evt_tls'), 'evt_tls')
  const [head = '', body = ''] = bytes.toString().split('\r\n\r\n')
  const headers = Object.fromEntries(
    head
      .split('\r\n')
      .slice(2)
      .map(line => line.split(': ')),
  )
  return new Promise((resolve, reject) => {
    const options = {
      host,
      port,
      method: 'POST',
      headers: {...headers, Connection: 'close'},
      ...(ca ? {ca} : {}),
    }
    requestHttps(options, answer => resolve(answer.resume().statusCode ?? 0))
      .on('error', reject)
      .end(body)
  })
}

test('a body nested absurdly deep, signed or not, is taken like any other', async () => {
  const home = newHome()
  const capture = join(home.directory, 'capture.ndjson')
  const receiver = await listening(home, ['--capture', capture])
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
  const signed = `{"id":"evt_deep","type":"voucher.ready","data":${deep}}`
  for (const [body, secret, status] of [
    [deep, 'whsec_none', 401],
    [signed, 'whsec_none', 401],
    [signed, SECRET, 200],
  ] as const) {
    const request = signedRequest(body, 'evt_deep', {headers: CLOSE, secret})
    expect(Number((await exchangeRaw(receiver.port, request)).slice(9, 12))).toBe(status)
  }
  expect(await send(receiver.port, 'evt_2')).toBe(200)
  expect((await receiver.stop()).exit).toBe(143)
  for (const argv of [
    ['export'],
    ['export', '--json'],
    ['show', 'evt_deep', '--json'],
    ['list', '--json'],
    ['replay', 'evt_deep', '--to', 'http://127.0.0.1:9/', '--dry-run', '--json'],
  ])
    expect([argv, (await home.run(['webhooks', 'events', ...argv])).exit]).toEqual([argv, 0])
  const altered = await home.json(['webhooks', 'verify', capture, '--at', 'received'])
  expect(altered).toMatchObject({exit: 9, result: {invalid: 2}})
})

test('--quiet prints the events that are right, and none that anybody made up', async () => {
  const home = newHome()
  const port = await findFreePort()
  const argv = ['webhooks', 'listen', '--quiet', '--port', String(port), '--exit-after', '1']
  const env = {BOOKCTL_WEBHOOK_SECRET: SECRET}
  const ended = home.run(argv, {env})
  await eventually(async () => expect(await send(port, 'evt_forged', undefined, 'whsec_other')).toBe(401))
  expect(await send(port, 'evt_right')).toBe(200)
  expect(await ended).toMatchObject({exit: 0, stdout: 'evt_right\n'})
})

test('--format csv prints a line of cells for each request, quoted where needed', async () => {
  const home = newHome()
  const port = await findFreePort()
  const flags = ['--format', 'csv', '--columns', 'verdict,event_type,event_id', '--exit-after', '2']
  const env = {BOOKCTL_WEBHOOK_SECRET: SECRET}
  const ended = home.run(['webhooks', 'listen', ...flags, '--port', String(port)], {env})
  await eventually(async () => expect(await send(port, 'evt_1', 'a, \\"b\\"')).toBe(200))
  expect(await send(port, 'evt_2')).toBe(200)
  expect(await ended).toMatchObject({
    exit: 0,
    stdout: 'valid,"a, ""b""",evt_1\nvalid,reservation.confirmed,evt_2\n',
  })
})

test('the secret of the only subscription is good for nothing once that is deleted', async () => {
  const home = newHome()
  const state = openState(home.configDirectory)
  const stored = {subscription_id: 'whsub_1', profile: 'default', secret: 'whsec_stored', stored_at: 1}
  state.secrets.putSigningSecret(stored)
  const receiver = await listening(home, [], {env: {BOOKCTL_WEBHOOK_SECRET: undefined}})
  expect(await send(receiver.port, 'evt_1', undefined, 'whsec_stored')).toBe(200)
  state.secrets.removeSigningSecret('default', 'whsub_1')
  state.close()
  const again = async () => expect(await send(receiver.port, 'evt_2', undefined, 'whsec_stored')).toBe(401)
  await eventually(again)
})

test('a reader that stands still holds up no end that was asked for', async () => {
  const home = newHome()
  const entry = fileURLToPath(new URL('../../bin/run.js', import.meta.url))
  const port = await findFreePort()
  const child = spawn(process.execPath, [entry, 'webhooks', 'listen', '--json', '--port', String(port)], {
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      ...home.env,
      BOOKCTL_CONFIG_DIR: home.configDirectory,
      BOOKCTL_WEBHOOK_SECRET: SECRET,
    },
    // Nobody reads it.
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  child.stdout?.pause()
  try {
    await eventually(async () => expect(await send(port, 'evt_0')).toBe(200))
    // A line holds the body: these are more than a pipe holds.
    const long = (n: number) => `{"id":"evt_${n}", "type":"voucher.ready", "data":"${'x'.repeat(10_000)}"}`
    for (let n = 1; n < 100; n++)
      await exchangeRaw(port, signedRequest(long(n), `evt_${n}`, {headers: CLOSE}))
    const ended = new Promise(resolve => child.once('exit', (code, signal) => resolve(code ?? signal)))
    child.kill('SIGTERM')
    expect(await ended).toBe(143)
  } finally {
    child.kill('SIGKILL')
  }
})

test('what cannot be is refused before anything is done', async () => {
  const home = newHome()
  const refused: [string[], string][] = [
    [['--port', '70000'], 'invalid_input'],
    [['--path', 'hooks'], 'invalid_input'],
    [['--forward-to', 'http://example.com/'], 'invalid_input'],
    [['--expect', 'a ==='], 'invalid_query'],
    [['--exit-after', '0'], 'invalid_input'],
    [['--cert', 'x.pem'], 'missing_flag'],
    [['--subscribe'], 'missing_flag'],
    [['--public-url', 'https://example.com/'], 'missing_flag'],
    [['--capture', join(home.directory, 'no', 'such')], 'cannot_write'],
  ]
  const [heard, unheard] = [join(home.directory, 'heard'), join(home.directory, 'unheard')]
  for (const pipe of [heard, unheard]) {
    execFileSync('mkfifo', [pipe])
    refused.push([['--capture', pipe], 'cannot_write'])
  }
  const reader = openSync(heard, constants.O_RDONLY | constants.O_NONBLOCK)
  for (const [argv, code] of refused) {
    const {exit, result} = await home.json<{error: {code: string}}>(['webhooks', 'listen', ...argv])
    expect([argv, exit, result.error.code]).toEqual([argv, 2, code])
  }
  closeSync(reader)
  const none = await home.json(['webhooks', 'listen'], {env: {BOOKCTL_WEBHOOK_SECRET: undefined}})
  expect(none).toMatchObject({exit: 2, result: {error: {code: 'no_webhook_secret'}}})
  const taken = await startTarget(200)
  const busy = await home.json(['webhooks', 'listen', '--port', String(taken.port)])
  expect(busy).toMatchObject({exit: 2, result: {error: {code: 'port_unavailable'}}})
  await taken.close()
})
