/** Slow, idle and many connections, and an orderly end. */
import {connect, type Socket} from 'node:net'
import {expect, test} from 'vitest'
import {eventually} from '../support/eventually.js'
import {closing} from '../support/own.js'
import {startReceiving} from '../support/receiving.js'
import {load, sendEvent, signedEvent} from '../support/webhook-load.js'

const ownReceiver = async (...options: Parameters<typeof startReceiving>) =>
  closing(await startReceiving(...options))

const send = (port: number) => sendEvent(port, '{"id":"evt_1"}', 'evt_1')

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
  const {port} = await ownReceiver({limits: {headMilliseconds: 400, requestMilliseconds: 400}})
  const heads = Array.from({length: 100}, () => drip(port, 'POST / HTTP/1.1\r\nHost: a\r\nX: '))
  const bodies = Array.from({length: 100}, () =>
    drip(port, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n'),
  )
  const silent = drip(port, '')
  expect(await send(port)).toBe(200)
  // Nothing but the limits ends these connections; without them the test runs out of time.
  await Promise.all([...heads, ...bodies, silent])
  expect(await send(port)).toBe(200)
})

test('a connection too many takes the place of the one idle longest', async () => {
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

test('closing answers every request that was read, and refuses new connections', async () => {
  const {port, served, kept} = await ownReceiver({
    receive: async (_, keep) => {
      await new Promise(resolve => setTimeout(resolve, 20))
      return keep()
    },
  })
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
  expect((await kept()).length).toBe(sent.size)
  expect(await send(port)).toBe(0)
})

test('closing does not wait for a sender that sends nothing more', async () => {
  const {port, served} = await ownReceiver()
  const slow = drip(port, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n')
  // Answered on a later connection: so the one before is known to the server.
  await send(port)
  await served.close(300)
  await slow
})
