/** One attempt over real connections that the receiver closes while they are idle. */
import {createServer, type RequestListener} from 'node:http'
import type {AddressInfo, Socket} from 'node:net'
import {expect, onTestFinished, test} from 'vitest'
import {createHandover} from '../../src/webhooks/forward/request.js'
import {closing} from '../support/own.js'

async function serve(answer: RequestListener) {
  const server = createServer(answer)
  const handover = closing(createHandover({timeoutMilliseconds: 10_000}))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`
  return {server, send: () => handover.send(url, [], Buffer.from('{}'))}
}

/** A target that keeps each connection open, and resets it as soon as it is used again. */
async function setUp() {
  const requests = new Map<Socket, number>()
  const waiting: (() => void)[] = []
  /** So many requests are there at once before the first of them is answered. */
  let together = 1
  const {send} = await serve((request, response) => {
    const count = (requests.get(request.socket) ?? 0) + 1
    requests.set(request.socket, count)
    if (count > 1) return void request.socket.resetAndDestroy()
    waiting.push(() => response.end())
    if (waiting.length === together) for (const answer of waiting.splice(0)) answer()
  })
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
  const {server, send} = await serve(({socket}) => void socket.resetAndDestroy())
  let connections = 0
  server.on('connection', () => connections++)
  expect(await send()).toMatchObject({status: null, error: 'ECONNRESET'})
  expect(connections).toBe(1)
})
