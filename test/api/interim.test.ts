/** Interim answers before the answer (RFC 9110 §15.2): read past, however their bytes arrive, and with or without a tunnel. */
import {type AddressInfo, createServer, type Socket} from 'node:net'
import {afterEach, expect, test} from 'vitest'
import type {ExchangeError} from '../../src/api/api.js'
import {withoutInterim} from '../../src/api/interim.js'
import {createTransport} from '../../src/api/transport.js'
import {startWireServer, type WireServer} from '../support/wire-server.js'

const ANSWER = 'HTTP/1.1 201 Created\r\ncontent-length: 2\r\n\r\n{}'
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'
const HINTS = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'

/** A socket that gives `pieces`, one at each read. */
function reading(pieces: readonly string[]): Pick<Socket, 'read'> {
  const left = pieces.map(piece => Buffer.from(piece))
  return {read: () => left.shift() ?? null}
}

function readAll(pieces: readonly string[]): string {
  const socket = withoutInterim(reading(pieces))
  const read: Buffer[] = []
  for (let piece = socket.read(); piece !== null; piece = socket.read()) read.push(piece)
  return Buffer.concat(read).toString()
}

test.each([
  ['none', ANSWER],
  ['one', CONTINUE + ANSWER],
  [
    'several, with headers and without a reason',
    `${CONTINUE}HTTP/1.1 100\r\na: b\r\n\r\n${CONTINUE}${ANSWER}`,
  ],
  ['one behind another', `${HINTS}${CONTINUE}${ANSWER}`],
  ['one before another', `${CONTINUE}${HINTS}HTTP/1.0 102 Processing\r\n\r\n${ANSWER}`],
])('%s before an answer, cut anywhere', (_, bytes) => {
  for (let at = 0; at <= bytes.length; at++) {
    const pieces = [bytes.slice(0, at), bytes.slice(at)].filter(piece => piece !== '')
    expect(readAll(pieces)).toBe(ANSWER)
  }
  expect(readAll([...bytes])).toBe(ANSWER)
})

test('what is no interim answer is left as it is', () => {
  for (const bytes of [
    'HTTP/1.1 101 Other\r\n\r\n',
    'SSH-2.0-x\r\n',
    `${'HTTP/1.1 100 '.padEnd(17_000, 'x')}`,
  ])
    expect(readAll([bytes])).toBe(bytes)
})

const servers: {close(): unknown}[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map(server => server.close()))
})

const LIMITS = {
  ...{
    connectMilliseconds: 5000,
    headersMilliseconds: 5000,
    bodyMilliseconds: 5000,
    totalMilliseconds: 10_000,
  },
  maxAnswerBytes: 1_000_000,
}

async function serve(bytes: string, after: 'end' | 'hang' = 'end'): Promise<WireServer> {
  const server = await startWireServer(() => ({bytes, after}))
  servers.push(server)
  return server
}

const request = (url: string) => ({method: 'POST', url, headers: {}, body: '{}'})

test.each([CONTINUE, HINTS, HINTS + CONTINUE, CONTINUE + HINTS + CONTINUE])(
  'the answer after %j is the answer',
  async interim => {
    const {port} = await serve(interim + ANSWER)
    const answer = await createTransport({env: {}})(request(`http://127.0.0.1:${port}/`), LIMITS)
    expect([answer.status, Buffer.from(answer.body).toString()]).toEqual([201, '{}'])
  },
)

test('after it alone, an answer is waited for as long as for any', async () => {
  const {port} = await serve(CONTINUE.repeat(3), 'hang')
  const limits = {...LIMITS, headersMilliseconds: 200}
  const error = await createTransport({env: {}})(request(`http://127.0.0.1:${port}/`), limits).catch(
    (thrown: ExchangeError) => thrown,
  )
  expect(error).toMatchObject({fault: 'timeout', sent: true})
})

test('through the tunnel of a proxy, too', async () => {
  const proxy = createServer(socket => {
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      socket.once('data', () => socket.end(CONTINUE + ANSWER))
    })
  })
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
  servers.push(proxy)
  const address = proxy.address() as AddressInfo
  const transport = createTransport({env: {http_proxy: `http://127.0.0.1:${address.port}`}})
  const answer = await transport(request('http://service.example/'), LIMITS)
  expect(answer.status).toBe(201)
})
