/**
 * Serves health and metrics at `/healthz`, `/readyz` and `/metrics`. They have a port of their own, because others may
 * reach the port for events.
 */
import {createServer, type IncomingMessage, type ServerResponse} from 'node:http'
import type {AddressInfo} from 'node:net'
import {METRICS_TYPE} from './metrics.js'

/** A reason why events cannot be acknowledged now. `reason` is one of a few fixed words, `message` is for people. */
export interface Problem {
  readonly reason: string
  readonly message: string
}

/** What the server asks for. */
export interface Observed {
  /** Returns why the process is not ready; empty if it is ready. */
  problems(): readonly Problem[]
  /** Returns the metrics as text. */
  metrics(): Promise<string>
}

export interface AdminAddress {
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
}

/** Maximum number of connections. Probes and a few scrapers need no more. */
const MOST_CONNECTIONS = 64
const LIMITS = {headersTimeout: 2000, requestTimeout: 2000, connectionsCheckingInterval: 500}

export type ServedAdmin = Awaited<ReturnType<typeof serveAdmin>>

/** Starts to listen. Rejects with the system's error if that fails. */
export async function serveAdmin(observed: Observed, {host, port}: AdminAddress) {
  const server = createServer(LIMITS, (request, response) => void answer(observed, request, response))
  server.maxConnections = MOST_CONNECTIONS
  server.keepAliveTimeout = 30_000
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve)
  })
  const served = (server.address() as AddressInfo).port
  return {
    port: served,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${served}`,
    /** Stops listening and cuts all connections. */
    close: () =>
      new Promise<void>(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function answer(observed: Observed, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const {method = '', url = ''} = request
  const [path] = url.split('?', 1)
  const send = (status: number, type: string, text: string, headers = {}) => {
    const length = Buffer.byteLength(text)
    response.writeHead(status, {...headers, 'Content-Type': type, 'Content-Length': length})
    response.end(method === 'HEAD' ? undefined : text)
  }
  const plain = 'text/plain; charset=utf-8'
  if (path !== '/healthz' && path !== '/readyz' && path !== '/metrics')
    return send(404, plain, 'not found; there are /healthz, /readyz and /metrics\n')
  if (method !== 'GET' && method !== 'HEAD') return send(405, plain, 'only GET\n', {Allow: 'GET, HEAD'})
  if (path === '/healthz') return send(200, plain, 'ok\n')
  if (path === '/metrics') return send(200, METRICS_TYPE, await observed.metrics())
  const reasons = observed.problems()
  const isReady = reasons.length === 0
  send(isReady ? 200 : 503, 'application/json', `${JSON.stringify({ready: isReady, reasons})}\n`)
}
