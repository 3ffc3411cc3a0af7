/**
 * Rules for network addresses: which are public, which are this machine, what a base URL is (§9), and how TLS connections are
 * checked.
 */
import type {LookupAddress} from 'node:dns'
import {BlockList, isIP, isIPv4, isIPv6, type LookupFunction} from 'node:net'
import {usage} from './failure.js'
import {parseUrl, sanitizeLine} from './foreign-text.js'
import {holdsSecret} from './identifiers.js'
import {API_VERSION} from './limits.js'
import SPECIAL_RANGES from './special-addresses.json' with {type: 'json'}

/**
 * The special-purpose ranges of IANA. They include every range of IPv6 addresses that embed an IPv4 address, because
 * such an address does not show its real target.
 */
const SPECIAL = listOf(Object.keys(SPECIAL_RANGES))

/** The only range of public IPv6 addresses. */
const GLOBAL_IPV6 = listOf(['2000::/3'])

/**
 * Returns whether an IP address is public, loopback or neither (`refused`). A text that is not an IP address, or has a
 * zone, is `refused`.
 */
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

/** Returns the host of a URL without the brackets of an IPv6 address and without a trailing dot. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
}

/**
 * Returns a lookup function that always answers with `addresses`, so that the address dialled is the address that was checked.
 */
export function fixedLookup(addresses: readonly LookupAddress[]): LookupFunction {
  return (_, options, done) => {
    if (options.all) done(null, [...addresses])
    else done(null, addresses[0]?.address ?? '', addresses[0]?.family)
  }
}

/**
 * Reports whether a host is this machine, to which plain http is allowed: `localhost`, 127.0.0.0/8 or `[::1]`, as the URL
 * parser writes them.
 */
export function isLoopbackHost(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/^\[|\]$/g, '')
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))
}

/**
 * Reports whether a host may be this machine in a wider sense than `isLoopbackHost`, such as `*.localhost` or 0.0.0.0.
 * A live secret is never sent there.
 */
export function mayBeThisMachine(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/^\[|\]$|\.+$/g, '')
  if (isLoopbackHost(host)) return true
  if (host.endsWith('.localhost') || host === 'localhost.localdomain') return true
  // The URL parser writes ::ffff:127.0.0.1 as ::ffff:7f00:1.
  return /^0\.|^::$|^::(ffff:)?(0:)?(7f[0-9a-f]{2}|0):[0-9a-f]{1,4}$/.test(host)
}

/**
 * Replaces the host of a base URL by 127.0.0.1 if `mayBeThisMachine` holds for it, so that `localhost`, 127.0.0.1 and
 * `[::1]` count as one service. Returns any other base URL unchanged.
 */
export function underOneName(baseUrl: string): string {
  const url = parseUrl(baseUrl)
  if (url === undefined || !mayBeThisMachine(url.hostname)) return baseUrl
  url.hostname = '127.0.0.1'
  return url.href.replace(/\/$/, '')
}

/**
 * Reports whether a host can be reached from other networks: a public address, or a name that is not reserved for local
 * networks.
 */
export function isPublicHost(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/^\[|\]$|\.+$/g, '')
  if (mayBeThisMachine(host)) return false
  if (isIP(host) > 0) return kindOfAddress(host) === 'public'
  return (
    host.includes('.') &&
    !/\.(local|localdomain|internal|intranet|lan|home|corp|test)$|\.home\.arpa$/.test(host)
  )
}

/**
 * Checks a base URL. It must use https (or http for loopback), end in the path segment `v1` (§9), and have no user
 * name, query or fragment. Returns the URL without a trailing slash, and whether its host is loopback.
 *
 * Throws a usage error that names `from`, where the text came from, and never quotes a password.
 */
export function parseBaseUrl(
  text: string,
  from = '',
  hint: string = 'set it with --base-url, BOOKCTL_BASE_URL or bookctl login',
) {
  // A text with a password or a query may contain a secret, and so may a secret that was typed as a URL. None is
  // quoted.
  const quoted = /[@?#]/.test(text) || holdsSecret(text) ? '' : ` ${JSON.stringify(sanitizeLine(text, 200))}`
  const place = from === '' ? '' : `${from}: `
  const refuse = (problem: string) =>
    usage('invalid_base_url', `${place}the base URL${quoted} ${problem}`, hint)
  const url = parseUrl(text)
  if (url === undefined || /[\s\p{Cc}\\]/u.test(text))
    throw refuse('is not an absolute URL such as https://…/partner-api/v1')
  const isLoopback = isLoopbackHost(url.hostname)
  if (url.username !== '' || url.password !== '') throw refuse('must not hold a user name or password')
  // The URL parser hides an empty query or fragment, so the text itself is checked.
  if (/[?#]/.test(text)) throw refuse('must not have a query or fragment')
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback))
    throw refuse('must start with https:// (plain http is for this machine alone)')
  const path = url.pathname.replace(/\/$/, '')
  if (path.split('/').at(-1) !== API_VERSION) {
    throw refuse(`must end in /${API_VERSION}, for example https://…/partner-api/${API_VERSION}`)
  }
  if (path.includes('//')) throw refuse('must not have an empty path segment')
  return {baseUrl: url.origin + path, isLoopback}
}

/**
 * The options of every TLS connection: certificates are verified, and TLS is at least 1.2. Every connection sets both,
 * because the environment can weaken the defaults of Node (NODE_TLS_REJECT_UNAUTHORIZED, --tls-min-v1.0).
 */
export const TLS_RULES = {rejectUnauthorized: true, minVersion: 'TLSv1.2'} as const
