/** `webhooks tap` before a receiver: what both sides see, what it prints, and what it stores. */
import {existsSync, readFileSync, statSync} from 'node:fs'
import {join} from 'node:path'
import {expect, onTestFinished, test} from 'vitest'
import {findFreePort} from '../../src/cli/features/sandbox/port.js'
import type {Home} from '../support/bookctl.js'
import {eventually} from '../support/eventually.js'
import {closing, ownListening, ownReceiverHome, ownTarget} from '../support/own.js'
import {startSubscriber} from '../support/subscriber.js'
import {atTerminal} from '../support/terminal.js'
import {certificateFile} from '../support/tls.js'
import {SECRET, sendEvent} from '../support/webhook-load.js'

const BODY =
  '{"id":"evt_1","type":"voucher.ready","data":{"reservation_ref":"RSV-AB12CD34EF","total":1250.00}}'

/** Starts `webhooks tap --json` before `to`. */
async function ownTap(home: Home, to: string, ...flags: string[]) {
  const serving = home.serve(['webhooks', 'tap', '--to', to, '--port', '0', ...flags])
  onTestFinished(async () => void (await serving.stop('SIGKILL')))
  const ready = await serving.started()
  return {...serving, ready, port: Number(new URL(ready.url ?? '').port)}
}

test('each request is a line as listen prints it, with the answer, and nothing is stored but the capture', async () => {
  const home = ownReceiverHome()
  const target = closing(
    await startSubscriber((answer, _, count) => answer.writeHead(count === 3 ? 401 : 200).end()),
  )
  const capture = join(home.directory, 'capture.ndjson')
  const tap = await ownTap(home, `${target.origin}/hooks?a=1`, '--capture', capture)
  expect(tap.ready).toMatchObject({
    to: `${target.origin}/hooks?a=1`,
    url: `http://127.0.0.1:${tap.port}/hooks?a=1`,
  })
  const old = {timestamp: Math.floor(Date.now() / 1000) - 400, path: '/hooks'}
  expect(await sendEvent(tap.port, BODY, 'evt_1', {path: '/hooks?b=2'})).toBe(200)
  expect(await sendEvent(tap.port, BODY, 'evt_1')).toBe(200)
  expect(await sendEvent(tap.port, BODY, 'evt_1', old)).toBe(401)
  await eventually(() => expect(tap.lines.length).toBe(3))
  expect(target.received.map(({path, body}) => [path, body.toString()])).toEqual([
    ['/hooks?b=2', BODY],
    ['/', BODY],
    ['/hooks', BODY],
  ])
  expect(Object.keys(tap.lines[0] ?? {}).join(' ')).toBe(
    'type verdict reason event_id event_type duplicate received_at ack_ms body_base64 headers event ' +
      'answered answer_ms late error method path age_seconds secret findings',
  )
  expect(tap.lines).toMatchObject([
    {type: 'event', verdict: 'valid', event_id: 'evt_1', duplicate: false, answered: 200, path: '/hooks?b=2'},
    {
      verdict: 'valid',
      duplicate: true,
      answered: 200,
      late: false,
      error: null,
      method: 'POST',
      findings: [],
    },
    {verdict: 'invalid', reason: 'timestamp_outside_tolerance', answered: 401},
  ])
  // As many more as passed until it was sent.
  expect(tap.lines[2]?.age_seconds).toBeGreaterThanOrEqual(400)
  expect(tap.lines[2]?.findings).toMatchObject([{code: 'stale_retry'}])
  const stopped = await tap.stop('SIGINT')
  expect(stopped).toMatchObject({exit: 130, stderr: ''})
  expect(stopped.stdout).toContain('"total":1250.00')
  expect(stopped.stdout).not.toContain(SECRET)
  expect(readFileSync(capture, 'utf8')).toBe(stopped.stdout.slice(stopped.stdout.indexOf('\n') + 1))
  expect(statSync(capture).mode & 0o777).toBe(0o600)
  expect(existsSync(join(home.configDirectory, 'events.db'))).toBe(false)
  const verified = await home.json(['webhooks', 'verify', capture, '--at', 'received'])
  expect(verified).toMatchObject({exit: 9, result: {valid: 2, invalid: 1}})
})

