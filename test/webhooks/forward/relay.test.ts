/** The relay changes nothing on the way, keeps little of it in memory, and reports how each exchange ended. */
import {once} from 'node:events'
import {readFileSync} from 'node:fs'
import {connect} from 'node:net'
import {gzipSync} from 'node:zlib'
import {expect, test} from 'vitest'
import {type Relayed, type RelayOptions, serveRelay} from '../../../src/webhooks/forward/relay.js'
import {eventually} from '../../support/eventually.js'
import {closing, ownTcpPort} from '../../support/own.js'
import {type Answering, startSubscriber} from '../../support/subscriber.js'
import {certificateFile, tlsIdentity} from '../../support/tls.js'
import {HEADER_NAMES} from '../../support/webhook-files.js'
import {exchangeRaw, SECRET, signedRequest, statusOf} from '../../support/webhook-load.js'

const LIMITS = {maxConnections: 100, maxBodyBytes: 1000, maxHeldBytes: 1500}

/** Starts a relay before `receiver`. `relayed` are the exchanges in the order of their ends. */
async function ownRelay(receiver: string, change: Partial<RelayOptions> = {}) {
  const relayed: Relayed[] = []
  const options: RelayOptions = {
    receiver: new URL(receiver),
    silenceMilliseconds: 5000,
    names: HEADER_NAMES,
    secrets: () => [{name: 'whsub_1', secret: SECRET}],
    clock: () => Date.now() / 1000,
    limits: LIMITS,
    onRelayed: async one => void relayed.push(one),
    onDropped: () => {},
    ...change,
  }
  const {port, close} = await serveRelay(options, {host: '127.0.0.1', port: 0})
  closing({close: () => close(100)})
  return {port, relayed, ended: () => eventually(() => expect(relayed.length).toBeGreaterThan(0))}
}

const ownReceiver = async (answering?: Answering) => closing(await startSubscriber(answering))

const EVENT = '{"id":"evt_1"}'

test('method, path, query, headers and body arrive as they were sent, apart from those of the connection', async () => {
  const receiver = await ownReceiver()
  const relay = await ownRelay(`${receiver.origin}/other?not=used`)
  const body = Buffer.from([0x7b, 0xff, 0x00, 0x0d, 0x0a, 0x7d])
  const head = [
    'PATCH /a%20b/%2f?x=1&&y= HTTP/1.1',
    ...[
      'Host: receiver.example',
      'x-Two: a',
      'Connection: close, X-Hop',
      'X-TWO: b \xe7',
      'X-Hop: 1',
      'TE: trailers',
    ],
    ...['Empty:', 'Accept-Encoding: gzip', 'Cookie: a=1', `Content-Length: ${body.length}`, 'Cookie: b=2'],
  ]
  const bytes = Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), body])
  expect(await statusOf(relay.port, bytes)).toBe(200)
  const [got] = receiver.received
  expect(got).toMatchObject({method: 'PATCH', path: '/a%20b/%2f?x=1&&y='})
  expect(got?.body.equals(body)).toBe(true)
  expect(got?.rawHeaders).toEqual([
    ...['Host', 'receiver.example', 'x-Two', 'a', 'X-TWO', 'b \xe7', 'Empty', '', 'Accept-Encoding', 'gzip'],
    ...['Cookie', 'a=1', 'Content-Length', '6', 'Cookie', 'b=2', 'Connection', 'close'],
  ])
  await relay.ended()
  expect(relay.relayed).toMatchObject([
    {method: 'PATCH', path: '/a%20b/%2f?x=1&&y=', status: 200, error: null},
  ])
})

