/**
 * The schedule of §6.4 on a moved clock: eight attempts at their own times, each with its own signature; then the subscription
 * becomes inactive.
 */
import type {ServerResponse} from 'node:http'
import {join} from 'node:path'
import {setTimeout as sleep} from 'node:timers/promises'
import {expect, test} from 'vitest'
import {closing, ownDirectory} from '../../support/own.js'
import {startSandbox, TEST_START, type TestSandboxOptions} from '../../support/sandbox.js'
import {type Answering, startSubscriber} from '../../support/subscriber.js'
import {waitUntil} from '../../support/wait.js'
import {signedAt} from '../../support/webhook-files.js'
import {readPage, refusalOf, sandboxForEachTest, sendForm} from '../each-sandbox.js'
import {writeWaiting} from '../waiting-deliveries.js'

const MINUTE = 60
const HOUR = 3600
/** The times of the attempts, in seconds after the event. */
const MOMENTS = [0, MINUTE, 6 * MINUTE, 36 * MINUTE, 2.6 * HOUR, 10.6 * HOUR, 34.6 * HOUR, 58.6 * HOUR]

const {sandbox, client} = sandboxForEachTest({allowHttpLoopback: true, subscriberMilliseconds: 500})

async function restart(options: TestSandboxOptions) {
  await sandbox.close()
  Object.assign(sandbox, await startSandbox(options))
  Object.assign(client, await sandbox.client())
}

async function subscribe(answering?: Answering, events = ['reservation.confirmed']) {
  const subscriber = closing(await startSubscriber(answering))
  const url = `${subscriber.origin}/hooks`
  const created = await client.call('POST', '/webhooks/subscriptions', {url, events})
  return {...subscriber, ...(created.json.data as {id: string; secret: string})}
}

const deliveries = () => sandbox.listed('deliveries')

/** Repeats the only delivery by hand. */
async function redeliver() {
  const [{delivery_id}] = await deliveries()
  return sandbox.control('POST', `/_sandbox/deliveries/${delivery_id}/redeliver`)
}

const isActive = async (id: string) =>
  (await (await sandbox.client()).call('GET', `/webhooks/subscriptions/${id}`)).json.data.is_active
const momentsOf = ({attempts}: {attempts: {at: string}[]}) =>
  attempts.map(({at}) => Date.parse(at) / 1000 - TEST_START)
const refusing: Answering = answer => answer.writeHead(500).end()

