/**
 * One exchange on the wire. The only importer of undici.
 *
 * Every exchange opens its own connection and closes it. A kept-alive connection can be closed by the other side at
 * the moment it is used again, and then nobody can tell whether the request arrived; and undici may put such a request
 * on a new connection by itself. With fresh connections `sent` is exact: undici calls `onRequestStart` when the
 * connected (tunnelled, TLS-finished) socket is about to be written to, and not before.
 *
 * An answer with neither a length nor chunks ends where the connection ends, so its being cut cannot be seen here: those
 * who read it look at its end (JSON parses, a PDF has `%%EOF`).
 */
import process from 'node:process'
import {setFlagsFromString} from 'node:v8'
import type {buildConnector, Client, Dispatcher} from 'undici'
// @ts-expect-error: the parts have no types of their own.
import untypedConnector from 'undici/lib/core/connect.js'
// The package's own entry loads fetch, WebSockets and caches beside: three times as much as is used here.
// @ts-expect-error: the parts have no types of their own.
import UntypedClient from 'undici/lib/dispatcher/client.js'
import {usage} from '../contract/failure.js'
import {ExchangeError, type Transport, type WireRequest} from './api.js'
import {Exchange} from './exchange.js'
import {withoutInterim} from './interim.js'
import {isLoopbackHost} from './loopback.js'
import {type ProxyServer, proxyFor} from './proxy.js'

export interface TransportOptions {
  /** PEM certificates to trust, all of them; the runtime's own unless told. */
  readonly ca?: string[] | undefined
  /** Proxy settings are read from here. */
  readonly env: NodeJS.ProcessEnv
  /** Takes any certificate of a server on this machine; other hosts are refused. */
  readonly insecure?: boolean
}

const OneClient = UntypedClient as typeof Client
const connectorFor = untypedConnector as typeof buildConnector

/** For a second look at a certificate that was refused (ours). */
const LOOK_MILLISECONDS = 3000

/** Largest head of an answer we read (ours). */
const MAX_HEADER_BYTES = 64 * 1024

/**
 * A transport over TCP and TLS ≥ 1.2: no retry, no redirect, no decompression; `close()` ends what is under way.
 * Throws a usage Failure for a bad proxy setting, and where certificate checks are switched off.
 */
export function createTransport(options: TransportOptions): Transport & {close(): Promise<void>} {
  requireParser()
  optimiseParserLater()
  const {ca} = options
  const open = new Set<Dispatcher>()

  const transport: Transport = async (request, limits) => {
    const url = new URL(request.url)
    refuseUncheckedCertificates(url, options)
    const proxy = proxyFor(url, options.env)
    const dispatcher = await createDispatcher(url, proxy, {ca, insecure: options.insecure ?? false})
    open.add(dispatcher)
    try {
      const exchange = new Exchange(url, limits, proxy?.origin)
      return await exchange.run(() => dispatcher.dispatch(toDispatch(url, request), exchange))
    } catch (error) {
      if (!(error instanceof ExchangeError) || error.fault !== 'tls') throw error
      const milliseconds = Math.min(limits.connectMilliseconds, LOOK_MILLISECONDS)
      const {withCertificate} = await import('./refused-certificate.js')
      throw await withCertificate(error, {url, proxy, ca, milliseconds})
    } finally {
      open.delete(dispatcher)
      // Not waited for: a hanging peer must not delay the answer.
      dispatcher.destroy().catch(() => {})
    }
  }

  const close = async () => {
    const reason = new ExchangeError('reset', true, 'the transport was closed')
    await Promise.all([...open].map(dispatcher => dispatcher.destroy(reason)))
  }
  return Object.assign(transport, {close})
}

/** Without it undici ends every connection as if the other side had. */
function requireParser(): void {
  if ('WebAssembly' in globalThis) return
  const message = 'this Node.js runs without WebAssembly, which reads the answers of the service'
  throw usage('no_webassembly', message, 'take --jitless out of NODE_OPTIONS')
}

/**
 * undici parses with WebAssembly, and Node 20 begins to optimise the parser within the first answer: 75 ms of one core,
 * which the end of the process waits for. Later Nodes begin after 13 MB of work; here Node 20 does so, too.
 */
function optimiseParserLater(): void {
  if (process.versions.node.startsWith('20.')) setFlagsFromString('--wasm-tiering-budget=13000000')
}

function toDispatch(url: URL, request: WireRequest): Dispatcher.DispatchOptions {
  return {
    origin: url.origin,
    path: url.pathname + url.search,
    method: request.method,
    // Compressed answers are refused, so none is asked for: nothing is ever inflated.
    headers: {...request.headers, 'accept-encoding': 'identity'},
    body: request.body ?? null,
    reset: true,
  }
}

async function createDispatcher(
  url: URL,
  proxy: ProxyServer | undefined,
  {ca, insecure}: {ca: string[] | undefined; insecure: boolean},
): Promise<Dispatcher> {
  // Phases are timed by the exchange itself: undici's timers are coarse and know nothing of a total.
  const timers = {headersTimeout: 0, bodyTimeout: 0, connectTimeout: 0}
  const tls = {
    timeout: 0,
    minVersion: 'TLSv1.2' as const,
    // Said outright, so that NODE_TLS_REJECT_UNAUTHORIZED has no say.
    rejectUnauthorized: !insecure,
    ...(ca === undefined ? {} : {ca}),
  }
  const common = {...timers, maxHeaderSize: MAX_HEADER_BYTES, pipelining: 1}
  if (proxy === undefined)
    return new OneClient(url.origin, {...common, connect: readingPast(connectorFor(tls))})
  const {ProxyAgent} = await import('undici')
  return new ProxyAgent({
    ...common,
    uri: proxy.origin,
    ...(proxy.authorization === undefined ? {} : {token: proxy.authorization}),
    requestTls: tls,
    proxyTls: tls,
    // What it makes for the way through the tunnel, with the connector that opens the tunnel.
    factory: (origin: string, {connect, ...options}: Client.Options) =>
      new OneClient(origin, {...options, connect: readingPast(connect as buildConnector.connector)}),
  } as ConstructorParameters<typeof ProxyAgent>[0])
}

/** `connect`, whose sockets leave out what undici cannot read past. */
function readingPast(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...[error, socket]) =>
      error ? callback(error, null) : callback(null, withoutInterim(socket)),
    )
}

function refuseUncheckedCertificates(url: URL, {env, insecure}: TransportOptions): void {
  if (isLoopbackHost(url.hostname)) return
  if (insecure) {
    throw usage(
      'insecure_not_loopback',
      '--insecure is for servers of this machine alone: elsewhere anyone could read the credentials; nothing was sent',
      'name the authority you trust with --ca-file',
    )
  }
  if (env.NODE_TLS_REJECT_UNAUTHORIZED !== '0') return
  throw usage(
    'certificate_check_disabled',
    'NODE_TLS_REJECT_UNAUTHORIZED=0 would let anyone read the credentials; nothing was sent',
    'unset it, and name the authority you trust with --ca-file',
  )
}
