/** A server for tests, for example as a receiver of events. It records requests and answers with `answering`. */
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import {createServer as createTlsServer} from 'node:https'
import type {AddressInfo} from 'node:net'
import {waitUntil} from './wait.js'

export interface ReceivedEvent {
  readonly method: string
  readonly path: string
  /** Names and values in turn, as received. */
  readonly rawHeaders: readonly string[]
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

export type Subscriber = Awaited<ReturnType<typeof startSubscriber>>

export type Answering = (answer: ServerResponse, event: ReceivedEvent, count: number) => void

/** Starts the server, which answers with `answering` (default 200); with `tls` over https. */
export async function startSubscriber(
  answering: Answering = answer => answer.end(),
  tls?: {cert: Buffer; key: Buffer; maxVersion?: 'TLSv1.1'},
  wantedPort = 0,
) {
  const received: ReceivedEvent[] = []
  let connections = 0
  const listener: RequestListener = async (request, answer) => {
    const pieces: Buffer[] = []
    try {
      for await (const piece of request) pieces.push(piece)
    } catch {
      // The client was killed. The part received is enough.
    }
    const {method = '', url = '', headers, rawHeaders} = request
    const event = {method, path: url, headers, rawHeaders, body: Buffer.concat(pieces)}
    received.push(event)
    answering(answer, event, received.length)
  }
  const server: Server = tls ? createTlsServer(tls, listener) : createServer(listener)
  server.on('connection', () => connections++).unref()
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(wantedPort, '127.0.0.1', resolve),
  )
  const {port} = server.address() as AddressInfo
  return {
    origin: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    port,
    received,
    /** The number of connections, with or without a request. */
    connections: () => connections,
    waitFor: (count: number) => waitUntil(() => received.length >= count, `${count} requests`),
    close: () =>
      new Promise<void>(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
