/** `webhooks rotate`: a signing secret is replaced while events go on coming, and nothing is lost half way. */
import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, test} from 'vitest'
import {findFreePort} from '../../src/cli/features/sandbox/port.js'
import {openState} from '../../src/state/state.js'
import {sign} from '../../src/webhooks/signature/signature.js'
import type {Home} from '../support/bookctl.js'
import {eventually} from '../support/eventually.js'
import {startTarget} from '../support/listening.js'
import {closing, filesWith, ownHome, ownListening} from '../support/own.js'
import {answer, drop, ScriptedService} from '../support/scripted-service.js'
import {ownSandbox} from '../support/served-sandbox.js'
import {reservationIn} from '../support/stay.js'
import {sendEvent} from '../support/webhook-load.js'
import {storedSecrets} from './scripted-home.js'

/** The receivers use the stored secrets. */
const NO_SECRET = {env: {BOOKCTL_WEBHOOK_SECRET: undefined}}
const TYPES = ['--event', 'reservation.confirmed', '--event', 'voucher.ready']

interface Created {
  readonly id: string
  readonly secret: string
  readonly replaces: string
}

const create = async (home: Home, url: string) =>
  (await home.json<Created>(['webhooks', 'create', '--url', url, ...TYPES])).result
const rotate = (id: string, ...flags: string[]) => ['webhooks', 'rotate', id, ...flags]
const idsAt = async (home: Home) =>
  (await home.json<{subscriptions: {id: string}[]}>(['webhooks', 'list'])).result.subscriptions.map(
    ({id}) => id,
  )

test('a running listener takes up the new secret, accepts both, and forwards each event once', async () => {
  const {home, listed} = await ownSandbox()
  const port = await findFreePort()
  const old = await create(home, `https://127.0.0.1:${port}/hooks`)
  const target = closing(await startTarget(200))
  const argv = ['--tls', '--port', String(port), '--path', '/hooks', '--forward-to', target.url]
  const receiver = await ownListening(home, argv, NO_SECRET)
  /** Returns what the receiver was sent about a reservation, without forwards. */
  const receivedAbout = (reference: string) =>
    receiver.lines.filter(line => line.type === 'event' && JSON.stringify(line.event).includes(reference))

  const first = await home.json<Created>(rotate(old.id))
  expect(first).toMatchObject({exit: 0, result: {replaces: old.id, url: `https://127.0.0.1:${port}/hooks`}})
  const {id, secret} = first.result
  expect([id, secret]).not.toEqual([old.id, old.secret])
  expect(storedSecrets(home)).toEqual([
    {id, secret},
    {id: old.id, secret: old.secret},
  ])
  writeFileSync(join(home.directory, 'body.json'), '{}')
  const now = String(Math.floor(Date.now() / 1000))
  for (const each of [old.secret, secret]) {
    const signature = sign(each, now, Buffer.from('{}'))
    const verified = await home.run(['webhooks', 'verify', 'body.json', '--signature', signature])
    expect(verified).toMatchObject({exit: 0, stdout: expect.stringContaining('valid')})
  }
  // The receiver reads the secrets again every second.
  await eventually(async () =>
    expect((await home.json(['webhooks', 'test', id])).result).toMatchObject({delivered: true}),
  )
  const reference = await reservationIn(home)
  await eventually(() => expect(receivedAbout(reference)).toHaveLength(4))
  const received = receivedAbout(reference)
  expect(received.every(line => line.reason === 'ok')).toBe(true)
  expect(received.filter(line => line.duplicate)).toHaveLength(2)
  const about = (await listed('deliveries')).filter(each => each.reservation_ref === reference)
  expect(new Set(about.map(each => each.subscription_id))).toEqual(new Set([old.id, id]))
  const confirmed = about.find(each => each.type === 'reservation.confirmed').event_id
  await eventually(() => expect(target.got).toContain(confirmed))
  expect(target.got.filter(each => each === confirmed)).toHaveLength(1)

  const again = await home.refusal(rotate(old.id))
  expect(again).toMatchObject({exit: 2, code: 'rotation_open'})
  expect(again.message).toContain(`${old.id}, which ${id} replaces`)
  expect(again.hint).toContain(`bookctl webhooks rotate ${old.id} --finish`)
  expect(await home.refusal(rotate(id))).toMatchObject({exit: 2, code: 'rotation_open'})
  expect(await idsAt(home)).toEqual([old.id, id])

  const planned = await home.json(rotate(id, '--finish', '--dry-run'))
  expect(planned.result).toMatchObject({method: 'DELETE', url: expect.stringContaining(old.id)})
  const finished = await home.json(rotate(id, '--finish'))
  expect(finished.stderr).toBe('')
  expect(finished.result).toEqual({
    subscription_id: old.id,
    deleted: true,
    secret_removed: true,
    replaced_by: id,
  })
  expect(await idsAt(home)).toEqual([id])
  expect(storedSecrets(home)).toEqual([{id, secret}])
  expect(filesWith(home.configDirectory, old.secret)).toEqual([])
  expect(await home.refusal(rotate(id, '--finish'))).toMatchObject({exit: 2, code: 'no_rotation'})
  const twice = await home.refusal(rotate(old.id, '--finish'))
  expect(twice).toMatchObject({exit: 2, code: 'no_rotation', hint: expect.stringContaining('webhooks list')})
  expect(twice.message).toContain('by webhooks rotate --finish')
  const last = await reservationIn(home)
  await eventually(() => expect(receivedAbout(last)).toHaveLength(2))
  expect(receivedAbout(last).every(line => line.reason === 'ok')).toBe(true)
})

