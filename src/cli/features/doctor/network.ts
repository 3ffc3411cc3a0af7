/** Checks of the connection: proxy, name, connection, certificates. No credentials are sent. */
import {
  certificateText,
  findAddresses,
  hostAndPort,
  inspectTls,
  type TlsView,
  tryConnecting,
  type Way,
} from '../../../api/http/inspect.js'
import {type ProxyServer, proxyFor} from '../../../api/http/proxy.js'
import {isLoopbackHost} from '../../../contract/loopback.js'
import {isEmptySecret} from '../../../webhooks/signature/signature.js'
import {withProxy} from '../../input/checks.js'
import type {ConnectOptions} from '../../session/connect.js'
import {profileName} from '../../session/target.js'
import {trustedCertificates} from '../../session/trust.js'
import {isFailed, type ProbeOptions, probeReceiver} from '../webhooks/probe.js'
import {storedWebhookSecrets} from '../webhooks/secrets.js'
import {type Checks, type Finding, fail, ok, skipped, warn} from './check.js'

/** `timeoutSeconds`: for each step. */
type NetworkParts = Pick<ConnectOptions, 'env' | 'proxy' | 'caFile' | 'insecure'> & {timeoutSeconds: number}

/** An operator needs some weeks to have a certificate renewed. */
const ABOUT_TO_EXPIRE_SECONDS = 21 * 24 * 3600

/** All but the first two need those before them. `now` is Unix seconds. */
export function networkChecks(baseUrl: string, parts: NetworkParts, now: number): Checks {
  let proxy: ProxyServer | undefined
  let ca: string[] | undefined
  const way = () => ({url: new URL(baseUrl), proxy, ca, milliseconds: parts.timeoutSeconds * 1000})
  return {
    trust: async () => {
      ca = await trustedCertificates(parts.caFile, parts.env)
      return ok(`certificate authorities of this system${parts.caFile ? ' and of --ca-file' : ''}`)
    },
    proxy: () => {
      const {url} = way()
      proxy = proxyFor(url, parts.proxy === undefined ? parts.env : withProxy(parts.env, parts.proxy))
      return describeProxy(url, proxy, parts)
    },
    dns: () => checkName(way()),
    connection: () => checkConnection(way()),
    tls: () => checkTls(way(), now, parts.insecure ?? false),
  }
}

function describeProxy(url: URL, proxy: ProxyServer | undefined, parts: NetworkParts): Finding {
  if (proxy) {
    const from = parts.proxy === undefined ? `${url.protocol.slice(0, -1).toUpperCase()}_PROXY` : '--proxy'
    const signedIn = proxy.authorization === undefined ? '' : ', with a user name and password'
    return ok(`${proxy.origin} (${from})${signedIn}`)
  }
  const set = Object.keys(parts.env).filter(name => /^https?_proxy$/i.test(name) && parts.env[name])
  if (set.length === 0 && parts.proxy === undefined) return ok('none is set')
  const why = isLoopbackHost(url.hostname)
    ? 'this machine is reached directly'
    : 'NO_PROXY, or another scheme'
  return ok(`${set.join(', ') || '--proxy'} set, and not used for ${url.host}: ${why}`)
}

async function checkName(way: Way): Promise<Finding> {
  if (way.proxy) return skipped('resolved by the proxy')
  const addresses = await findAddresses(way)
  const families = new Set(addresses.map(address => (address.includes(':') ? 'IPv6' : 'IPv4')).sort())
  return ok(`${way.url.hostname}: ${addresses.join(', ')} (${[...families].join(' and ')})`)
}

async function checkConnection(way: Way): Promise<Finding> {
  const started = performance.now()
  await tryConnecting(way)
  const {host, port} = hostAndPort(way.url)
  const where = way.proxy ? `proxy ${way.proxy.origin}` : `${host}:${port}`
  return ok(`${where} accepts connections, in ${Math.round(performance.now() - started)} ms`)
}

async function checkTls(way: Way, now: number, insecure: boolean): Promise<Finding> {
  if (way.url.protocol !== 'https:') return skipped('plain http, on this machine only')
  const view = await inspectTls(way)
  const detail = [view.protocol, ...view.chain.map(certificateText)].join('; ')
  if (view.problem) return refusedCertificate(way, view.problem, detail, insecure)
  const ending = view.chain.find(({validUntil}) => validUntil - now < ABOUT_TO_EXPIRE_SECONDS)
  if (!ending) return ok(detail)
  const days = Math.floor((ending.validUntil - now) / 24 / 3600)
  const fix = 'tell the operator of the service to renew the certificate'
  return warn(`the certificate of ${ending.subject} ends in ${days} days; ${detail}`, fix)
}

const CHECK_CLOCK = 'tell the operator of the service, and check the clock of this machine'
const NAME_AUTHORITY = 'if you trust its authority, name its PEM with --ca-file FILE'
const CERTIFICATE_ADVICE: Readonly<Record<NonNullable<TlsView['problem']>['kind'], string>> = {
  expired: CHECK_CLOCK,
  not_yet_valid: CHECK_CLOCK,
  revoked: 'tell the operator of the service',
  other_host: 'check the host name in the base URL',
  self_signed: NAME_AUTHORITY,
  unknown_authority: NAME_AUTHORITY,
}

function refusedCertificate(
  way: Way,
  {kind, reason}: NonNullable<TlsView['problem']>,
  detail: string,
  insecure: boolean,
): Finding {
  const all = `${reason}; ${detail}`
  if (insecure && isLoopbackHost(way.url.hostname))
    return warn(`${all}; accepted because of --insecure`, 'name its authority with --ca-file FILE')
  return fail('unreachable', all, CERTIFICATE_ADVICE[kind])
}

type ReceiverParts = ProbeOptions & Pick<ConnectOptions, 'env'> & {readonly profile: string | undefined}

export function checkSigningSecrets({state, env, profile}: ReceiverParts): Finding {
  const fromEnv = (env.BOOKCTL_WEBHOOK_SECRET ?? '').split(/\s+/).filter(Boolean)
  if (fromEnv.some(isEmptySecret)) {
    const fix = 'set it to the secret shown when the subscription was created'
    return warn('BOOKCTL_WEBHOOK_SECRET holds one that is empty after whsec_', fix)
  }
  if (fromEnv.length > 0) return ok(`${fromEnv.length} in BOOKCTL_WEBHOOK_SECRET`)
  const stored = storedWebhookSecrets(state, profileName({profile}, state))
  if (stored.length > 0) return ok(`${stored.length} stored for the profile`)
  return ok('none; webhooks create stores the one it gets')
}

/** Sends the receiver at `url` what `webhooks probe` sends. */
export async function checkReceiver(url: string | undefined, parts: ReceiverParts): Promise<Finding> {
  if (url === undefined) return skipped('none was named with --receiver URL')
  const {profile} = parts
  const {rows, notSent} = await probeReceiver(url, {profile}, parts)
  const [first] = rows.filter(isFailed)
  const count = `${rows.filter(({ok}) => ok).length} of ${rows.length + notSent} cases passed`
  if (!first) return ok(count)
  const advice = `${first.case}: ${first.advice ?? 'see webhooks probe'}`
  return fail('refused', `${count}; ${advice}`, `bookctl webhooks probe '${url}'`)
}
