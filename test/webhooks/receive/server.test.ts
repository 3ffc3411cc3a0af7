/**
 * What the server answers and stores, and in which order (§6.3, §6.4). Also tests slow, idle and many connections, and an orderly
 * end.
 */
import {connect, type Socket} from 'node:net'
import {expect, test} from 'vitest'
import {Receiver} from '../../../src/webhooks/receive/receiver.js'
import {eventually} from '../../support/eventually.js'
import {held} from '../../support/held.js'
import {closing} from '../../support/own.js'
import {startReceiving} from '../../support/receiving.js'
import {HEADER_NAMES} from '../../support/webhook-files.js'
import {
  exchangeRaw,
  load,
  sendEvent,
  signedEvent,
  signedRequest,
  statusOf,
} from '../../support/webhook-load.js'

const ownReceiver = async (...options: Parameters<typeof startReceiving>) =>
  closing(await startReceiving(...options))

const send = (port: number) => sendEvent(port, '{"id":"evt_1"}', 'evt_1')
const body = (id: string) => `{"id":"${id}","type":"payment.captured"}`

test('keeps the bytes and the headers exactly as they came, and answers 200', async () => {
  const receiver = await ownReceiver()
  const odd = Buffer.concat([Buffer.from('{"id":"evt_1", "n":1250.00,\r\n"x":"ş\\/"}'), Buffer.from(' \n')])
  const headers = `X-Odd: a  b\r\nx-odd: \xe7\r\nConnection: close\r\n`
  const answer = await exchangeRaw(receiver.port, signedRequest(odd, 'evt_1', {headers}))
  expect(answer.slice(0, 12)).toBe('HTTP/1.1 200')
  const [event] = await receiver.kept()
  expect(Buffer.from(event?.body ?? []).equals(odd)).toBe(true)
  expect(event?.rawHeaders).toEqual(expect.arrayContaining(['X-Odd', 'a  b', 'x-odd', 'Ã§']))
  expect(receiver.receipts).toMatchObject([
    {reason: 'ok', duplicate: false, eventId: 'evt_1', secretName: 'whsub_1'},
  ])
})

test('an id that came before is answered 200 and kept once', async () => {
  const receiver = await ownReceiver()
  const request = signedRequest(body('evt_1'), 'evt_1')
  expect(await statusOf(receiver.port, request)).toBe(200)
  expect(await statusOf(receiver.port, request)).toBe(200)
  expect((await receiver.kept()).length).toBe(1)
  expect(receiver.receipts.map(({duplicate}) => duplicate)).toEqual([false, true])
})

const now = Math.floor(Date.now() / 1000)
const replaced = (request: Buffer, from: RegExp, to: string) =>
  Buffer.from(request.toString('latin1').replace(from, to), 'latin1')
const valid = (options = {}) => signedRequest(body('evt_1'), 'evt_1', {timestamp: now, ...options})

// receiver.test.ts tests which requests are refused. Here none of them reaches the store, however node:http reads the headers.
test.each([
  [
    'malformed_header',
    replaced(valid(), /(X-Service-Signature: .*)(\r\n)/, '$1$2x-service-SIGNATURE: t=1$2'),
  ],
  ['signature_mismatch', replaced(valid(), /payment\.captured/, 'payment.kaptured')],
  ['event_id_mismatch', replaced(valid(), /(X-Service-Event-Id: .*\r\n)/, '$1$1')],
])('%s is answered 401 and not kept', async (reason, request) => {
  const receiver = await ownReceiver({clock: () => now})
  expect(await statusOf(receiver.port, request)).toBe(401)
  await eventually(() => expect(receiver.receipts).toMatchObject([{status: 401, reason, duplicate: false}]))
  expect(await receiver.kept()).toEqual([])
})

