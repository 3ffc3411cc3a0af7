/** Forwards events unchanged and repeats them until a 2xx. A slow target does not delay another. */
import type {Socket} from 'node:net'
import {expect, onTestFinished, test} from 'vitest'
import type {DueForward, ForwardResult} from '../../../src/contract/stored-events.js'
import {Forwarder, type ForwardReport, waitAfter} from '../../../src/webhooks/forward/forwarder.js'
import {createHandover, type Handover} from '../../../src/webhooks/forward/request.js'
import {eventually} from '../../support/eventually.js'
import {closing} from '../../support/own.js'
import {type Answering, startSubscriber} from '../../support/subscriber.js'

/** Starts a target that answers each request with the status from `answer`, or never if that is undefined. */
async function startTarget(answer: (count: number) => number | undefined) {
  const {origin, received: got} = closing(
    await startSubscriber((response, _, count) => {
      const status = answer(count)
      if (status !== undefined)
        response.writeHead(status, status === 302 ? {Location: '/elsewhere'} : {}).end('x'.repeat(1000))
    }),
  )
  return {got, url: `${origin}/hooks?a=1`}
}

const HEADERS = [
  ...['Host', 'receiver', 'Connection', 'keep-alive, X-Hop', 'X-Hop', '1', 'X-Service-Signature', 't=1,v1=2'],
  ...['x-two', 'a', 'X-Two', 'b', 'Transfer-Encoding', 'chunked', 'EXPECT', '100-continue'],
]
const BODY = Buffer.from([0x7b, 0xff, 0x00, 0x0d, 0x0a, 0x7d])

/**
 * Starts a forwarder with a store in memory. Like the real one, it returns an event until the event is done. Its first `refusals`
 * calls fail; the last of them has a result.
 */
function startForwarder(
  targets: string[],
  events: number,
  {
    clock = () => Date.now() / 1000,
    headersOf = (one: DueForward): readonly string[] | undefined => one.rawHeaders,
    refusals = 0,
    random = (): number => 0,
    elapsed = () => performance.now(),
    handover = createHandover({timeoutMilliseconds: 30_000}),
  } = {},
) {
  let refused = 0
  const pending = targets.flatMap(target =>
    Array.from({length: events}, (_, n) => ({
      sequence: n,
      target,
      eventId: `evt_${n}`,
      type: null,
      receivedAt: clock(),
      rawHeaders: HEADERS,
      body: BODY,
      attempts: 0,
      due: 0,
      taken: false,
    })),
  )
  const reports: ForwardReport[] = []
  const find = ({sequence, target}: ForwardResult) =>
    pending.find(one => one.sequence === sequence && one.target === target)
  const forwarder = new Forwarder({
    targets,
    store: {
      take: async (target, now, limit): Promise<DueForward[]> => {
        if (refused < refusals - 1) throw new Error('busy')
        const due = pending
          .filter(one => one.target === target && !one.taken && one.due <= now)
          .slice(0, limit)
        for (const one of due) one.taken = true
        return due.map(one => ({...one}))
      },
      holds: () => true,
      settle: async results => {
        if (refused < refusals) throw new Error('busy')
        for (const result of results) {
          const one = find(result)
          if (!one || result.state !== 'pending') continue
          Object.assign(one, {taken: false, due: result.nextAttemptAt, attempts: one.attempts + 1})
        }
      },
    },
    handover,
    headersOf,
    clock,
    elapsed,
    random,
    onReport: report => reports.push(report),
    onStoreError: () => {
      refused += 1
    },
  })
  onTestFinished(async () => {
    await forwarder.stop()
    expect(refused).toBe(refusals)
  })
  forwarder.wake()
  return {forwarder, reports}
}

test('forwards body and headers unchanged, except for connection headers', async () => {
  const target = await startTarget(() => 204)
  const {reports} = startForwarder([target.url], 1)
  await eventually(() => expect(reports).toMatchObject([{state: 'done', status: 204, attempt: 1}]))
  const [got] = target.got
  expect(got?.body.equals(BODY)).toBe(true)
  expect(got?.path).toBe('/hooks?a=1')
  expect(got?.rawHeaders).toEqual([
    ...['Host', new URL(target.url).host, 'X-Service-Signature', 't=1,v1=2', 'x-two', 'a', 'X-Two', 'b'],
    ...['Content-Length', '6', 'Connection', 'keep-alive'],
  ])
})

test('retries anything but 2xx with growing delays, and follows no redirect', async () => {
  const target = await startTarget(n => [302, 500, 401, 200][n - 1])
  let now = 1000
  const {forwarder, reports} = startForwarder([target.url], 1, {clock: () => now, refusals: 2})
  for (const wait of [1, 2, 4]) {
    const before = reports.length
    await eventually(() => {
      forwarder.wake()
      expect(reports.length).toBe(before + 1)
    })
    expect(reports.at(-1)).toMatchObject({state: 'pending', nextAttemptAt: now + wait})
    now += wait
  }
  await eventually(() => {
    forwarder.wake()
    expect(reports.at(-1)).toMatchObject({state: 'done', attempt: 4})
  })
  expect(target.got.map(({path}) => path)).toEqual(Array(4).fill('/hooks?a=1'))
})

