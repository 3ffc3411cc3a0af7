/**
 * Where events may be sent: to public addresses, and to this machine, where its users' receivers are. A host name is resolved
 * once, and only the addresses that were checked are dialled.
 */
import type {LookupAddress} from 'node:dns'
import {lookup} from 'node:dns/promises'
import {isIP} from 'node:net'
import {hostOf, kindOfAddress} from '../../contract/network.js'

/** All addresses of a host name. Rejects with the system's error. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>

export const systemResolve: Resolve = hostname => lookup(hostname, {all: true})

/** The addresses to dial. Rejects with the reason for inner ones, and for plain http but to loopback where allowed. */
export async function vetAddresses(
  url: URL,
  {resolve, allowHttpLoopback}: {resolve: Resolve; allowHttpLoopback: boolean},
): Promise<readonly LookupAddress[]> {
  const isHttp = url.protocol === 'http:'
  if (url.protocol !== 'https:' && !(isHttp && allowHttpLoopback)) {
    throw new Error('not sent: the address is not https')
  }
  const host = hostOf(url)
  const family = isIP(host)
  const addresses = family === 0 ? await resolve(host) : [{address: host, family}]
  if (addresses.length === 0) throw new Error('not sent: the host name has no address')
  for (const {address} of addresses) {
    const kind = kindOfAddress(address)
    if (kind === 'refused')
      throw new Error(`not sent: ${address} is neither a public address nor on this machine`)
    if (isHttp && kind !== 'loopback') throw new Error('not sent: plain http is allowed on this machine only')
  }
  return addresses
}
