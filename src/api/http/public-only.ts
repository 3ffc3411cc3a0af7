/**
 * Keeps a service from leading its client into the client's own network by a link: addresses are checked where they are
 * dialled. A proxy resolves names itself, so behind one only addresses, and names of local networks, are recognised.
 */
import {type LookupAddress, lookup} from 'node:dns'
import {isIP, isIPv4, type LookupFunction, type Socket} from 'node:net'
import {hostOf, kindOfAddress} from '../../contract/addresses.js'
import {isPublicHost} from '../../contract/loopback.js'
import {NotPublicError, type WireRequest} from '../types.js'

/** `resolve` is that of the system but in tests. */
export function createPublicOnly(resolve: LookupFunction = lookup as LookupFunction) {
  /** Hosts that were connected to at an address that is not public, such as a service reached through a VPN. */
  const inner = new Set<string>()
  const isInner = (url: URL) => !isPublicHost(url.hostname) || inner.has(url.hostname)
  return {
    /** How to resolve the host of `url`: undefined for the usual way. Throws NotPublicError for an address that may not be dialled. */
    guard({givenBy}: WireRequest, url: URL, isProxied: boolean): Guard | undefined {
      if (givenBy === undefined || isInner(new URL(givenBy))) return undefined
      const host = hostOf(url)
      const isRefused = isIP(host) > 0 ? !isPublicAddress(host) : isProxied && !isPublicHost(host)
      if (isRefused) throw new NotPublicError('which is not a public address')
      return createGuard(resolve)
    },
    /** Learns where the host of a request that is no link really is. */
    learn({givenBy}: WireRequest, url: URL, {remoteAddress}: Pick<Socket, 'remoteAddress'>): void {
      if (givenBy !== undefined || remoteAddress === undefined) return
      if (isPublicAddress(remoteAddress)) inner.delete(url.hostname)
      else inner.add(url.hostname)
    },
  }
}

type Guard = ReturnType<typeof createGuard>

/** A look-up that fails when a name has any address that is not public; the addresses it gives are those that are dialled. */
function createGuard(resolve: LookupFunction) {
  const guard: {lookup: LookupFunction; refusal?: NotPublicError} = {
    lookup(hostname, options, done) {
      resolve(hostname, {...options, all: true}, (error, found) => {
        if (error) return done(error, '')
        const addresses = found as LookupAddress[]
        const refused = addresses.find(({address}) => !isPublicAddress(address))
        if (refused) {
          guard.refusal = new NotPublicError(`whose address ${refused.address} is not public`)
          return done(guard.refusal, '')
        }
        if (options.all) done(null, addresses)
        else done(null, addresses[0]?.address ?? '', addresses[0]?.family)
      })
    },
  }
  return guard
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
