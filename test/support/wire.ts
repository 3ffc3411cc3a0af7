/**
 * A server on 127.0.0.1 that controls the raw bytes of each connection. It records requests and either answers with scripted
 * bytes, or forwards them to a service and injects the faults in `strike` and `connection`. Links to the service in its answers
 * are rewritten to lead through the wire.
 */
import {request as httpRequest, type IncomingMessage} from 'node:http'
import {createServer, type Server, type Socket} from 'node:net'
import {createServer as createTlsServer, type TlsOptions, type Server as TlsServer} from 'node:tls'
import {findFreePort} from '../../src/cli/features/sandbox/port.js'
import {waitUntil} from './wait.js'

export interface WireRequest {
  /** Request line and headers, as received. */
  readonly head: string
  readonly method: string
  /** The path with its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** The headers in order, including repeated ones. */
  readonly headerLines: readonly (readonly [string, string])[]
  readonly body: string
  /** Whether the fault in `strike` applied to this request. */
  readonly struck: boolean
}

/** A complete answer. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** Bytes to send, milliseconds to wait, or the end of the connection. `hang` leaves the connection open. */
export type Step = Uint8Array | number | 'reset' | 'end' | 'hang'

export interface Place {
  /** The origin of the wire. */
  readonly origin: string
  /** The origin of another server, for answers that lead there. */
  readonly other: string
  readonly request: WireRequest
}

export interface WireFault {
  /** Whether the service gets the request, and acts on it, before the fault applies. */
  readonly forwards: boolean
  /** Returns the steps that the client sees. `reply` is empty unless `forwards` is set. */
  play(reply: Reply, place: Place): Iterable<Step>
  /** The fault for the second and later requests. */
  readonly afterwards?: WireFault
}

/** A fault, and the requests that it applies to: all that match, or only the `nth`. */
export interface Strike {
  readonly fault: WireFault
  readonly method?: string
  readonly path?: RegExp
  readonly nth?: number
  /** The number of matching requests so far. */
  met?: number
}

/**
 * Faults before any request: the connection is reset or ended at once, never answered, never read, or speaks plain HTTP instead
 * of TLS.
 */
export type ConnectionFault = 'reset' | 'end' | 'hang' | 'deaf' | 'plain'

export interface WireOptions {
  /** The service behind the wire: `http://127.0.0.1:PORT`. */
  readonly upstream?: string
  readonly other?: string
  readonly tls?: TlsOptions | undefined
  /** Returns the fault for a request; `strike` applies to those without one. */
  readonly faultOf?: (request: Omit<WireRequest, 'struck'>) => WireFault | undefined
  /** Answers in place of a service. `n` is the number of the request, from 1. */
  readonly answer?: (request: WireRequest, n: number) => Iterable<Step>
  /** Called with each request and the answer of the service. */
  readonly onExchange?: (request: WireRequest, reply: Reply) => void
}

const NOTHING: Reply = {status: 200, headers: {}, body: Buffer.alloc(0)}

export class Wire {
  readonly requests: WireRequest[] = []
  /** The number of connections, with or without a request. */
  connections = 0
  strike: Strike | undefined
  /** The fault that applies to every new connection, or undefined. */
  connection: ConnectionFault | undefined
  private readonly sockets = new Set<Socket>()
  private readonly server: Server = createServer(socket => this.accept(socket))
  /** This server never listens: it gets the connections of `server`. */
  private tlsServer: TlsServer | undefined
  private forwarding = 0

  private constructor(
    private readonly options: WireOptions,
    readonly port: number,
  ) {}

  static async start(options: WireOptions): Promise<Wire> {
    // The port is chosen from a range that the system does not assign, so that no other program gets it once the wire is closed.
    const wire = new Wire(options, await findFreePort())
    if (options.tls) wire.showInstead(options.tls)
    await new Promise<void>((resolve, reject) =>
      wire.server.once('error', reject).listen(wire.port, '127.0.0.1', resolve),
    )
    return wire
  }

  get origin(): string {
    return `${this.options.tls ? 'https' : 'http'}://127.0.0.1:${this.port}`
  }

  /** Uses these TLS options for new connections. */
  showInstead(tls: TlsOptions): void {
    this.tlsServer = createTlsServer(tls)
      .on('secureConnection', (socket: Socket) => this.serve(socket))
      .on('tlsClientError', () => {})
  }

  /** Resolves when no connection is open and the service has answered every forwarded request. */
  async quiet(): Promise<void> {
    await waitUntil(() => this.sockets.size === 0 && this.forwarding === 0, 'the last connection to end')
  }

  /** Resolves when the service has answered every forwarded request. */
  async answered(): Promise<void> {
    await waitUntil(() => this.forwarding === 0, 'the last answer of the service')
  }

