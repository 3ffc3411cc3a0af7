/**
 * Forwarding events to a partner's own receiver: they are signed again if too old, given up if they cannot succeed, and shown.
 */
import {expect, test} from 'vitest'
import {findFreePort} from '../../src/cli/features/sandbox/port.js'
import type {Home} from '../support/bookctl.js'
import {eventually} from '../support/eventually.js'
import {closing, ownHome, ownListening, ownReceiverHome, ownTarget} from '../support/own.js'
import {type Answering, startSubscriber} from '../support/subscriber.js'
import {atTerminal, type TerminalOptions} from '../support/terminal.js'
import {signedAt} from '../support/webhook-files.js'
import {SECRET, sendEvent} from '../support/webhook-load.js'

const TYPE = 'reservation.confirmed'
const bodyOf = (id: string) => `{"id":"${id}","type":"${TYPE}","data":{"reservation_ref":"RSV-AB12CD34EF"}}`
const secondsAgo = (seconds: number) => Math.floor(Date.now() / 1000) - seconds

const send = (port: number, id: string, more: {timestamp?: number; secret?: string} = {}) =>
  sendEvent(port, bodyOf(id), id, more)

/** Starts `listen` at a terminal and waits until it is ready. */
async function listenAt(home: Home, target: string, options: TerminalOptions = {}, ...flags: string[]) {
  const port = await findFreePort()
  const argv = ['webhooks', 'listen', '--forward-to', target, ...flags, '--port', String(port)]
  const terminal = atTerminal(home, argv, options)
  await terminal.waitFor(`Ready: http://127.0.0.1:${port}/`)
  const stop = () => {
    terminal.press('ctrl-c')
    return terminal.exit
  }
  return {...terminal, port, stop}
}

test('an event is forwarded as it was signed, and signed again when its target would refuse it for its age', async () => {
  let timestamp = 0
  const judge: Answering = (answer, event) =>
    answer.writeHead((signedAt(event, SECRET) ?? 0) > timestamp ? 200 : 401).end()
  const strict = closing(await startSubscriber(judge))
  const receiver = await ownListening(ownReceiverHome(), ['--forward-to', strict.origin])
  timestamp = secondsAgo(295)
  expect(await send(receiver.port, 'evt_1', {timestamp})).toBe(200)
  const done = {type: 'forward', state: 'done', status: 200}
  await eventually(() => expect(receiver.lines.at(-1)).toMatchObject(done))
  const [first] = strict.received
  const last = strict.received.at(-1)
  expect(first && signedAt(first, SECRET)).toBe(timestamp)
  expect(last && signedAt(last, SECRET)).toBeGreaterThan(timestamp + 290)
  expect(last?.body.toString()).toBe(bodyOf('evt_1'))
  expect(Object.keys(receiver.lines.at(-1) ?? {}).join(' ')).toBe(
    'type event_id target attempt state status ms late error next_attempt_at',
  )
})

test('an event that must not be signed again is given up with the command that replays it', async () => {
  const home = ownReceiverHome()
  const down = await ownTarget(301)
  const terminal = await listenAt(home, down.url, {columns: 120}, '--no-resign')
  await terminal.waitFor(` → ${down.url} (1 signing secret)`)
  expect(await send(terminal.port, 'evt_1', {timestamp: secondsAgo(295)})).toBe(200)
  await terminal.waitFor(
    /✗ {2}reservation\.confirmed {2}RSV-AB12CD34EF {2}301 in \d+ ms, redirects are not followed, again/,
  )
  await terminal.waitFor('not sent, its signature is too old')
  await terminal.waitFor('given up')
  await terminal.waitFor('Replay it:')
  const command = /bookctl (webhooks events replay .*)/.exec(terminal.screen())?.[1]?.trim() ?? ''
  expect(command).toBe(`webhooks events replay evt_1 --to ${down.url} --resign`)
  expect(await terminal.stop()).toBe(130)
  const replayed = await home.json<{replayed: unknown[]}>(command.split(' '))
  expect(replayed.result).toMatchObject({replayed: [{event_id: 'evt_1', status: 301}]})
  expect(replayed.stderr).toBe('301: redirects are not followed; send to the address it leads to\n')
  const asItCame = await home.json(command.replace(' --resign', '').split(' '))
  expect(asItCame.stderr).toMatch(/^Warning: 1 of 1 signed too long ago/)
})

