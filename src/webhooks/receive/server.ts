/**
 * Serves a receiver over node:http or node:https. It accepts POST on one path and passes on bodies exactly as received.
 * Slow senders are cut off. The number of connections, and the size of all bodies in memory, are limited. When it
 * closes, it still answers open requests.
 */
import {createServer, type IncomingMessage, type ServerOptions, type ServerResponse} from 'node:http'
import {createServer as createTlsServer} from 'node:https'
import {type Server, type Socket, Server as TcpServer} from 'node:net'
import {TLS_RULES} from '../../contract/network.js'
import {MOST_EVENT_BYTES} from '../signature/event.js'
import type {Receiver} from './receiver.js'

export const RECEIVER_LIMITS = {
  maxBodyBytes: MOST_EVENT_BYTES,
  /** Maximum size of the bodies of all requests together. */
  maxHeldBytes: 32 * 1024 * 1024,
  maxConnections: 4000,
  /** Maximum number of events that are waiting for the disk. Further events are answered with 503. */
  maxWaiting: 2048,
  /**
   * Time limits, counted from the first byte of a request. Node checks them at an interval, so a slow sender is cut off
   * after at most 2.5 s.
   */
  headMilliseconds: 2000,
  requestMilliseconds: 2000,
}
export type ReceiverLimits = Readonly<typeof RECEIVER_LIMITS>

const CHECK_MILLISECONDS = 250
/** How long a connection may have no traffic before it is closed. */
const STALLED_MILLISECONDS = 15_000
/** How long idle connections may still send a request after the server began to close. */
const GRACE_MILLISECONDS = 250
/** How many bytes are read and dropped after a refusal, so that the sender sees the answer. */
const DISCARDED_BYTES = 4 * 1024 * 1024

export type ServedReceiver = Awaited<ReturnType<typeof serveReceiver>>

interface TlsIdentity {
  readonly cert: string | Buffer
  readonly key: string | Buffer
}

interface ServeOptions {
  readonly receiver: Receiver
  /** Returns Unix seconds. */
  readonly clock: () => number
  readonly limits: ReceiverLimits
  /**
   * Called after a request was answered with another status than 200 and 401. `milliseconds` is the time since its
   * headers arrived.
   */
  readonly onRefused?: (status: number, milliseconds: number) => void
}

/** What to listen on: a port of a host, or the file descriptor of a socket that is already open. */
export type Place = {readonly host: string; readonly port: number} | {readonly fd: number}

interface Serving extends ServeOptions {
  readonly path: string
  /** How many bytes all requests together may still keep in memory. */
  readonly budget: {free: number}
  readonly connections: ReturnType<typeof boundConnections>
  closing: boolean
}

/** Starts to listen. Rejects with the system's error if that fails. */
export async function serveReceiver(
  options: ServeOptions,
  address: Place & {
    /** The only path that accepts POST, starting with a slash. */
    readonly path: string
    readonly tls?: TlsIdentity | undefined
  },
) {
  const {limits} = options
  const timeouts: ServerOptions = {
    headersTimeout: limits.headMilliseconds,
    requestTimeout: limits.requestMilliseconds,
    connectionsCheckingInterval: CHECK_MILLISECONDS,
  }
  const {tls} = address
  const {minVersion} = TLS_RULES
  const tlsServer =
    tls && createTlsServer({...timeouts, ...tls, minVersion, handshakeTimeout: limits.headMilliseconds})
  const server = tlsServer ?? createServer(timeouts)
  // node:http silently drops headers beyond a maximum number. There is none here, because their size is limited.
  server.maxHeadersCount = 0
  server.setTimeout(STALLED_MILLISECONDS)
  const connections = boundConnections(server, tls ? 'secureConnection' : 'connection', limits.maxConnections)
  const budget = {free: limits.maxHeldBytes}
  const serving: Serving = {...options, path: address.path, budget, connections, closing: false}
  server.on('request', (request, response) => onRequest(serving, request, response))
  server.on('checkContinue', (request, response) => onRequest(serving, request, response, true))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    if ('fd' in address) server.listen({fd: address.fd}, resolve)
    else server.listen(address.port, address.host, resolve)
  })
  const bound = server.address()
  if (bound === null || typeof bound === 'string') {
    server.close()
    throw Object.assign(new Error('not a TCP socket'), {code: 'EAFNOSUPPORT'})
  }
  return {
    host: bound.address,
    port: bound.port,
    /** Uses another certificate for new connections. Open connections continue. */
    renew: (identity: TlsIdentity) => tlsServer?.setSecureContext({...identity, minVersion}),
    /**
     * Accepts no further connections, answers open requests, then closes all connections. Takes at most `milliseconds`.
     */
    async close(milliseconds: number) {
      serving.closing = true
      // This is the close of node:net. That of node:http would cut idle connections at once, and lose a request that is
      // just being sent.
      const closed = new Promise(resolve => void TcpServer.prototype.close.call(server, resolve))
      const closeIdle = setTimeout(() => connections.closeIdle(), Math.min(GRACE_MILLISECONDS, milliseconds))
      const closeAll = setTimeout(() => server.closeAllConnections(), milliseconds)
      await closed
      clearTimeout(closeIdle)
      clearTimeout(closeAll)
      server.close()
    },
  }
}