test('a body in chunks stays one, and a request without a body gets none', async () => {
  const receiver = await ownReceiver()
  const relay = await ownRelay(receiver.origin)
  const chunked = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n'
  expect(await statusOf(relay.port, `${chunked}3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n`)).toBe(200)
  for (const method of ['GET', 'DELETE', 'POST'])
    expect(await statusOf(relay.port, `${method} / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)).toBe(
      200,
    )
  const bodies = receiver.received.map(({method, body}) => [method, body.toString()])
  expect(bodies).toEqual([
    ['POST', 'abcde'],
    ['GET', ''],
    ['DELETE', ''],
    ['POST', ''],
  ])
  const [first, ...others] = receiver.received.map(({headers}) => headers)
  expect(first).toMatchObject({'transfer-encoding': 'chunked'})
  for (const headers of others) expect(headers).not.toHaveProperty('transfer-encoding')
})

test('the answer is that of the receiver, with its reason, repeated headers and compressed bytes', async () => {
  const zipped = gzipSync('answer')
  const receiver = await ownReceiver(answer => {
    answer.sendDate = false
    const more = [
      'Content-Encoding',
      'gzip',
      'Content-Length',
      String(zipped.length),
      'Keep-Alive',
      'timeout=1',
    ]
    answer.writeHead(207, 'As It Was', ['Set-Cookie', 'a=1', 'set-cookie', 'b=2', ...more]).end(zipped)
  })
  const relay = await ownRelay(receiver.origin)
  const answer = await exchangeRaw(relay.port, signedRequest(EVENT, 'evt_1'))
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  expect(head.split('\r\n')).toEqual([
    ...['HTTP/1.1 207 As It Was', 'Set-Cookie: a=1', 'set-cookie: b=2', 'Content-Encoding: gzip'],
    ...[`Content-Length: ${zipped.length}`, 'Connection: close'],
  ])
  expect(Buffer.from(body, 'latin1').equals(zipped)).toBe(true)
})

test('HEAD, 204 and 304 are answered without a body, and a second request uses the same connection', async () => {
  const statuses = [200, 204, 304, 200]
  const receiver = await ownReceiver((answer, _, count) => {
    const status = statuses[count - 1] ?? 500
    answer.writeHead(status, status === 200 ? {'Content-Length': '2'} : {}).end(status === 200 ? 'ok' : '')
  })
  const relay = await ownRelay(receiver.origin)
  const request = (method: string, more = '') => `${method} / HTTP/1.1\r\nHost: a\r\n${more}\r\n`
  const lines = [request('HEAD'), request('GET'), request('GET'), request('GET', 'Connection: close\r\n')]
  const answers = await exchangeRaw(relay.port, lines.join(''))
  expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(statuses.map(status => `HTTP/1.1 ${status}`))
  expect(answers.endsWith('\r\n\r\nok')).toBe(true)
})

test('a receiver that asks for the body with 100 is passed on, and one that refuses is too', async () => {
  const receiver = await ownReceiver()
  const relay = await ownRelay(receiver.origin)
  const head =
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n'
  const socket = connect({port: relay.port, host: '127.0.0.1'}).setEncoding('latin1')
  socket.write(head)
  const [first] = await once(socket, 'data')
  expect(first).toBe('HTTP/1.1 100 Continue\r\n\r\n')
  socket.write('{}')
  const [second] = await once(socket, 'data')
  expect(second).toMatch(/^HTTP\/1\.1 200/)
  socket.destroy()
  const refusing = await ownTcpPort(client =>
    client.once('data', () => client.end('HTTP/1.1 413 No\r\n\r\n')),
  )
  const other = await ownRelay(`http://127.0.0.1:${refusing}/`)
  expect(await statusOf(other.port, head)).toBe(413)
})

test('the signature is checked on the way, and only a short body is kept', async () => {
  const receiver = await ownReceiver()
  const relay = await ownRelay(receiver.origin)
  const long = `{"id":"evt_2","note":"${'x'.repeat(300_000)}"}`
  for (const body of [EVENT, long]) expect(await statusOf(relay.port, signedRequest(body, 'evt_1'))).toBe(200)
  expect(await statusOf(relay.port, signedRequest(EVENT, 'evt_1', {secret: 'whsec_other'}))).toBe(200)
  expect(receiver.received.map(({body}) => body.length)).toEqual([EVENT.length, long.length, EVENT.length])
  await eventually(() => expect(relay.relayed.length).toBe(3))
  expect(relay.relayed).toMatchObject([
    {verdict: {valid: true, secretName: 'whsub_1'}, body: Buffer.from(EVENT)},
    {verdict: {valid: true}, body: undefined, bodyBytes: long.length},
    {verdict: {valid: false, reason: 'signature_mismatch'}},
  ])
})

test('bodies are kept until they were shown, as far as there is room for all', async () => {
  const receiver = await ownReceiver()
  const seen: Relayed[] = []
  let release = () => {}
  const shown = new Promise<void>(resolve => {
    release = resolve
  })
  const onRelayed = (one: Relayed) => {
    seen.push(one)
    return shown
  }
  const relay = await ownRelay(receiver.origin, {onRelayed})
  const body = 'x'.repeat(900)
  for (let n = 0; n < 2; n++) await statusOf(relay.port, signedRequest(body, 'evt_1'))
  await eventually(() => expect(seen.map(one => one.body?.length)).toEqual([900, undefined]))
  release()
  await shown
  await statusOf(relay.port, signedRequest(body, 'evt_1'))
  await eventually(() => expect(seen.at(-1)?.body?.length).toBe(900))
})

test('a receiver that is down is answered for with 502, one that hangs with 504', async () => {
  const gone = await startSubscriber()
  await gone.close()
  const down = await ownRelay(gone.origin)
  const answer = await exchangeRaw(down.port, signedRequest(EVENT, 'evt_1'))
  expect(answer).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\nContent-Length: 0\r\n/)
  await down.ended()
  expect(down.relayed).toMatchObject([{status: 502, error: 'ECONNREFUSED', verdict: {valid: true}}])
  const hanging = await ownRelay((await ownReceiver(() => {})).origin, {silenceMilliseconds: 50})
  expect(await statusOf(hanging.port, signedRequest(EVENT, 'evt_1'))).toBe(504)
  await hanging.ended()
  expect(hanging.relayed).toMatchObject([{status: 504, error: 'timeout'}])
})

test.each([
  ['closes without an answer', '', 502, 'ECONNRESET'],
  ['speaks no HTTP', 'SSH-2.0-x\r\n', 502, 'HPE_INVALID_CONSTANT'],
  [
    'switches protocols',
    'HTTP/1.1 101 Go\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
    502,
    'HPE_INVALID_STATUS',
  ],
  ['ends within its answer', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab', 200, 'answer_cut'],
])('a receiver that %s is reported', async (_, said, status, error) => {
  const port = await ownTcpPort(client => client.once('data', () => client.end(said)))
  const relay = await ownRelay(`http://127.0.0.1:${port}/`)
  expect(await statusOf(relay.port, signedRequest(EVENT, 'evt_1'))).toBe(status)
  await relay.ended()
  expect(relay.relayed).toMatchObject([{status, error}])
})

test('a sender that hangs up ends the request to the receiver, too', async () => {
  let left = 0
  const receiver = await ownReceiver(answer => void answer.on('close', () => left++))
  const relay = await ownRelay(receiver.origin)
  const socket = connect({port: relay.port, host: '127.0.0.1'})
  socket.write(signedRequest(EVENT, 'evt_1'))
  await receiver.waitFor(1)
  socket.destroy()
  await relay.ended()
  expect(relay.relayed).toMatchObject([{status: null, error: 'sender_gone', verdict: {valid: true}}])
  await eventually(() => expect(left).toBe(1))

  const half = connect({port: relay.port, host: '127.0.0.1'})
  half.write(signedRequest(EVENT, 'evt_1').subarray(0, -1))
  await eventually(() => expect(receiver.connections()).toBe(2))
  half.destroy()
  await eventually(() => expect(relay.relayed.at(-1)).toMatchObject({verdict: undefined, body: undefined}))
  expect(relay.relayed.at(-1)).toMatchObject({
    status: null,
    error: 'sender_gone',
    bodyBytes: EVENT.length - 1,
  })
})

test('an answer that comes before the end of the body reaches the sender', async () => {
  const early = 'HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'
  const port = await ownTcpPort(client => client.once('data', () => client.end(early)))
  const relay = await ownRelay(`http://127.0.0.1:${port}/`)
  expect(await statusOf(relay.port, signedRequest('x'.repeat(3_000_000), 'evt_1'))).toBe(413)
  await relay.ended()
  expect(relay.relayed).toMatchObject([{status: 413}])
})

test('a receiver behind https is reached when its certificate is trusted, and only then', async () => {
  const receiver = closing(await startSubscriber(undefined, tlsIdentity('good')))
  const origin = receiver.origin.replace('127.0.0.1', 'localhost')
  const ca = readFileSync(certificateFile('ca'), 'utf8')
  const trusting = await ownRelay(origin, {trusted: [ca]})
  expect(await statusOf(trusting.port, signedRequest(EVENT, 'evt_1'))).toBe(200)
  const careful = await ownRelay(origin)
  expect(await statusOf(careful.port, signedRequest(EVENT, 'evt_1'))).toBe(502)
  await careful.ended()
  expect(careful.relayed[0]?.error).toMatch(/CERT|ISSUER|SIGNATURE/)
})
