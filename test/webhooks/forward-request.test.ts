/** One attempt over real connections that the other side closes while they are idle. */
import {createServer, type Server} from 'node:http'
import type {AddressInfo, Socket} from 'node:net'
import {afterEach, expect, test} from 'vitest'
import {createHandover, type Handover} from '../../src/webhooks/forward/request.js'

const open: {server: Server; handover: Handover}[] = []

afterEach(() => {
  for (const {server, handover} of open.splice(0)) {
    handover.close()
    server.closeAllConnections()
    server.close()
  }
})

/** A target that keeps each connection open, and resets it as soon as it is used again. */
async function setUp() {
  const requests = new Map<Socket, number>()
  const waiting: (() => void)[] = []
  /** So many requests are there at once before the first of them is answered. */
  let together = 1
  const server = createServer((request, response) => {
    const count = (requests.get(request.socket) ?? 0) + 1
    requests.set(request.socket, count)
    if (count > 1) return void request.socket.resetAndDestroy()
    waiting.push(() => response.end())
    if (waiting.length === together) for (const answer of waiting.splice(0)) answer()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`
  const handover = createHandover({timeoutMilliseconds: 10_000})
  open.push({server, handover})
  const send = () => handover.send(url, [], Buffer.from('{}'))
  return {
    requests,
    send,
    sendTogether(count: number) {
      together = count
      return Promise.all(Array.from({length: count}, send)).finally(() => {
        together = 1
      })
    },
  }
}

test('an idle connection that is reset when it is used again was no answer, nor were all the others', async () => {
  const {requests, send, sendTogether} = await setUp()
  expect((await sendTogether(3)).map(({status}) => status)).toEqual([200, 200, 200])
  expect(requests.size).toBe(3)
  expect(await send()).toMatchObject({status: 200, error: null})
  expect(requests.size).toBe(4)
})

test('a new connection that is reset is the answer', async () => {
  const server = createServer(({socket}) => void socket.resetAndDestroy())
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  let connections = 0
  server.on('connection', () => connections++)
  const handover = createHandover({timeoutMilliseconds: 10_000})
  open.push({server, handover})
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`
  expect(await handover.send(url, [], Buffer.from('{}'))).toMatchObject({status: null, error: 'ECONNRESET'})
  expect(connections).toBe(1)
})
