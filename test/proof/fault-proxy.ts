/**
 * A proxy in front of a real local sandbox that breaks what it is told to break, byte by byte. Every connection takes
 * one request; every request that came whole is recorded, with what was done to it. What the sandbox says of its own
 * address is rewritten, so that links it gives lead through the proxy, too.
 */
import {request as httpRequest} from 'node:http'
import {createServer, type Server, type Socket} from 'node:net'
import {createServer as createTlsServer, type TlsOptions, type Server as TlsServer} from 'node:tls'
import {findFreePort} from '../../src/cli/sandbox/free-port.js'
import {waitUntil} from '../support/wait.js'

/** A whole answer, as the sandbox gave it or as a fault makes it up. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** Bytes to send, milliseconds to wait, or how the connection ends; `hold`: it stays open, with nothing more in it. */
export type Step = Buffer | number | 'reset' | 'end' | 'hold'

export interface Place {
  /** Of the proxy itself. */
  readonly origin: string
  /** Of another server, which must not hear of credentials or bodies. */
  readonly other: string
  /** Of the request, with its query. */
  readonly path: string
}

export interface WireFault {
  /** Whether the sandbox gets the request, and acts on it, before the fault strikes. */
  readonly forwards: boolean
  /** What the client gets. Without `forwards` the reply is an empty one. */
  play(reply: Reply, place: Place): Iterable<Step>
  /** What strikes in its place from the second time on. */
  readonly afterwards?: WireFault
}

/**
 * What befalls a connection before any request: it is reset or ended at once; nobody answers (`hold`), or even reads
 * (`deaf`); plain HTTP is spoken where TLS is expected (`plain`).
 */
export type ConnectionFault = 'reset' | 'hold' | 'end' | 'deaf' | 'plain'

export interface ProxyRequest {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** As they came, also where one came twice. */
  readonly headerLines: readonly (readonly [string, string])[]
  readonly body: string
  readonly struck: boolean
}

export interface ProxyOptions {
  /** `http://127.0.0.1:PORT` of the sandbox. */
  readonly upstream: string
  readonly other: string
  readonly tls?: TlsOptions | undefined
}

const NOTHING: Reply = {status: 200, headers: {}, body: Buffer.alloc(0)}

export class FaultProxy {
  readonly requests: ProxyRequest[] = []
  connections = 0
  /** What strikes, and which requests; nothing until it is set. */
  strike: {fault: WireFault; method: string; path: RegExp} | undefined
  /** What befalls every connection from now on. */
  connection: ConnectionFault | undefined
  private readonly sockets = new Set<Socket>()
  private forwarding = 0
  /** Kept, since answers may still come after it is closed. */
  private port = 0

  private constructor(
    private readonly options: ProxyOptions,
    private readonly server: Server,
    /** Never listens: it is handed the connections that are not to break before it. */
    private tlsServer: TlsServer | undefined,
  ) {}

  static async start(options: ProxyOptions): Promise<FaultProxy> {
    const server = createServer()
    const proxy = new FaultProxy(options, server, undefined)
    if (options.tls) proxy.showInstead(options.tls)
    server.on('connection', (socket: Socket) => proxy.accept(socket))
    // When it is closed, nobody else may get its port by chance.
    proxy.port = await findFreePort()
    await new Promise<void>((resolve, reject) =>
      server.once('error', reject).listen(proxy.port, '127.0.0.1', resolve),
    )
    return proxy
  }

  get origin(): string {
    const scheme = this.options.tls ? 'https' : 'http'
    return `${scheme}://127.0.0.1:${this.port}`
  }

  /** Speaks TLS like this from now on. */
  showInstead(tls: TlsOptions): void {
    this.tlsServer = createTlsServer(tls)
      .on('secureConnection', (socket: Socket) => this.serve(socket))
      .on('tlsClientError', () => {})
  }

  /** Resolves when what came of those that are gone is over: nobody is connected, and all that was passed on is answered. */
  async quiet(): Promise<void> {
    await waitUntil(() => this.sockets.size === 0 && this.forwarding === 0, 'the last connection to end')
  }

  /** Stops listening; connections are refused from now on. */
  async close(): Promise<void> {
    const closed = new Promise(resolve => this.server.close(resolve))
    for (const socket of this.sockets) socket.destroy()
    await closed
  }

  private accept(socket: Socket): void {
    this.connections++
    this.sockets.add(socket)
    socket.on('error', () => {}).on('close', () => this.sockets.delete(socket))
    const {connection} = this
    if (connection === 'reset') socket.resetAndDestroy()
    else if (connection === 'end') socket.end()
    else if (connection === 'hold') socket.resume()
    else if (connection === 'deaf') socket.pause()
    else if (connection === 'plain') socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    else if (this.tlsServer) this.tlsServer.emit('connection', socket)
    else this.serve(socket)
  }