  /** Stops listening. New connections are refused. */
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
    else if (connection === 'hang') socket.resume()
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
      received = Buffer.alloc(0)
      // With a service behind it, the connection ends after one answer, and further requests on it are not answered.
      if (!this.options.answer) socket.removeAllListeners('data').resume()
      void this.answer(socket, request).catch(() => socket.destroy())
    })
  }

  private async answer(socket: Socket, came: Omit<WireRequest, 'struck'>): Promise<void> {
    const {strike, options} = this
    const chosen = options.faultOf?.(came)
    const isStrike = chosen === undefined && strike !== undefined && strikes(strike, came)
    const struck = chosen !== undefined || isStrike
    const isFirst = !this.requests.some(each => each.struck)
    const request = {...came, struck}
    this.requests.push(request)
    if (options.answer) return play(socket, options.answer(request, this.requests.length))
    const fault = isStrike ? (!isFirst && strike.fault.afterwards) || strike.fault : chosen
    const reply = fault?.forwards === false ? NOTHING : await this.forward(request)
    options.onExchange?.(request, reply)
    const place = {origin: this.origin, other: options.other ?? 'http://127.0.0.1:1', request}
    await play(socket, fault ? fault.play(reply, place) : [replyBytes(reply)])
  }

  /** Forwards a request and returns the answer of the service. */
  private async forward({method, path, headerLines, body}: WireRequest): Promise<Reply> {
    const {host, hostname, port} = new URL(this.options.upstream ?? '')
    const kept = headerLines.filter(([name]) => !/^(host|connection)$/.test(name))
    const headers = [['host', host], ['connection', 'close'], ...kept].flat()
    this.forwarding++
    try {
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        const sent = httpRequest({host: hostname, port, method, path, agent: false, headers}, resolve)
        sent.on('error', reject).end(body)
      })
      return this.rewritten(answer, Buffer.concat(await answer.toArray()))
    } finally {
      this.forwarding--
    }
  }

  private rewritten({statusCode = 500, headers}: IncomingMessage, body: Buffer): Reply {
    const kept = Object.entries(headers).filter(
      ([name]) => !/^(connection|keep-alive|transfer-|content-length)/.test(name),
    )
    const isText = /json|text/.test(String(headers['content-type']))
    return {
      status: statusCode,
      headers: Object.fromEntries(kept.map(([name, value]) => [name, String(value)])),
      body: isText ? Buffer.from(body.toString().replaceAll(this.options.upstream ?? '', this.origin)) : body,
    }
  }
}

function strikes(strike: Strike, {method, path}: Omit<WireRequest, 'struck'>): boolean {
  if ((strike.method ?? method) !== method || strike.path?.test(path) === false) return false
  strike.met = (strike.met ?? 0) + 1
  return strike.met === (strike.nth ?? strike.met)
}

/** The answer to a request: bytes and the ending after them (default: an orderly end), or only an ending. */
export type Script = {readonly bytes: string | Uint8Array; readonly after?: Ending} | Ending
type Ending = 'end' | 'hang' | 'reset'

/** Starts a wire without a service. `script` decides on the answer to each request. */
export function startWireServer(script: (request: WireRequest, n: number) => Script, tls?: TlsOptions) {
  const answer = (request: WireRequest, n: number): Step[] => {
    const chosen = script(request, n)
    return typeof chosen === 'string'
      ? [chosen]
      : [Buffer.from(chosen.bytes as string), chosen.after ?? 'end']
  }
  return Wire.start({answer, tls})
}

/** Returns a complete answer with Content-Length. */
export function httpAnswer(
  status: number,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Buffer {
  return replyBytes({status, headers, body: Buffer.from(body as string)})
}

export function jsonAnswer(status: number, json: unknown, headers: Readonly<Record<string, string>> = {}) {
  return {bytes: httpAnswer(status, JSON.stringify(json), {'content-type': 'application/json', ...headers})}
}

/** Returns status line and headers. Content-Length is that of the body, unless `headers` has another. */
export function replyHead({status, headers, body}: Reply): Buffer {
  return headBytes(status, {'content-length': String(body.length), ...headers})
}

export function headBytes(status: number, headers: Readonly<Record<string, string>>): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`HTTP/1.1 ${status} ${status < 300 ? 'OK' : 'No'}\r\n${lines.join('')}\r\n`, 'latin1')
}

export function replyBytes(reply: Reply): Buffer {
  return Buffer.concat([replyHead(reply), reply.body])
}

async function play(socket: Socket, steps: Iterable<Step>): Promise<void> {
  const gone = new Promise<void>(resolve => socket.once('close', () => resolve()))
  for (const step of steps) {
    if (socket.destroyed || step === 'hang') return
    if (step === 'reset') return void socket.resetAndDestroy()
    if (step === 'end') break
    if (typeof step === 'number') {
      await Promise.race([gone, new Promise(resolve => setTimeout(resolve, step).unref())])
      continue
    }
    // In the callback of the write itself, Node would end a connection in good order even if it should be reset.
    const written = new Promise<void>(resolve => socket.write(step, () => setImmediate(resolve)))
    await Promise.race([gone, written])
  }
  socket.end()
}

function readRequest(received: Buffer): Omit<WireRequest, 'struck'> | undefined {
  const end = received.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const head = received.subarray(0, end).toString('latin1')
  const [first = '', ...lines] = head.split('\r\n')
  const headerLines = lines.map(line => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
  })
  const headers = Object.fromEntries(headerLines)
  const body = received.subarray(end + 4)
  if (body.length < Number(headers['content-length'] ?? 0)) return undefined
  const [method = '', path = ''] = first.split(' ')
  return {head, method, path, headers, headerLines, body: body.toString()}
}
