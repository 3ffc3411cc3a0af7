/**
 * Raw bytes on a wire: a server on 127.0.0.1 that records each request and answers with scripted bytes, or is in front
 * of a service, passes requests on to it, and breaks what `strike` and `connection` say. The service's own address is rewritten in
 * its answers, so that links lead through the wire as well.
 */
import {request as httpRequest, type IncomingMessage} from 'node:http'
import {createServer, type Server, type Socket} from 'node:net'
import {createServer as createTlsServer, type TlsOptions, type Server as TlsServer} from 'node:tls'
import {findFreePort} from '../../src/cli/features/sandbox/port.js'
import {waitUntil} from './wait.js'

export interface WireRequest {
  /** Request line and headers, as they came. */
  readonly head: string
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** In their order, including repeated ones. */
  readonly headerLines: readonly (readonly [string, string])[]
  readonly body: string
  /** Whether `strike` answered it. */
  readonly struck: boolean
}

/** A whole answer. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** Bytes to send, milliseconds to wait, or what happens to the connection; `hang` leaves it open. */
export type Step = Uint8Array | number | 'reset' | 'end' | 'hang'

export interface Place {
  /** Of the wire itself. */
  readonly origin: string
  /** Of another server, for answers that lead there. */
  readonly other: string
  readonly request: WireRequest
}

export interface WireFault {
  /** Whether the service gets the request, and acts on it, before the fault strikes. */
  readonly forwards: boolean
  /** What the client gets. Without `forwards` the reply is empty. */
  play(reply: Reply, place: Place): Iterable<Step>
  /** The fault from the second time on. */
  readonly afterwards?: WireFault
}

/** A fault and the requests it strikes: all that fit, or the `nth` of them alone. */
export interface Strike {
  readonly fault: WireFault
  readonly method?: string
  readonly path?: RegExp
  readonly nth?: number
  /** How many requests it has struck or passed. */
  met?: number
}

/** Before any request: reset or ended at once; never answered; never read; plain HTTP where TLS is expected. */
export type ConnectionFault = 'reset' | 'end' | 'hang' | 'deaf' | 'plain'

export interface WireOptions {
  /** The service behind it: `http://127.0.0.1:PORT`. */
  readonly upstream?: string
  readonly other?: string
  readonly tls?: TlsOptions | undefined
  /** Answers in place of a service; `n` is the number of the request, from 1. */
  readonly answer?: (request: WireRequest, n: number) => Iterable<Step>
  /** Called with each request and what the service answered. */
  readonly onExchange?: (request: WireRequest, reply: Reply) => void
}

const NOTHING: Reply = {status: 200, headers: {}, body: Buffer.alloc(0)}

export class Wire {
  readonly requests: WireRequest[] = []
  /** How many were made, with or without a request. */
  connections = 0
  strike: Strike | undefined
  /** The simulated fault of every connection from now on; undefined for none. */
  connection: ConnectionFault | undefined
  private readonly sockets = new Set<Socket>()
  private readonly server: Server = createServer(socket => this.accept(socket))
  /** Never listens: it gets the connections of `server`. */
  private tlsServer: TlsServer | undefined
  private forwarding = 0

  private constructor(
    private readonly options: WireOptions,
    readonly port: number,
  ) {}

  static async start(options: WireOptions): Promise<Wire> {
    // Chosen before, so that nothing else gets its port by chance once it is closed.
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

  /** Speaks TLS like this from now on. */
  showInstead(tls: TlsOptions): void {
    this.tlsServer = createTlsServer(tls)
      .on('secureConnection', (socket: Socket) => this.serve(socket))
      .on('tlsClientError', () => {})
  }

  /** Resolves when no connection is open and nothing that was passed on is unanswered. */
  async quiet(): Promise<void> {
    await waitUntil(() => this.sockets.size === 0 && this.forwarding === 0, 'the last connection to end')
  }

  /** Resolves when nothing that was passed on is unanswered. */
  async answered(): Promise<void> {
    await waitUntil(() => this.forwarding === 0, 'the last answer of the service')
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
      // In front of a service the connection is about to end, and what comes after the request has no answer.
      if (!this.options.answer) socket.removeAllListeners('data').resume()
      void this.answer(socket, request).catch(() => socket.destroy())
    })
  }

  private async answer(socket: Socket, came: Omit<WireRequest, 'struck'>): Promise<void> {
    const {strike, options} = this
    const struck = strike !== undefined && strikes(strike, came)
    const isFirst = !this.requests.some(each => each.struck)
    const request = {...came, struck}
    this.requests.push(request)
    if (options.answer) return play(socket, options.answer(request, this.requests.length))
    const fault = struck ? (!isFirst && strike.fault.afterwards) || strike.fault : undefined
    const reply = fault?.forwards === false ? NOTHING : await this.forward(request)
    options.onExchange?.(request, reply)
    const place = {origin: this.origin, other: options.other ?? 'http://127.0.0.1:1', request}
    await play(socket, fault ? fault.play(reply, place) : [replyBytes(reply)])
  }

  /** The service's own answer. */
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

/** What one request gets: these bytes and then `after` (default an orderly end), or the end alone. */
export type Script = {readonly bytes: string | Uint8Array; readonly after?: Ending} | Ending
type Ending = 'end' | 'hang' | 'reset'

/** A server without a service behind it; `script` decides about each request. */
export function startWireServer(script: (request: WireRequest, n: number) => Script, tls?: TlsOptions) {
  const answer = (request: WireRequest, n: number): Step[] => {
    const chosen = script(request, n)
    return typeof chosen === 'string'
      ? [chosen]
      : [Buffer.from(chosen.bytes as string), chosen.after ?? 'end']
  }
  return Wire.start({answer, tls})
}

/** A whole answer with Content-Length. */
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

/** Status line and headers, with the length of the body unless `headers` has another. */
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
    // Inside the write's own callback Node ends a connection in good order, even one that is to be reset.
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