test('at a terminal a row is the time here, the event, its reservation and the answer of the target', async () => {
  const good = await ownTarget(200)
  const terminal = await listenAt(ownReceiverHome(), good.url, {env: {TZ: 'Asia/Tokyo'}})
  const {port} = terminal
  const hours = [0, 1].map(n => new Date(Date.now() + (9 + n) * 3_600_000).toISOString().slice(11, 13))
  expect(await send(port, 'evt_1')).toBe(200)
  const row = '✓  reservation\\.confirmed  RSV-AB12CD34EF  200 in \\d+ ms'
  await terminal.waitFor(new RegExp(`(${hours.join('|')}):\\d\\d:\\d\\d  ${row}`))
  expect(await send(port, 'evt_1')).toBe(200)
  await terminal.waitFor(/✓ .* duplicate/)
  const bodies = [bodyOf('evt_2'), '{"id":"evt_2"}']
  const wrong = bodies.map(body => sendEvent(port, body, 'evt_2', {secret: `${SECRET}\n`}))
  expect(await Promise.all(wrong)).toEqual([401, 401])
  await terminal.waitFor(/✗ {2}reservation\.confirmed {2}RSV-AB12CD34EF {2}401 wrong signature/)
  await terminal.waitFor(/signed with the secret and white\s+space around it/)
  await terminal.waitFor('Fix: Trim the secret')
  expect(await terminal.stop()).toBe(130)
  expect(terminal.raw()).toContain('Stopped: 2 valid (1 of them duplicates), 2 refused, 1 forwarded')
  expect(terminal.raw().match(/cause not looked for|\(no type\)/g)).toHaveLength(2)
})

test('a target that refuses the signature is reported with the name of its secret, never its value', async () => {
  const refusing = await ownTarget(401)
  const terminal = await listenAt(ownReceiverHome(), refusing.url, {columns: 100, env: {NO_COLOR: '1'}})
  expect(await send(terminal.port, 'evt_1')).toBe(200)
  await terminal.waitFor(/✗ .* 401 in \d+ ms, again in 1 s/)
  await terminal.waitFor(/secret is from BOOKCTL_WEBHOOK_SECRET \(SHA-256\s+[0-9a-f]{8}…\)/)
  await terminal.waitFor('bookctl webhooks listen --print-secret')
  await terminal.waitFor('attempt 2')
  expect(await terminal.stop()).toBe(130)
  expect(terminal.raw().split('The target refused')).toHaveLength(2)
  expect(terminal.raw()).not.toContain(SECRET)
})

test('in plain lines the signs are words, and a target that hangs does not hide the event', async () => {
  const hanging = await ownTarget('hang')
  const terminal = await listenAt(ownReceiverHome(), hanging.url, {env: {BOOKCTL_ACCESSIBLE: '1'}})
  expect(await send(terminal.port, 'evt_1')).toBe(200)
  await terminal.waitFor(/ok {6}reservation\.confirmed {2}RSV-AB12CD34EF {2}waiting for the target/)
  expect(await terminal.stop()).toBe(130)
})

