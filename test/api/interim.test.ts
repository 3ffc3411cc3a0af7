/** Interim answers (RFC 9110 §15.2): undici reads past those it knows, and ends the connection at `100` and `101`. */
import {type AddressInfo, createServer} from 'node:net'
import {afterEach, expect, test} from 'vitest'
import {createTransport} from '../../src/api/http/transport.js'
import type {ExchangeError} from '../../src/api/types.js'
import {startWireServer, type Wire} from '../support/wire.js'

const ANSWER = 'HTTP/1.1 201 Created\r\ncontent-length: 2\r\n\r\n{}'
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'
const HINTS = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'
const SWITCHING = 'HTTP/1.1 101 X\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'
const LIMITS = {
  ...{connectMilliseconds: 5000, headersMilliseconds: 5000, bodyMilliseconds: 5000},
  ...{totalMilliseconds: 10_000, maxAnswerBytes: 1_000_000},
}

const servers: {close(): unknown}[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map(server => server.close()))
})

async function serve(bytes: string, after: 'end' | 'hang' = 'end'): Promise<Wire> {
  const server = await startWireServer(() => ({bytes, after}))
  servers.push(server)
  return server
}

const post = (url: string, limits: Partial<typeof LIMITS> = {}, env: NodeJS.ProcessEnv = {}) =>
  createTransport({env})({method: 'POST', url, headers: {}, body: '{}'}, {...LIMITS, ...limits})

const faultOf = (sending: Promise<unknown>) =>
  sending.then(
    () => expect.fail('answered'),
    (error: ExchangeError) => error,
  )

test.each([HINTS, HINTS.repeat(3), `HTTP/1.1 102 Processing\r\n\r\n${HINTS}`])(
  'the answer after %j is the answer',
  async interim => {
    const {port} = await serve(interim + ANSWER)
    const answer = await post(`http://127.0.0.1:${port}/`)
    expect([answer.status, Buffer.from(answer.body).toString()]).toEqual([201, '{}'])
  },
)

test.each([CONTINUE, CONTINUE.repeat(3), HINTS + CONTINUE, SWITCHING])(
  'an unasked %j loses the answer, of a request that was sent',
  async interim => {
    const {port} = await serve(interim + ANSWER)
    const error = await faultOf(post(`http://127.0.0.1:${port}/`))
    expect(error).toMatchObject({name: 'ExchangeError', fault: 'reset', sent: true})
    expect(error.reason).toBe(`the connection to 127.0.0.1:${port} ended without an answer (UND_ERR_SOCKET)`)
  },
)

test('after hints alone, an answer is waited for as long as for any', async () => {
  const {port} = await serve(HINTS.repeat(3), 'hang')
  const error = await faultOf(post(`http://127.0.0.1:${port}/`, {headersMilliseconds: 200}))
  expect(error).toMatchObject({fault: 'timeout', sent: true})
})

test.each([
  [HINTS, 'answered'],
  [CONTINUE, 'lost'],
])('%j through the tunnel of a proxy: %s', async (interim, outcome) => {
  const proxy = createServer(socket => {
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      socket.once('data', () => socket.end(interim + ANSWER))
    })
  })
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
  servers.push(proxy)
  const {port} = proxy.address() as AddressInfo
  const sending = post('http://service.example/', {}, {http_proxy: `http://127.0.0.1:${port}`})
  if (outcome === 'answered') expect((await sending).status).toBe(201)
  else expect(await faultOf(sending)).toMatchObject({sent: true})
})