test('the old id names the pair too, and a deleted subscription ends its rotation', async () => {
  const {home} = await ownSandbox()
  const old = await create(home, 'https://partner.example/hooks')
  const {id} = (await home.json<Created>(rotate(old.id))).result
  expect((await home.json(rotate(old.id, '--finish'))).result).toMatchObject({replaced_by: id})
  const third = (await home.json<Created>(rotate(id))).result
  await home.run(['webhooks', 'delete', third.id])
  expect(await home.refusal(rotate(id, '--finish'))).toMatchObject({exit: 2, code: 'no_rotation'})
  const fourth = (await home.json<Created>(rotate(id))).result
  await home.run(['webhooks', 'delete', id])
  expect(await home.refusal(rotate(fourth.id, '--finish'))).toMatchObject({exit: 2, code: 'no_rotation'})
  expect(await idsAt(home)).toEqual([fourth.id])
})

test('a dry run shows the request, and an unknown subscription is refused', async () => {
  const {home, control} = await ownSandbox()
  const {id} = await create(home, 'https://partner.example/hooks')
  const planned = await home.json(rotate(id, '--dry-run'))
  expect(planned.result).toMatchObject({
    method: 'POST',
    body: {url: 'https://partner.example/hooks', events: ['reservation.confirmed', 'voucher.ready']},
  })
  expect(await idsAt(home)).toEqual([id])
  const none = await home.refusal(rotate('whsub_none'))
  expect(none).toMatchObject({exit: 5, code: 'subscription_not_found'})
  expect(await home.refusal(rotate('whsub_none', '--finish'))).toMatchObject({exit: 2, code: 'no_rotation'})
  expect(await home.refusal(rotate(id, '--finish', '--again'))).toMatchObject({exit: 2})
  await control('POST', '/_sandbox/faults', {
    operation: 'subscriptions.list',
    kind: 'status',
    status: 503,
    times: 9,
  })
  expect(await home.refusal(rotate('whsub_none'))).toMatchObject({exit: 6})
})

test('a rotation whose answer was lost can be repeated, once what it left behind is deleted', async () => {
  const {home, fault} = await ownSandbox()
  const {id} = await create(home, 'https://partner.example/hooks')
  await fault({operation: 'subscriptions.create', kind: 'commit-then-drop', times: 1})
  const lost = await home.refusal(rotate(id))
  expect(lost).toMatchObject({exit: 10, hint: expect.stringContaining(`webhooks rotate ${id} --again`)})
  const [, left = ''] = await idsAt(home)
  const refused = await home.refusal(rotate(id))
  expect(refused).toMatchObject({exit: 2, code: 'second_subscription'})
  expect(refused.hint).toContain(`bookctl webhooks delete ${left}`)
  await home.run(['webhooks', 'delete', left])
  const again = await home.json<Created>(rotate(id))
  expect(again).toMatchObject({exit: 0, result: {replaces: id}})
  expect(await idsAt(home)).toEqual([id, again.result.id])
})

test('a rotation whose request did not arrive can be repeated', async () => {
  const {home, fault} = await ownSandbox()
  const {id} = await create(home, 'https://partner.example/hooks')
  await fault({operation: 'subscriptions.create', kind: 'drop-before', times: 1})
  expect(await home.refusal(rotate(id))).toMatchObject({exit: 10})
  expect(await home.json(rotate(id))).toMatchObject({exit: 0})
})