// A whole URL is also a valid target (RFC 9112 §3.2.2).
test.each([
  [200, ['/?from=tunnel', 'http://127.0.0.1:4020/', 'HTTP://a', 'https://a?from=proxy']],
  [404, ['/other', '//', 'http://a/other', 'http:///', 'ftp://a/']],
])('answers %d for the paths %j', async (status, targets) => {
  const {port} = await ownReceiver()
  for (const target of targets)
    expect(await statusOf(port, replaced(valid(), /POST \//, `POST ${target}`)), target).toBe(status)
})

test('accepts only POST, and reports refusals', async () => {
  const {port, refused} = await ownReceiver()
  const answer = await exchangeRaw(port, replaced(valid(), /POST/, 'GET'))
  expect(answer).toMatch(/^HTTP\/1.1 405[\s\S]*\r\nAllow: POST\r\n/)
  expect(refused).toEqual([405])
})

test('a body of 1 MiB is taken, and one byte more is 413, whether its length is declared or not', async () => {
  const {port, kept} = await ownReceiver()
  const ofLength = (length: number) => signedRequest(`{"id":"evt_1"}`.padEnd(length), 'evt_1')
  const over = ofLength(1024 * 1024 + 1)
  expect(await statusOf(port, ofLength(1024 * 1024))).toBe(200)
  expect(await statusOf(port, over)).toBe(413)
  const [head = '', text = ''] = over.toString().split('\r\n\r\n')
  const undeclared = head.replace(/Content-Length: \d+/, 'Transfer-Encoding: chunked')
  const chunks = `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`
  expect(await statusOf(port, `${undeclared}\r\n\r\n${chunks}`)).toBe(413)
  expect((await kept()).length).toBe(1)
})

test('answers 503 to a body beyond the memory limit of all', async () => {
  const {port} = await ownReceiver({limits: {maxHeldBytes: 100}})
  const large = signedRequest(`{"id":"evt_1"}`.padEnd(101), 'evt_1')
  for (let n = 0; n < 20; n++)
    expect([await statusOf(port, large), await statusOf(port, valid())]).toEqual([503, 200])
})

test('a sender that asks first is asked to continue, or refused before it sends the body', async () => {
  const receiver = await ownReceiver()
  const expecting = replaced(valid(), /\r\n\r\n/, '\r\nExpect: 100-continue\r\n\r\n')
  expect(await exchangeRaw(receiver.port, expecting)).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200/)
  const large = `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1048577\r\nExpect: 100-continue\r\n\r\n`
  expect(await exchangeRaw(receiver.port, large, {end: true})).toMatch(/^HTTP\/1.1 413/)
})

test('the answer comes before its report', async () => {
  const order: string[] = []
  const receiver = new Receiver({
    store: {receive: async () => []},
    secrets: () => [],
    headerNames: HEADER_NAMES,
    targetsOf: () => [],
    maxWaiting: 1,
    onReceipt: () => order.push('reported'),
    onStoreError: () => {},
  })
  receiver.take({rawHeaders: [], body: Buffer.alloc(0), receivedAt: 0}, 0, () => order.push('answered'))
  await eventually(() => expect(order).toEqual(['answered', 'reported']))
})

test('a full queue is answered 503, and works again when it empties', async () => {
  const {promise, release} = held()
  let waiting = 0
  const receiver = await ownReceiver({
    maxWaiting: 3,
    receive: (events, keep) => {
      waiting += events.length
      return promise.then(keep)
    },
  })
  const sendOne = (n: number) => sendEvent(receiver.port, body(`evt_${n}`), `evt_${n}`)
  const early = [1, 2, 3].map(sendOne)
  await eventually(() => expect(waiting).toBe(3))
  expect(await sendOne(4)).toBe(503)
  release()
  expect(await Promise.all(early)).toEqual([200, 200, 200])
  expect(await sendOne(4)).toBe(200)
  expect((await receiver.kept()).length).toBe(4)
})

test('what the store refuses is answered 503 and reported', async () => {
  const failure = new Error('disk full')
  let isFull = true
  const receiver = await ownReceiver({
    receive: async (_, keep) => {
      if (isFull) throw failure
      return keep()
    },
  })
  expect(await statusOf(receiver.port, valid())).toBe(503)
  expect(receiver.storeErrors).toEqual([failure])
  expect(receiver.receipts).toEqual([])
  isFull = false
  expect(await statusOf(receiver.port, valid())).toBe(200)
})

/** Sends a byte from time to time until the connection is closed. */
function drip(port: number, start: string): Promise<void> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1', () => socket.write(start))
    const timer = setInterval(() => socket.write('x'), 100)
    socket.on('error', () => {})
    socket.on('close', () => {
      clearInterval(timer)
      resolve()
    })
    socket.resume()
  })
}

test('slow senders are cut, and others are served meanwhile', async () => {
  const {port} = await ownReceiver({limits: {headMilliseconds: 400, requestMilliseconds: 400}})
  const heads = Array.from({length: 100}, () => drip(port, 'POST / HTTP/1.1\r\nHost: a\r\nX: '))
  const bodies = Array.from({length: 100}, () =>
    drip(port, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n'),
  )
  const silent = drip(port, '')
  expect(await send(port)).toBe(200)
  // Only the limits end these connections. Without them the test would time out.
  await Promise.all([...heads, ...bodies, silent])
  expect(await send(port)).toBe(200)
})

test('a connection over the limit replaces the one idle longest', async () => {
  const {port} = await ownReceiver({limits: {maxConnections: 10}})
  const closed: number[] = []
  const idle: Socket[] = []
  for (let n = 0; n < 10; n++) {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    socket.on('close', () => closed.push(n))
    idle.push(socket)
    await new Promise(resolve => socket.once('connect', resolve))
  }
  expect(await send(port)).toBe(200)
  await eventually(() => expect(closed).toEqual([0]))
  for (const socket of idle) socket.destroy()
})

test('events of many connections go into few transactions; closing answers all, and refuses new connections', async () => {
  let transactions = 0
  const {port, served, kept} = await ownReceiver({
    receive: async (_, keep) => {
      transactions += 1
      await new Promise(resolve => setTimeout(resolve, 20))
      return keep()
    },
  })
  let n = 0
  const running = load({port, connections: 20, next: () => signedEvent(`evt_${n++}`)})
  await eventually(() => expect(n).toBeGreaterThan(100))
  await served.close(1500)
  const {answers} = await running
  expect(answers.length).toBe(n)
  expect(answers.every(({status}) => status === 200)).toBe(true)
  expect((await kept()).length).toBe(n)
  expect(transactions).toBeLessThan(n / 2)
  expect(await send(port)).toBe(0)
})

test('closing does not wait for a sender that sends nothing more', async () => {
  const {port, served} = await ownReceiver()
  const slow = drip(port, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n')
  // The answer on a later connection shows that the server has accepted the earlier one.
  await send(port)
  await served.close(300)
  await slow
})
