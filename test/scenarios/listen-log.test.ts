/** What `listen` says on stderr: each line with its time where no person watches, and with --log in stable keys. */
import {expect, test} from 'vitest'
import {eventually} from '../support/eventually.js'
import {ownListening, ownReceiverHome, ownTarget} from '../support/own.js'
import {atTerminal} from '../support/terminal.js'
import {SECRET, sendEvent} from '../support/webhook-load.js'

const TIME = /^2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z /
const send = (port: number, id: string, secret = SECRET) =>
  sendEvent(port, `{"id":"${id}","type":"voucher.ready","data":{"name":"Ayşe"}}`, id, {secret})

const linesOf = (stderr: string) => stderr.trimEnd().split('\n')

test('without a terminal each line has its time; the first says what it does, the last counts, with --json too', async () => {
  const home = ownReceiverHome()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const receiver = await ownListening(home, [
      '--port',
      '0',
      '--forward-to',
      'http://127.0.0.1:9/a?key=hidden',
    ])
    await send(receiver.port, `evt_${signal}`)
    await send(receiver.port, 'evt_2', 'whsec_other')
    await eventually(() => expect(receiver.lines.length).toBeGreaterThan(2))
    const {stderr} = await receiver.stop(signal)
    const lines = linesOf(stderr)
    expect(lines.filter(line => !TIME.test(line))).toEqual([])
    const store = `${home.configDirectory}/events.db`
    const first = `Ready: ${receiver.url} → http://127.0.0.1:9/a (1 signing secret); events in ${store}`
    expect(lines[0]?.replace(TIME, '')).toBe(first)
    expect(lines.slice(-2).map(line => line.replace(TIME, ''))).toEqual([
      'Stopping',
      'Stopped: 1 valid (0 of them duplicates), 1 refused, 0 forwarded; the others are kept and tried again',
    ])
    expect(stderr).not.toContain('hidden')
  }
})

test('--log json has a line for each occurrence with stable keys, and neither bodies nor queries', async () => {
  const target = await ownTarget(200)
  const argv = ['--port', '0', '--log', 'json', '--forward-to', `${target.url}?key=hidden`]
  const receiver = await ownListening(ownReceiverHome(), argv)
  await send(receiver.port, 'evt_1')
  await eventually(() => expect(target.got).toEqual(['evt_1']))
  await send(receiver.port, 'evt_1')
  await send(receiver.port, 'evt_2', 'whsec_other')
  await fetch(receiver.url)
  const {stderr} = await receiver.stop()
  const lines = linesOf(stderr).map(line => JSON.parse(line))
  for (const line of lines) {
    expect(Object.keys(line).slice(0, 4)).toEqual(['time', 'level', 'event', 'message'])
    expect(`${line.time} `).toMatch(TIME)
  }
  const event = {event_id: 'evt_1', event_type: 'voucher.ready', ms: expect.any(Number)}
  expect(lines.filter(line => line.event === 'forwarded')).toMatchObject([
    {level: 'info', ...event, status: 200, target: target.url, attempt: 1},
  ])
  expect(lines.filter(line => line.event !== 'forwarded')).toMatchObject([
    {level: 'info', event: 'start', url: receiver.url, targets: [target.url], secrets: 1},
    {level: 'info', event: 'received', ...event, status: 200, duplicate: false},
    {level: 'info', event: 'received', ...event, status: 200, duplicate: true},
    {level: 'warn', event: 'refused', reason: 'signature_mismatch', status: 401},
    {level: 'info', event: 'refused', reason: 'method', status: 405},
    {level: 'info', event: 'stopping'},
    {level: 'info', event: 'stopped', valid: 2, invalid: 1, duplicate: 1, refused: 2, forwarded: 1},
  ])
  expect(stderr).not.toMatch(/Ayşe|hidden/)
})

