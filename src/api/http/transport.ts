/**
 * One exchange on the wire, on a connection of its own. When a service closes a kept-alive connection at the moment it is
 * used again, it is not known whether the request arrived, and undici may send it again by itself. With fresh connections
 * `sent` is exact: undici calls `onRequestStart` of its handler when the connected socket is about to be written to.
 *
 * An answer with neither a length nor chunks ends where the connection ends, so a cut is only visible in its content
 * (JSON does not parse, a PDF lacks `%%EOF`).
 */

import {type LookupAddress, lookup} from 'node:dns'
import {isIP, isIPv4, type LookupFunction, type Socket} from 'node:net'
import {usage} from '../../contract/failure.js'
import {fixedLookup, hostOf, isLoopbackHost, isPublicHost, kindOfAddress} from '../../contract/network.js'
import {ExchangeError, NotPublicError, type Transport, type WireRequest} from '../types.js'
import {createDispatcher, type Dispatcher, placeOf, proxyFor, type Trust} from './connection.js'
import {exchange} from './exchange.js'

export interface TransportOptions extends Trust {
  /** Proxy settings are read from here. */
  readonly env: NodeJS.ProcessEnv
}

/** For connecting again to read a refused certificate; not in the interface. */
const CERTIFICATE_MILLISECONDS = 3000

/**
 * A transport over TCP and TLS ≥ 1.2: no retry, no redirect, no decompression; `close()` ends what is under way.
 * Throws a usage Failure for a bad proxy setting, and for `insecure` with another machine; NotPublicError for a link.
 */
export function createTransport(options: TransportOptions): Transport & {close(): Promise<void>} {
  // Without WebAssembly (`--jitless`) undici ends every connection as if the service had done it.
  if (!('WebAssembly' in globalThis)) {
    const message = 'this Node.js runs without WebAssembly, which reads the answers of the service'
    throw usage('no_webassembly', message, 'take --jitless out of NODE_OPTIONS')
  }
  const open = new Set<Dispatcher>()
  const publicOnly = createPublicOnly()

  const transport: Transport = async (request, limits) => {
    const url = new URL(request.url)
    if (options.insecure && !isLoopbackHost(url.hostname)) {
      throw usage(
        'insecure_not_loopback',
        '--insecure is for servers of this machine alone: elsewhere anyone could read the credentials; nothing was sent',
        'name the authority you trust with --ca-file',
      )
    }
    const proxy = proxyFor(url, options.env)
    const {givenBy} = request
    const guard = givenBy === undefined ? undefined : publicOnly.guard(givenBy, url, proxy !== undefined)
    const dispatcher = await createDispatcher(url, proxy, {...options, lookup: guard?.lookup}, socket => {
      if (proxy === undefined) publicOnly.learn(request, url, socket)
    })
    open.add(dispatcher)
    const dispatched: Dispatcher.DispatchOptions = {
      origin: url.origin,
      path: url.pathname + url.search,
      method: request.method,
      // Nothing is ever inflated: a compressed answer is refused.
      headers: {...request.headers, 'accept-encoding': 'identity'},
      body: request.body ?? null,
      reset: true,
    }
    try {
      const place = placeOf(url, proxy?.origin)
      return await exchange(place, limits, handler => dispatcher.dispatch(dispatched, handler))
    } catch (error) {
      if (guard?.refusal) throw guard.refusal
      if (!(error instanceof ExchangeError) || error.fault !== 'tls') throw error
      const milliseconds = Math.min(limits.connectMilliseconds, CERTIFICATE_MILLISECONDS)
      const {withCertificate} = await import('./inspect.js')
      throw await withCertificate(error, {url, proxy, ca: options.ca, milliseconds})
    } finally {
      open.delete(dispatcher)
      // Not waited for: a hanging peer must not delay the answer.
      dispatcher.destroy().catch(() => {})
    }
  }

  const close = async () => {
    const ending = [...open].map(dispatcher =>
      dispatcher.destroy(new ExchangeError('reset', true, 'the transport was closed')),
    )
    await Promise.all(ending)
  }
  return Object.assign(transport, {close})
}

/**
 * Keeps a service from leading its client into the client's own network by a link: addresses are checked where they are
 * dialled. A proxy resolves names itself, so behind one only addresses, and names of local networks, are recognised.
 * `resolve` is that of the system except in tests.
 */
export function createPublicOnly(resolve: LookupFunction = lookup as LookupFunction) {
  /** Where hosts really are: a service may be reached through a VPN at an address that is not public. */
  const addresses = new Map<string, string>()
  return {
    /**
     * How to resolve the host of a link that the service at `givenBy` gave; undefined for the usual way. Throws NotPublicError
     * for an address that may not be dialled.
     */
    guard(givenBy: string, url: URL, isProxied: boolean) {
      const {hostname} = new URL(givenBy)
      const address = addresses.get(hostname)
      if (!isPublicHost(hostname) || (address !== undefined && !isPublicAddress(address))) return undefined
      const host = hostOf(url)
      const isRefused = isIP(host) > 0 ? !isPublicAddress(host) : isProxied && !isPublicHost(host)
      if (isRefused) throw new NotPublicError('which is not a public address')
      /** Fails when a name has any address that is not public; the addresses it gives are those that are dialled. */
      const guard: {lookup: LookupFunction; refusal?: NotPublicError} = {
        lookup(name, options, done) {
          resolve(name, {...options, all: true}, (error, found) => {
            if (error) return done(error, '')
            const all = found as LookupAddress[]
            const refused = all.find(each => !isPublicAddress(each.address))
            if (!refused) return fixedLookup(all)(name, options, done)
            guard.refusal = new NotPublicError(`whose address ${refused.address} is not public`)
            done(guard.refusal, '')
          })
        },
      }
      return guard
    },
    /** Learns where the host of a request that is no link really is. */
    learn({givenBy}: WireRequest, url: URL, {remoteAddress}: Pick<Socket, 'remoteAddress'>): void {
      if (givenBy === undefined && remoteAddress !== undefined) addresses.set(url.hostname, remoteAddress)
    },
  }
}

/** Under this prefix a network without IPv4 reaches the IPv4 address in the last 32 bits (RFC 6052). */
const NAT64 = /^64:ff9b::(?:([\da-f]{1,4}):)?([\da-f]{1,4})$/

function isPublicAddress(address: string): boolean {
  const [, high = '0', low] = NAT64.exec(address) ?? []
  if (low === undefined) return kindOfAddress(address) === 'public'
  const bits = [high, low].flatMap(group => [
    Number.parseInt(group, 16) >> 8,
    Number.parseInt(group, 16) & 255,
  ])
  return isIPv4(bits.join('.')) && kindOfAddress(bits.join('.')) === 'public'
}
