/**
 * Checks the connection to a service step by step: name resolution, TCP, proxy, TLS. It connects exactly as calls do
 * but sends no request, and it can show a certificate that calls would reject.
 */
import {lookup} from 'node:dns/promises'
import {isIP, type Socket} from 'node:net'
import {setTimeout as sleep} from 'node:timers/promises'
import type {DetailedPeerCertificate, TLSSocket} from 'node:tls'
import {isoTime} from '../../contract/dates.js'
import {sanitizeLine} from '../../contract/foreign-text.js'
import {ExchangeError} from '../types.js'
import {createDispatcher, type Dispatcher, type ProxyServer, placeOf, type Trust} from './connection.js'
import {certificateProblem, diagnoseConnecting, exchange, secondsText} from './exchange.js'

export interface Way {
  readonly url: URL
  readonly proxy: ProxyServer | undefined
  /** Certificates to trust (default: those of the runtime). */
  readonly ca: string[] | undefined
  /** Time limit for each step. */
  readonly milliseconds: number
}

type ShownCertificate = ReturnType<typeof chainOf>[number]

/**
 * Returns the IPv4 and IPv6 addresses of the host name. Throws an ExchangeError if there are none or the time is up.
 */
export async function findAddresses(way: Way): Promise<string[]> {
  const host = way.url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0) return [host]
  const late = sleep(way.milliseconds, undefined, {ref: false}).then(() => {
    const reason = `timed out looking up ${host} (${secondsText(way.milliseconds)})`
    throw new ExchangeError('connect_timeout', false, reason)
  })
  const found = lookup(host, {all: true}).catch(error => {
    const [fault, reason] = diagnoseConnecting(error, placeOf(way.url))
    throw new ExchangeError(fault, false, reason)
  })
  return (await Promise.race([found, late])).map(({address}) => address)
}

/**
 * Opens and closes a TCP connection to the service, or to the proxy if there is one. Throws an ExchangeError if that
 * fails.
 */
export async function tryConnecting(way: Way): Promise<void> {
  const {target} = placeOf(way.proxy ? new URL(way.proxy.origin) : way.url)
  const origin = new URL(`http://${target}`)
  await connectOnly(way, origin, undefined, {}, () => {})
}

/**
 * Makes the TLS handshake, through the proxy if there is one. Returns the protocol, the certificate chain, and in
 * `problem` the reason why calls would reject the certificate. Throws an ExchangeError if the handshake fails.
 */
export async function inspectTls(way: Way) {
  return connectOnly(way, way.url, way.proxy, {ca: way.ca, insecure: true}, socket => {
    const tls = socket as TLSSocket
    const handshake = {protocol: tls.getProtocol() ?? 'unknown', chain: chainOf(tls.getPeerCertificate(true))}
    if (tls.authorized) return {...handshake, problem: undefined}
    const error = tls.authorizationError as unknown
    const code = typeof error === 'string' ? error : String((error as {code?: unknown})?.code ?? 'unknown')
    const refusal = Object.assign(new Error(code), {code})
    const [, reason] = diagnoseConnecting(refusal, placeOf(way.url, way.proxy?.origin))
    const [, advice] = certificateProblem(code)
    return {...handshake, problem: {reason, advice}}
  })
}

/**
 * Connects and returns the result of `view` on the socket. undici then starts a request, which is aborted before
 * anything is sent.
 */
async function connectOnly<T>(
  way: Way,
  url: URL,
  proxy: ProxyServer | undefined,
  trust: Trust,
  view: (socket: Socket) => T,
) {
  const {milliseconds} = way
  const limits = {
    connectMilliseconds: milliseconds,
    headersMilliseconds: milliseconds,
    bodyMilliseconds: milliseconds,
    totalMilliseconds: milliseconds,
    maxAnswerBytes: 0,
  }
  let connected: Socket | undefined
  const dispatcher = await createDispatcher(url, proxy, trust, socket => {
    connected = socket
  })
  const handshake = {origin: url.origin, path: '/', method: 'HEAD'} as const
  try {
    return await new Promise<T>((resolve, reject) => {
      const start = (handler: Dispatcher.DispatchHandler) =>
        dispatcher.dispatch(handshake, {
          ...handler,
          onRequestStart(controller) {
            resolve(view(connected as Socket))
            controller.abort(new ExchangeError('reset', false, 'only the connection was of interest'))
          },
        })
      exchange(placeOf(way.url, way.proxy?.origin), limits, start).catch(reject)
    })
  } finally {
    dispatcher.destroy().catch(() => {})
  }
}

/** Returns the certificate chain, starting with the server's own certificate. `validUntil` is in Unix seconds. */
function chainOf(first: DetailedPeerCertificate | undefined) {
  const chain: {subject: string; issuer: string; validUntil: number}[] = []
  const seen = new Set<string>()
  const nameOf = (name: DetailedPeerCertificate['subject'] | undefined) =>
    String([name?.CN, name?.O, 'unnamed'].flat().find(Boolean))
  let current = first
  while (current?.fingerprint256 && !seen.has(current.fingerprint256)) {
    seen.add(current.fingerprint256)
    const validUntil = Date.parse(current.valid_to) / 1000
    chain.push({subject: nameOf(current.subject), issuer: nameOf(current.issuer), validUntil})
    current = current.issuerCertificate
  }
  return chain
}

/**
 * Returns a TLS error with the subject, issuer and expiry of the server's certificate added. It connects again to get
 * them, because the error itself does not contain the certificate.
 */
export async function withCertificate(error: ExchangeError, way: Way): Promise<ExchangeError> {
  const view = await inspectTls(way).catch(() => undefined)
  const [own] = view?.chain ?? []
  if (own === undefined || view?.problem === undefined) return error
  return new ExchangeError(error.fault, error.sent, `${error.reason}; subject ${certificateText(own)}`)
}

/** Formats subject, issuer and expiry on one line, sanitised. */
export function certificateText({subject, issuer, validUntil}: ShownCertificate): string {
  const until = Number.isFinite(validUntil) ? isoTime(validUntil).slice(0, 10) : 'unknown'
  return `${sanitizeLine(subject, 80)}, issued by ${sanitizeLine(issuer, 80)}, until ${until}`
}