test('an attempt that fails is a warning with its target, attempt and reason; --log text has the same keys', async () => {
  const argv = ['--port', '0', '--log', 'text', '--forward-to', 'http://127.0.0.1:9/a']
  const receiver = await ownListening(ownReceiverHome(), argv)
  await send(receiver.port, 'evt_1')
  await eventually(() => expect(receiver.lines.some(({type}) => type === 'forward')).toBe(true))
  const {stderr} = await receiver.stop()
  const [line = ''] = linesOf(stderr).filter(each => each.includes('attempt=1'))
  expect(line.replace(TIME, '')).toMatch(
    /^WARN {2}evt_1 → http:\/\/127\.0\.0\.1:9\/a: no answer \(ECONNREFUSED\), again in \d s event=warning event_id=evt_1 event_type=voucher\.ready reason=ECONNREFUSED ms=\d+ target=http:\/\/127\.0\.0\.1:9\/a attempt=1$/,
  )
})

test('the query of a target is in no line, and the last line counts what was given up', async () => {
  const target = await ownTarget(503)
  const argv = ['--port', '0', '--log', 'json', '--event', 'voucher.ready', '--no-resign']
  const to = [
    '--forward-to',
    `${target.url}?key=hidden`,
    '--forward-to',
    'reservation.*=http://127.0.0.1:9/a?key=hidden',
  ]
  const receiver = await ownListening(ownReceiverHome(), [...argv, ...to])
  // It is tried once, and then its signature is too old.
  const timestamp = Math.floor(Date.now() / 1000) - 295
  const body = '{"id":"evt_1","type":"voucher.ready"}'
  expect(await sendEvent(receiver.port, body, 'evt_1', {timestamp})).toBe(200)
  await eventually(() => expect(receiver.lines.some(({state}) => state === 'given_up')).toBe(true))
  const {stderr} = await receiver.stop()
  expect(stderr).toContain('http://127.0.0.1:9/a gets no events')
  expect(stderr).not.toContain('hidden')
  const stopped = JSON.parse(linesOf(stderr).at(-1) ?? '')
  expect(stopped).toMatchObject({event: 'stopped', forwarded: 0, given_up: 1})
  expect(stopped.message).toMatch(/0 forwarded, 1 given up$/)
})

test('what fails before it listens is in the log too, wrong flags included', async () => {
  const home = ownReceiverHome()
  const listen = ['webhooks', 'listen']
  const failed = async (...argv: string[]) => {
    const {stderr} = await home.run([...listen, ...argv], {isRefused: true})
    return linesOf(stderr)
  }
  const cert = ['--cert', 'none.pem', '--key', 'none.key']
  const line = {level: 'error', event: 'stopped', message: expect.stringContaining('--cert: cannot read')}
  const [logged = '', ...more] = await failed('--log', 'json', ...cert)
  expect([JSON.parse(logged), more]).toEqual([
    {time: expect.any(String), ...line, reason: 'cannot_read', hint: expect.any(String)},
    [],
  ])
  const [wrong = ''] = await failed('--log=json', '--port', 'x')
  expect(JSON.parse(wrong)).toMatchObject({level: 'error', event: 'stopped', reason: 'invalid_input'})
  const text = await failed(...cert)
  expect(text.map(each => each.replace(TIME, ''))).toEqual([
    expect.stringMatching(/^Error: --cert: cannot read/),
    expect.stringMatching(/^Hint: /),
  ])
  expect(text.every(each => TIME.test(each))).toBe(true)
  const both = await home.refusal([...listen, '--log', 'json', ...cert])
  expect([both.code, JSON.parse(both.stderr).reason]).toEqual(['cannot_read', 'cannot_read'])
  for (const argv of [['--log', 'xml'], ['--prot', '1'], ['extra']]) {
    const lines = await failed(...argv)
    expect(lines.filter(each => !TIME.test(each))).toEqual([])
    expect(lines[0]?.replace(TIME, '')).toMatch(
      /^Error: (--log must be one of: text, json|unknown flag|.*argument)/,
    )
  }
  expect((await failed('--print-secret', '--secret-file', 'none'))[0]).toMatch(/^Error: /)
})

test('at a terminal lines are for people, without a time', async () => {
  const home = ownReceiverHome()
  const terminal = atTerminal(home, ['webhooks', 'listen', '--port', '0'])
  await terminal.waitFor('Ready:')
  terminal.press('ctrl-c')
  expect(await terminal.exit).toBe(130)
  expect(terminal.screen()).toMatch(/^Ready: http/)
  expect(terminal.screen()).toMatch(/\nStopped: 0 valid/)
})
