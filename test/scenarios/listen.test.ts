/** Listening for events as a partner does: printing, storing, replaying and exporting events, and waiting for one in a script. */
import {type ChildProcess, execFileSync} from 'node:child_process'
import {closeSync, constants, existsSync, openSync, readFileSync, statSync} from 'node:fs'
import {join} from 'node:path'
import {expect, test} from 'vitest'
import {findFreePort} from '../../src/cli/features/sandbox/port.js'
import {openState} from '../../src/state/state.js'
import {eventually} from '../support/eventually.js'
import {startTarget} from '../support/listening.js'
import {ownListening, ownReceiverHome, ownTarget} from '../support/own.js'
import {SECRET, sendEvent, signedRequest, statusOf} from '../support/webhook-load.js'

const bodyOf = (id: string, type = 'reservation.confirmed') =>
  `{"id":"${id}","type":"${type}","data":{"status":"CONFIRMED","total":1250.00}}`

const send = (port: number, id: string, type?: string, secret = SECRET) =>
  sendEvent(port, bodyOf(id, type), id, {secret})

test('each request is a line, and valid events are stored, shown, exported and verified again', async () => {
  const home = ownReceiverHome()
  const capture = join(home.directory, 'capture.ndjson')
  const receiver = await ownListening(home, ['--capture', capture])
  expect(receiver.url).toBe(`http://127.0.0.1:${receiver.port}/`)
  for (let n = 0; n < 2; n++) expect(await send(receiver.port, 'evt_1')).toBe(200)
  expect(await send(receiver.port, 'evt_2', 'voucher.ready', 'whsec_wrong')).toBe(401)
  await eventually(() => expect(receiver.lines.length).toBe(3))
  const [first, second, third] = receiver.lines
  expect(Object.keys(first ?? {}).join(' ')).toBe(
    'type verdict reason event_id event_type duplicate received_at ack_ms body_base64 headers event',
  )
  expect(first).toMatchObject({verdict: 'valid', reason: 'ok', event_id: 'evt_1', duplicate: false})
  expect(Buffer.from(String(first?.body_base64), 'base64').toString()).toBe(bodyOf('evt_1'))
  expect(second).toMatchObject({verdict: 'valid', duplicate: true})
  expect(third).toMatchObject({verdict: 'invalid', reason: 'signature_mismatch', event_id: 'evt_2'})
  expect((await receiver.stop()).exit).toBe(143)
  const captured = readFileSync(capture, 'utf8').trim().split('\n')
  expect(captured.map(line => JSON.parse(line))).toEqual(receiver.lines)
  expect(statSync(capture).mode & 0o777).toBe(0o600)

  const listed = await home.json<{events: unknown[]}>(['webhooks', 'events', 'list'])
  const kept = {event_id: 'evt_1', event_type: 'reservation.confirmed', secret: 'env[0]'}
  expect(listed.result.events).toMatchObject([kept])
  const shown = await home.run(['webhooks', 'events', 'show', 'evt_1'])
  expect(shown.stdout.slice(-bodyOf('evt_1').length - 2)).toBe(`\n\n${bodyOf('evt_1')}`)
  const {stdout: exported} = await home.run(['webhooks', 'events', 'export'])
  expect(JSON.parse(exported)).toEqual({...first, ack_ms: null})
  const {result} = await home.json(['webhooks', 'events', 'export'])
  expect(result).toEqual({records: [JSON.parse(exported)]})
  for (const flag of ['--columns=event_id', '--format=csv', '--query=records'])
    expect(await home.json(['webhooks', 'events', 'export', flag])).toMatchObject({exit: 2})
  const verify = (file: string, stdin = '') =>
    home.json(['webhooks', 'verify', file, '--at', 'received'], {stdin})
  expect((await verify('-', exported)).result).toMatchObject({valid: true, event_id: 'evt_1'})
  const details = await home.run(['webhooks', 'events', 'show', 'evt_1', '--json'])
  for (const written of [shown.stdout, details.stdout])
    expect((await verify('-', written)).result, written).toMatchObject({valid: true, event_id: 'evt_1'})
  expect(await verify(capture)).toMatchObject({exit: 9, result: {valid: 2, invalid: 1}})
  const body_base64 = Buffer.from(bodyOf('evt_1').replace('CONFIRMED', 'PENDING')).toString('base64')
  const changed = JSON.stringify({...JSON.parse(exported), body_base64})
  expect(JSON.stringify((await verify('-', changed)).result)).toContain('differs from the body received')
})

