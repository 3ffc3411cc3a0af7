/**
 * A relay in front of a receiver. It passes on requests and answers byte by byte as they arrive, and checks the
 * signature of each request (§6.3). Bodies of any length pass through; only short ones are kept in memory.
 */
import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request as requestHttp,
  type ServerResponse,
} from 'node:http'
import {createServer as createTlsServer, request as requestHttps} from 'node:https'
import type {AddressInfo} from 'node:net'
import {isLoopbackHost, TLS_RULES} from '../../contract/network.js'
import {pathOf} from '../receive/server.js'
import {
  gatherHeaders,
  type HeaderMap,
  headerOf,
  pairsOf,
  type WebhookHeaderNames,
} from '../signature/headers.js'
import {createVerifier, type NamedSecret, type Verdict} from '../signature/signature.js'
import {endToEnd} from './request.js'

/** A request that was passed on, and its answer. */
export interface Relayed {
  readonly method: string
  /** The path and query as received. */
  readonly path: string
  readonly rawHeaders: readonly string[]
  /** When the headers of the request arrived, in Unix seconds. */
  readonly receivedAt: number
  /** The verdict on the signature. Undefined if the sender did not send the whole body. */
  readonly verdict: Verdict | undefined
  /** The body. Undefined if it was too long to keep, or incomplete. */
  readonly body: Buffer | undefined
  readonly bodyBytes: number
  /**
   * The status that the sender got: the receiver's, or 502 or 504 with an `error`. Null if the sender hung up before.
   */
  readonly status: number | null
  readonly answerHeaders: HeaderMap
  /** Milliseconds from the headers of the request to those of the answer, or until one side gave up. */
  readonly milliseconds: number
  /** Why there was no answer or the exchange is incomplete: `ECONNREFUSED`, `timeout`, or a word of BREAKS. */
  readonly error: string | null
}

/** How an exchange can break after it began. */
export const BREAKS = {
  /** The sender closed the connection before it had the whole answer. */
  senderGone: 'sender_gone',
  /** The receiver closed the connection in the middle of its answer. */
  answerCut: 'answer_cut',
} as const

export interface RelayOptions {
  /** The URL of the receiver. Its path and query are not used; those of each request are kept. */
  readonly receiver: URL
  /** Certificates to trust for the receiver (default: those of Node). */
  readonly trusted?: readonly string[] | undefined
  /**
   * How long the receiver may take to answer after the request was sent, and may pause while bytes are being sent or
   * received.
   */
  readonly silenceMilliseconds: number
  readonly names: WebhookHeaderNames
  /** Called for every request, because the stored secrets may change. */
  readonly secrets: () => readonly NamedSecret[]
  /** Returns Unix seconds. */
  readonly clock: () => number
  readonly limits: {
    readonly maxConnections: number
    /** Maximum length of a body that is kept in memory. */
    readonly maxBodyBytes: number
    /** Maximum size of all kept bodies together. A body is kept until `onRelayed` has resolved. */
    readonly maxHeldBytes: number
  }
  /** Called after each exchange. The body stays in memory until the promise resolves. */
  readonly onRelayed: (relayed: Relayed) => Promise<void>
  /** Called when a connection was refused because too many are open. */
  readonly onDropped: () => void
}

/** Starts to listen. Rejects with the system's error if that fails. */
export async function serveRelay(
  options: RelayOptions,
  address: {
    readonly host: string
    readonly port: number
    readonly tls?: {readonly cert: string; readonly key: string} | undefined
  },
) {
  const {tls} = address
  const server = tls ? createTlsServer({...tls, minVersion: TLS_RULES.minVersion}) : createServer()
  // node:http silently drops headers beyond a maximum number. There is none here, because their size is limited.
  server.maxHeadersCount = 0
  server.maxConnections = options.limits.maxConnections
  const budget = {free: options.limits.maxHeldBytes}
  const onRequest = (request: IncomingMessage, response: ServerResponse) =>
    void relay(options, budget, request, response)
  server.on('drop', () => options.onDropped())
  server.on('request', onRequest)
  // The receiver decides whether the body should be sent: its 100 is passed on.
  server.on('checkContinue', onRequest)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(address.port, address.host, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    /** Accepts no further connections, and cuts those that are still open after `milliseconds`. */
    async close(milliseconds: number) {
      const closed = new Promise(resolve => void server.close(resolve))
      const cut = setTimeout(() => server.closeAllConnections(), milliseconds)
      await closed
      clearTimeout(cut)
    },
  }
}

