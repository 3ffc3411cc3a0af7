/** Which hosts are this machine. */
import {isIP, isIPv4} from 'node:net'
import {kindOfAddress} from './addresses.js'
import {parseUrl} from './foreign-text.js'

/** Whether plain http may go there: `localhost`, 127.0.0.0/8, `[::1]`, as the URL parser writes them. */
export function isLoopbackHost(hostname: string): boolean {
  const host = bare(hostname)
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))
}

/** Whether a host may be this machine in a wider sense, such as `*.localhost` or 0.0.0.0: a live key never goes there. */
export function mayBeThisMachine(hostname: string): boolean {
  const host = bare(hostname).replace(/\.+$/, '')
  if (isLoopbackHost(host)) return true
  if (host.endsWith('.localhost') || host === 'localhost.localdomain') return true
  // The URL parser writes ::ffff:127.0.0.1 as ::ffff:7f00:1.
  return /^0\.|^::$|^::(ffff:)?(0:)?(7f[0-9a-f]{2}|0):[0-9a-f]{1,4}$/.test(host)
}

/** A base URL with one name for this machine, so that `localhost`, 127.0.0.1 and `[::1]` are one service. Others stay as they are. */
export function underOneName(baseUrl: string): string {
  const url = parseUrl(baseUrl)
  if (url === undefined || !mayBeThisMachine(url.hostname)) return baseUrl
  url.hostname = '127.0.0.1'
  return url.href.replace(/\/$/, '')
}

/** Whether a device in another network may reach a host: one with a public address, or a name that is not of a local network. */
export function isPublicHost(hostname: string): boolean {
  const host = bare(hostname).replace(/\.+$/, '')
  if (mayBeThisMachine(host)) return false
  if (isIP(host) > 0) return kindOfAddress(host) === 'public'
  return (
    host.includes('.') &&
    !/\.(local|localdomain|internal|intranet|lan|home|corp|test)$|\.home\.arpa$/.test(host)
  )
}

function bare(hostname: string): string {
  return hostname.toLowerCase().replace(/^\[|\]$/g, '')
}