test('finishing warns of events that are lost, and can be repeated after an interruption', async () => {
  const {home, fault} = await ownSandbox()
  const old = await create(home, 'https://127.0.0.1:1/hooks')
  await reservationIn(home)
  const {id} = (await home.json<Created>(rotate(old.id))).result
  await fault({operation: 'subscriptions.delete', kind: 'commit-then-drop', times: 1})
  const cut = await home.run(rotate(old.id, '--finish'))
  expect(cut.exit).not.toBe(0)
  expect(cut.stderr).toContain('2 events from before the rotation did not arrive yet')
  expect(storedSecrets(home)).toHaveLength(2)
  expect((await home.json(rotate(old.id, '--finish'))).result).toMatchObject({deleted: true})
  expect(storedSecrets(home).map(each => each.id)).toEqual([id])
})

test('if the profile has the path, the service replaces the secret, and both are accepted until the end', async () => {
  const service = closing(await ScriptedService.start())
  const secrets = ['whsec_first', 'whsec_second', 'whsec_third']
  service.script = ({path, body}, response) => {
    if (path === '/webhooks/subscriptions') {
      const data = {id: 'whsub_1', ...JSON.parse(body), secret: secrets.shift(), is_active: true}
      return answer(response, 201, {data})
    }
    if (path !== '/hooks/whsub_1/new-secret') return false
    return answer(response, 200, {data: {subscription: 'whsub_1', signing_secret: secrets.shift()}})
  }
  const home = ownHome(service.env)
  home.env.BOOKCTL_CONFIG_DIR = home.configDirectory
  const path = '/hooks/{subscription_id}/new-secret'
  await home.run(['config', 'set', 'base_url', service.env.BOOKCTL_BASE_URL ?? ''])
  await home.run(['config', 'set', 'paths.subscriptions.rotate', path])
  await create(home, 'https://partner.example/hooks')
  const receiver = await ownListening(home, ['--port', '0'], NO_SECRET)
  const send = (id: string, secret: string) =>
    sendEvent(receiver.port, JSON.stringify({id, type: 'voucher.ready'}), id, {secret})
  expect(await send('evt_1', 'whsec_first')).toBe(200)

  const normal = service.script
  service.script = (request, response) =>
    request.path.endsWith('/new-secret') ? drop(request, response) : normal(request, response)
  expect(await home.refusal(rotate('whsub_1'))).toMatchObject({exit: 10})
  service.script = normal
  const {result} = await home.json<Created>(rotate('whsub_1'))
  expect(result).toMatchObject({id: 'whsub_1', secret: 'whsec_second', replaces: 'whsub_1'})
  expect(await home.refusal(rotate('whsub_1'))).toMatchObject({exit: 2, code: 'rotation_open'})
  await eventually(async () => expect(await send('evt_2', 'whsec_second')).toBe(200))
  expect(await send('evt_3', 'whsec_first')).toBe(200)

  const plan = await home.json(rotate('whsub_1', '--finish', '--dry-run'))
  expect(plan.result).toMatchObject({requests: [], changes: [{action: 'remove'}]})
  const finished = await home.json(rotate('whsub_1', '--finish'))
  expect(finished.result).toMatchObject({deleted: false, secret_removed: true})
  expect(filesWith(home.configDirectory, 'whsec_first')).toEqual([])
  await eventually(async () => expect(await send('evt_4', 'whsec_first')).toBe(401))
  expect(await send('evt_5', 'whsec_second')).toBe(200)
  expect(receiver.lines.find(line => line.event_id === 'evt_3')).toMatchObject({reason: 'ok'})
})

test('a second rotation keeps the time from which the events are subscribed', async () => {
  const {home} = await ownSandbox()
  const first = await create(home, 'https://partner.example/hooks')
  const sinceOf = (id: string) => {
    const state = openState(home.configDirectory)
    const found = state.secrets.listSigningSecrets('default').find(each => each.subscription_id === id)
    state.close()
    return found?.subscribed_since
  }
  const since = sinceOf(first.id)
  const second = (await home.json<Created>(rotate(first.id))).result
  await home.run(rotate(first.id, '--finish'))
  const third = (
    await home.json<Created>(rotate(second.id, '--secret-file', join(home.configDirectory, 'new.key')))
  ).result
  expect([sinceOf(second.id), sinceOf(third.id)]).toEqual([since, since])
})
