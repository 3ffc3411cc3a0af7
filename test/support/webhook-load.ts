/** Signed webhook requests over raw sockets, cheap enough to load a receiver from the same machine. */

import {connect, type Socket} from 'node:net'
import {signatureOf} from './webhook-files.js'

export const SECRET = 'whsec_load'

export interface SignedEvent {
  readonly id: string
  /** Head and body. */
  readonly bytes: Buffer
}

/** One signed request for event `id`. */
export function signedEvent(
  id: string,
  options: {path?: string; type?: string; secret?: string; pad?: number} = {},
): SignedEvent {
  const {path = '/', type = 'reservation.confirmed', secret = SECRET, pad = 400} = options
  const body = JSON.stringify({
    id,
    type,
    created: '2030-06-01T12:00:00+03:00',
    data: {
      object: 'reservation',
      reservation_ref: 'RSV-0000000000',
      status: 'CONFIRMED',
      note: 'ş'.repeat(pad),
    },
  })
  return {id, bytes: signedRequest(body, id, {path, secret})}
}

/** A request for any body, signed now. */
export function signedRequest(
  body: string | Buffer,
  id: string,
  {path = '/', secret = SECRET, timestamp = Math.floor(Date.now() / 1000), headers = ''} = {},
): Buffer {
  const raw = Buffer.from(body as string)
  const head =
    `POST ${path} HTTP/1.1\r\nHost: receiver\r\nContent-Type: application/json\r\nContent-Length: ${raw.length}\r\n` +
    `X-Service-Signature: ${signatureOf(raw, timestamp, secret)}\r\nX-Service-Event-Id: ${id}\r\n${headers}\r\n`
  return Buffer.concat([Buffer.from(head), raw])
}

export interface LoadResult {
  /** Of each event that got an answer: its status. */
  readonly answers: {readonly id: string; readonly status: number}[]
  /** Milliseconds of each answer. */
  readonly latencies: number[]
  readonly seconds: number
}

export interface LoadOptions {
  readonly port: number
  readonly connections: number
  /** Gives the next event, or undefined when there is no more. */
  readonly next: () => SignedEvent | undefined
  /** At most so many a second, over all connections; absent: as fast as it goes. */
  readonly perSecond?: number
}

/** Sends events one after the other on each of several kept connections; a connection that is cut ends its part. */
export async function load({port, connections, next, perSecond}: LoadOptions): Promise<LoadResult> {
  const started = performance.now()
  const result: LoadResult = {answers: [], latencies: [], seconds: 0}
  let sent = 0
  const due = () => (perSecond === undefined ? 0 : started + (sent++ / perSecond) * 1000 - performance.now())
  await Promise.all(Array.from({length: connections}, () => runConnection(port, next, due, result)))
  return {...result, seconds: (performance.now() - started) / 1000}
}

function runConnection(
  port: number,
  next: () => SignedEvent | undefined,
  due: () => number,
  {answers, latencies}: LoadResult,
): Promise<void> {
  return new Promise(resolve => {
    const socket = connect({port, host: '127.0.0.1', noDelay: true})
    let sent: SignedEvent | undefined
    let sentAt = 0
    let text = ''
    const sendNext = () => {
      sent = next()
      if (sent === undefined) return void socket.end()
      const wait = due()
      const send = () => {
        sentAt = performance.now()
        if (sent) socket.write(sent.bytes)
      }
      if (wait > 0) setTimeout(send, wait)
      else send()
    }
    socket.setEncoding('latin1')
    socket.on('data', piece => {
      text += piece
      if (!text.includes('\r\n\r\n') || sent === undefined) return
      latencies.push(performance.now() - sentAt)
      answers.push({id: sent.id, status: Number(text.slice(9, 12))})
      const isLast = /\r\nConnection: close\r\n/i.test(text)
      text = ''
      if (isLast) socket.end()
      else sendNext()
    })
    socket.on('connect', sendNext)
    socket.on('error', () => {})
    socket.on('close', () => resolve())
  })
}

/** Sends `bytes` on a connection of its own and returns what came until it was closed. */
export function exchangeRaw(
  port: number,
  bytes: Buffer | string,
  options: {end?: boolean} = {},
): Promise<string> {
  return new Promise(resolve => {
    const socket: Socket = connect({port, host: '127.0.0.1'})
    let text = ''
    socket.setEncoding('latin1')
    socket.on('connect', () => (options.end ? socket.end(bytes) : socket.write(bytes)))
    socket.on('data', piece => {
      text += piece
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(text))
  })
}