test('an address that hangs delays no other, and takes few at a time', async () => {
  const hanging = await startTarget(() => undefined)
  const good = await startTarget(() => 200)
  const {reports} = startForwarder([hanging.url, good.url], 100)
  await eventually(() => expect(good.got.length).toBe(100))
  expect(hanging.got.length).toBeLessThanOrEqual(8)
  expect(reports.every(({target}) => target === good.url)).toBe(true)
})

test('an address that does not answer is left alone twice as long each time, and at most for 30 s', async () => {
  let milliseconds = 0
  const sentAt: number[] = []
  const handover: Handover = {
    async send() {
      sentAt.push(milliseconds)
      return {status: null, milliseconds: 1, error: 'ECONNREFUSED'}
    },
    close() {},
  }
  // Each attempt uses another event, so that none waits for its own next attempt.
  const {forwarder} = startForwarder(['http://127.0.0.1:1/'], 20, {elapsed: () => milliseconds, handover})
  /** Sends everything that is due by `now`. Returns the number of attempts so far. */
  const sentBy = async (now: number) => {
    milliseconds = now
    await forwarder.settled(Number.POSITIVE_INFINITY)
    return sentAt.length
  }
  // Requests that were sent together count once.
  const first = await sentBy(0)
  let [due, count] = [0, first]
  for (const seconds of [1, 2, 4, 8, 16, 30, 30, 30]) {
    due += seconds * 1000
    expect([seconds, await sentBy(due - 1)]).toEqual([seconds, count])
    count += 1
    expect([seconds, await sentBy(due)]).toEqual([seconds, count])
  }
})

test('an event with no headers to send is given up without a request, and delays no other', async () => {
  const target = await startTarget(() => 200)
  const headersOf = ({sequence}: DueForward) => (sequence === 1 ? undefined : HEADERS)
  const {forwarder, reports} = startForwarder([target.url], 40, {headersOf})
  await forwarder.settled(20_000)
  expect(target.got.length).toBe(39)
  expect(reports.filter(({state}) => state !== 'done')).toMatchObject([
    {sequence: 1, state: 'given_up', error: 'signature_too_old', status: null, attempt: 1},
  ])
})

test('a request that is stopped is no attempt', async () => {
  const hanging = await startTarget(() => undefined)
  const {forwarder, reports} = startForwarder([hanging.url], 3)
  await eventually(() => expect(hanging.got.length).toBe(3))
  await forwarder.stop()
  expect(reports).toEqual([])
})

async function sendingTo(answering: Answering) {
  const {origin, connections} = closing(await startSubscriber(answering))
  const handover = closing(createHandover({timeoutMilliseconds: 10_000}))
  return {connections, send: () => handover.send(`${origin}/hooks`, [], Buffer.from('{}'))}
}

test('retries at once on reset idle connections', async () => {
  const seen = new Set<Socket>()
  const waiting: (() => void)[] = []
  const {send, connections} = await sendingTo(answer => {
    const {socket} = answer.req
    if (seen.has(socket)) return void socket.resetAndDestroy()
    seen.add(socket)
    // The first three requests arrive before any of them is answered.
    waiting.push(() => answer.end())
    if (seen.size >= 3) for (const end of waiting.splice(0)) end()
  })
  const answers = await Promise.all([send(), send(), send()])
  expect(answers.map(({status}) => status)).toEqual([200, 200, 200])
  expect(await send()).toMatchObject({status: 200, error: null})
  expect(connections()).toBe(4)
})

test.each([
  ['that changes the protocol', 'HTTP/1.1 101 Other\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n', 101],
  ['whose body is broken', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nno length\r\n', 200],
])('an answer %s is an answer', async (_, text, status) => {
  const {send} = await sendingTo(({req}) => void req.socket.write(text))
  expect(await send()).toMatchObject({status, error: null})
})

test('a new connection that is reset is the answer', async () => {
  const {send, connections} = await sendingTo(({req}) => void req.socket.resetAndDestroy())
  expect(await send()).toMatchObject({status: null, error: 'ECONNRESET'})
  expect(connections()).toBe(1)
})

test('delays double up to a limit, with up to a fifth of jitter, and end after three days', async () => {
  expect([1, 2, 3, 9, 10, 2000].map(failures => waitAfter(failures, 300))).toEqual([1, 2, 4, 256, 300, 300])
  const target = await startTarget(() => 500)
  let now = 1000
  const {forwarder, reports} = startForwarder([target.url], 1, {clock: () => now, random: () => 0.5})
  await eventually(() => expect(reports).toMatchObject([{state: 'pending', nextAttemptAt: 1001.1}]))
  now += 3 * 24 * 3600 + 1
  await eventually(() => {
    forwarder.wake()
    expect(reports[1]).toMatchObject({state: 'given_up', status: 500, attempt: 2})
  })
})
