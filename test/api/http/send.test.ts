/** The sender: which requests are repeated, after what delay, and whether the service may have acted. */
import {expect, test} from 'vitest'
import {createSender} from '../../../src/api/http/send.js'
import {
  type AttemptRecord,
  ExchangeError,
  type ExchangeFault,
  type ExchangeLimits,
  SendError,
  type SendPolicy,
  type SentAnswer,
  type WireAnswer,
  type WireRequest,
} from '../../../src/api/types.js'
import {fakeClock} from '../../support/clocks.js'
import {held} from '../../support/held.js'

const REQUEST = {method: 'POST', url: 'http://127.0.0.1/v1/x', headers: {a: 'b'}, body: '{"n":1}'}
const BODY = Buffer.from('{}')
const answer = (status: number, headers: Record<string, string> = {}) => ({status, headers, body: BODY})
const failure = (fault: ExchangeFault, sent: boolean) => new ExchangeError(fault, sent, `${fault} here`)

type Step = WireAnswer | ExchangeError

/** Creates a sender whose attempts have the results `steps`, of which the last one repeats. Each takes `seconds`. */
function setUp(steps: Step[], {random = (): number => 0, seconds = 0} = {}) {
  const clock = fakeClock()
  const requests: WireRequest[] = []
  const limits: ExchangeLimits[] = []
  const records: AttemptRecord[] = []
  const sender = createSender({
    clock,
    random,
    userAgent: 'bookctl/1',
    traces: [{attempt: record => records.push(record)}],
    transport: async (request, given) => {
      requests.push(request)
      limits.push(given)
      clock.advance(seconds)
      const step = steps[Math.min(requests.length, steps.length) - 1] as Step
      if (step instanceof ExchangeError) throw step
      return step
    },
  })
  const send = (policy: Partial<SendPolicy> = {}): Promise<SentAnswer | SendError> =>
    sender.send(REQUEST, {repeatable: true, timeoutSeconds: 30, ...policy}).catch(error => {
      if (error instanceof SendError) return error
      throw error
    })
  return {clock, requests, limits, records, send}
}

test('does not retry a closed port of this machine, unless it answered before', async () => {
  const here = new ExchangeError('refused', false, 'ECONNREFUSED 127.0.0.1:4010', true)
  const elsewhere = new ExchangeError('refused', false, 'ECONNREFUSED 10.0.0.1:443')
  expect(await setUp([here]).send()).toMatchObject({attempts: 1, last: here})
  expect(await setUp([elsewhere]).send()).toMatchObject({attempts: 4})
  expect(await setUp([answer(503), here]).send()).toMatchObject({attempts: 4, mayHaveActed: true})
})

test('after a lost attempt or a 503 the service may have acted, even if later attempts are never sent; after a 429 it has not', async () => {
  expect(await setUp([answer(503), failure('refused', false)]).send()).toMatchObject({mayHaveActed: true})
  expect(await setUp([answer(429), failure('refused', false)]).send()).toMatchObject({mayHaveActed: false})
  const lost = await setUp([failure('reset', true), failure('refused', false)]).send()
  expect(lost).toMatchObject({attempts: 4, mayHaveActed: true, last: {fault: 'refused'}})
  const accepted = await setUp([answer(429), answer(200)]).send({repeatable: false})
  expect(accepted).toMatchObject({status: 200, attempts: 2, mayHaveActed: false})
})

test('waits with full jitter: random() · 250 ms · 2ⁿ', async () => {
  const {send, clock} = setUp([answer(503)], {random: () => 0.5})
  await send()
  expect(clock.sleeps).toEqual([125, 250, 500])
})

test('calls beforeAttempt before each attempt, and stops if it throws', async () => {
  const {send, requests} = setUp([answer(503)])
  const seen: number[] = []
  const beforeAttempt = async () => {
    seen.push(requests.length)
    if (seen.length === 3) throw new Error('the journal is full')
  }
  await expect(send({beforeAttempt})).rejects.toThrow('the journal is full')
  expect(seen).toEqual([0, 1, 2])
  expect(requests).toHaveLength(2)
})