  private serve(socket: Socket): void {
    socket.on('error', () => {})
    let received = Buffer.alloc(0)
    socket.on('data', piece => {
      received = Buffer.concat([received, piece])
      const request = readRequest(received)
      if (!request) return
      // What comes after it, on a connection that is about to end, is nobody's.
      socket.removeAllListeners('data').resume()
      void this.answer(socket, request)
    })
  }

  private async answer(socket: Socket, request: Omit<ProxyRequest, 'struck'>): Promise<void> {
    const {strike} = this
    const struck = strike !== undefined && strike.method === request.method && strike.path.test(request.path)
    const isFirst = !this.requests.some(each => each.struck)
    this.requests.push({...request, struck})
    const fault = struck ? (!isFirst && strike.fault.afterwards) || strike.fault : undefined
    const reply = fault?.forwards === false ? NOTHING : await this.counted(this.forward(request))
    const place = {origin: this.origin, other: this.options.other, path: request.path}
    await play(socket, fault ? fault.play(reply, place) : [replyBytes(reply)])
  }

  private async counted<T>(work: Promise<T>): Promise<T> {
    this.forwarding++
    try {
      return await work
    } finally {
      this.forwarding--
    }
  }

  /** The sandbox's own answer. */
  private forward({method, path, headerLines, body}: Omit<ProxyRequest, 'struck'>): Promise<Reply> {
    const upstream = new URL(this.options.upstream)
    return new Promise((resolve, reject) => {
      const kept = headerLines.filter(([name]) => !/^(host|connection)$/.test(name))
      const headers = [['host', upstream.host], ['connection', 'close'], ...kept].flat()
      const sent = httpRequest(
        {host: upstream.hostname, port: upstream.port, method, path, agent: false, headers},
        answer => {
          const pieces: Buffer[] = []
          answer.on('data', piece => pieces.push(piece))
          answer.on('end', () => resolve(this.rewritten(answer, Buffer.concat(pieces))))
        },
      )
      sent.on('error', reject).end(body)
    })
  }

  private rewritten(
    {statusCode, headers}: {statusCode?: number | undefined; headers: NodeJS.Dict<string | string[]>},
    body: Buffer,
  ): Reply {
    const kept = Object.entries(headers).filter(
      ([name]) => !/^(connection|keep-alive|transfer-|content-length)/.test(name),
    )
    const isText = /json|text/.test(String(headers['content-type']))
    return {
      status: statusCode ?? 500,
      headers: Object.fromEntries(kept.map(([name, value]) => [name, String(value)])),
      body: isText ? Buffer.from(body.toString().replaceAll(this.options.upstream, this.origin)) : body,
    }
  }
}

/** Status line and headers, with the length of the body unless `headers` say another. */
export function replyHead({status, headers, body}: Reply): Buffer {
  const all = {'content-length': String(body.length), ...headers}
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`HTTP/1.1 ${status} ${status < 300 ? 'OK' : 'No'}\r\n${lines.join('')}\r\n`, 'latin1')
}

export function replyBytes(reply: Reply): Buffer {
  return Buffer.concat([replyHead(reply), reply.body])
}

async function play(socket: Socket, steps: Iterable<Step>): Promise<void> {
  const gone = new Promise<void>(resolve => socket.once('close', () => resolve()))
  for (const step of steps) {
    if (socket.destroyed) return
    if (step === 'hold') return
    if (step === 'reset') return void socket.resetAndDestroy()
    if (step === 'end') break
    if (typeof step === 'number') {
      await Promise.race([gone, new Promise(resolve => setTimeout(resolve, step).unref())])
      continue
    }
    // Inside the write's own callback Node ends a connection in good order, also where it is to be reset.
    const written = new Promise<void>(resolve => socket.write(step, () => setImmediate(resolve)))
    await Promise.race([gone, written])
  }
  socket.end()
}

function readRequest(received: Buffer): Omit<ProxyRequest, 'struck'> | undefined {
  const end = received.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [first = '', ...lines] = received.subarray(0, end).toString('latin1').split('\r\n')
  const headerLines = lines.map(line => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
  })
  const headers = Object.fromEntries(headerLines)
  const body = received.subarray(end + 4)
  if (body.length < Number(headers['content-length'] ?? 0)) return undefined
  const [method = '', path = ''] = first.split(' ')
  return {method, path, headers, headerLines, body: body.toString()}
}
