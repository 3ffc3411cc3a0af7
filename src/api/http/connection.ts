/**
 * A fresh connection for one exchange, direct or through a proxy, and which proxy that is: from HTTPS_PROXY, HTTP_PROXY and
 * NO_PROXY in either case (lower case wins). The only importer of undici.
 */
import {BlockList, isIP, isIPv4, type LookupFunction, type Socket} from 'node:net'
import {Duplex} from 'node:stream'
import type {buildConnector, Client, Dispatcher} from 'undici'
// Loading all of undici takes 52 ms more (Node 20: 105 ms, these files alone 53, `node -e 0` 27), for fetch, WebSockets and
// caches. The package has no `exports`, so the paths resolve; a test holds that they are what the package's entry exports.
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
  /** PEM certificates to trust, all of them (default: those of the runtime). */
  readonly ca?: string[] | undefined
  /** Accepts any certificate of the server; a proxy's is still checked, because it is sent credentials. */
  readonly insecure?: boolean
}

export interface Place {
  /** `host:port` of the service, or of a link. */
  readonly target: string
  /** `scheme://host:port` of the proxy, without credentials, when there is one. */
  readonly proxy: string | undefined
}

export function placeOf(url: URL, proxy?: string): Place {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  return {target: `${url.hostname}:${port}`, proxy}
}

/**
 * For one exchange with `url`, over TCP and TLS ≥ 1.2: no retry, no redirect, no time limits. Connects when asked to;
 * `onSocket` gets the connected socket before anything is written to it, `lookup` resolves the host in place of the system.
 */
export async function createDispatcher(
  url: URL,
  proxy: ProxyServer | undefined,
  {ca, insecure = false, lookup}: Trust & {readonly lookup?: LookupFunction | undefined},
  onSocket?: (socket: Socket) => void,
): Promise<Dispatcher> {
  // Phases are timed by the exchange itself: undici's timers are coarse and know no total.
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
        // undici uses it as a stream and no more.
        callback(null, withoutInterim(socket, target) as Socket)
      })
  if (proxy === undefined) return new OneClient(url.origin, {...common, connect: filtered(connectorOf(tls))})
  const {ProxyAgent} = await import('undici')
  return new ProxyAgent({
    ...common,
    // One connection, so that undici has no other to put the request on. `connect` is the tunnel.
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

/** The proxy for `url`, or undefined to connect directly; this machine is always reached directly. */
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

/** `origin` is safe to print; `authorization`, the value of Proxy-Authorization, is never printed. */
function parseProxy(text: string, name: string) {
  // `proxy:3128` is common; curl reads it as http.
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

/** Whether an entry of NO_PROXY names the host: `*`, `host`, `.host`, `*.host`, `host:port`, an address, or a CIDR range. */
function isExempt(entry: string, host: string, port: string | undefined): boolean {
  if (entry === '') return false
  if (entry === '*') return true
  const [network = '', prefix] = entry.split('/')
  if (prefix !== undefined) return /^\d{1,3}$/.test(prefix) && isInNetwork(network, Number(prefix), host)
  const [, bracketed, plain, entryPort] = /^(?:\[(.+)\]|([^:]+|.*:.*:.*?))(?::(\d+))?$/.exec(entry) ?? []
  if (entryPort !== undefined && entryPort !== port) return false
  const name = (bracketed ?? plain ?? entry).replace(/^\*?\./, '').replace(/\.$/, '')
  // As a network, because one IPv6 address can be written in several ways.
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

/** Limit on all interim answers of one exchange together. */
export const MOST_INTERIM_BYTES = 64 * 1024

/**
 * The socket of one request without the interim answers (1xx, RFC 9110 §15.2) before its answer: undici ends a connection at a
 * `100 Continue` that it did not ask for, and the answer after it would be lost. Ends with an
 * ExchangeError if there are too many interim answers.
 */
export function withoutInterim(socket: Socket, target: string): Duplex {
  let where: 'at its start' | 'in an interim answer' | 'in the answer' = 'at its start'
  /** The start of an answer that may be an interim one, or the end of an interim answer; as latin1. */
  let held = ''
  let bytesBefore = 0
  /** The part of `piece` that belongs to the answer, after the bytes held back so far. */
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
    // What undici writes in one turn is one piece on the wire.
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
      // A first line that was cut is reported by undici.
      if (where === 'at its start') stream.push(held, 'latin1')
      stream.push(null)
    })
    .on('error', error => stream.destroy(error))
    .on('close', () => {
      if (!socket.readableEnded) stream.destroy()
    })
  return stream
}

/** `101 Switching Protocols` is final: what comes after it is another protocol. */
const INTERIM = /^HTTP\/1\.[01] 1(?!01)\d\d[ \r\n]/
/** An interim answer ends with an empty line; it has no body. */
const INTERIM_END = /\n\r*\n/
/** Completes a start that has arrived only in part. */
const ANY_INTERIM = 'HTTP/1.1 100 '