/**
 * Reads the body and passes the request to the receiver. Listeners are not removed afterwards, because that would cost
 * more than everything else here.
 */
function onRequest(
  serving: Serving,
  request: IncomingMessage,
  response: ServerResponse,
  awaitsContinue = false,
): void {
  const started = performance.now()
  const {connections, budget, limits} = serving
  const {socket} = request
  connections.busy(socket)
  if (serving.closing) response.shouldKeepAlive = false
  const reportRefused = (status: number) => serving.onRefused?.(status, performance.now() - started)
  const refusal = refusalOf(serving, request)
  if (refusal !== undefined) {
    request.on('close', () => connections.idle(socket))
    refuse(request, response, refusal)
    reportRefused(refusal)
    return
  }
  if (awaitsContinue) response.writeContinue()
  const pieces: Buffer[] = []
  let length = 0
  let reading = true
  const stop = (status: 413 | 503) => {
    reading = false
    budget.free += length
    refuse(request, response, status)
    reportRefused(status)
  }
  const answer = (status: number) => {
    budget.free += length
    if (serving.closing) response.shouldKeepAlive = false
    response.writeHead(status, NO_BODY).end()
    if (status === 503) reportRefused(status)
  }
  request.on('data', (piece: Buffer) => {
    if (!reading) return
    if (length + piece.length > limits.maxBodyBytes) return stop(413)
    if (piece.length > budget.free) return stop(503)
    budget.free -= piece.length
    length += piece.length
    pieces.push(piece)
  })
  request.on('end', () => {
    if (!reading) return
    reading = false
    const [first] = pieces
    const body = first && pieces.length === 1 ? first : Buffer.concat(pieces, length)
    serving.receiver.take(
      {rawHeaders: request.rawHeaders, body, receivedAt: serving.clock()},
      started,
      answer,
    )
  })
  request.on('close', () => {
    if (reading) budget.free += length
    reading = false
    connections.idle(socket)
  })
}

const NO_BODY = {'Content-Length': '0'}

/** Returns the status for a request that is refused without reading its body, or undefined if it is not refused. */
function refusalOf({path, limits}: Serving, {url = '', method, headers}: IncomingMessage) {
  const target = pathOf(url)
  const query = target.indexOf('?')
  if ((query === -1 ? target : target.slice(0, query)) !== path) return 404
  if (method !== 'POST') return 405
  const length = headers['content-length']
  return length !== undefined && Number(length) > limits.maxBodyBytes ? 413 : undefined
}

/** Returns the path and query of a request target, which may be an absolute URL (RFC 9112 §3.2.2). */
export function pathOf(target: string): string {
  return target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]+\/?/i, '/')
}

/**
 * Answers with an error and closes the connection. The body is read first, because closing with unread bytes resets the
 * connection, and the answer would be lost.
 */
function refuse(request: IncomingMessage, response: ServerResponse, status: number): void {
  response.shouldKeepAlive = false
  response.writeHead(status, status === 405 ? {...NO_BODY, Allow: 'POST'} : NO_BODY)
  response.flushHeaders()
  let discarded = 0
  const end = () => void response.end()
  request
    .on('data', (piece: Buffer) => {
      discarded += piece.length
      if (discarded > DISCARDED_BYTES) request.destroy()
    })
    .once('end', end)
    .once('close', end)
}

/** Additional connections, for TLS handshakes that are not counted yet. */
const HANDSHAKES = 500

/**
 * Limits the number of connections: if there are too many, closes the one that has been idle longest. `arrival` is the
 * event after which a connection can send requests.
 */
function boundConnections(server: Server, arrival: 'connection' | 'secureConnection', most: number) {
  const open = new Set<Socket>()
  // A Set keeps the order of insertion, so its first item has been idle longest.
  const idle = new Set<Socket>()
  server.maxConnections = most + HANDSHAKES
  server.on(arrival, (socket: Socket) => {
    open.add(socket)
    idle.add(socket)
    socket.once('close', () => {
      open.delete(socket)
      idle.delete(socket)
    })
    const [oldest] = idle
    if (open.size > most && oldest !== socket) oldest?.destroy()
  })
  return {
    busy: (socket: Socket) => void idle.delete(socket),
    idle(socket: Socket) {
      if (open.has(socket)) idle.add(socket)
    },
    closeIdle() {
      for (const socket of idle) socket.destroy()
    },
  }
}
