/** `webhooks events missing`: names what reservations should have caused and what did not come, and accuses nothing else. */
import {expect, test} from 'vitest'
import {findFreePort} from '../../src/cli/features/sandbox/port.js'
import {RETRY_SECONDS} from '../../src/contract/limits.js'
import {openState} from '../../src/state/state.js'
import {verify} from '../../src/webhooks/signature/signature.js'
import type {Home} from '../support/bookctl.js'
import {eventually} from '../support/eventually.js'
import {closing, ownHome, ownListening} from '../support/own.js'
import {answer, ScriptedService} from '../support/scripted-service.js'
import {ownSandbox} from '../support/served-sandbox.js'
import {reservationIn} from '../support/stay.js'
import {startSubscriber} from '../support/subscriber.js'
import {SECRET, sendEvent} from '../support/webhook-load.js'
import {describeSharing} from './sharing-machines.js'

const MISSING = ['webhooks', 'events', 'missing']
/** No server listens there. */
const NOWHERE = 'https://127.0.0.1:1/hooks'

interface Owed {
  readonly reservation_ref: string
  readonly type: string
  readonly due_at: string
}

interface Found {
  readonly checked: number
  readonly missing: Owed[]
  readonly pending: Owed[]
}

async function find(home: Home, ...flags: string[]) {
  const {exit, result, stderr} = await home.json<Found>([...MISSING, ...flags], {isRefused: true})
  const names = (events: readonly Owed[]) =>
    events.map(({reservation_ref, type}) => `${type} ${reservation_ref}`).sort()
  const {missing, pending, checked} = result
  return {exit, checked, missing: names(missing), pending: names(pending), stderr, result}
}

const both = (...references: string[]) =>
  references.flatMap(ref => [`reservation.confirmed ${ref}`, `voucher.ready ${ref}`]).sort()

async function subscribe(home: Home, types: readonly string[], url = NOWHERE): Promise<void> {
  const events = types.flatMap(type => ['--event', type])
  expect((await home.run(['webhooks', 'create', '--url', url, ...events])).exit).toBe(0)
}

const TYPES = ['reservation.confirmed', 'voucher.ready', 'reservation.cancelled', 'payment.captured']

/** Receives an event about a reservation, as `listen` does for the service. */
async function receive(home: Home, ...events: readonly (readonly [type: string, reference: string])[]) {
  const receiver = await ownListening(home)
  for (const [type, reference] of events) {
    const id = `evt_${type}_${reference}`
    const data = {object: 'reservation', reservation_ref: reference, status: 'CONFIRMED'}
    const status = await sendEvent(receiver.port, JSON.stringify({id, type, data}), id, {secret: SECRET})
    expect(status).toBe(200)
  }
  await receiver.stop()
}

test('an event is missing after the service gave up; before, it is pending', async () => {
  const {home, control} = await ownSandbox()
  const early = await reservationIn(home)
  await subscribe(home, TYPES)
  const [first, second] = [await reservationIn(home), await reservationIn(home)]
  await receive(home, ['reservation.confirmed', first])
  const left = [`voucher.ready ${first}`, ...both(second)].sort()
  expect(await find(home)).toMatchObject({exit: 0, checked: 3, missing: [], pending: left})

  await control('POST', '/_sandbox/clock', {advance_seconds: RETRY_SECONDS + 60})
  const late = await reservationIn(home)
  const found = await find(home)
  // The subscription is passive by now, so nothing was sent about the last reservation.
  expect(found).toMatchObject({exit: 3, checked: 4, missing: [...left, ...both(late)].sort(), pending: []})
  expect(JSON.stringify(found.result)).not.toContain(early)
  expect(found.stderr).toMatch(/whsub_\S+ is passive/)
  for (const {due_at} of found.result.missing) expect(Date.parse(due_at)).toBeGreaterThan(0)
  expect(Object.keys(found.result.missing[0] ?? {})).toEqual(['reservation_ref', 'type', 'due_at'])

  const people = await home.run(MISSING)
  expect(people.exit).toBe(3)
  expect(people.stdout.split('\n')[0]?.split('\t')).toHaveLength(3)
  expect(people.stderr).toContain(
    `bookctl reservations show ${[...new Set(found.result.missing.map(each => each.reservation_ref))].join(' ')}`,
  )
  expect((await find(home, '--since', '2099-01-01T00:00:00Z')).checked).toBe(0)
})

