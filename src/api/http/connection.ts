/**
 * Opens a new connection for each exchange, directly or through a proxy. The proxy comes from HTTPS_PROXY, HTTP_PROXY
 * and NO_PROXY, in upper or lower case (lower case wins). No other file imports undici.
 */
import {BlockList, isIP, isIPv4, type LookupFunction, type Socket} from 'node:net'
import {Duplex} from 'node:stream'
import type {buildConnector, Client, Dispatcher} from 'undici'
// Only two files of undici are loaded. All of undici, with fetch, WebSockets and caches, would take 52 ms more (Node
// 20: 105 ms, these files 53, `node -e 0` 27). The package has no `exports`, so their paths resolve. A test checks that
// these files export the same objects as the package.
// @ts-expect-error: the file has no types of its own.
import untypedConnector from 'undici/lib/core/connect.js'
// @ts-expect-error: the file has no types of its own.
import UntypedClient from 'undici/lib/dispatcher/client.js'
import {usage} from '../../contract/failure.js'
import {parseUrl, percentDecoded} from '../../contract/foreign-text.js'
import {mayBeThisMachine, TLS_RULES} from '../../contract/network.js'
import {ExchangeError} from '../types.js'

export type {Dispatcher} from 'undici'

type Connector = buildConnector.connector

const OneClient = UntypedClient as typeof Client
const connectorOf = untypedConnector as typeof buildConnector

const MOST_HEADER_BYTES = 64 * 1024

export interface Trust {
  /** PEM certificates that replace those of Node. */
  readonly ca?: string[] | undefined
  /**
   * Accepts any certificate of the server. The certificate of a proxy is still checked, because the proxy receives
   * credentials.
   */
  readonly insecure?: boolean
}

export interface Place {
  /** `host:port` of the service or of a link. */
  readonly target: string
  /** `scheme://host:port` of the proxy without credentials; undefined for a direct connection. */
  readonly proxy: string | undefined
}

export function placeOf(url: URL, proxy?: string): Place {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  return {target: `${url.hostname}:${port}`, proxy}
}

/**
 * Creates a dispatcher for one exchange with `url`, over TCP or TLS ≥ 1.2. It does not retry, follow redirects or limit
 * the time, and it connects at the first dispatch. `onSocket` receives the connected socket before anything is written
 * to it. `lookup` replaces the system's name resolution.
 */
export async function createDispatcher(
  url: URL,
  proxy: ProxyServer | undefined,
  {ca, insecure = false, lookup}: Trust & {readonly lookup?: LookupFunction | undefined},
  onSocket?: (socket: Socket) => void,
): Promise<Dispatcher> {
  // The exchange has its own timers, because undici's are coarse and do not limit the total time.
  const timers = {headersTimeout: 0, bodyTimeout: 0, connectTimeout: 0}
  const common = {...timers, maxHeaderSize: MOST_HEADER_BYTES, pipelining: 1}
  const checked = {timeout: 0, ...TLS_RULES, ...(ca && {ca})}
  const tls = {...checked, rejectUnauthorized: !insecure, ...(lookup && {lookup})}
  const {target} = placeOf(url)
  const filtered =
    (connect: Connector): Connector =>
    (options, callback) =>
      connect(options, (error, socket) => {
        if (error !== null) return callback(error, null)
        onSocket?.(socket)
        // undici uses the socket only as a stream.
        callback(null, withoutInterim(socket, target) as Socket)
      })
  if (proxy === undefined) return new OneClient(url.origin, {...common, connect: filtered(connectorOf(tls))})
  const {Pool, ProxyAgent} = await import('undici')
  return new ProxyAgent({
    ...common,
    // undici passes the proxy's host to TLS as the server name, even if it is an address. A server name is never an
    // address (RFC 6066): Node 26 refuses one, and [::1] matches no certificate. Without a server name, Node checks the
    // certificate for the host.
    clientFactory(origin, options) {
      const {connect} = options as {connect: Connector}
      return new Pool(origin, {
        connect({servername, ...place}, callback) {
          const isName = servername !== undefined && isIP(place.hostname) === 0
          connect(isName ? {...place, servername} : place, callback)
        },
      })
    },
    // A single client keeps undici from sending the request on another connection. `connect` opens the tunnel.
    factory(origin, options) {
      const {connect, ...rest} = options as {connect: Connector}
      return new OneClient(origin, {...rest, connect: filtered(connect)})
    },
    uri: proxy.origin,
    ...(proxy.authorization !== undefined && {token: proxy.authorization}),
    requestTls: tls,
    proxyTls: checked,
  })
}

export type ProxyServer = ReturnType<typeof parseProxy>

/** Returns the proxy for `url`, or undefined for a direct connection. Loopback addresses are always reached directly. */
export function proxyFor(url: URL, env: NodeJS.ProcessEnv): ProxyServer | undefined {
  if (mayBeThisMachine(url.hostname)) return undefined
  const setting = (name: string) => (env[name] ?? env[name.toUpperCase()] ?? '').trim()
  const name = url.protocol === 'https:' ? 'https_proxy' : 'http_proxy'
  const text = setting(name)
  if (text === '') return undefined
  const host = url.hostname.replace(/^\[|\]$|\.$/g, '').toLowerCase()
  const port = placeOf(url).target.split(':').at(-1)
  const exempt = setting('no_proxy')
    .toLowerCase()
    .split(/[\s,]+/)
  if (exempt.some(entry => isExempt(entry, host, port))) return undefined
  return parseProxy(text, name.toUpperCase())
}

