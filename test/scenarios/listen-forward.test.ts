/** Events forwarded to a partner's own receiver: signed again when they are too old, given up when they must fail, and seen. */
import {expect, test} from 'vitest'
import {findFreePort} from '../../src/cli/features/sandbox/free-port.js'
import {eventually} from '../support/eventually.js'
import {ownListening, ownReceiverHome, ownTarget} from '../support/own.js'
import {signedAt, startSubscriber} from '../support/subscriber.js'
import {atTerminal} from '../support/terminal.js'
import {exchangeRaw, SECRET, signedRequest} from '../support/webhook-load.js'

const TYPE = 'reservation.confirmed'
const bodyOf = (id: string) => `{"id":"${id}","type":"${TYPE}","data":{"reservation_ref":"RSV-AB12CD34EF"}}`
const secondsAgo = (seconds: number) => Math.floor(Date.now() / 1000) - seconds

async function send(
  port: number,
  id: string,
  more: {timestamp?: number; secret?: string} = {},
): Promise<number> {
  const request = signedRequest(bodyOf(id), id, {headers: 'Connection: close\r\n', ...more})
  return Number((await exchangeRaw(port, request)).slice(9, 12))
}

test('an event is forwarded as it was signed, and signed again when its target would refuse it for its age', async () => {
  const timestamp = secondsAgo(295)
  const strict = await startSubscriber((answer, event) =>
    answer.writeHead((signedAt(event, SECRET) ?? 0) > timestamp ? 200 : 401).end(),
  )
  const receiver = await ownListening(ownReceiverHome(), ['--forward-to', strict.origin])
  expect(await send(receiver.port, 'evt_1', {timestamp})).toBe(200)
  await eventually(() =>
    expect(receiver.lines.at(-1)).toMatchObject({type: 'forward', state: 'done', status: 200}),
  )
  const [first] = strict.received
  const last = strict.received.at(-1)
  expect(first && signedAt(first, SECRET)).toBe(timestamp)
  expect(last && signedAt(last, SECRET)).toBeGreaterThan(timestamp + 290)
  expect(last?.body.toString()).toBe(bodyOf('evt_1'))
  expect(Object.keys(receiver.lines.at(-1) ?? {})).toEqual([
    ...['type', 'event_id', 'target', 'attempt', 'state', 'status', 'ms', 'late', 'error', 'next_attempt_at'],
  ])
  await strict.close()
})

test('an event that must not be signed again is given up with the command that replays it', async () => {
  const home = ownReceiverHome()
  const down = await ownTarget(500)
  const port = await findFreePort()
  const flags = ['--forward-to', down.url, '--no-resign', '--port', String(port)]
  const terminal = atTerminal(home, ['webhooks', 'listen', ...flags], {columns: 120})
  await terminal.waitFor(`Ready: http://127.0.0.1:${port}/ → ${down.url} (1 signing secret)`)
  expect(await send(port, 'evt_1', {timestamp: secondsAgo(295)})).toBe(200)
  await terminal.waitFor(/✗ {2}reservation\.confirmed {2}RSV-AB12CD34EF {2}500 in \d+ ms, again in \d s/)
  await terminal.waitFor('not sent, its signature is too old')
  await terminal.waitFor('given up')
  await terminal.waitFor('Replay it:')
  const command = /bookctl (webhooks events replay .*)/.exec(terminal.screen())?.[1]?.trim() ?? ''
  expect(command).toBe(`webhooks events replay evt_1 --to ${down.url} --resign`)
  terminal.press('ctrl-c')
  expect(await terminal.exit).toBe(130)
  const replayed = await home.json<{replayed: unknown[]}>(command.split(' '))
  expect(replayed.result).toMatchObject({replayed: [{event_id: 'evt_1', status: 500}]})
})

test('at a terminal a row is the time here, the event, its reservation and the answer of the target', async () => {
  const good = await ownTarget(200)
  const port = await findFreePort()
  const flags = ['--forward-to', good.url, '--port', String(port)]
  const terminal = atTerminal(ownReceiverHome(), ['webhooks', 'listen', ...flags], {env: {TZ: 'Asia/Tokyo'}})
  await terminal.waitFor('Ready: ')
  const hour = new Date(Date.now() + 9 * 3_600_000).toISOString().slice(11, 13)
  expect(await send(port, 'evt_1')).toBe(200)
  await terminal.waitFor(
    new RegExp(`${hour}:\\d\\d:\\d\\d  ✓  reservation\\.confirmed  RSV-AB12CD34EF  200 in \\d+ ms`),
  )
  expect(await send(port, 'evt_1')).toBe(200)
  await terminal.waitFor(/✓ .* duplicate/)
  expect(await send(port, 'evt_2', {secret: `${SECRET}\n`})).toBe(401)
  await terminal.waitFor(/✗ {2}reservation\.confirmed {2}RSV-AB12CD34EF {2}401 wrong signature/)
  await terminal.waitFor(/signed with the secret and a space or\s+line break around it/)
  await terminal.waitFor('Fix: Trim the secret')
  terminal.press('ctrl-c')
  expect(await terminal.exit).toBe(130)
  expect(terminal.raw()).toContain('Stopped: 2 valid (1 of them duplicates), 1 refused, 1 forwarded')
})

test('a target that refuses the signature is told apart by its secret, which is named and not shown', async () => {
  const refusing = await ownTarget(401)
  const port = await findFreePort()
  const argv = ['webhooks', 'listen', '--forward-to', refusing.url, '--port', String(port)]
  const terminal = atTerminal(ownReceiverHome(), argv, {columns: 100, env: {NO_COLOR: '1'}})
  await terminal.waitFor('Ready: ')
  expect(await send(port, 'evt_1')).toBe(200)
  await terminal.waitFor(/✗ .* 401 in \d+ ms, again in 1 s/)
  await terminal.waitFor(/secret is from BOOKCTL_WEBHOOK_SECRET \(SHA-256\s+[0-9a-f]{8}…\)/)
  await terminal.waitFor('bookctl webhooks listen --print-secret')
  await terminal.waitFor('attempt 2')
  terminal.press('ctrl-c')
  expect(await terminal.exit).toBe(130)
  expect(terminal.raw().split('The target refused')).toHaveLength(2)
  expect(terminal.raw()).not.toContain(SECRET)
})

test('in plain lines the signs are words, and a target that hangs does not hide the event', async () => {
  const hanging = await ownTarget('hang')
  const port = await findFreePort()
  const argv = ['webhooks', 'listen', '--forward-to', hanging.url, '--port', String(port)]
  const terminal = atTerminal(ownReceiverHome(), argv, {env: {BOOKCTL_ACCESSIBLE: '1'}})
  await terminal.waitFor('Ready: ')
  expect(await send(port, 'evt_1')).toBe(200)
  await terminal.waitFor(/ok {6}reservation\.confirmed {2}RSV-AB12CD34EF {2}waiting for the target/)
  terminal.press('ctrl-c')
  expect(await terminal.exit).toBe(130)
})