test('events are not missing if the subscription was created later or does not list their type', async () => {
  const {home, control} = await ownSandbox()
  const none = await find(home)
  expect(none).toMatchObject({exit: 0, checked: 0, missing: []})
  expect(none.stderr).toContain('has no webhook subscription')
  // The clock of the service is ahead of that of this machine from here on.
  await control('POST', '/_sandbox/clock', {advance_seconds: 30 * 24 * 3600})
  await reservationIn(home)
  await subscribe(home, ['reservation.confirmed'])
  const made = await reservationIn(home)
  await control('POST', '/_sandbox/clock', {advance_seconds: RETRY_SECONDS + 60})
  expect(await find(home)).toMatchObject({exit: 3, checked: 2, missing: [`reservation.confirmed ${made}`]})
})

test('an event that was lost is still missing once its subscription is rotated away or deleted', async () => {
  const {home, control} = await ownSandbox()
  const create = async () =>
    (
      await home.json<{id: string}>([
        'webhooks',
        'create',
        '--url',
        NOWHERE,
        '--event',
        'reservation.confirmed',
      ])
    ).result.id
  const old = await create()
  const lost = await reservationIn(home)
  await control('POST', '/_sandbox/clock', {advance_seconds: RETRY_SECONDS + 60})
  const missing = [`reservation.confirmed ${lost}`]
  expect(await find(home)).toMatchObject({exit: 3, missing})
  await home.run(['webhooks', 'update', old, '--active'])
  const {id} = (await home.json<{id: string}>(['webhooks', 'rotate', old])).result
  expect(await find(home)).toMatchObject({exit: 3, missing})
  expect((await home.run(['webhooks', 'rotate', old, '--finish'])).exit).toBe(0)
  expect(await find(home)).toMatchObject({exit: 3, missing})
  expect((await home.run(['webhooks', 'delete', id])).exit).toBe(0)
  expect(await find(home)).toMatchObject({exit: 3, missing})
  const explained = await home.json<{findings: {code: string}[]}>(['explain', lost], {isRefused: true})
  expect(explained.exit).toBe(3)
  expect(explained.result.findings.map(({code}) => code)).toContain('event_missing')
})

test('what was received and then pruned cannot be judged', async () => {
  const {home} = await ownSandbox()
  const port = await findFreePort()
  await subscribe(home, TYPES, `https://127.0.0.1:${port}/`)
  const receiver = await ownListening(home, ['--tls', '--port', String(port)], {
    env: {BOOKCTL_WEBHOOK_SECRET: undefined},
  })
  const made = await reservationIn(home)
  await eventually(() => expect(receiver.lines).toHaveLength(2))
  await receiver.stop()
  expect(await find(home)).toMatchObject({exit: 0, checked: 1, missing: [], pending: [], stderr: ''})
  const {result} = await home.json(['webhooks', 'events', 'prune', '--older-than', '0s'])
  expect(result).toEqual({removed: 2})
  const pruned = await find(home)
  expect(pruned).toMatchObject({exit: 0, checked: 1, missing: [], pending: []})
  expect(pruned.stderr).toContain('2 events cannot be judged: what was received then may have been removed')
  expect(pruned.stderr).not.toContain(made)
})

test('forwards a signed stand-in for each reservation, and reports the answer', async () => {
  const {home, control} = await ownSandbox()
  await subscribe(home, TYPES)
  const made = await reservationIn(home)
  await control('POST', '/_sandbox/clock', {advance_seconds: RETRY_SECONDS + 60})
  let status = 200
  const program = closing(await startSubscriber(response => response.writeHead(status).end()))
  const forward = ['--forward-to', `${program.origin}/in`]
  const {secret} = (await home.json<{secrets: {secret: string}[]}>(['webhooks', 'listen', '--print-secret']))
    .result.secrets[0] as {secret: string}

  const {exit, result} = await home.json<Found & {forwarded: object[]}>([...MISSING, ...forward])
  expect(exit).toBe(0)
  expect(result).toMatchObject({checked: 1, missing: [{}, {}]})
  expect(result.forwarded).toEqual([
    {
      reservation_ref: made,
      event_id: expect.stringMatching(/^evt_/),
      target: `${program.origin}/in`,
      status: 200,
      ms: expect.any(Number),
      late: false,
      error: null,
    },
  ])
  const [got] = program.received
  const event = JSON.parse(String(got?.body))
  expect(event).toMatchObject({
    type: 'bookctl.missed',
    data: {
      object: 'reservation',
      reservation_ref: made,
      status: 'CONFIRMED',
      missed: [{type: 'reservation.confirmed'}, {type: 'voucher.ready'}],
      reservation: {reservation_ref: made},
    },
  })
  expect(Date.parse(event.created)).toBeGreaterThan(0)
  expect(got?.headers).toMatchObject({'content-type': 'application/json', 'x-service-event-id': event.id})
  const signed = {
    header: got?.headers['x-service-signature'] as string,
    secrets: [{name: 'own', secret}],
    now: Date.now() / 1000,
    rawBody: got?.body as Buffer,
  }
  expect(verify(signed)).toMatchObject({valid: true})

  status = 401
  const refused = await home.json<{forwarded: object[]}>([...MISSING, ...forward], {isRefused: true})
  expect(refused).toMatchObject({exit: 4, result: {forwarded: [{status: 401, event_id: event.id}]}})
  expect(refused.stderr).toContain('401: refused')
  status = 503
  expect((await home.run([...MISSING, ...forward])).exit).toBe(6)
  const nowhere = await home.run([...MISSING, '--forward-to', 'http://127.0.0.1:1/in'])
  expect(nowhere).toMatchObject({exit: 7, stdout: expect.stringContaining('ECONNREFUSED')})
  expect((await home.refusal([...MISSING, '--forward-to', 'http://partner.example/'])).exit).toBe(2)
})

