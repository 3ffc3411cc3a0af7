/** `webhooks status` and its check in `doctor`: a receiver that works, one that was killed, and a store that fails. */
import {writeFileSync} from 'node:fs'
import {hostname} from 'node:os'
import {join} from 'node:path'
import {expect, test} from 'vitest'
import {eventually} from '../support/eventually.js'
import {ownListening, ownReceiverHome, ownTarget} from '../support/own.js'
import {SECRET, sendEvent} from '../support/webhook-load.js'
import {describeSharing} from './sharing-machines.js'

const STATUS = ['webhooks', 'status']
const send = (port: number, id: string, secret = SECRET) =>
  sendEvent(port, `{"id":"${id}","type":"voucher.ready"}`, id, {secret})

test('reports listeners, received and refused requests, and a killed listener', async () => {
  const home = ownReceiverHome()
  const none = await home.json(STATUS)
  expect(none).toMatchObject({
    exit: 8,
    result: {healthy: false, listeners: [], last_event_at: null, stored_bytes: 0},
  })
  expect(none.stderr).toContain('Warning: no listener runs')

  const target = await ownTarget(500)
  const to = ['--forward-to', `${target.url}?key=hidden`]
  const receiver = await ownListening(home, ['--port', '0', '--admin', '0', ...to])
  const {admin_url} = (await receiver.ready) ?? {}
  expect([await send(receiver.port, 'evt_1'), await send(receiver.port, 'evt_2', 'whsec_other')]).toEqual([
    200, 401,
  ])
  const time = expect.stringMatching(/^2\d{3}-\d\d-\d\dT[\d:.]+Z$/)
  await eventually(async () => {
    const {exit, result} = await home.json(STATUS)
    expect({exit, ...result}).toEqual({
      exit: 0,
      healthy: true,
      listeners: [
        {
          pid: receiver.child.pid,
          host: hostname(),
          since: time,
          url: receiver.url,
          admin_url,
          targets: [target.url],
          alive: true,
          acknowledges: true,
          profile: 'default',
          last_seen_at: time,
        },
      ],
      last_event_at: time,
      last_hour: {'voucher.ready': 1},
      refused_last_hour: {signature_mismatch: 1},
      forwards: {pending: 1, oldest_pending_seconds: expect.any(Number), given_up_last_day: 0},
      stored_bytes: expect.any(Number),
      warnings: [],
    })
  })
  const check = async () => {
    const {result} = await home.json<{checks: {name: string}[]}>(['doctor', '--offline'])
    return result.checks.find(({name}) => name === 'listener')
  }
  expect(await check()).toMatchObject({
    status: 'ok',
    detail: `${receiver.url} (pid ${receiver.child.pid}) receives events`,
  })

  await receiver.stop('SIGKILL')
  const killed = await home.json(STATUS)
  expect(killed).toMatchObject({exit: 8, result: {healthy: false, listeners: [{alive: false}]}})
  expect(killed.stderr).toContain(`(pid ${receiver.child.pid} on ${hostname()}) was killed`)
  expect(await check()).toMatchObject({status: 'warn', fix: 'bookctl webhooks status'})

  const next = await ownListening(home, ['--port', '0'])
  const {result} = await home.json<{listeners: {pid: number}[]}>(STATUS)
  expect(result.listeners.map(({pid}) => pid)).toEqual([next.child.pid])
  await next.stop()
  expect(await home.json(STATUS)).toMatchObject({exit: 8, result: {listeners: []}})
})

/** Leaves a forward for an address that the next listener does not have, and gives it up. */
async function giveUpForwardsIn(home: ReturnType<typeof ownReceiverHome>) {
  const target = await ownTarget(500)
  const first = await ownListening(home, ['--port', '0', '--forward-to', `${target.url}?key=hidden`])
  expect(await send(first.port, 'evt_1')).toBe(200)
  await eventually(() => expect(target.got).toContain('evt_1'))
  await first.stop()
  const second = await ownListening(home, ['--port', '0'])
  const warning = `1 forward waits for ${target.url}, an address that no listener has`
  const {result} = await home.json<{warnings: string[]}>(STATUS)
  expect(result.warnings).toEqual([expect.stringContaining(warning)])
  const prune = ['webhooks', 'events', 'prune', '--forwards-to']
  expect(await home.json([...prune, `${target.url}-other`])).toMatchObject({exit: 0, result: {given_up: 0}})
  expect(await home.json([...prune, target.url])).toMatchObject({exit: 0, result: {given_up: 1}})
  expect((await home.json(STATUS)).result).toMatchObject({
    healthy: true,
    forwards: {pending: 0, oldest_pending_seconds: null, given_up_last_day: 1},
  })
  const listed = await home.json<{events: {forwards: object[]}[]}>(['webhooks', 'events', 'list'])
  expect(listed.result.events).toMatchObject([
    {event_id: 'evt_1', forwards: [{state: 'given_up', status: 500}]},
  ])
  const {stderr} = await second.stop()
  expect(stderr).toContain(warning)
  expect(stderr).not.toContain('hidden')
}

test('forwards to an address that no listener has are reported, and can be given up', async () => {
  const home = ownReceiverHome()
  await giveUpForwardsIn(home)
  expect(await home.refusal(['webhooks', 'events', 'prune'])).toMatchObject({exit: 2, code: 'missing_flag'})
})

test('a store that cannot be read is not healthy', async () => {
  const home = ownReceiverHome()
  await (await ownListening(home, ['--port', '0'])).stop()
  writeFileSync(join(home.configDirectory, 'events.db'), 'no database'.repeat(1000))
  const {exit, result} = await home.json<{warnings: string[]}>(STATUS)
  expect({exit, ...result}).toMatchObject({exit: 8, healthy: false, listeners: [], forwards: {pending: null}})
  expect(result.warnings).toEqual([expect.stringContaining('the store of events cannot be read')])
  const {stdout} = await home.run(STATUS)
  expect(stdout).toBe('')
})

await describeSharing(({machine, server}) => {
  test('a shared store knows the listeners of all machines', async () => {
    const [one, two] = [
      await ownListening(machine(), ['--port', '0']),
      await ownListening(machine(), ['--port', '0']),
    ]
    expect(await send(one.port, 'evt_1')).toBe(200)
    const other = machine()
    const status = () => other.json<{listeners: {pid: number; alive: boolean}[]}>(STATUS)
    const both = await status()
    expect(both).toMatchObject({exit: 0, result: {healthy: true, last_hour: {'voucher.ready': 1}}})
    const pids = [one.child.pid, two.child.pid]
    expect(both.result.listeners.map(({pid}) => pid).sort()).toEqual(pids.sort())
    await one.stop('SIGKILL')
    await two.stop()
    expect(await status()).toMatchObject({exit: 8, result: {listeners: [{pid: one.child.pid, alive: false}]}})
    await server().kill()
    const away = await status()
    await server().start()
    expect(away).toMatchObject({exit: 8, result: {healthy: false, listeners: [], stored_bytes: null}})
  })

  test('in a shared store forwards can be given up from any machine', async () => {
    await giveUpForwardsIn(machine())
  })
})
