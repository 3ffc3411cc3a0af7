/** What `doctor` looks at on the way to the service: proxy, name, connection, certificates. No credentials are sent. */
import {
  certificateText,
  findAddresses,
  hostAndPort,
  inspectTls,
  type TlsView,
  tryConnecting,
  type Way,
} from '../../../api/http/inspect.js'
import {isLoopbackHost} from '../../../api/http/loopback.js'
import {type ProxyServer, proxyFor} from '../../../api/http/proxy.js'
import type {State} from '../../../state/state.js'
import {isEmptySecret} from '../../../webhooks/signature/signature.js'
import {withProxy} from '../../input/proxy.js'
import {rememberedIn} from '../../session/connect.js'
import {profileName} from '../../session/target.js'
import {trustedCertificates} from '../../session/trust.js'
import {probeReceiver} from '../webhooks/probe.js'
import {storedWebhookSecrets} from '../webhooks/secrets.js'
import {type Check, checking, fail, ok, skipped, warn} from './check.js'

export interface NetworkParts {
  readonly env: NodeJS.ProcessEnv
  /** `--proxy`. */
  readonly proxy: string | undefined
  readonly caFile: string | undefined
  readonly insecure: boolean
  /** For each step. */
  readonly timeoutSeconds: number
}

export const NETWORK_CHECKS = ['trust', 'proxy', 'dns', 'connection', 'tls']

/** Ours: an operator needs some weeks to have a certificate renewed. */
const ABOUT_TO_EXPIRE_SECONDS = 21 * 24 * 3600

/** Step after step; after one that failed the rest is skipped. `now` is Unix seconds. */
export async function checkNetwork(baseUrl: string, parts: NetworkParts, now: number): Promise<Check[]> {
  const url = new URL(baseUrl)
  let found: ProxyServer | undefined
  let ca: string[] | undefined
  const trust = await checking('trust', async () => {
    ca = await trustedCertificates(parts.caFile, parts.env)
    return ok('trust', `certificate authorities of this system${parts.caFile ? ' and of --ca-file' : ''}`)
  })
  const proxy = await checking('proxy', () => {
    found = proxyFor(url, parts.proxy === undefined ? parts.env : withProxy(parts.env, parts.proxy))
    return describeProxy(url, found, parts)
  })
  const checks = [trust, proxy]
  const steps: [string, (way: Way) => Promise<Check>][] = [
    ['dns', checkName],
    ['connection', checkConnection],
    ['tls', way => checkTls(way, now, parts.insecure)],
  ]
  for (const [name, step] of steps) {
    const before = checks.find(({status}) => status === 'fail')
    const way = {url, proxy: found, ca, milliseconds: parts.timeoutSeconds * 1000}
    checks.push(before ? skipped(name, `${before.name} failed`) : await checking(name, () => step(way)))
  }
  return checks
}

function describeProxy(url: URL, proxy: ProxyServer | undefined, parts: NetworkParts): Check {
  if (proxy) {
    const from = parts.proxy === undefined ? `${url.protocol.slice(0, -1).toUpperCase()}_PROXY` : '--proxy'
    const signedIn = proxy.authorization === undefined ? '' : ', with a user name and password'
    return ok('proxy', `${proxy.origin} (${from})${signedIn}`)
  }
  const set = Object.keys(parts.env).filter(name => /^https?_proxy$/i.test(name) && parts.env[name])
  if (set.length === 0 && parts.proxy === undefined) return ok('proxy', 'none is set')
  const why = isLoopbackHost(url.hostname)
    ? 'this machine is reached directly'
    : 'NO_PROXY, or another scheme'
  return ok('proxy', `${set.join(', ') || '--proxy'} set, and not used for ${url.host}: ${why}`)
}

async function checkName(way: Way): Promise<Check> {
  if (way.proxy) return skipped('dns', 'resolved by the proxy')
  const addresses = await findAddresses(way)
  const families = [
    addresses.some(a => !a.includes(':')) && 'IPv4',
    addresses.some(a => a.includes(':')) && 'IPv6',
  ]
  return ok('dns', `${way.url.hostname}: ${addresses.join(', ')} (${families.filter(Boolean).join(' and ')})`)
}

