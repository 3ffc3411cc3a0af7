/** Deliveries of the local sandbox at the command line: the schedule rehearsed, and the newest listed. */

import {afterAll, beforeAll, expect, test} from 'vitest'
import {findFreePort} from '../../src/cli/features/sandbox/free-port.js'
import {type ServedSandbox, serveLocalSandbox} from '../support/served-sandbox.js'

let sandbox: ServedSandbox

beforeAll(async () => {
  sandbox = await serveLocalSandbox()
})
afterAll(() => sandbox.stop())

test('the schedule of a receiver that is down is rehearsed in a moment, and mended', async () => {
  const {home} = sandbox
  const url = `https://127.0.0.1:${await findFreePort()}/down`
  const created = await home.json<{subscription: {id: string}}>([
    ...['webhooks', 'create', '--url', url, '--event', 'reservation.confirmed'],
  ])
  const {id} = created.result.subscription
  await home.run(['webhooks', 'test', id])
  expect((await home.run(['sandbox', 'clock', '--advance', '59h'])).exit).toBe(0)
  type Deliveries = {
    deliveries: {subscription_id: string; status: string; attempts: {at: string; error: string}[]}[]
  }
  const shown = await home.json<Deliveries>(['sandbox', 'deliveries'])
  const delivery = shown.result.deliveries.find(one => one.subscription_id === id)
  expect(delivery).toMatchObject({status: 'ABANDONED', next_attempt_at: null})
  const attempts = delivery?.attempts ?? []
  const begin = Date.parse(attempts[0]?.at ?? '')
  const minutes = attempts.map(({at}) => Math.round((Date.parse(at) - begin) / 60_000))
  expect(minutes).toEqual([0, 1, 6, 36, 156, 636, 2076, 3516])
  expect(attempts[7]?.error).toContain('ECONNREFUSED')
  const list = async () => (await home.run(['webhooks', 'list', '--columns', 'id,is_active'])).stdout
  expect(await list()).toContain(`${id}\tfalse`)
  expect((await home.run(['webhooks', 'update', id, '--active'])).exit).toBe(0)
  expect(await list()).toContain(`${id}\ttrue`)
})

test('of many deliveries the newest are shown', async () => {
  const {home} = sandbox
  const url = `https://127.0.0.1:${await findFreePort()}/nobody`
  const created = await home.json<{subscription: {id: string}}>([
    ...['webhooks', 'create', '--url', url, '--event', 'voucher.ready'],
  ])
  for (let n = 0; n < 3; n++) await home.run(['webhooks', 'test', created.result.subscription.id])
  const list = (...more: string[]) => home.run(['sandbox', 'deliveries', '--quiet', ...more])
  const all = (await list()).stdout.trim().split('\n')
  expect(all.length).toBeGreaterThanOrEqual(3)
  expect((await list('--limit', '2')).stdout.trim().split('\n')).toEqual(all.slice(-2))
  expect((await list('--limit', '0')).exit).toBe(2)
})
