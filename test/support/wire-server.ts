/** A raw server for tests of the wire: it records each request and answers with scripted bytes, or misbehaves. */
import {type AddressInfo, createServer as createTcpServer, type Socket} from 'node:net'
import {createServer as createTlsServer, type TlsOptions} from 'node:tls'

export interface WireRecord {
  /** The head as received: request line and headers. */
  readonly head: string
  readonly headers: Readonly<Record<string, string>>
  readonly target: string
  readonly body: string
}

/** What a connection gets for one request. */
export type Script =
  /** These bytes, then the end of the connection. */
  | {readonly bytes: string | Uint8Array; readonly after?: 'end' | 'hang' | 'reset'}
  /** Nothing, for ever. */
  | 'hang'
  /** A TCP reset. */
  | 'reset'
  /** An orderly end without an answer. */
  | 'end'

export interface WireServer {
  readonly port: number
  readonly records: WireRecord[]
  /** Connections that were made, whether or not a request came. */
  readonly connections: () => number
  close(): Promise<void>
}

/** Listens on 127.0.0.1; `script` decides about each request. Every connection takes one request. */
export async function startWireServer(
  script: (record: WireRecord, n: number) => Script,
  tls?: TlsOptions,
): Promise<WireServer> {
  const records: WireRecord[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  const serve = (socket: Socket) => {
    let received = Buffer.alloc(0)
    socket.on('data', piece => {
      received = Buffer.concat([received, piece])
      const record = parseRequest(received)
      if (!record) return
      received = Buffer.alloc(0)
      records.push(record)
      play(socket, script(record, records.length))
    })
  }
  const track = (socket: Socket) => {
    connections++
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  }
  const server = tls
    ? createTlsServer(tls, serve).on('connection', track)
    : createTcpServer(serve).on('connection', track)
  server.on('tlsClientError', () => {})
  server.on('secureConnection', (socket: Socket) => socket.on('error', () => {}))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    records,
    connections: () => connections,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

/** A whole answer with Content-Length. */
export function httpAnswer(
  status: number,
  body: string | Uint8Array,
  headers: Record<string, string> = {},
): Buffer {
  const bytes = Buffer.from(body as string)
  const lines = Object.entries({'content-length': String(bytes.length), ...headers}).map(
    ([name, value]) => `${name}: ${value}`,
  )
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} X\r\n${lines.join('\r\n')}\r\n\r\n`), bytes])
}

export function jsonAnswer(
  status: number,
  json: unknown,
  headers: Record<string, string> = {},
): {bytes: Buffer} {
  return {bytes: httpAnswer(status, JSON.stringify(json), {'content-type': 'application/json', ...headers})}
}

function play(socket: Socket, script: Script): void {
  if (script === 'hang') return
  if (script === 'reset') return void socket.resetAndDestroy()
  if (script === 'end') return void socket.end()
  const after = script.after ?? 'end'
  if (after === 'end') socket.end(script.bytes)
  // Inside the write's own callback Node ends the connection in good order instead.
  else socket.write(script.bytes, () => after === 'reset' && setImmediate(() => socket.resetAndDestroy()))
}

function parseRequest(received: Buffer): WireRecord | undefined {
  const end = received.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const head = received.subarray(0, end).toString('latin1')
  const [requestLine = '', ...lines] = head.split('\r\n')
  const headers = Object.fromEntries(
    lines.map(line => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  )
  const body = received.subarray(end + 4)
  if (body.length < Number(headers['content-length'] ?? 0)) return undefined
  return {head, headers, target: requestLine.split(' ')[1] ?? '', body: body.toString()}
}