/**
 * Parses a proxy setting from the variable `name`. `origin` may be printed; `authorization`, the value of
 * Proxy-Authorization, must not. Throws a usage error if the setting is not an http or https URL.
 */
function parseProxy(text: string, name: string) {
  // `proxy:3128` without a scheme is common. http is assumed, as curl does.
  const written = text.includes('://') ? text : `http://${text}`
  const url = parseUrl(written)
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.hostname === '') {
    throw usage('invalid_proxy', `${name} must be an http:// or https:// URL`, `correct or unset ${name}`)
  }
  const credentials = [url.username, url.password].map(percentDecoded).join(':')
  const authorization =
    credentials === ':' ? undefined : `Basic ${Buffer.from(credentials).toString('base64')}`
  return {origin: url.origin, authorization}
}

/**
 * Reports whether an entry of NO_PROXY matches the host. An entry is `*`, `host`, `.host`, `*.host`, `host:port`, an address or
 * a CIDR range.
 */
function isExempt(entry: string, host: string, port: string | undefined): boolean {
  if (entry === '') return false
  if (entry === '*') return true
  const [network = '', prefix] = entry.split('/')
  if (prefix !== undefined) return /^\d{1,3}$/.test(prefix) && isInNetwork(network, Number(prefix), host)
  const [, bracketed, plain, entryPort] = /^(?:\[(.+)\]|([^:]+|.*:.*:.*?))(?::(\d+))?$/.exec(entry) ?? []
  if (entryPort !== undefined && entryPort !== port) return false
  const name = (bracketed ?? plain ?? entry).replace(/^\*?\./, '').replace(/\.$/, '')
  // Addresses are compared as networks, because one IPv6 address can be written in several ways.
  if (isIP(name) !== 0) return isInNetwork(name, isIPv4(name) ? 32 : 128, host)
  return host === name || host.endsWith(`.${name}`)
}

function isInNetwork(network: string, bits: number, host: string): boolean {
  const isV4 = isIPv4(network)
  if (isIP(network) === 0 || isIP(host) !== isIP(network) || bits > (isV4 ? 32 : 128)) return false
  const family = isV4 ? 'ipv4' : 'ipv6'
  const list = new BlockList()
  list.addSubnet(network, bits, family)
  return list.check(host, family)
}

/** Limit on the size of all interim answers of one exchange together. */
export const MOST_INTERIM_BYTES = 64 * 1024

/**
 * Wraps a socket and removes interim answers (1xx, RFC 9110 §15.2). undici closes a connection at an unexpected `100
 * Continue`, and the answer would be lost. The stream fails with an ExchangeError if the interim answers are too large.
 */
export function withoutInterim(socket: Socket, target: string): Duplex {
  let where: 'at its start' | 'in an interim answer' | 'in the answer' = 'at its start'
  /** Bytes (as latin1) that may be the start or the end of an interim answer. */
  let held = ''
  let bytesBefore = 0
  /** Returns the bytes of the final answer in `held` and `piece`, empty as long as there are none. */
  const answerIn = (piece: Buffer): Buffer => {
    if (where === 'in the answer') return piece
    bytesBefore += piece.length
    held += piece.toString('latin1')
    for (;;) {
      if (where === 'in an interim answer') {
        const end = INTERIM_END.exec(held)
        if (end === null) {
          held = held.slice(Math.max(0, held.lastIndexOf('\n')))
          return Buffer.alloc(0)
        }
        held = held.slice(end.index + end[0].length)
        where = 'at its start'
      }
      if (!INTERIM.test(held + ANY_INTERIM.slice(held.length))) {
        where = 'in the answer'
        return Buffer.from(held, 'latin1')
      }
      if (held.length < ANY_INTERIM.length) return Buffer.alloc(0)
      where = 'in an interim answer'
    }
  }
  const stream = new Duplex({
    highWaterMark: MOST_INTERIM_BYTES,
    read: () => void socket.resume(),
    // Everything that undici writes in one turn is sent together.
    writev: (pieces, done) => void socket.write(Buffer.concat(pieces.map(({chunk}) => chunk)), done),
    final: done => void socket.end(done),
    destroy: (error, done) => {
      socket.destroy()
      done(error)
    },
  })
  socket
    .on('data', piece => {
      const rest = answerIn(piece)
      if (rest.length > 0 && !stream.push(rest)) socket.pause()
      if (where === 'in the answer' || bytesBefore <= MOST_INTERIM_BYTES) return
      const reason = `the interim answers (1xx) from ${target} are larger than ${MOST_INTERIM_BYTES} bytes`
      stream.destroy(new ExchangeError('too_large', true, reason))
    })
    .on('end', () => {
      // An incomplete status line is passed on, so that undici reports it.
      if (where === 'at its start') stream.push(held, 'latin1')
      stream.push(null)
    })
    .on('error', error => stream.destroy(error))
    .on('close', () => {
      if (!socket.readableEnded) stream.destroy()
    })
  return stream
}

/** Matches the start of an interim answer. `101 Switching Protocols` is final, because another protocol follows it. */
const INTERIM = /^HTTP\/1\.[01] 1(?!01)\d\d[ \r\n]/
/** Matches the empty line at the end of an interim answer, which has no body. */
const INTERIM_END = /\n\r*\n/
/**
 * Completes the first bytes of an answer when only a part of the status line has arrived, so that INTERIM can test
 * them.
 */
const ANY_INTERIM = 'HTTP/1.1 100 '