test('for a service that lists no deliveries, the times of reservations and subscriptions decide', async () => {
  const service = closing(await ScriptedService.start())
  const home = ownHome(service.env)
  const hour = 3600 * 1000
  const now = Date.now()
  const ago = (hours: number) => new Date(now - hours * hour).toISOString()
  const booking = (reference: string, hours: number, more: object = {}) => ({
    reservation_ref: reference,
    status: 'Confirmed',
    payment: {method: 'account'},
    created_at: ago(hours),
    ...more,
  })
  const before = booking('R-0', 200)
  const pages: Record<string, object> = {
    '': {bookings: [booking('R-1', 70), booking('R-2', 1)], meta: {next: '/hotel-bookings?cursor=2'}},
    '2': {
      bookings: [before, booking('R-3', 70, {created_at: null}), booking('R-4', 80, {status: 'On request'})],
    },
  }
  service.script = ({path, body}, response) => {
    const url = new URL(path, 'http://service')
    if (url.pathname === '/webhooks/subscriptions') {
      const made = {...JSON.parse(body), id: 'whsub_1', secret: 'whsec_1', is_active: true}
      return answer(response, 201, {data: made})
    }
    if (url.pathname !== '/hotel-bookings') return false
    return answer(response, 200, pages[url.searchParams.get('cursor') ?? ''] ?? {})
  }
  const unnamed = await home.refusal(MISSING)
  expect(unnamed).toMatchObject({exit: 2, code: 'path_not_shown'})
  await home.run(['config', 'set', 'base_url', service.env.BOOKCTL_BASE_URL ?? ''])
  await home.run(['config', 'set', 'paths.reservations.list', '/hotel-bookings'])
  expect(await home.refusal(MISSING)).toMatchObject({exit: 2, code: 'path_not_shown'})
  await home.run(['webhooks', 'create', '--url', NOWHERE, '--event', 'reservation.confirmed'])

  expect(await find(home)).toMatchObject({exit: 0, checked: 5, missing: [], pending: []})
  // As if the subscription had been made a hundred hours ago.
  const state = openState(home.configDirectory)
  const [kept] = state.secrets.listSigningSecrets('default')
  if (kept) state.secrets.putSigningSecret({...kept, subscribed_since: now / 1000 - 100 * 3600})
  state.close()
  const found = await find(home)
  expect(found).toMatchObject({
    exit: 3,
    checked: 5,
    missing: ['reservation.confirmed R-1'],
    pending: ['reservation.confirmed R-2'],
  })
  expect(found.stderr).toContain('1 event cannot be judged: the service does not say when')
  expect(await find(home, '--since', '75h')).toMatchObject({
    checked: 3,
    missing: ['reservation.confirmed R-1'],
  })
  expect(await find(home, '--since', '60h')).toMatchObject({exit: 0, checked: 2, missing: []})
})

await describeSharing(({machine}) => {
  test('events that another machine received count, and so does what was removed there', async () => {
    const sandbox = await ownSandbox()
    const here = machine(sandbox.env)
    await subscribe(here, TYPES)
    const made = await reservationIn(here)
    await receive(machine(), ['reservation.confirmed', made])
    await sandbox.control('POST', '/_sandbox/clock', {advance_seconds: RETRY_SECONDS + 60})
    expect(await find(here)).toMatchObject({exit: 3, missing: [`voucher.ready ${made}`]})
    expect((await machine().run(['webhooks', 'events', 'prune', '--older-than', '0s'])).exit).toBe(0)
    const pruned = await find(here)
    expect(pruned).toMatchObject({exit: 0, missing: []})
    expect(pruned.stderr).toContain('cannot be judged')
  })
})
