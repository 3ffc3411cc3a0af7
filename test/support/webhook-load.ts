/** Signed webhook requests over raw sockets, cheap enough to load a receiver on the same machine. */
import {connect} from 'node:net'
import {setTimeout as sleep} from 'node:timers/promises'
import {signatureOf} from './webhook-files.js'

export const SECRET = 'whsec_load'

export type SignedEvent = ReturnType<typeof signedEvent>

/** Returns a signed request for event `id`, with `pad` two-byte characters in its body. */
export function signedEvent(id: string, {pad = 400} = {}) {
  const reservation = {object: 'reservation', reservation_ref: 'RSV-0000000000', status: 'CONFIRMED'}
  const data = {...reservation, note: 'ş'.repeat(pad)}
  const body = {id, type: 'reservation.confirmed', created: '2030-06-01T12:00:00+03:00', data}
  return {id, bytes: signedRequest(JSON.stringify(body), id, {headers: ''})}
}

const CLOSE = 'Connection: close\r\n'

/** Returns a request with any body, signed now. The connection closes after it, unless `headers` says otherwise. */
export function signedRequest(
  body: string | Buffer,
  id: string,
  {path = '/', secret = SECRET, timestamp = Math.floor(Date.now() / 1000), headers = CLOSE} = {},
): Buffer {
  const raw = Buffer.from(body as string)
  const head =
    `POST ${path} HTTP/1.1\r\nHost: receiver\r\nContent-Type: application/json\r\nContent-Length: ${raw.length}\r\n` +
    `X-Service-Signature: ${signatureOf(raw, timestamp, secret)}\r\nX-Service-Event-Id: ${id}\r\n${headers}\r\n`
  return Buffer.concat([Buffer.from(head), raw])
}

interface LoadOptions {
  readonly port: number
  readonly connections: number
  /** Returns the next event, or undefined after the last. */
  readonly next: () => SignedEvent | undefined
  /** Maximum number of events a second over all connections (default: no limit). */
  readonly perSecond?: number
}

/** Sends events one after the other on each of several keep-alive connections. If a connection is cut, the others go on. */
export async function load({port, connections, next, perSecond}: LoadOptions) {
  /** One entry for each event that was answered. */
  const answers: {readonly id: string; readonly status: number}[] = []
  let due = performance.now()
  const runConnection = async () => {
    const socket = open(port)
    let sent: SignedEvent | undefined
    const sendNext = async () => {
      sent = next()
      if (sent && perSecond !== undefined) {
        due += 1000 / perSecond
        await sleep(Math.max(0, due - performance.now()))
      }
      if (sent) socket.write(sent.bytes)
      else socket.end()
    }
    await sendNext()
    let text = ''
    await eachPiece(socket, async piece => {
      text += piece
      if (!text.includes('\r\n\r\n') || sent === undefined) return
      answers.push({id: sent.id, status: Number(text.slice(9, 12))})
      if (/\r\nConnection: close\r\n/i.test(text)) socket.end()
      else await sendNext()
      text = ''
    })
  }
  await Promise.all(Array.from({length: connections}, runConnection))
  return {answers}
}

/** Sends `bytes` on a new connection. Returns everything received until the connection was closed. */
export async function exchangeRaw(port: number, bytes: Buffer | string, {end = false} = {}): Promise<string> {
  const socket = open(port)
  if (end) socket.end(bytes)
  else socket.write(bytes)
  let text = ''
  await eachPiece(socket, piece => {
    text += piece
  })
  return text
}

const open = (port: number) =>
  connect({port, host: '127.0.0.1', noDelay: true})
    .setEncoding('latin1')
    .on('error', () => {})

/** Passes each piece to `take` until the socket is closed in any way. */
async function eachPiece(socket: AsyncIterable<string>, take: (piece: string) => unknown): Promise<void> {
  try {
    for await (const piece of socket) await take(piece)
  } catch {
    // The connection was cut or never opened. The part received is enough.
  }
}

/** Returns the status of the answer to `bytes`. */
export async function statusOf(port: number, bytes: Buffer | string): Promise<number> {
  return Number((await exchangeRaw(port, bytes)).slice(9, 12))
}

/** Sends one signed event on a new connection. Returns the status of the answer. */
export function sendEvent(port: number, ...event: Parameters<typeof signedRequest>): Promise<number> {
  return statusOf(port, signedRequest(...event))
}
