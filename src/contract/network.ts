/** Addresses: which are public, which hosts are this machine, what a base URL is (§9), and the rule of TLS connections. */
import type {LookupAddress} from 'node:dns'
import {BlockList, isIP, isIPv4, isIPv6, type LookupFunction} from 'node:net'
import {usage} from './failure.js'
import {parseUrl, sanitizeLine} from './foreign-text.js'
import {holdsSecret, type Mode} from './identifiers.js'
import {API_VERSION} from './limits.js'
import SPECIAL_RANGES from './special-addresses.json' with {type: 'json'}

/** IANA's special-purpose registries, and every form of an IPv4 address inside an IPv6 one: its target cannot be known here. */
const SPECIAL = listOf(Object.keys(SPECIAL_RANGES))

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

/** Whether plain http may go there: `localhost`, 127.0.0.0/8, `[::1]`, as the URL parser writes them. */
export function isLoopbackHost(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/^\[|\]$/g, '')
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))
}

/** Whether a host may be this machine in a wider sense, such as `*.localhost` or 0.0.0.0: a live key never goes there. */
export function mayBeThisMachine(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/^\[|\]$|\.+$/g, '')
  if (isLoopbackHost(host)) return true
  if (host.endsWith('.localhost') || host === 'localhost.localdomain') return true
  // The URL parser writes ::ffff:127.0.0.1 as ::ffff:7f00:1.
  return /^0\.|^::$|^::(ffff:)?(0:)?(7f[0-9a-f]{2}|0):[0-9a-f]{1,4}$/.test(host)
}

/**
 * A base URL with one name for this machine, so that `localhost`, 127.0.0.1 and `[::1]` are one service. Others stay as they
 * are.
 */
export function underOneName(baseUrl: string): string {
  const url = parseUrl(baseUrl)
  if (url === undefined || !mayBeThisMachine(url.hostname)) return baseUrl
  url.hostname = '127.0.0.1'
  return url.href.replace(/\/$/, '')
}

/** Whether a device in another network may reach a host: one with a public address, or a name that is not of a local network. */
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
 * Checks a base URL and takes off its trailing slash: https (plain http for loopback alone), last path segment `v1` (§9), and no user
 * name, query or fragment. Throws a usage Failure that names `from`, where the text is from, and never quotes a password.
 */
export function parseBaseUrl(
  text: string,
  from = '',
  hint: string = 'set it with --base-url, BOOKCTL_BASE_URL or bookctl login',
) {
  // What may be a secret is not quoted: a password, a query, a secret in the wrong place.
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

/** Refuses to send a live key to this machine (§5.3): usage Failure. Test keys and unknown ones may go anywhere. */
export function checkKeyFits(secretMode: Mode | undefined, baseUrl: string): void {
  if (secretMode !== 'live' || !mayBeThisMachine(new URL(baseUrl).hostname)) return
  throw usage(
    'live_key_on_loopback',
    'a live client secret (sk_live_…) is never sent to this machine',
    'use a test secret (sk_test_…) with the local sandbox, or name the live service with --base-url',
  )
}

/**
 * The rule of every TLS connection of this program: certificates are checked and TLS is at least 1.2. The runtime takes both
 * defaults from the environment (NODE_TLS_REJECT_UNAUTHORIZED, --tls-min-v1.0), so every connection states them.
 */
export const TLS_RULES = {rejectUnauthorized: true, minVersion: 'TLSv1.2'} as const
