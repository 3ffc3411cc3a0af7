/**
 * Makes each exchange on a new connection. If a service closes a kept-alive connection at the moment of its next use,
 * the client cannot know whether the request arrived, and undici may send it again. On a new connection `sent` is
 * exact, because undici calls `onRequestStart` just before it writes to the connected socket.
 *
 * An answer with neither a length nor chunks ends with the connection. Whether it is complete then only shows in its
 * content (JSON that does not parse, a PDF without `%%EOF`).
 */

import {type LookupAddress, lookup} from 'node:dns'
import {isIP, isIPv4, type LookupFunction, type Socket} from 'node:net'
import {usage} from '../../contract/failure.js'
import {fixedLookup, hostOf, isLoopbackHost, isPublicHost, kindOfAddress} from '../../contract/network.js'
import {ExchangeError, NotPublicError, type Transport, type WireRequest} from '../types.js'
import {createDispatcher, type Dispatcher, placeOf, proxyFor, type Trust} from './connection.js'
import {exchange} from './exchange.js'

export interface TransportOptions extends Trust {
  /** The environment variables, for the proxy settings. */
  readonly env: NodeJS.ProcessEnv
}

/** Time limit for the additional connection that reads a refused certificate. Not in the interface. */
const CERTIFICATE_MILLISECONDS = 3000

/**
 * Creates a transport over TCP or TLS ≥ 1.2. It does not retry, follow redirects or decompress. `close()` ends all
 * exchanges in progress. An exchange throws a usage error for an invalid proxy setting or for `insecure` with another
 * machine, and a NotPublicError for a link to a host that is not public.
 */
export function createTransport(options: TransportOptions): Transport & {close(): Promise<void>} {
  // Without WebAssembly (`--jitless`) undici fails as if the service had closed the connection.
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
      // Compressed answers are refused, so that nothing has to be decompressed.
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
      // This is not awaited, because a peer that does not respond must not delay the answer.
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
 * Creates a check that keeps links from a service out of the client's own network. Addresses are checked when they are
 * dialled. A proxy resolves names itself, so behind a proxy only literal addresses and names of local networks are
 * recognised. `resolve` is the system's resolver except in tests.
 */
export function createPublicOnly(resolve: LookupFunction = lookup as LookupFunction) {
  /** The address at which each host was reached. A service behind a VPN may have an address that is not public. */
  const addresses = new Map<string, string>()
  return {
    /**
     * Returns a lookup function for `url`, a link from the service at `givenBy`, or undefined if the link may lead
     * anywhere. Throws a NotPublicError if the host of the link is not public.
     */
    guard(givenBy: string, url: URL, isProxied: boolean) {
      const {hostname} = new URL(givenBy)
      const address = addresses.get(hostname)
      if (!isPublicHost(hostname) || (address !== undefined && !isPublicAddress(address))) return undefined
      const host = hostOf(url)
      const isRefused = isIP(host) > 0 ? !isPublicAddress(host) : isProxied && !isPublicHost(host)
      if (isRefused) throw new NotPublicError('which is not a public address')
      /**
       * The lookup fails if any address of the name is not public. Only the addresses that were checked are dialled.
       */
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
    /** Records the address at which the service was reached. Does nothing for a link. */
    learn({givenBy}: WireRequest, url: URL, {remoteAddress}: Pick<Socket, 'remoteAddress'>): void {
      if (givenBy === undefined && remoteAddress !== undefined) addresses.set(url.hostname, remoteAddress)
    },
  }
}

/**
 * Matches an address with the NAT64 prefix, by which an IPv6-only network reaches an IPv4 address (RFC 6052). The last
 * 32 bits are the IPv4 address.
 */
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
