/** What is answered and kept, and in which order (§6.3, §6.4). */
import {afterEach, expect, test} from 'vitest'
import {eventually} from '../support/eventually.js'
import {type Receiving, type ReceivingOptions, startReceiving} from '../support/receiving.js'
import {exchangeRaw, load, signedEvent, signedRequest} from '../support/webhook-load.js'

const CLOSE = 'Connection: close\r\n'
let open: Receiving | undefined

afterEach(async () => {
  await open?.close()
  open = undefined
})

async function receiving(options?: ReceivingOptions): Promise<Receiving> {
  open = await startReceiving(options)
  return open
}

/** Status of the answer to raw bytes. */
async function statusOf(port: number, bytes: Buffer | string): Promise<number> {
  return Number((await exchangeRaw(port, bytes)).slice(9, 12))
}

const kept = (receiver: Receiving) => receiver.store.page({}, {after: 0}, 1000)
const body = (id: string) => `{"id":"${id}","type":"payment.captured"}`

test('keeps the bytes and the headers exactly as they came, and answers 200', async () => {
  const receiver = await receiving()
  const odd = Buffer.concat([Buffer.from('{"id":"evt_1", "n":1250.00,\r\n"x":"ş\\/"}'), Buffer.from(' \n')])
  const headers = `X-Odd: a  b\r\nx-odd: \xe7\r\n${CLOSE}`
  const answer = await exchangeRaw(receiver.port, signedRequest(odd, 'evt_1', {headers}))
  expect(answer.slice(0, 12)).toBe('HTTP/1.1 200')
  const [event] = await kept(receiver)
  expect(Buffer.from(event?.body ?? []).equals(odd)).toBe(true)
  expect(event?.rawHeaders).toEqual(expect.arrayContaining(['X-Odd', 'a  b', 'x-odd', 'Ã§']))
  expect(receiver.receipts).toMatchObject([
    {reason: 'ok', duplicate: false, eventId: 'evt_1', secretName: 'whsub_1'},
  ])
})

test('an id that came before is answered 200 and kept once', async () => {
  const receiver = await receiving()
  const request = signedRequest(body('evt_1'), 'evt_1', {headers: CLOSE})
  expect(await statusOf(receiver.port, request)).toBe(200)
  expect(await statusOf(receiver.port, request)).toBe(200)
  expect((await kept(receiver)).length).toBe(1)
  expect(receiver.receipts.map(({duplicate}) => duplicate)).toEqual([false, true])
})

const now = Math.floor(Date.now() / 1000)
const replaced = (request: Buffer, from: RegExp, to: string) =>
  Buffer.from(request.toString('latin1').replace(from, to), 'latin1')
const valid = (options = {}) =>
  signedRequest(body('evt_1'), 'evt_1', {headers: CLOSE, timestamp: now, ...options})

// arrival.test.ts has what is accepted; here: nothing else reaches the store, whatever node:http makes of headers.
test.each([
  ['missing_header', replaced(valid(), /X-Service-Signature: .*\r\n/, '')],
  [
    'malformed_header',
    replaced(valid(), /(X-Service-Signature: .*)(\r\n)/, '$1$2x-service-SIGNATURE: t=1$2'),
  ],
  ['signature_mismatch', replaced(valid(), /payment\.captured/, 'payment.kaptured')],
  ['timestamp_outside_tolerance', valid({timestamp: now + 301})],
  ['event_id_mismatch', replaced(valid(), /(X-Service-Event-Id: .*\r\n)/, '$1$1')],
])('%s is answered 401 and not kept', async (reason, request) => {
  const receiver = await receiving({clock: () => now})
  expect(await statusOf(receiver.port, request)).toBe(401)
  await eventually(() => expect(receiver.receipts).toMatchObject([{status: 401, reason, duplicate: false}]))
  expect(await kept(receiver)).toEqual([])
})