/** Passes on one request and its answer. Resolves when both have ended. */
async function relay(
  options: RelayOptions,
  budget: {free: number},
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const started = performance.now()
  const {names, limits, clock} = options
  const {rawHeaders, method = '', url = '/'} = request
  const receivedAt = clock()
  const header = headerOf(gatherHeaders(pairsOf(rawHeaders)), names.signature)
  const verifier = createVerifier({secrets: options.secrets(), header, now: receivedAt})
  const path = pathOf(url)
  const outgoing = openRequest(options, request, path)
  let pieces: Buffer[] | undefined = []
  let held = 0
  let bodyBytes = 0
  const answer = {
    status: null as number | null,
    error: null as string | null,
    milliseconds: 0,
    headers: {} as HeaderMap,
  }
  const conclude = (status: number | null, error: string | null) => {
    clearTimeout(patience)
    answer.status = status
    answer.error = error
    answer.milliseconds = performance.now() - started
  }
  const fail = (error: string) => {
    if (answer.status !== null || answer.error !== null) return
    conclude(error === 'timeout' ? 504 : 502, error)
    response.writeHead(answer.status ?? 502, {'Content-Length': '0'})
    endAfter(request, response)
  }

  // If the receiver answers without waiting for the whole body, the rest is read, so that the sender sees the answer.
  const stopSending = () => {
    request.unpipe(outgoing)
    request.resume()
    outgoing.destroy()
  }

  request.on('data', (piece: Buffer) => {
    verifier.update(piece)
    bodyBytes += piece.length
    if (pieces === undefined) return
    if (bodyBytes <= limits.maxBodyBytes && piece.length <= budget.free) {
      pieces.push(piece)
      held += piece.length
      budget.free -= piece.length
      return
    }
    pieces = undefined
    budget.free += held
    held = 0
  })
  request.on('error', () => {})
  request.pipe(outgoing)

  const giveUp = () => void outgoing.destroy(new Error('timeout'))
  let patience: NodeJS.Timeout | undefined
  outgoing.setTimeout(options.silenceMilliseconds, giveUp)
  request.on('end', () => {
    if (answer.status === null) patience = setTimeout(giveUp, options.silenceMilliseconds)
  })
  outgoing.on('continue', () => response.writeContinue())
  outgoing.on('response', received => {
    conclude(received.statusCode ?? null, null)
    answer.headers = received.headers as HeaderMap
    passBack(received, request, response)
    received.on('error', () => {
      answer.error ??= BREAKS.answerCut
      response.destroy()
    })
    received.on('close', stopSending)
  })
  // Node reports a 101 not as a 'response' event but as an 'upgrade'. No upgrade was requested.
  outgoing.on('upgrade', (_, socket) => {
    socket.destroy()
    fail('HPE_INVALID_STATUS')
    stopSending()
  })
  outgoing.on('error', (error: NodeJS.ErrnoException) => fail(error.code ?? error.message))
  outgoing.on('close', stopSending)
  response.on('error', () => {})
  response.on('close', () => {
    if (!response.writableFinished && answer.error === null) {
      if (answer.status === null) conclude(null, BREAKS.senderGone)
      else answer.error = BREAKS.senderGone
    }
    outgoing.destroy()
  })

  await Promise.all([closed(request), closed(response)])
  const isWhole = request.complete
  await options.onRelayed({
    method,
    path,
    rawHeaders,
    receivedAt,
    verdict: isWhole ? verifier.finish() : undefined,
    body: isWhole && pieces ? Buffer.concat(pieces) : undefined,
    bodyBytes,
    status: answer.status,
    answerHeaders: answer.headers,
    milliseconds: answer.milliseconds,
    error: answer.error,
  })
  budget.free += held
}

/** Resolves when `stream` is closed, at once if it is closed already. */
function closed(stream: IncomingMessage | ServerResponse): Promise<void> {
  return new Promise(resolve => {
    if (stream.closed) resolve()
    else stream.once('close', resolve)
  })
}

/** Opens the request to the receiver, with the method, path and headers of the received request. */
function openRequest(
  {receiver, trusted}: RelayOptions,
  request: IncomingMessage,
  path: string,
): ClientRequest {
  const pairs = endToEnd(request.rawHeaders)
  // A receiver on another machine gets its own host name in `Host`, because several servers may share its address.
  const host = isLoopbackHost(receiver.hostname) ? (request.headers.host ?? receiver.host) : receiver.host
  const headers = pairs.flatMap(([name, value]) => [name, name.toLowerCase() === 'host' ? host : value])
  if (request.headers.host === undefined) headers.push('Host', host)
  const {'transfer-encoding': coding, 'content-length': length} = request.headers
  if (coding !== undefined) headers.push('Transfer-Encoding', coding)
  // Otherwise Node would announce a chunked body.
  else if (length === undefined && !BODILESS.has(request.method ?? '')) headers.push('Content-Length', '0')
  const isTls = receiver.protocol === 'https:'
  const hostname = receiver.hostname.replace(/^\[|\]$/g, '')
  const options = {
    hostname,
    port: receiver.port || (isTls ? 443 : 80),
    method: request.method,
    path,
    headers: headers as never,
    // Each request has its own connection. A reused one could be closing, and a body that was passed on cannot be sent
    // again.
    agent: false as const,
  }
  if (!isTls) return requestHttp(options)
  return requestHttps({...options, ...TLS_RULES, ...(trusted ? {ca: [...trusted]} : {})})
}

/** Methods for which Node does not announce a body by itself. */
const BODILESS = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE'])

/** Passes the receiver's answer to the sender unchanged. */
function passBack(received: IncomingMessage, request: IncomingMessage, response: ServerResponse): void {
  response.sendDate = false
  const headers = endToEnd(received.rawHeaders).flat()
  response.writeHead(received.statusCode ?? 502, received.statusMessage, headers)
  // The headers are sent before the body arrives, as the receiver did.
  response.flushHeaders()
  received.on('end', () => endAfter(request, response))
  received.pipe(response, {end: false})
}

/** If an answer comes before the end of the request, how long its end waits for the request. */
const LINGER_MILLISECONDS = 1000

/**
 * Ends the answer when the whole request has arrived, or after LINGER_MILLISECONDS. Closing a connection with unread
 * bytes would reset it, and the answer would be lost.
 */
function endAfter(request: IncomingMessage, response: ServerResponse): void {
  response.flushHeaders()
  const end = () => {
    clearTimeout(timer)
    response.end()
  }
  const timer = setTimeout(end, request.complete ? 0 : LINGER_MILLISECONDS)
  request.once('end', end).once('close', end)
  if (request.complete) end()
}
