/** Which proxy a request takes, from HTTPS_PROXY, HTTP_PROXY and NO_PROXY in either case (lower case wins). */
import {BlockList, isIP, isIPv4} from 'node:net'
import {usage} from '../../contract/failure.js'
import {parseUrl, percentDecoded} from '../../contract/foreign-text.js'
import {mayBeThisMachine} from '../../contract/loopback.js'

export type ProxyServer = ReturnType<typeof parseProxy>

/** The proxy for `url`, or undefined to connect directly; this machine is always reached directly. */
export function proxyFor(url: URL, env: NodeJS.ProcessEnv): ProxyServer | undefined {
  if (mayBeThisMachine(url.hostname)) return undefined
  const name = url.protocol === 'https:' ? 'https_proxy' : 'http_proxy'
  const text = setting(env, name)
  if (text === '' || isExempt(url, setting(env, 'no_proxy'))) return undefined
  return parseProxy(text, name.toUpperCase())
}

function setting(env: NodeJS.ProcessEnv, name: string): string {
  return (env[name] ?? env[name.toUpperCase()] ?? '').trim()
}

/** `origin` is safe to print; `authorization`, the value of Proxy-Authorization, is never printed. */
function parseProxy(text: string, name: string) {
  // `proxy:3128` is common; curl reads it as http.
  const written = text.includes('://') ? text : `http://${text}`
  const url = parseUrl(written)
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.hostname === '') {
    throw usage('invalid_proxy', `${name} must be an http:// or https:// URL`, `correct or unset ${name}`)
  }
  return {origin: url.origin, authorization: basicAuthorization(url)}
}

function basicAuthorization(url: URL): string | undefined {
  if (url.username === '' && url.password === '') return undefined
  const credentials = [url.username, url.password].map(percentDecoded).join(':')
  return `Basic ${Buffer.from(credentials).toString('base64')}`
}

/** Whether NO_PROXY names the host: `*`, `host`, `.host`, `*.host`, `host:port`, an address, or a CIDR range. */
function isExempt(url: URL, noProxy: string): boolean {
  const host = url.hostname.replace(/^\[|\]$|\.$/g, '').toLowerCase()
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  return noProxy.split(/[\s,]+/).some(entry => entry !== '' && matches(entry.toLowerCase(), host, port))
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true
  const [network = '', prefix] = entry.split('/')
  if (prefix !== undefined) return /^\d{1,3}$/.test(prefix) && isInNetwork(network, Number(prefix), host)
  const [, bracketed, plain, entryPort] = /^(?:\[(.+)\]|([^:]+|.*:.*:.*?))(?::(\d+))?$/.exec(entry) ?? []
  if (entryPort !== undefined && entryPort !== port) return false
  const name = (bracketed ?? plain ?? entry).replace(/^\*?\./, '').replace(/\.$/, '')
  // As a network, because one IPv6 address can be written in several ways.
  if (isIP(name) !== 0) return isInNetwork(name, isIPv4(name) ? 32 : 128, host)
  return host === name || host.endsWith(`.${name}`)
}

function isInNetwork(network: string, bits: number, host: string): boolean {
  const isV4 = isIPv4(network)
  if (isIP(network) === 0 || isIP(host) !== isIP(network) || bits > (isV4 ? 32 : 128)) return false
  const [list, family] = [new BlockList(), isV4 ? 'ipv4' : 'ipv6'] as const
  list.addSubnet(network, bits, family)
  return list.check(host, family)
}