test('events go to the targets of their routes and to a target that gets all, even after a restart', async () => {
  const [bookings, vouchers, all] = [await ownTarget(200), await ownTarget(500), await ownTarget(200)]
  const routes = [`reservation.*=${bookings.url}`, `*.ready=${vouchers.url}`, all.url]
  const argv = routes.flatMap(route => ['--forward-to', route])
  const home = ownReceiverHome()
  const receiver = await ownListening(home, argv)
  const types = ['reservation.confirmed', 'voucher.ready', 'payment.failed']
  for (const type of types)
    expect(await sendEvent(receiver.port, JSON.stringify({id: `evt_${type}`, type}), `evt_${type}`)).toBe(200)
  expect(await sendEvent(receiver.port, '{"id":"evt_plain"}', 'evt_plain')).toBe(200)
  await eventually(() => {
    expect(bookings.got).toEqual(['evt_reservation.confirmed'])
    expect(vouchers.got[0]).toBe('evt_voucher.ready')
    expect(all.got.toSorted()).toEqual([...types.map(type => `evt_${type}`), 'evt_plain'].toSorted())
  })
  await receiver.stop()

  // What was stored for a target goes there, whatever its routes are now.
  const tried = vouchers.got.length
  const again = await ownListening(home, ['--forward-to', `payment.*=${vouchers.url}`])
  await eventually(() => expect(vouchers.got.length).toBeGreaterThan(tried))
  expect(new Set(vouchers.got)).toEqual(new Set(['evt_voucher.ready']))
  expect((await again.stop()).exit).toBe(143)
})

test('an event that no route wants waits for no target, and counts as nothing to forward', async () => {
  const target = await ownTarget(200)
  const terminal = await listenAt(ownReceiverHome(), `voucher.*=${target.url}`, {columns: 120})
  await terminal.waitFor(` → ${target.url} (voucher.*) (1 signing secret)`)
  expect(await send(terminal.port, 'evt_1')).toBe(200)
  await terminal.waitFor(/✓ {2}reservation\.confirmed {2}RSV-AB12CD34EF {4}evt_1/)
  expect(await terminal.stop()).toBe(130)
  expect(terminal.raw()).toMatch(/1 valid \(0 of them duplicates\), 0 refused, 0 forwarded\r?\n/)
  expect(target.got).toEqual([])
})

test('routes are reported at the start, and those that --event leaves without events', async () => {
  const home = ownReceiverHome()
  const to = ['--forward-to', 'reservation.*=https://a.example/', '--forward-to', 'https://b.example/']
  const wait = ['--port', '0', '--within', '0', '--exit-after', '1']
  const all = await home.run(['webhooks', 'listen', ...wait, ...to])
  expect(all.stderr).toContain(' → https://a.example/ (reservation.*), https://b.example/ (1 signing secret)')
  const some = await home.run(['webhooks', 'listen', ...wait, ...to, '--event', 'payment.failed'])
  expect(some.stderr).toContain('Warning: https://a.example/ gets no events: --event leaves out its types')
  expect(some.stderr).not.toContain('https://b.example/ gets')
  const {stdout} = await home.run(['webhooks', 'listen', ...wait, ...to, '--json'])
  expect(JSON.parse(stdout.split('\n')[0] ?? '')).toMatchObject({
    type: 'ready',
    targets: [
      {url: 'https://a.example/', patterns: ['reservation.*']},
      {url: 'https://b.example/', patterns: null},
    ],
  })
  const unknown = await home.refusal([
    'webhooks',
    'listen',
    ...wait,
    '--forward-to',
    'booking.*=https://a.example/',
  ])
  expect(unknown).toMatchObject({exit: 2, code: 'invalid_input'})
  expect(unknown.message).toContain(
    '--forward-to: the pattern before = must match a type of event, not "booking.*"',
  )
})

test.each([
  ['payment_failed', /has only letters, dots and \*, not "payment_failed"$/, 'did you mean payment.failed?'],
  ['payment.faild', /must match a type of event, not "payment.faild"$/, 'did you mean payment.failed?'],
  ['res-*', /has only letters, dots and \*/, 'the types are reservation.confirmed, '],
  ['a.*,b.*', /has only letters, dots and \*/, 'for several patterns, repeat --forward-to with the same URL'],
])('a wrong pattern is named: %s', async (pattern, problem, hint) => {
  const argv = ['webhooks', 'listen', '--forward-to', `${pattern}=https://a.example/`]
  const refusal = await ownHome().refusal(argv)
  expect(refusal).toMatchObject({exit: 2, code: 'invalid_input', hint: expect.stringContaining(hint)})
  expect(refusal.message).toMatch(problem)
})