test('sends nothing before beforeAttempt has finished, nor after a stop meanwhile', async () => {
  for (const isStopped of [false, true]) {
    const {send, requests} = setUp([answer(200)])
    const stopping = new AbortController()
    const counted = held()
    const beforeAttempt = () => counted.promise
    const sending = send({beforeAttempt, signal: stopping.signal})
    await new Promise(setImmediate)
    expect(requests).toEqual([])
    if (isStopped) stopping.abort()
    counted.release()
    if (isStopped)
      expect(await sending).toMatchObject({attempts: 0, mayHaveActed: false, last: {sent: false}})
    else expect(await sending).toMatchObject({status: 200})
    expect(requests).toHaveLength(isStopped ? 0 : 1)
  }
})

test('the trace gets every attempt, with the wait that follows', async () => {
  const {send, records} = setUp([failure('reset', true), answer(200)], {random: () => 0.4, seconds: 2})
  await send()
  expect(records).toMatchObject([
    {attempt: 1, milliseconds: 2000, waitMilliseconds: 100},
    {attempt: 2, milliseconds: expect.closeTo(2000), waitMilliseconds: undefined},
  ])
})

test('an answer has the secrets of all earlier requests, which it may echo', async () => {
  const sender = createSender({
    clock: fakeClock(),
    random: () => 0,
    secrets: ['sk_test_known'],
    transport: async () => answer(403),
  })
  const policy = {repeatable: true, timeoutSeconds: 30}
  await sender.send({...REQUEST, headers: {authorization: 'Bearer token-of-the-first'}}, policy)
  await sender.send({...REQUEST, url: 'https://h.example/v/WyJSU1Yt.N1_RNqqrQB', headers: {}}, policy)
  const {secrets} = await sender.send({...REQUEST, headers: {authorization: 'Bearer another-token'}}, policy)
  const known = ['sk_test_known', 'token-of-the-first', 'WyJSU1Yt.N1_RNqqrQB', 'another-token']
  expect(new Set(secrets)).toEqual(new Set(known))
})

test('each attempt has our limits of time and size, and never more time than is left', async () => {
  const {send, limits} = setUp([failure('refused', false)], {seconds: 27})
  await send({timeoutSeconds: 60, attemptTimeoutSeconds: 40})
  expect(limits).toEqual(
    [60, 33, 6].map(left => ({
      connectMilliseconds: Math.min(10, left) * 1000,
      headersMilliseconds: Math.min(40, left) * 1000,
      bodyMilliseconds: Math.min(30, left) * 1000,
      totalMilliseconds: left * 1000,
      maxAnswerBytes: 64 * 1024 * 1024,
    })),
  )
  const short = setUp([answer(200)])
  await short.send({timeoutSeconds: 5, maxAnswerBytes: 7})
  expect(short.limits).toMatchObject([{headersMilliseconds: 5000, maxAnswerBytes: 7}])
})

test('rethrows unexpected errors of the transport without a retry', async () => {
  const defect = new TypeError('made up')
  let attempts = 0
  const transport = () => {
    attempts += 1
    throw defect
  }
  const sender = createSender({clock: fakeClock(), random: () => 0, transport})
  await expect(sender.send(REQUEST, {repeatable: true, timeoutSeconds: 5})).rejects.toBe(defect)
  expect(attempts).toBe(1)
})

test('a request that comes while another was asked to wait (429) waits too, unless its time is too short', async () => {
  const {clock, requests, send} = setUp([answer(429, {'retry-after': '10'}), answer(200)])
  // Its own time is too short to be sent again.
  expect(await send({timeoutSeconds: 5})).toMatchObject({status: 429, attempts: 1})
  const started = clock.now()
  expect(await send({timeoutSeconds: 5})).toMatchObject({status: 200})
  expect(clock.now()).toBe(started)
  expect(await send()).toMatchObject({status: 200})
  expect(clock.now()).toBe(started + 10)
  expect(await send()).toMatchObject({status: 200})
  expect(clock.now()).toBe(started + 10)
  expect(requests).toHaveLength(4)
})
