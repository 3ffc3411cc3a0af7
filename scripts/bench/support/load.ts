/**
 * Sends signed events to a receiver over keep-alive connections. It uses raw sockets and requests that are created before the
 * clock starts, so that it does not limit the receiver. Its own limit is measured with references/no-receiver.cjs.
 */
import {connect, type Socket} from 'node:net'
import {signedRequest} from '../../../test/support/webhook-load.js'

export const CONNECTIONS = 50
const DIGIT_TWO = 0x32
const LINE_FEED = 0x0a

export interface Sent {
  readonly seconds: number
  /** The number of requests that were not answered with 2xx. */
  readonly refused: number
  /**
   * Milliseconds until each answer, measured from when the request was due if a pace is given, otherwise from when it was sent.
   */
  readonly latencies: Float64Array
}

/** Returns `count` requests, each with a new event of about 600 bytes, signed now. */
export function signedEvents(prefix: string, count: number): Buffer[] {
  const note = 'x'.repeat(430)
  return Array.from({length: count}, (_, n) => {
    const id = `evt_${prefix}_${n}`
    const data = {object: 'reservation', reservation_ref: 'RSV-0000000000', status: 'CONFIRMED', note}
    const body = {id, type: 'reservation.confirmed', created: '2030-06-01T12:00:00+03:00', data}
    return signedRequest(JSON.stringify(body), id, {headers: ''})
  })
}

/**
 * Sends all `requests`, one at a time on each connection, as fast as they are answered or at most `perSecond`. Rejects if a
 * connection is cut.
 */
export async function send(port: number, requests: readonly Buffer[], perSecond?: number): Promise<Sent> {
  const latencies = new Float64Array(requests.length)
  let next = 0
  let answered = 0
  let refused = 0
  let started = 0
  let resolve = () => {}
  let reject = (_: Error) => {}
  const all = new Promise<void>((onDone, onError) => {
    resolve = onDone
    reject = onError
  })
  // The connection that waited longest is used first, because a server closes idle connections.
  const idle: Connection[] = []
  const dueAt = (n: number) => (perSecond === undefined ? 0 : started + (n / perSecond) * 1000)
  const pump = () => {
    while (next < requests.length && idle.length > 0 && dueAt(next) <= performance.now()) {
      const connection = idle.shift() as Connection
      connection.sent = next
      connection.sentAt = perSecond === undefined ? performance.now() : dueAt(next)
      connection.socket.write(requests[next++] as Buffer)
    }
  }
  const onAnswer = (connection: Connection, accepted: boolean) => {
    latencies[connection.sent] = performance.now() - connection.sentAt
    if (!accepted) refused++
    idle.push(connection)
    if (++answered === requests.length) resolve()
    else pump()
  }
  idle.push(
    ...(await Promise.all(Array.from({length: CONNECTIONS}, () => connected(port, onAnswer, reject)))),
  )
  const connections = [...idle]
  started = performance.now()
  const pace = perSecond === undefined ? undefined : setInterval(pump, 1)
  try {
    pump()
    await all
    return {seconds: (performance.now() - started) / 1000, refused, latencies}
  } finally {
    clearInterval(pace)
    for (const {socket} of connections) socket.removeAllListeners('close').destroy()
  }
}

interface Connection {
  readonly socket: Socket
  /** The number of the current request. */
  sent: number
  sentAt: number
}

/** The answers have no body and end with an empty line. They are read into one buffer, without Node's streams. */
function connected(
  port: number,
  onAnswer: (connection: Connection, accepted: boolean) => void,
  onCut: (error: Error) => void,
): Promise<Connection> {
  return new Promise((resolve, reject) => {
    let isNew = true
    let accepted = false
    const callback = (length: number, bytes: Uint8Array) => {
      if (isNew) accepted = bytes[9] === DIGIT_TWO
      isNew = bytes[length - 1] === LINE_FEED && (length < 3 || bytes[length - 3] === LINE_FEED)
      if (isNew) onAnswer(connection, accepted)
      return true
    }
    const onread = {buffer: Buffer.alloc(4096), callback}
    const socket = connect({port, host: '127.0.0.1', noDelay: true, onread})
    const connection = {socket, sent: 0, sentAt: 0}
    socket.once('connect', () => resolve(connection))
    socket.on('error', error => {
      reject(error)
      onCut(error)
    })
    socket.on('close', () => onCut(new Error('a connection was cut')))
  })
}
