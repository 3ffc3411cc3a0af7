/**
 * A sandbox in a process of its own. After SIGKILL everything that was answered is still there, only one sandbox can use a file,
 * no delivery is lost, and only attempts that were not recorded are repeated.
 */
import {randomUUID} from 'node:crypto'
import {chmodSync, readdirSync, readFileSync, statSync} from 'node:fs'
import {join} from 'node:path'
import {beforeEach, expect, test} from 'vitest'
import {createSandbox} from '../../src/sandbox/sandbox.js'
import {closing, ownDirectory, ownHome} from '../support/own.js'
import {connectTo, controlsAt, reservationRequest, startSandbox} from '../support/sandbox.js'
import {type Started, start} from '../support/started-sandboxes.js'
import {type Answering, type Subscriber, startSubscriber} from '../support/subscriber.js'
import {waitUntil} from '../support/wait.js'
import {signedAt} from '../support/webhook-files.js'
import {writeWaiting} from './waiting-deliveries.js'

/** Dates ahead of real time, because these sandboxes run on the real clock. */
const STAY = {check_in: daysAhead(30), check_out: daysAhead(33)}

function daysAhead(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
}

let directory: string
let database: string
let started: Started

beforeEach(() => {
  directory = ownDirectory()
  database = join(directory, 'sandbox.db')
})

/** Starts a sandbox on the database file in a process of its own. Returns its origin. */
async function startAgain(): Promise<string> {
  started = await start(ownHome(), '--allow-http-loopback', '--db', database)
  return new URL(started.baseUrl).origin
}

const kill = () => started.stop('SIGKILL')

const advanceClock = (origin: string, seconds: number) => controlsAt(origin).advance(seconds)

test('a killed sandbox comes back at another port with what it had answered', async () => {
  const first = await startAgain()
  const client = await connectTo(first)
  const offers = await client.search(STAY)
  const body = reservationRequest(offers[0].offer_id)
  const key = randomUUID()
  const made = await client.reserve(body, key)
  const pending = await client.reserve(reservationRequest(offers[1].offer_id, {payment: {mode: 'instant'}}))
  await advanceClock(first, 600)
  await kill()

  const origin = await startAgain()
  const again = await connectTo(origin)
  const shown = await again.call('GET', `/reservations/${made.json.data.reservation_ref}`)
  expect(shown.json.data).toEqual(made.json.data)
  const replayed = await again.reserve(body, key)
  expect([replayed.status, replayed.json]).toEqual([201, made.json])
  const waiting = await again.call('GET', `/reservations/${pending.json.data.reservation_ref}`)
  expect(waiting.json.data.payment.url.startsWith(`${origin}/pay/`)).toBe(true)
  const {balance} = await again.get('/account')
  expect(balance).toBe((100_000 - Number(made.json.data.price.total)).toFixed(2))
  const clock = await controlsAt(origin).control('GET', '/_sandbox/clock')
  expect(Date.parse(clock.json.now) - Date.now()).toBeGreaterThan(590_000)
})

test('refuses a file that another sandbox has open, until that one is killed', async () => {
  await startAgain()
  const busy = expect.objectContaining({
    fault: 'busy',
    message: expect.stringContaining('another local sandbox'),
    hint: expect.stringContaining('--db'),
  })
  expect(() => createSandbox({database})).toThrow(busy)
  await kill()
  createSandbox({database}).close()
})

test('leaves alone the permissions of the directory of a file the user names', () => {
  chmodSync(directory, 0o755)
  createSandbox({database}).close()
  expect(statSync(directory).mode & 0o777).toBe(0o755)
  expect(statSync(database).mode & 0o777).toBe(0o600)
})

test('stores no client secret and no token', async () => {
  const sandbox = await startSandbox({database})
  const client = await sandbox.client()
  await sandbox.close()
  // Data that is not yet in the database file is in its log.
  const bytes = Buffer.concat(readdirSync(directory).map(name => readFileSync(join(directory, name))))
  expect(bytes.includes('cid_sandbox')).toBe(true)
  expect(bytes.includes('sk_test_sandbox')).toBe(false)
  expect(bytes.includes(client.token)).toBe(false)
})

let subscriber: Subscriber

/** Subscribes and makes a reservation, so that events of both types are due. Returns the signing secret. */
async function causeEvents(origin: string, answering: Answering): Promise<string> {
  subscriber = closing(await startSubscriber(answering))
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

const deliveries = (origin: string): Promise<Shown[]> => controlsAt(origin).listed('deliveries')
const delivery = async (origin: string) => (await deliveries(origin))[0] as Shown

test('makes each of the eight attempts once, also when it is killed between them', async () => {
  let origin = await startAgain()
  const secret = await causeEvents(origin, answer => answer.writeHead(500).end())
  await waitUntil(async () => (await delivery(origin)).attempts.length === 1, 'the first attempt')
  // The first move makes one attempt due, the second several, and the third the remaining ones and no more.
  const moves = [60, 300 + 1800 + 7200, 200 * 3600]
  for (const [index, count] of [2, 5, 8].entries()) {
    await kill()
    origin = await startAgain()
    await advanceClock(origin, moves[index] ?? 0)
    expect((await delivery(origin)).attempts).toHaveLength(count)
  }
  const {status, attempts} = await delivery(origin)
  expect([status, attempts.map(({n}) => n)]).toEqual(['ABANDONED', [1, 2, 3, 4, 5, 6, 7, 8]])
  const {received} = subscriber
  expect(received).toHaveLength(8)
  const times = received.map(event => signedAt(event, secret))
  expect(times).not.toContain(null)
  expect(new Set(times).size).toBe(8)
})

test('repeats only what was not recorded, when it is killed amid hundreds', async () => {
  const count = 240
  subscriber = closing(await startSubscriber())
  const due = Math.ceil(Date.now() / 1000) + 3600
  writeWaiting(database, `${subscriber.origin}/hooks`, count, due)
  let origin = await startAgain()
  const moving = advanceClock(origin, 2 * 3600).catch(() => 'ended with the sandbox')
  await subscriber.waitFor(count / 3)
  await kill()
  expect(await moving).toBe('ended with the sandbox')
  const before = subscriber.received.length
  expect(before).toBeLessThan(count)
  origin = await startAgain()
  await advanceClock(origin, 2 * 3600)
  const shown = (await deliveries(origin)).map(({status, attempts}) => `${status} ${attempts.length}`)
  expect(shown).toEqual(Array(count).fill('DELIVERED 1'))
  const ids = subscriber.received.map(({headers}) => String(headers['x-service-event-id']))
  expect(new Set(ids).size).toBe(count)
  // Only attempts that wait for a commit or are being sent can be repeated.
  expect(ids.length - count).toBeLessThanOrEqual(64 + 8)
})
