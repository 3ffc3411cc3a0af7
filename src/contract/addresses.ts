/**
 * What an IP address is: public, of this machine, or another. Everything in IANA's special-purpose registries is another, and
 * every form of an IPv4 address inside an IPv6 one, because its target cannot be known here.
 */
import type {LookupAddress} from 'node:dns'
import {BlockList, isIPv4, isIPv6, type LookupFunction} from 'node:net'

const SPECIAL = listOf([
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // shared by carriers
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // Azure's own services, on a public address
  '169.254.0.0/16', // link-local, with the metadata services of the clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
  '2001::/23', // protocol assignments: Teredo, benchmarking, ORCHID
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '2620:4f:8000::/48', // AS112
  '3ffe::/16', // the former test network
  '3fff::/20', // documentation
])

/** Nothing outside of it is public. */
const GLOBAL_IPV6 = listOf(['2000::/3'])

/** The kind of an IP address; `refused` also for anything else, such as an address with a zone. */
export function kindOfAddress(address: string): 'public' | 'loopback' | 'refused' {
  if (isIPv4(address)) {
    if (address.startsWith('127.')) return 'loopback'
    return SPECIAL.check(address) ? 'refused' : 'public'
  }
  if (address === '::1') return 'loopback'
  if (!isIPv6(address) || address.includes('%')) return 'refused'
  return GLOBAL_IPV6.check(address, 'ipv6') && !SPECIAL.check(address, 'ipv6') ? 'public' : 'refused'
}

function listOf(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [network = '', prefix] = range.split('/')
    list.addSubnet(network, Number(prefix), network.includes(':') ? 'ipv6' : 'ipv4')
  }
  return list
}

/** The host without the brackets of an IPv6 address and without the root's full stop. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
}

/** A look-up that answers with `addresses` and resolves nothing, so the address checked is the address dialled. */
export function fixedLookup(addresses: readonly LookupAddress[]): LookupFunction {
  return (_, options, done) => {
    if (options.all) done(null, [...addresses])
    else done(null, addresses[0]?.address ?? '', addresses[0]?.family)
  }
}
