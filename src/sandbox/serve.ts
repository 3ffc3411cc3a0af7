/** Serves a sandbox on a loopback port. Only this file and the deliveries use node:http. */
import {once} from 'node:events'
import {createServer, type ServerResponse, STATUS_CODES} from 'node:http'
import type {AddressInfo} from 'node:net'
import type {Duplex} from 'node:stream'
import {getRequestListener, type HttpBindings, RequestError} from '@hono/node-server'
import {RESPONSE_ALREADY_SENT} from '@hono/node-server/utils/response'
import type {ErrorCode} from '../contract/error-codes.js'
import {ConnectionDrop, Refusal} from './base/answers.js'
import {randomId} from './base/random.js'
import {realMilliseconds} from './base/real-time.js'
import {API_PATH, type Link} from './http/requests.js'
import type {Sandbox} from './sandbox.js'

/**
 * Time limits for a request in milliseconds, from its first byte until it is complete. Node checks them at an interval,
 * so a request may be cut one interval later.
 */
const LIMITS = {headersTimeout: 4000, requestTimeout: 4000, connectionsCheckingInterval: 500}
/**
 * How long a refusal has to reach the client before the connection is destroyed, even if the client is still sending.
 */
const LINGER_MILLISECONDS = 500

const HOST = '127.0.0.1'

/** Listens on `port` (0 for any free port). Rejects with the system's error if that fails. */
export async function serveSandbox(sandbox: Sandbox, port: number) {
  const listener = getRequestListener(
    (request, env) => {
      const {incoming, outgoing} = env as HttpBindings
      const connection = connections.get(incoming.socket)
      const link: Link = {
        rawHeaders: incoming.rawHeaders,
        goneAt: undefined,
        ...(connection && {connection}),
      }
      if (connection?.isNew) connections.set(incoming.socket, {...connection, isNew: false})
      return answerOrCut(sandbox, request, link, outgoing)
    },
    {
      hostname: HOST,
      overrideGlobalObjects: false,
      errorHandler: error => {
        // A request target can be no URL at all, such as `*` in `OPTIONS *`.
        const badTarget = 'invalid Host header or request target: expected a path, or a whole http:// address'
        const isTarget = error instanceof RequestError
        const {status, headers, body} = isTarget
          ? refusal('invalid_request', badTarget)
          : refusal('internal_error', 'internal error in the local sandbox')
        return new Response(body, {status, headers})
      },
    },
  )
  const responses = new WeakMap<Duplex, ServerResponse>()
  const connections = new WeakMap<Duplex, NonNullable<Link['connection']>>()
  const server = createServer({...LIMITS, requireHostHeader: false}, (request, response) => {
    responses.set(request.socket, response)
    // The scheme of a URL may be in upper or lower case (RFC 9110 §4.2.3).
    request.url = request.url?.replace(/^https?:/i, scheme => scheme.toLowerCase())
    if (request.httpVersion === '1.1' && request.headers.host === undefined) {
      send(response, refusal('invalid_request', 'the Host header is missing'))
    } else void listener(request, response)
  })
  server.on('connection', socket => {
    connections.set(socket, {openedAt: realMilliseconds(), isNew: true})
  })
  server.on('checkExpectation', (_, response) => {
    send(response, refusal('expectation_failed', 'the only expectation that can be met is 100-continue'))
  })
  server.on('connect', (_, socket) =>
    refuseOn(socket, refusal('invalid_request', 'CONNECT is not supported')),
  )
  server.on('clientError', (error: ParserError, socket) => {
    const response = responses.get(socket)
    const refuse = () => {
      if (error.code === 'HPE_HEADER_OVERFLOW')
        return refuseOn(socket, refusal('head_too_large', 'the head of the request is too large'))
      const late = `the request was not complete within ${LIMITS.requestTimeout / 1000} s`
      if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return refuseOn(socket, refusal('request_timeout', late))
      const problem = `the request cannot be parsed as HTTP/1.1: ${error.reason ?? error.code}`
      return refuseOn(socket, refusal('invalid_request', problem))
    }
    const isOver = response === undefined || response.writableFinished
    if (!isOver && response.req.complete) response.once('finish', refuse)
    else if (socket.writable && (isOver || !response.headersSent)) refuse()
    else socket.destroy()
  })
  await once(server.listen(port, HOST), 'listening')
  const address = server.address() as AddressInfo
  const origin = `http://${HOST}:${address.port}`
  sandbox.listenAt(origin)
  return {
    origin,
    baseUrl: origin + API_PATH,
    port: address.port,
    /** Stops listening and cuts all connections. The sandbox itself stays open. */
    close: () =>
      new Promise<void>(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

type WireRefusal = ReturnType<typeof refusal>

/**
 * Returns the refusal of input that is not a valid HTTP request, which the sandbox cannot handle. The connection is
 * closed after the refusal.
 */
function refusal(code: ErrorCode, message: string) {
  const requestId = randomId('req_')
  const {status, json} = new Refusal(code, message).toAnswer(requestId)
  const body = JSON.stringify(json)
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-store',
    'X-Request-Id': requestId,
    Connection: 'close',
  }
  return {status, headers, body}
}

/** `reason` is the parser's explanation in words. */
type ParserError = Error & {readonly code?: string; readonly reason?: string}

function send(response: ServerResponse, {status, headers, body}: WireRefusal): void {
  response.writeHead(status, headers).end(body)
}

function refuseOn(socket: Duplex, {status, headers, body}: WireRefusal): void {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines].join('\r\n')
  socket.on('error', () => undefined).end(`${head}\r\n\r\n${body}`)
  setTimeout(() => socket.destroy(), LINGER_MILLISECONDS).unref()
}

async function answerOrCut(
  sandbox: Sandbox,
  request: Request,
  link: Link,
  outgoing: HttpBindings['outgoing'],
): Promise<Response> {
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) link.goneAt = realMilliseconds()
  })
  try {
    return await sandbox.handle(request, link)
  } catch (error) {
    if (!(error instanceof ConnectionDrop)) throw error
    const {sent} = error
    if (sent) {
      outgoing.writeHead(sent.status, Object.fromEntries(sent.headers))
      const bytes = Buffer.from(await sent.arrayBuffer())
      await new Promise(resolve => outgoing.write(bytes, resolve))
    }
    outgoing.socket?.destroy()
    return RESPONSE_ALREADY_SENT
  }
}
