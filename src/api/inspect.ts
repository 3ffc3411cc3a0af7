/**
 * Looks at the way to a service step by step, as calls take it: names, TCP, proxy, TLS. Nothing is sent but the
 * handshake, so a certificate that is refused can be shown as well.
 */
import {lookup} from 'node:dns/promises'
import {type ClientRequest, request as httpRequest} from 'node:http'
import {request as httpsRequest} from 'node:https'
import {connect as connectTcp, isIP, type Socket} from 'node:net'
import {connect as connectTls, type DetailedPeerCertificate, type TLSSocket} from 'node:tls'
import {ExchangeError} from './api.js'
import {diagnoseConnecting, type Place, secondsText} from './faults.js'
import type {ProxyServer} from './proxy.js'

export interface Way {
  readonly url: URL
  readonly proxy: ProxyServer | undefined
  /** Certificates to trust; undefined for the runtime's own. */
  readonly ca: string[] | undefined
  /** For each step. */
  readonly milliseconds: number
}

export interface ShownCertificate {
  readonly subject: string
  readonly issuer: string
  /** Unix seconds. */
  readonly validUntil: number
}

export interface TlsView {
  /** For example `TLSv1.3`. */
  readonly protocol: string
  /** The server's own first. */
  readonly chain: readonly ShownCertificate[]
  /** Why calls would refuse it, in words; undefined when they would not. */
  readonly problem: string | undefined
}

/** `host:port` of a URL. */
export function hostAndPort(url: URL): {host: string; port: number} {
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
  return {host: url.hostname.replace(/^\[|\]$/g, ''), port}
}

/** The addresses of a host name, IPv6 too; those of an address are itself. Throws ExchangeError. */
export async function findAddresses(way: Way): Promise<string[]> {
  const {host} = hostAndPort(way.url)
  if (isIP(host) !== 0) return [host]
  const found = lookup(host, {all: true}).catch(error => {
    throw faultOf(error, way)
  })
  return (await within(way, found, `looking up ${host}`)).map(({address}) => address)
}

/** Opens a TCP connection, or that to the proxy, and closes it. Throws ExchangeError. */
export async function tryConnecting(way: Way): Promise<void> {
  const {host, port} = hostAndPort(way.proxy ? new URL(way.proxy.origin) : way.url)
  const {proxy, target} = placeOf(way)
  const socket = connectTcp({host, port})
  try {
    await within(way, settled(socket, 'connect', way), `connecting to ${proxy ?? target}`)
  } finally {
    socket.destroy()
  }
}

/** The TLS handshake, through the proxy where there is one. Throws ExchangeError when there is no handshake. */
export async function inspectTls(way: Way): Promise<TlsView> {
  const opened: {destroy(): unknown}[] = []
  const {proxy, target} = placeOf(way)
  const through = proxy === undefined ? '' : ` through proxy ${proxy}`
  try {
    return await within(way, handshake(way, opened), `shaking hands with ${target}${through}`)
  } finally {
    // The last first: destroying a socket under a TLS one that still reads crashes Node 20.
    for (const each of opened.reverse()) each.destroy()
  }
}

async function handshake(way: Way, opened: {destroy(): unknown}[]): Promise<TlsView> {
  const {host, port} = hostAndPort(way.url)
  const tunnel = way.proxy ? await openTunnel(way, way.proxy, opened) : undefined
  const tls = connectTls({
    ...(tunnel === undefined ? {host, port} : {socket: tunnel, host}),
    ...(isIP(host) === 0 ? {servername: host} : {}),
    minVersion: 'TLSv1.2',
    ALPNProtocols: ['http/1.1'],
    // Nothing is sent after the handshake; what a call would say to the certificate is in authorizationError.
    rejectUnauthorized: false,
    ...(way.ca === undefined ? {} : {ca: way.ca}),
  })
  opened.push(tls)
  await settled(tls, 'secureConnect', way)
  return {
    protocol: tls.getProtocol() ?? 'unknown',
    chain: chainOf(tls.getPeerCertificate(true)),
    problem: problemOf(tls, way),
  }
}

function openTunnel(way: Way, proxy: ProxyServer, opened: {destroy(): unknown}[]): Promise<Socket> {
  const {host, port} = hostAndPort(way.url)
  const target = `${host.includes(':') ? `[${host}]` : host}:${port}`
  const options = {
    ...hostAndPort(new URL(proxy.origin)),
    method: 'CONNECT',
    path: target,
    headers: {host: target, ...(proxy.authorization ? {'proxy-authorization': proxy.authorization} : {})},
  }
  const isTls = proxy.origin.startsWith('https:')
  const asking: ClientRequest = isTls ? httpsRequest({...options, ca: way.ca}) : httpRequest(options)
  opened.push(asking)
  return new Promise((resolve, reject) => {
    const refuse = (status: number | undefined) =>
      reject(faultOf(new Error(`Proxy response (${status}) !== 200`), way))
    asking.on('connect', (answer, socket) =>
      answer.statusCode === 200 ? resolve(socket) : refuse(answer.statusCode),
    )
    asking.on('response', answer => refuse(answer.statusCode))
    asking.on('error', error => reject(faultOf(error, way)))
    asking.end()
  })
}

function chainOf(first: DetailedPeerCertificate | undefined): ShownCertificate[] {
  const chain: ShownCertificate[] = []
  const seen = new Set<string>()
  for (let one = first; one?.fingerprint256 && !seen.has(one.fingerprint256); one = one.issuerCertificate) {
    seen.add(one.fingerprint256)
    const validUntil = Date.parse(one.valid_to) / 1000
    chain.push({subject: nameOf(one.subject), issuer: nameOf(one.issuer), validUntil})
  }
  return chain
}

function nameOf(name: DetailedPeerCertificate['subject'] | undefined): string {
  const [text] = [name?.CN, name?.O, 'unnamed'].flat().filter(Boolean)
  return String(text)
}

function problemOf(tls: TLSSocket, way: Way): string | undefined {
  if (tls.authorized) return undefined
  const told = tls.authorizationError as unknown
  const code = typeof told === 'string' ? told : String((told as {code?: unknown})?.code ?? 'unknown')
  return faultOf(Object.assign(new Error(code), {code}), way).reason
}

function settled(socket: Socket, event: string, way: Way): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once(event, () => resolve())
    socket.once('error', error => reject(faultOf(error, way)))
    socket.once('close', () => reject(faultOf(Object.assign(new Error('closed'), {code: 'ECONNRESET'}), way)))
  })
}

function placeOf(way: Way): Place {
  const {host, port} = hostAndPort(way.url)
  return {target: `${host}:${port}`, proxy: way.proxy?.origin}
}

function faultOf(error: unknown, way: Way): ExchangeError {
  if (error instanceof ExchangeError) return error
  const {fault, reason} = diagnoseConnecting(error, placeOf(way))
  return new ExchangeError(fault, false, reason)
}

async function within<T>(way: Way, work: Promise<T>, doing: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const reason = `timed out ${doing} (${secondsText(way.milliseconds)})`
    timer = setTimeout(() => reject(new ExchangeError('connect_timeout', false, reason)), way.milliseconds)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
    work.catch(() => {})
  }
}