test('an event is replayed as it came, or signed again', async () => {
  const home = ownReceiverHome()
  const receiver = await ownListening(home)
  const timestamp = Math.floor(Date.now() / 1000) - 150
  const old = signedRequest(bodyOf('evt_1'), 'evt_1', {timestamp})
  await statusOf(receiver.port, old)
  await receiver.stop()
  const again = ownReceiverHome()
  const second = await ownListening(again)
  const replay = (...more: string[]) =>
    home.json<{replayed: unknown[]}>(['webhooks', 'events', 'replay', 'evt_1', '--to', second.url, ...more])
  const replayed = [{event_id: 'evt_1', status: 200, late: false}]
  expect(await replay()).toMatchObject({exit: 0, result: {replayed}})
  expect(await replay('--resign')).toMatchObject({exit: 0})
  await eventually(() => expect(second.lines).toMatchObject([{duplicate: false}, {duplicate: true}]))
  const signatures = second.lines.map(line => (line.headers as Record<string, string>)['x-service-signature'])
  expect(old.toString()).toContain(`X-Service-Signature: ${signatures[0]}\r\n`)
  expect(signatures[1]).not.toBe(signatures[0])
  const gone = await startTarget(200)
  await gone.close()
  const nobody = await home.json(['webhooks', 'events', 'replay', 'evt_1', '--to', gone.url])
  expect(nobody).toMatchObject({exit: 7, result: {replayed: [{status: null, error: 'ECONNREFUSED'}]}})
  const unknown = await home.refusal(['webhooks', 'events', 'replay', 'evt_9', '--to', second.url])
  expect(unknown).toMatchObject({exit: 2, code: 'event_not_found'})
})

test('a script waits for an event, and exits with 8 when it does not come', async () => {
  const home = ownReceiverHome()
  // The expression fails for an event without a status.
  const expectation = ['--expect', 'length(data.status) == `9`', '--exit-after', '2', '--within', '60']
  const receiver = await ownListening(home, [...expectation, '--event', 'reservation.confirmed'])
  await sendEvent(receiver.port, '{"id":"evt_0","type":"reservation.confirmed"}', 'evt_0', {secret: SECRET})
  await send(receiver.port, 'evt_1', 'voucher.ready')
  await send(receiver.port, 'evt_2')
  await send(receiver.port, 'evt_2')
  await send(receiver.port, 'evt_3')
  expect(await receiver.ended).toMatchObject({exit: 0})
  expect(receiver.lines.map(line => line.event_id)).toEqual(['evt_0', 'evt_2', 'evt_2', 'evt_3'])
  const all = await home.json<{events: unknown[]}>(['webhooks', 'events', 'list'])
  expect(all.result.events.length).toBe(4)

  const to = ['--forward-to', 'https://a.example/', '--forward-to', 'https://b.example/']
  const late = await home.run(['webhooks', 'listen', '--within', '0', '--exit-after', '1', ...to])
  expect(late).toMatchObject({exit: 8, stdout: ''})
  expect(late.stderr).toMatch(/ → https:..a\.example., https:..b\.example. .*0 of 1 expected events came/s)
})