async function checkConnection(way: Way): Promise<Check> {
  const started = performance.now()
  await tryConnecting(way)
  const {host, port} = hostAndPort(way.url)
  const where = way.proxy ? `proxy ${way.proxy.origin}` : `${host}:${port}`
  return ok('connection', `${where} accepts connections, in ${Math.round(performance.now() - started)} ms`)
}

async function checkTls(way: Way, now: number, insecure: boolean): Promise<Check> {
  if (way.url.protocol !== 'https:') return skipped('tls', 'plain http, on this machine only')
  const view = await inspectTls(way)
  const detail = [view.protocol, ...view.chain.map(certificateText)].join('; ')
  if (view.problem) return refusedCertificate(way, view.problem, detail, insecure)
  const ending = view.chain.find(({validUntil}) => validUntil - now < ABOUT_TO_EXPIRE_SECONDS)
  if (!ending) return ok('tls', detail)
  const days = Math.floor((ending.validUntil - now) / 24 / 3600)
  const fix = 'tell the operator of the service to renew the certificate'
  return warn('tls', `the certificate of ${ending.subject} ends in ${days} days; ${detail}`, fix)
}

const LOOK_AT_CLOCK = 'tell the operator of the service, and look at the clock of this machine'
const NAME_AUTHORITY = 'if you trust its authority, name its PEM with --ca-file FILE'
const CERTIFICATE_ADVICE: Readonly<Record<NonNullable<TlsView['problem']>['kind'], string>> = {
  expired: LOOK_AT_CLOCK,
  not_yet_valid: LOOK_AT_CLOCK,
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
): Check {
  const all = `${reason}; ${detail}`
  if (insecure && isLoopbackHost(way.url.hostname))
    return warn('tls', `${all}; --insecure takes it all the same`, 'name its authority with --ca-file FILE')
  return fail('tls', 'unreachable', all, CERTIFICATE_ADVICE[kind])
}

export interface ReceiverParts {
  readonly state: State
  readonly env: NodeJS.ProcessEnv
  readonly caFile: string | undefined
  readonly timeoutSeconds: number | undefined
  readonly profile: string | undefined
}

/** Whether there is something to check signatures with. */
export function checkSigningSecrets({state, env, profile}: ReceiverParts): Check {
  const fromEnv = (env.BOOKCTL_WEBHOOK_SECRET ?? '').split(/\s+/).filter(Boolean)
  if (fromEnv.some(isEmptySecret)) {
    const fix = 'set it to the secret shown when the subscription was created'
    return warn('signing secrets', 'BOOKCTL_WEBHOOK_SECRET holds one that is empty after whsec_', fix)
  }
  if (fromEnv.length > 0) return ok('signing secrets', `${fromEnv.length} in BOOKCTL_WEBHOOK_SECRET`)
  const stored = storedWebhookSecrets(state, profileName({profile}, rememberedIn(state)))
  if (stored.length > 0) return ok('signing secrets', `${stored.length} stored for the profile`)
  return ok('signing secrets', 'none; webhooks create stores the one it gets')
}

/** Sends the receiver at `url` what `webhooks probe` sends. */
export function checkReceiver(url: string | undefined, parts: ReceiverParts): Promise<Check> {
  if (url === undefined) return Promise.resolve(skipped('receiver', 'none was named with --receiver URL'))
  return checking('receiver', async () => {
    const {profile} = parts
    const rows = await probeReceiver(url, profile === undefined ? {} : {profile}, {...parts, onRow: () => {}})
    const failed = rows.filter(row => !row.ok)
    const [first] = failed
    const count = `${rows.length - failed.length} of ${rows.length} cases passed`
    if (!first) return ok('receiver', count)
    const advice = `${first.case}: ${first.advice ?? 'see webhooks probe'}`
    return fail('receiver', 'refused', `${count}; ${advice}`, `bookctl webhooks probe '${url}'`)
  })
}