test('makes eight attempts at their due times, each with a new signature, then abandons the delivery', async () => {
  const {id, secret, received} = await subscribe(refusing)
  await client.book()
  // The second attempt is due in a minute, and not a second earlier.
  await sandbox.advance(MINUTE - 1)
  expect(received).toHaveLength(1)
  // Moves of the clock run one after the other.
  await Promise.all(MOMENTS.map(() => sandbox.advance(8 * HOUR)))

  const [delivery] = await deliveries()
  expect(momentsOf(delivery)).toEqual(MOMENTS)
  expect(delivery.attempts.map(({n}: {n: number}) => n)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  expect(delivery).toMatchObject({status: 'ABANDONED', next_attempt_at: null})
  expect(delivery.attempts[7]).toMatchObject({status: 500, error: expect.any(String), ms: expect.any(Number)})
  expect(await isActive(id)).toBe(false)

  expect(received).toHaveLength(8)
  expect(new Set(received.map(({body}) => body.toString())).size).toBe(1)
  const times = received.map(event => signedAt(event, secret))
  // Receivers compare the signature with real time, which stands still here. Each signature has its own second, close to real
  // time.
  expect(times).toEqual([0, 1, 2, 3, 4, 5, 6, 7].map(second => TEST_START + second))
})

test('the first attempt is made at once', async () => {
  const {received, waitFor, secret} = await subscribe()
  const {reservation_ref, client_reference_id} = await client.book()
  await waitFor(1)
  const [event] = received
  expect(event && signedAt(event, secret)).toBe(TEST_START)
  expect(event).toMatchObject({method: 'POST', path: '/hooks'})
  expect(event?.headers).toMatchObject({'content-type': 'application/json', 'user-agent': expect.any(String)})
  const [recorded] = await sandbox.listed('events')
  const envelope = JSON.parse(String(event?.body))
  expect(envelope).toEqual(recorded)
  expect(envelope).toMatchObject({
    id: event?.headers['x-service-event-id'],
    type: 'reservation.confirmed',
    created: new Date(TEST_START * 1000).toISOString(),
    data: {object: 'reservation', reservation_ref, client_reference_id, status: 'CONFIRMED'},
  })
})

test('a timer makes the next attempt in real time', async () => {
  await restart({allowHttpLoopback: true, clock: () => TEST_START + performance.now() / 1000})
  const {received, waitFor} = await subscribe(refusing)
  await client.book()
  await sandbox.advance(MINUTE - 1)
  await waitFor(2)
  expect(received).toHaveLength(2)
})

test('nothing is sent to a passive subscription; active again, it gets what waits and what is new', async () => {
  const {id, received, waitFor} = await subscribe((answer, _, count) =>
    answer.writeHead(count === 1 ? 500 : 200).end(),
  )
  await client.book()
  await waitFor(1)
  const path = `/webhooks/subscriptions/${id}`
  await client.call('PATCH', path, {is_active: false})
  await client.book()
  await sandbox.advance(HOUR)
  expect(await refusalOf(client.call('POST', `${path}/test`))).toBe('409 subscription_passive')
  expect(received).toHaveLength(1)
  await client.call('PATCH', path, {is_active: true})
  await waitFor(2)
  expect(received[1]?.body).toEqual(received[0]?.body)
  await client.book()
  await waitFor(3)
  expect(received).toHaveLength(3)
})

test('an abandoned delivery can be sent again by hand', async () => {
  let works = false
  const {id, received, secret} = await subscribe(answer => answer.writeHead(works ? 200 : 500).end())
  await client.book()
  await sandbox.advance(100 * HOUR)
  const failed = await redeliver()
  expect(failed.json.data).toMatchObject({delivery_id: expect.any(String), status: 'ABANDONED'})
  await (await sandbox.client()).call('PATCH', `/webhooks/subscriptions/${id}`, {is_active: true})
  works = true
  const made = await redeliver()
  expect([made.status, made.json.data]).toEqual([202, (await deliveries())[0]])
  expect(made.json.data).toMatchObject({status: 'DELIVERED', next_attempt_at: null})
  expect(made.json.data.attempts.at(-1)).toMatchObject({n: 10, status: 200, error: null})
  expect(received.at(-1) && signedAt(received.at(-1) as never, secret)).not.toBeNull()
  expect((await sandbox.control('POST', '/_sandbox/deliveries/dlv_none/redeliver')).status).toBe(404)
})

test('sending a delivered event again by hand changes neither its status nor its subscription', async () => {
  let works = true
  const {id, received} = await subscribe(answer => answer.writeHead(works ? 200 : 500).end())
  await client.book()
  await sandbox.advance(0)
  works = false
  for (let n = 2; n <= 8; n += 1) {
    const failed = await redeliver()
    expect(failed.json.data).toMatchObject({status: 'DELIVERED', next_attempt_at: null})
  }
  await sandbox.advance(100 * HOUR)
  expect(received).toHaveLength(8)
  expect(await isActive(id)).toBe(true)
})

test('attempts of one delivery requested together are made one after the other', async () => {
  let open = 0
  let mostOpen = 0
  const {received} = await subscribe(answer => {
    mostOpen = Math.max(mostOpen, ++open)
    setTimeout(() => {
      open -= 1
      answer.writeHead(200).end()
    }, 20)
  })
  await client.book()
  await sandbox.advance(0)
  const answers = await Promise.all([1, 2, 3, 4].map(redeliver))
  expect(answers.map(({status}) => status)).toEqual([202, 202, 202, 202])
  const [{attempts}] = await deliveries()
  expect(attempts.map(({n}: {n: number}) => n)).toEqual([1, 2, 3, 4, 5])
  expect([received.length, mostOpen]).toEqual([5, 1])
})

test('a deleted subscription gets no further attempt', async () => {
  const {id, received, waitFor} = await subscribe(refusing)
  await client.book()
  await waitFor(1)
  await client.call('DELETE', `/webhooks/subscriptions/${id}`)
  await sandbox.advance(100 * HOUR)
  expect(received).toHaveLength(1)
  expect((await deliveries())[0]).toMatchObject({status: 'ABANDONED', next_attempt_at: null})
})

test('a subscriber that hangs does not delay others', async () => {
  await restart({allowHttpLoopback: true, subscriberMilliseconds: 20_000})
  const hanging = await subscribe(() => undefined)
  const quick = await subscribe()
  for (let n = 0; n < 12; n++) {
    await client.call('POST', `/webhooks/subscriptions/${hanging.id}/test`)
    await client.call('POST', `/webhooks/subscriptions/${quick.id}/test`)
  }
  await quick.waitFor(12)
  const delivered = async () => (await deliveries()).filter(({status}) => status === 'DELIVERED')
  await waitUntil(async () => (await delivered()).length === 12, '12 deliveries on record')
  expect(hanging.received.length).toBeLessThan(12)
})

test('a reset ends running moves of the clock, and sets the clock back', async () => {
  const held: (() => void)[] = []
  const {waitFor} = await subscribe(answer => void held.push(() => answer.end()))
  await client.book()
  const moves = ['28800', '60'].map(advance_seconds => sendForm(sandbox, '/ui/clock', {advance_seconds}))
  await waitFor(1)
  expect((await sendForm(sandbox, '/ui/reset')).status).toBe(303)
  for (const release of held) release()
  expect((await Promise.all(moves)).map(({status}) => status)).toEqual([303, 303])
  const page = (await readPage(sandbox, '/')).text
  for (const text of ['2030-06-01 12:00:00 UTC', 'No deliveries yet.']) expect(page).toContain(text)
})

const MANY = 400
/** The number of attempts that one subscription gets at the same time. */
const TOGETHER = 8

interface Shown {
  readonly status: string
  readonly attempts: readonly {readonly at: string; readonly status: number}[]
}

test('each attempt is made and recorded at its due time, and requests are answered meanwhile', async () => {
  const held: ServerResponse[] = []
  const answering: Answering = (answer, _, count) => {
    if (count <= TOGETHER) held.push(answer)
    // The first attempts are answered only when all of them have arrived.
    if (count === TOGETHER) for (const each of held) each.writeHead(200).end()
    // Later, every fifth attempt is refused.
    if (count > TOGETHER) answer.writeHead(count % 5 === 0 ? 500 : 200).end()
  }
  const database = join(ownDirectory(), 'sandbox.db')
  const subscriber = closing(await startSubscriber(answering))
  writeWaiting(database, `${subscriber.origin}/hook`, MANY, TEST_START + 60)
  await restart({database, allowHttpLoopback: true})
  let isMoving = true
  const moved = sandbox.advance(MANY / 10 + 12 * 3600).finally(() => {
    isMoving = false
  })
  let answered = 0
  while (isMoving) {
    const shown = await fetch(`${sandbox.origin}/_sandbox/clock`)
    expect(shown.status).toBe(200)
    if (isMoving) answered += 1
    await sleep(5)
  }
  await moved
  expect(answered).toBeGreaterThan(10)
  const shown = (await sandbox.listed('deliveries')) as Shown[]
  expect(shown).toHaveLength(MANY)
  expect(new Set(shown.map(({status}) => status))).toEqual(new Set(['DELIVERED']))
  expect(shown.flatMap(({attempts}) => attempts.filter(({status}) => status === null))).toEqual([])
  const moments = shown.map(({attempts}) => attempts.map(({at}) => Date.parse(at) / 1000 - TEST_START - 60))
  const expected = shown.map(({attempts}, index) =>
    [0, 60, 360, 2160, 9360, 38160].slice(0, attempts.length).map(d => index / 10 + d),
  )
  expect(moments.map(each => each.map(Math.round))).toEqual(expected.map(each => each.map(Math.round)))
  expect(subscriber.received).toHaveLength(moments.flat().length)
})
