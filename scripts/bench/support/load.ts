/**
 * Sends signed events to a receiver over kept connections, light enough to be no limit: raw sockets, and requests that
 * are whole before the clock starts. The generator's own limit is measured too (references/no-receiver.cjs).
 */
import {connect, type Socket} from 'node:net'
import {SECRET, signedRequest} from '../../../test/support/webhook-load.js'

export {SECRET}
export const CONNECTIONS = 50
const HEAD_END = Buffer.from('\r\n\r\n')
const DIGIT_TWO = 0x32

export interface Sent {
  readonly seconds: number
  /** How many were not answered with 2xx. */
  readonly refused: number
  /** Milliseconds until each answer: from when it was due at a given pace, else from when it was sent. */
  readonly latencies: Float64Array
}

/** `count` requests, each a new event of about 600 bytes, signed now. */
export function signedEvents(prefix: string, count: number): Buffer[] {
  const note = 'x'.repeat(430)
  return Array.from({length: count}, (_, n) => {
    const id = `evt_${prefix}_${n}`
    const data = {object: 'reservation', reservation_ref: 'RSV-0000000000', status: 'CONFIRMED', note}
    const body = {id, type: 'reservation.confirmed', created: '2030-06-01T12:00:00+03:00', data}
    return signedRequest(JSON.stringify(body), id)
  })
}

/**
 * Sends all `requests`, one at a time on each connection: as fast as they are answered, or at most `perSecond`.
 * Rejects when a connection is cut.
 */
export async function send(port: number, requests: readonly Buffer[], perSecond?: number): Promise<Sent> {
  const idle = await Promise.all(Array.from({length: CONNECTIONS}, () => connected(port)))
  const sockets = [...idle]
  const latencies = new Float64Array(requests.length)
  const started = performance.now()
  const dueAt = (n: number) => (perSecond === undefined ? 0 : started + (n / perSecond) * 1000)
  let next = 0
  let answered = 0
  let refused = 0
  let pace: NodeJS.Timeout | undefined
  try {
    await new Promise<void>((resolve, reject) => {
      const pump = () => {
        while (next < requests.length && idle.length > 0 && dueAt(next) <= performance.now()) {
          sendOne(idle.pop() as Socket, next++)
        }
      }
      const sendOne = (socket: Socket, n: number) => {
        const from = perSecond === undefined ? performance.now() : dueAt(n)
        socket.write(requests[n] as Buffer)
        let before: Buffer = Buffer.alloc(0)
        socket.on('data', function read(piece: Buffer) {
          const answer = before.length > 0 ? Buffer.concat([before, piece]) : piece
          before = answer
          if (!answer.includes(HEAD_END)) return
          socket.off('data', read)
          latencies[n] = performance.now() - from
          if (answer[9] !== DIGIT_TWO) refused++
          idle.push(socket)
          if (++answered === requests.length) resolve()
          else pump()
        })
      }
      for (const socket of sockets) {
        socket.on('error', reject)
        socket.on('close', () => reject(new Error('a connection was cut')))
      }
      if (perSecond !== undefined) pace = setInterval(pump, 1)
      pump()
    })
  } finally {
    clearInterval(pace)
    for (const socket of sockets) socket.removeAllListeners('close').destroy()
  }
  return {seconds: (performance.now() - started) / 1000, refused, latencies}
}

function connected(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({port, host: '127.0.0.1', noDelay: true})
    socket.once('connect', () => resolve(socket))
    socket.once('error', reject)
  })
}