test('before a receiver that listens with https, on https itself', async () => {
  const home = ownReceiverHome()
  const receiver = await ownListening(home, ['--tls'])
  const tap = await ownTap(
    home,
    receiver.url,
    '--cert',
    certificateFile('good'),
    '--key',
    certificateFile('good').replace('.pem', '.key'),
  )
  expect(tap.ready.url).toBe(`https://127.0.0.1:${tap.port}/`)
  const ca = ['--ca-file', certificateFile('ca')]
  const probe = ['webhooks', 'probe', `https://localhost:${tap.port}/`, ...ca]
  expect(await home.json(probe)).toMatchObject({exit: 0, result: {failed: 0}})
  await eventually(() => expect(tap.lines.length).toBe(receiver.lines.length))
  for (const [n, {verdict, reason, headers}] of receiver.lines.entries())
    expect(tap.lines[n]).toMatchObject({
      verdict,
      reason,
      headers: {'user-agent': (headers as never)['user-agent']},
    })
  expect(new Set(tap.lines.map(({answered}) => answered))).toEqual(new Set([200, 401]))
})

test('at a terminal a row has the answer, its time and the age, and below it what is wrong', async () => {
  const home = ownReceiverHome()
  const target = await ownTarget(200)
  const port = await findFreePort()
  const argv = ['webhooks', 'tap', '--to', target.url, '--port', String(port)]
  const terminal = atTerminal(home, argv, {columns: 120})
  await terminal.waitFor(`Ready: http://127.0.0.1:${port}/hooks → ${target.url} (1 signing secret)`)
  expect(await sendEvent(port, BODY, 'evt_1')).toBe(200)
  await terminal.waitFor(/✓ {2}voucher\.ready {10}RSV-AB12CD34EF {2}200 in \d+ ms, signed \d s ago {2}evt_1/)
  expect(await sendEvent(port, BODY, 'evt_1', {secret: `${SECRET}\n`})).toBe(200)
  await terminal.waitFor(/✗ {2}voucher\.ready .* 200 in \d+ ms, wrong signature, signed \d s ago/)
  await terminal.waitFor('Fix: Trim the secret')
  await terminal.waitFor('it answered 200 instead of 401')
  await target.close()
  expect(await sendEvent(port, BODY, 'evt_1')).toBe(502)
  await terminal.waitFor(/✗ {2}voucher\.ready .* 502 in \d+ ms, signed \d s ago, duplicate/)
  await terminal.waitFor('The receiver did not answer (ECONNREFUSED), so the sender was answered 502.')
  terminal.press('ctrl-c')
  expect(await terminal.exit).toBe(130)
  expect(terminal.raw()).toContain('Stopped: 3 requests, 2 valid, 1 not, 1 without a whole answer')
})

test('in a pipe a request is a line of cells', async () => {
  const home = ownReceiverHome()
  const target = await ownTarget(204)
  const port = await findFreePort()
  let printed = ''
  const ended = home.spawn(['webhooks', 'tap', '--to', `${target.url}?key=hidden`, '--port', String(port)], {
    limitMilliseconds: null,
    onStart: child => {
      child.stderr?.on('data', async piece => {
        if (String(piece).includes('Ready')) await sendEvent(port, BODY, 'evt_1')
      })
      child.stdout?.on('data', piece => {
        printed += piece
        child.kill('SIGTERM')
      })
    },
  })
  const {exit, stderr} = await ended
  expect(exit).toBe(143)
  expect(stderr).not.toContain('hidden')
  expect(printed).toMatch(/^\S+Z\tvalid\tok\tvoucher\.ready\tevt_1\tfalse\t204\t[\d.]+\n$/)
})

test('refuses to start without a secret, a receiver it may call, or before itself', async () => {
  const home = ownReceiverHome()
  const to = ['webhooks', 'tap', '--to', 'http://127.0.0.1:3000/']
  const unsigned = await home.refusal(to, {env: {BOOKCTL_WEBHOOK_SECRET: ''}})
  expect(unsigned).toMatchObject({exit: 2, code: 'no_webhook_secret'})
  const remote = await home.refusal(['webhooks', 'tap', '--to', 'http://a.example/'])
  expect(remote).toMatchObject({exit: 2, code: 'invalid_input'})
  expect(await home.refusal(['webhooks', 'tap'])).toMatchObject({exit: 2})
  const port = String(await findFreePort())
  const itself = await home.refusal(['webhooks', 'tap', '--to', `http://localhost:${port}/`, '--port', port])
  expect(itself).toMatchObject({exit: 2, code: 'to_itself'})
  expect(await home.refusal([...to, '--host', '192.0.2.1', '--tls'])).toMatchObject({
    exit: 2,
    code: 'host_unavailable',
  })
  const unwritable = join(home.directory, 'none', 'x.ndjson')
  expect(await home.refusal([...to, '--capture', unwritable])).toMatchObject({exit: 2, code: 'cannot_write'})
})