test('takes POST on its one path alone', async () => {
  const receiver = await receiving()
  expect(await statusOf(receiver.port, replaced(valid(), /POST \//, 'POST /other'))).toBe(404)
  expect(await statusOf(receiver.port, replaced(valid(), /POST \//, 'POST //'))).toBe(404)
  expect(await exchangeRaw(receiver.port, `GET / HTTP/1.1\r\nHost: a\r\n${CLOSE}\r\n`)).toMatch(
    /^HTTP\/1.1 405[\s\S]*\r\nAllow: POST\r\n/,
  )
  expect(await statusOf(receiver.port, replaced(valid(), /POST \//, 'POST /?from=tunnel'))).toBe(200)
  await eventually(() => expect(receiver.refused).toEqual([404, 404, 405]))
})

test('takes a whole address for its path (RFC 9112 §3.2.2)', async () => {
  const receiver = await receiving()
  for (const target of ['http://127.0.0.1:4020/', 'HTTP://a', 'https://a?from=proxy']) {
    expect([target, await statusOf(receiver.port, replaced(valid(), /POST \//, `POST ${target}`))]).toEqual([
      target,
      200,
    ])
  }
  for (const target of ['http://a/other', 'http:///', 'ftp://a/']) {
    expect([
      target,
      await statusOf(receiver.port, replaced(valid(), /POST \//, `POST ${target}`)),
    ]).not.toEqual([target, 200])
  }
})

test('a body of 1 MiB is taken, and one byte more is 413, whether its length is declared or not', async () => {
  const receiver = await receiving()
  const pad = (length: number) => {
    const start = '{"id":"evt_1","x":"'
    return `${start}${'y'.repeat(length - start.length - 2)}"}`
  }
  const exact = signedRequest(pad(1024 * 1024), 'evt_1', {headers: CLOSE})
  const over = signedRequest(pad(1024 * 1024 + 1), 'evt_1', {headers: CLOSE})
  expect(await statusOf(receiver.port, exact)).toBe(200)
  expect(await statusOf(receiver.port, over)).toBe(413)
  const head = over
    .subarray(0, over.indexOf('\r\n\r\n'))
    .toString()
    .replace(/Content-Length: \d+/, 'Transfer-Encoding: chunked')
  const text = over.subarray(over.indexOf('\r\n\r\n') + 4)
  const chunked = Buffer.concat([
    Buffer.from(`${head}\r\n\r\n${text.length.toString(16)}\r\n`),
    text,
    Buffer.from('\r\n0\r\n\r\n'),
  ])
  expect(await statusOf(receiver.port, chunked)).toBe(413)
  expect((await kept(receiver)).length).toBe(1)
})

test('a sender that asks first is asked to continue, or refused before it sends the body', async () => {
  const receiver = await receiving()
  const expecting = replaced(valid(), /\r\n\r\n/, '\r\nExpect: 100-continue\r\n\r\n')
  expect(await exchangeRaw(receiver.port, expecting)).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200/)
  const large = `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1048577\r\nExpect: 100-continue\r\n\r\n`
  expect(await exchangeRaw(receiver.port, large, {end: true})).toMatch(/^HTTP\/1.1 413/)
})

test('the answer does not wait for what comes after it', async () => {
  let release = () => {}
  const held = new Promise<void>(resolve => {
    release = resolve
  })
  const order: string[] = []
  const receiver = await receiving({onReceipt: () => void held.then(() => order.push('handled'))})
  expect(await statusOf(receiver.port, valid())).toBe(200)
  order.push('answered')
  release()
  await eventually(() => expect(order).toEqual(['answered', 'handled']))
})

test('events of many connections go into few transactions, and each gets its answer', async () => {
  const batches: number[] = []
  const receiver = await receiving({
    receive: async (events, keep) => {
      batches.push(events.length)
      await new Promise(resolve => setTimeout(resolve, 5))
      return keep()
    },
  })
  let n = 0
  const {answers} = await load({
    port: receiver.port,
    connections: 20,
    next: () => (n < 200 ? signedEvent(`evt_${n++}`) : undefined),
  })
  expect(answers.filter(({status}) => status === 200).length).toBe(200)
  expect(batches.length).toBeLessThan(100)
  expect((await kept(receiver)).length).toBe(200)
})

test('a full queue is answered 503, and works again when it empties', async () => {
  let release = () => {}
  const held = new Promise<void>(resolve => {
    release = resolve
  })
  const receiver = await receiving({
    maxWaiting: 3,
    receive: async (_, keep) => {
      await held
      return keep()
    },
  })
  const send = (n: number) =>
    statusOf(receiver.port, signedRequest(body(`evt_${n}`), `evt_${n}`, {headers: CLOSE}))
  const early = [1, 2, 3].map(send)
  await eventually(() => expect(receiver.receiver.waiting).toBe(3))
  expect(await send(4)).toBe(503)
  release()
  expect(await Promise.all(early)).toEqual([200, 200, 200])
  expect(await send(4)).toBe(200)
  expect((await kept(receiver)).length).toBe(4)
})

test('what the store refuses is answered 503 and reported', async () => {
  const failure = new Error('disk full')
  let isFull = true
  const receiver = await receiving({
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
