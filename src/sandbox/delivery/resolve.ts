/** Where an event's URL leads: the host name resolved once, every address checked, and those addresses dialled. */
import {lookup} from 'node:dns/promises'
import {isIP, type LookupFunction} from 'node:net'
import {kindOfAddress} from './addresses.js'

export interface Address {
  readonly address: string
  readonly family: number
}

/** All addresses of a host name. Rejects with the system's error. */
export type Resolve = (hostname: string) => Promise<readonly Address[]>

export const systemResolve: Resolve = hostname => lookup(hostname, {all: true})

/** Why nothing is sent to a URL. Its message is shown in the attempt. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused'
}

/**
 * The addresses `url` may be sent to. Rejects with AddressRefused when any address of the host is neither public nor
 * loopback, or when it is plain http and not to loopback alone, or not allowed.
 */
export async function vetAddresses(
  url: URL,
  {resolve, allowHttpLoopback}: {resolve: Resolve; allowHttpLoopback: boolean},
): Promise<readonly Address[]> {
  const isHttp = url.protocol === 'http:'
  if (url.protocol !== 'https:' && !(isHttp && allowHttpLoopback)) {
    throw new AddressRefused('not sent: the address is not https')
  }
  const host = hostOf(url)
  const family = isIP(host)
  const addresses = family === 0 ? await resolve(host) : [{address: host, family}]
  if (addresses.length === 0) throw new AddressRefused('not sent: the host name has no address')
  for (const {address} of addresses) check(address, isHttp)
  return addresses
}

function check(address: string, isHttp: boolean): void {
  const kind = kindOfAddress(address)
  if (kind === 'refused') {
    throw new AddressRefused(`not sent: ${address} is neither a public address nor this machine`)
  }
  if (isHttp && kind !== 'loopback')
    throw new AddressRefused('not sent: plain http is for this machine alone')
}

/** The host without the brackets of an IPv6 address and without the root's full stop. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
}

/** A look-up that answers with `addresses` and asks nobody, so that what was checked is what is dialled. */
export function fixedLookup(addresses: readonly Address[]): LookupFunction {
  return (_, options, done) => {
    const [first] = addresses
    if (options.all) done(null, [...addresses])
    else done(null, first?.address ?? '', first?.family)
  }
}
