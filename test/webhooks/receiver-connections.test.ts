/** Slow, idle and many connections, and an orderly end. */
import {connect, type Socket} from 'node:net'
import {afterEach, expect, test} from 'vitest'
import {eventually} from '../support/eventually.js'
import {type Receiving, startReceiving} from '../support/receiving.js'
import {exchangeRaw, load, signedEvent, signedRequest} from '../support/webhook-load.js'

let open: Receiving | undefined

afterEach(async () => {
  await open?.close()
  open = undefined
})

const request = () => signedRequest('{"id":"evt_1"}', 'evt_1', {headers: 'Connection: close\r\n'})

/** Sends a byte now and then, until the connection is closed. */
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
  open = await startReceiving({limits: {headMilliseconds: 400, requestMilliseconds: 400}})
  const {port} = open
  const heads = Array.from({length: 100}, () => drip(port, 'POST / HTTP/1.1\r\nHost: a\r\nX: '))
  const bodies = Array.from({length: 100}, () =>
    drip(port, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n'),
  )
  const silent = drip(port, '')
  expect((await exchangeRaw(port, request())).slice(9, 12)).toBe('200')
  // Nothing but the limits ends these connections; without them the test runs out of time.
  await Promise.all([...heads, ...bodies, silent])
  expect((await exchangeRaw(port, request())).slice(9, 12)).toBe('200')
})

test('a connection too many takes the place of the one idle longest', async () => {
  open = await startReceiving({limits: {maxConnections: 10}})
  const {port} = open
  const closed: number[] = []
  const idle: Socket[] = []
  for (let n = 0; n < 10; n++) {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    socket.on('close', () => closed.push(n))
    idle.push(socket)
    await new Promise(resolve => socket.once('connect', resolve))
  }
  expect((await exchangeRaw(port, request())).slice(9, 12)).toBe('200')
  await eventually(() => expect(closed).toEqual([0]))
  for (const socket of idle) socket.destroy()
})

test('closing answers every request that was read, and refuses new connections', async () => {
  open = await startReceiving({
    receive: async (_, keep) => {
      await new Promise(resolve => setTimeout(resolve, 20))
      return keep()
    },
  })
  const {port, served, store} = open
  let n = 0
  const sent = new Set<string>()
  const next = () => {
    const event = signedEvent(`evt_${n++}`)
    sent.add(event.id)
    return event
  }
  const running = load({port, connections: 20, next})
  await eventually(() => expect(n).toBeGreaterThan(100))
  await served.close(1500)
  const {answers} = await running
  expect(answers.length).toBe(sent.size)
  expect(answers.every(({status}) => status === 200)).toBe(true)
  expect((await store.page({}, {after: 0}, 100_000)).length).toBe(sent.size)
  expect(await exchangeRaw(port, request())).toBe('')
})

test('closing does not wait for a sender that sends nothing more', async () => {
  open = await startReceiving()
  const {port, served} = open
  const slow = drip(port, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n')
  // Answered on a later connection: so the one before is known to the server.
  await exchangeRaw(port, request())
  await served.close(300)
  await slow
})
