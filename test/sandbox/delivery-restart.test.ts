/** Deliveries outlive SIGKILL: none is lost, and nothing is repeated beyond the attempt that was under way. */
import {join} from 'node:path'
import {afterEach, expect, test} from 'vitest'
import {connectTo} from '../support/sandbox.js'
import {type Answering, type Subscriber, signedAt, startSubscriber} from '../support/subscriber.js'
import {waitUntil} from '../support/wait.js'
import {advanceClock, killableSandbox, STAY} from './killable.js'
import {writeWaiting} from './waiting-deliveries.js'

const killable = killableSandbox()
let subscriber: Subscriber | undefined
afterEach(() => subscriber?.close())

/** Subscribes and makes a reservation; the events of both types are then due. Returns the signing secret. */
async function causeEvents(origin: string, answering: Answering): Promise<string> {
  subscriber = await startSubscriber(answering)
  const client = await connectTo(origin)
  const wanted = {url: `${subscriber.origin}/hooks`, events: ['reservation.confirmed']}
  const created = await client.call('POST', '/webhooks/subscriptions', wanted)
  const [offer] = await client.search(STAY)
  const made = await client.convert(offer)
  expect(made.status).toBe(201)
  return created.json.data.secret
}

interface Shown {
  readonly status: string
  readonly attempts: readonly {n: number; at: string}[]
}

async function deliveries(origin: string): Promise<Shown[]> {
  const answer = await fetch(`${origin}/_sandbox/deliveries`)
  return ((await answer.json()) as {data: Shown[]}).data
}

async function delivery(origin: string): Promise<Shown> {
  return (await deliveries(origin))[0] as Shown
}

test('makes each of the eight attempts once, also when it is killed between them', async () => {
  let origin = await killable.start()
  const secret = await causeEvents(origin, answer => answer.writeHead(500).end())
  await waitUntil(async () => (await delivery(origin)).attempts.length === 1, 'the first attempt')
  // One attempt is due, then some, then those that are left and no more.
  const moves = [60, 300 + 1800 + 7200, 200 * 3600]
  for (const [index, count] of [2, 5, 8].entries()) {
    await killable.kill()
    origin = await killable.start()
    await advanceClock(origin, moves[index] ?? 0)
    expect((await delivery(origin)).attempts).toHaveLength(count)
  }
  const {status, attempts} = await delivery(origin)
  expect([status, attempts.map(({n}) => n)]).toEqual(['ABANDONED', [1, 2, 3, 4, 5, 6, 7, 8]])
  const received = subscriber?.received ?? []
  expect(received).toHaveLength(8)
  const times = received.map(event => signedAt(event, secret))
  expect(times).not.toContain(null)
  expect(new Set(times).size).toBe(8)
})

test('repeats only what was not recorded, when it is killed amid hundreds', async () => {
  const count = 240
  subscriber = await startSubscriber()
  const due = Math.ceil(Date.now() / 1000) + 3600
  writeWaiting(join(killable.directory, 'sandbox.db'), `${subscriber.origin}/hooks`, count, due)
  let origin = await killable.start()
  const moving = advanceClock(origin, 2 * 3600).catch(() => 'ended with the sandbox')
  await subscriber.waitFor(count / 3)
  await killable.kill()
  expect(await moving).toBe('ended with the sandbox')
  const before = subscriber.received.length
  expect(before).toBeLessThan(count)
  origin = await killable.start()
  await advanceClock(origin, 2 * 3600)
  const shown = (await deliveries(origin)).map(({status, attempts}) => `${status} ${attempts.length}`)
  expect(shown).toEqual(Array(count).fill('DELIVERED 1'))
  const ids = subscriber.received.map(({headers}) => String(headers['x-service-event-id']))
  expect(new Set(ids).size).toBe(count)
  // At most what waits for one commit, and what is under way beside it.
  expect(ids.length - count).toBeLessThanOrEqual(64 + 8)
})