test('--dry-run of a replay: the bytes that would be sent; of listen: the requests and files of its start', async () => {
  const home = ownReceiverHome()
  const receiver = await ownListening(home)
  await send(receiver.port, 'evt_1')
  await receiver.stop()
  const target = await ownTarget(200)
  const replay = ['webhooks', 'events', 'replay', 'evt_1', '--to', target.url, '--dry-run']
  const {exit, result} = await home.json<{headers: Record<string, string>; body_base64: string}>(replay)
  expect({exit, ...result}).toMatchObject({exit: 0, method: 'POST', url: target.url, body: {id: 'evt_1'}})
  expect(Buffer.from(result.body_base64, 'base64').toString()).toBe(bodyOf('evt_1'))
  expect(result.headers['X-Service-Signature']).toMatch(/^t=\d+,v1=/)
  const resigned = [...replay, '--resign', '--secret-stdin']
  const again = await home.json<typeof result>(resigned, {stdin: 'whsec_other'})
  expect(again.result.headers['X-Service-Signature']).not.toBe(result.headers['X-Service-Signature'])
  expect(target.got).toEqual([])

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

test('a body nested absurdly deep is accepted, stored, exported and sent again like any other', async () => {
  const home = ownReceiverHome()
  const receiver = await ownListening(home)
  const deep = `{"id":"evt_deep","type":"voucher.ready","data":${'['.repeat(50_000)}${']'.repeat(50_000)}}`
  const sendDeep = (secret: string) => sendEvent(receiver.port, deep, 'evt_deep', {secret})
  expect([await sendDeep('whsec_none'), await sendDeep(SECRET)]).toEqual([401, 200])
  expect((await receiver.stop()).exit).toBe(143)
  const replay = 'replay evt_deep --to http://127.0.0.1:9/ --dry-run --json'
  for (const line of ['export', 'show evt_deep --json', replay])
    expect([line, (await home.run(['webhooks', 'events', ...line.split(' ')])).exit]).toEqual([line, 0])
})

test('--quiet prints the events that are right, --query what it finds, and --format csv a line of cells for each', async () => {
  const home = ownReceiverHome()
  const receive = async (flags: string[], ...sent: [id: string, type: string, status: number][]) => {
    const port = await findFreePort()
    const ended = home.run(['webhooks', 'listen', ...flags, '--port', String(port)])
    for (const [id, type, status] of sent)
      await eventually(async () =>
        expect(await send(port, id, type, status === 200 ? SECRET : 'whsec_other')).toBe(status),
      )
    return ended
  }
  const quiet = receive(['--quiet', '--exit-after', '1'], ['evt_forged', 'a', 401], ['evt_right', 'a', 200])
  expect(await quiet).toMatchObject({exit: 0, stdout: 'evt_right\n'})
  const query = receive(['--query', 'event.type', '--exit-after', '1'], ['evt_0', 'a', 200])
  expect(await query).toMatchObject({exit: 0, stdout: 'a\n'})
  const cells = ['--format', 'csv', '--columns', 'verdict,event_type,event_id', '--exit-after', '2']
  const csv = receive(cells, ['evt_1', 'a, \\"b\\"', 200], ['evt_2', 'voucher.ready', 200])
  expect(await csv).toMatchObject({exit: 0, stdout: 'valid,"a, ""b""",evt_1\nvalid,voucher.ready,evt_2\n'})
})

test('a listener says when and by what one of its secrets was removed, in its stream too', async () => {
  const home = ownReceiverHome()
  const none = {BOOKCTL_WEBHOOK_SECRET: undefined}
  const state = openState(home.configDirectory)
  for (const id of ['whsub_1', 'whsub_2'])
    state.secrets.putSigningSecret({
      subscription_id: id,
      profile: 'default',
      secret: `whsec_${id}`,
      stored_at: 1,
    })
  state.close()
  const receiver = await ownListening(home, [], {env: none})
  const post = (id: string) => send(receiver.port, id, undefined, 'whsec_whsub_1')
  expect(await home.json(['logout'], {env: none})).toMatchObject({result: {kept: ['whsub_1', 'whsub_2']}})
  expect(await post('evt_1')).toBe(200)
  const removed = async () => {
    const argv = ['logout', '--all', '--yes']
    expect(await home.json(argv, {env: none})).toMatchObject({exit: 0, result: {kept: []}})
    await eventually(() => expect(receiver.lines.length).toBe(3))
    return receiver.lines.slice(1)
  }
  const at = expect.stringMatching(/^2\d{3}-\d\d-\d\dT[\d:.]+Z$/)
  const line = {type: 'secret_removed', removed_at: at, removed_by: 'logout --all'}
  const expected = ['whsub_1', 'whsub_2'].map(subscription_id => ({...line, subscription_id}))
  expect(await removed()).toEqual(expect.arrayContaining(expected))
  expect(await post('evt_2')).toBe(401)
  const {stderr} = await receiver.stop()
  expect(stderr).toMatch(
    /Warning: the signing secret of whsub_1 was removed at 2\d{3}-\S+Z by bookctl logout --all; events signed with it are now refused with 401/,
  )
})

test('a reader that stops reading does not delay a requested stop', async () => {
  const home = ownReceiverHome()
  const port = await findFreePort()
  const argv = ['webhooks', 'listen', '--json', '--port', String(port)]
  let child: ChildProcess | undefined
  const ended = home.run(argv, {
    onStart(started) {
      child = started
      started.stdout?.pause()
    },
  })
  await eventually(async () => expect(await send(port, 'evt_0')).toBe(200))
  // Each line contains the body, so the lines together are more than a pipe can hold.
  const long = (n: number) => `{"id":"evt_${n}", "type":"voucher.ready", "data":"${'x'.repeat(10_000)}"}`
  for (let n = 1; n < 100; n++) await sendEvent(port, long(n), `evt_${n}`)
  child?.once('exit', () => child?.stdout?.resume()).kill('SIGTERM')
  expect((await ended).exit).toBe(143)
})

test('a capture that cannot be written, an address of another machine and no secret are refused at the start', async () => {
  const home = ownReceiverHome()
  const [heard, unheard] = [join(home.directory, 'heard'), join(home.directory, 'unheard')]
  execFileSync('mkfifo', [heard, unheard])
  const reader = openSync(heard, constants.O_RDONLY | constants.O_NONBLOCK)
  for (const path of [heard, unheard, join('no', 'such')]) {
    const refused = await home.refusal(['webhooks', 'listen', '--capture', path])
    expect({path, ...refused}).toMatchObject({path, exit: 2, code: 'cannot_write'})
  }
  closeSync(reader)
  const elsewhere = await home.refusal(['webhooks', 'listen', '--host', '203.0.113.1', '--port', '0'])
  expect(elsewhere).toMatchObject({exit: 2, code: 'host_unavailable'})
  expect(elsewhere.stderr).toContain('Warning: plain http on 203.0.113.1')
  const none = await home.refusal(['webhooks', 'listen'], {env: {BOOKCTL_WEBHOOK_SECRET: undefined}})
  expect(none).toMatchObject({exit: 2, code: 'no_webhook_secret'})
})
