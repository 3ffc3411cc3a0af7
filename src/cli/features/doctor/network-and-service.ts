/** Checks beyond this machine: the way to the service and the service itself, then signing secrets and a webhook receiver. */
import {throwUnanswered} from '../../../api/answers/refusals.js'
import {type ProxyServer, placeOf, proxyFor} from '../../../api/http/connection.js'
import {certificateText, findAddresses, inspectTls, tryConnecting} from '../../../api/http/inspect.js'
import {showAccount} from '../../../api/operations/account.js'
import type {Sender, SentAnswer} from '../../../api/types.js'
import {isoTime} from '../../../contract/dates.js'
import {parseJson} from '../../../contract/json.js'
import {SIGNATURE_TOLERANCE_SECONDS} from '../../../contract/limits.js'
import {isLoopbackHost} from '../../../contract/network.js'
import {BOOKING_SCOPES, OPERATIONS, SCOPES} from '../../../contract/operations.js'
import {isEmptySecret} from '../../../webhooks/signature/signature.js'
import {withProxy} from '../../input/checks.js'
import type {Connection, ConnectOptions} from '../../session/connect.js'
import {profileName} from '../../session/resolve.js'
import {trustedCertificates} from '../../session/trust.js'
import {checkReadyToken} from '../access/profiles.js'
import {isFailed, type ProbeOptions, probeReceiver} from '../webhooks/probe.js'
import {storedWebhookSecrets} from '../webhooks/secrets.js'
import {type Checks, type Finding, fail, ok, skipped, warn} from './check.js'

/** `timeoutSeconds`: for each step. */
type NetworkParts = Pick<ConnectOptions, 'env' | 'proxy' | 'caFile' | 'insecure'> & {timeoutSeconds: number}

/** An operator needs some weeks to have a certificate renewed. */
const ABOUT_TO_EXPIRE_SECONDS = 21 * 24 * 3600

/** Send no credentials. All but the first two need those before them. `now` is Unix seconds. */
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
      return ok(describeProxy(url, proxy, parts))
    },
    dns: async () => {
      if (proxy) return skipped('resolved by the proxy')
      const addresses = await findAddresses(way())
      const families = new Set(addresses.map(address => (address.includes(':') ? 'IPv6' : 'IPv4')).sort())
      return ok(`${way().url.hostname}: ${addresses.join(', ')} (${[...families].join(' and ')})`)
    },
    connection: async () => {
      const started = performance.now()
      await tryConnecting(way())
      const where = proxy ? `proxy ${proxy.origin}` : placeOf(way().url).target
      return ok(`${where} accepts connections, in ${Math.round(performance.now() - started)} ms`)
    },
    tls: async () => {
      const {protocol, hostname} = new URL(baseUrl)
      if (protocol !== 'https:') return skipped('plain http, on this machine only')
      const view = await inspectTls(way())
      const detail = [view.protocol, ...view.chain.map(certificateText)].join('; ')
      if (view.problem) {
        const {reason, advice} = view.problem
        if (!parts.insecure || !isLoopbackHost(hostname))
          return fail('unreachable', `${reason}; ${detail}`, advice)
        const accepted = `${reason}; ${detail}; accepted because of --insecure`
        return warn(accepted, 'name its authority with --ca-file FILE')
      }
      const ending = view.chain.find(({validUntil}) => validUntil - now < ABOUT_TO_EXPIRE_SECONDS)
      if (!ending) return ok(detail)
      const days = Math.floor((ending.validUntil - now) / 24 / 3600)
      const fix = 'tell the operator of the service to renew the certificate'
      return warn(`the certificate of ${ending.subject} ends in ${days} days; ${detail}`, fix)
    },
  }
}

function describeProxy(url: URL, proxy: ProxyServer | undefined, parts: NetworkParts): string {
  if (proxy) {
    const from = parts.proxy === undefined ? `${url.protocol.slice(0, -1).toUpperCase()}_PROXY` : '--proxy'
    const signedIn = proxy.authorization === undefined ? '' : ', with a user name and password'
    return `${proxy.origin} (${from})${signedIn}`
  }
  const set = Object.keys(parts.env).filter(name => /^https?_proxy$/i.test(name) && parts.env[name])
  if (set.length === 0 && parts.proxy === undefined) return 'none is set'
  const isNear = isLoopbackHost(url.hostname)
  const why = isNear ? 'this machine is reached directly' : 'NO_PROXY, or another scheme'
  return `${set.join(', ') || '--proxy'} set, and not used for ${url.host}: ${why}`
}

type SignedIn = Pick<Connection, 'api' | 'tokens' | 'target'>

/** A clock that is this wrong misjudges when tokens expire; beyond §6.3's tolerance it refuses signatures too. */
const NOTABLE_SKEW_SECONDS = 60

/** `open` is called by the first check. BOOKCTL_TOKEN does not show its scopes, so the account check shows what it is good for. */
export function serviceChecks(
  baseUrl: string,
  open: () => Promise<{readonly sender: Sender; readonly signedIn: SignedIn | undefined}>,
  {timeoutSeconds, now}: {timeoutSeconds: number; now: () => number},
): Checks {
  let link: Awaited<ReturnType<typeof open>> | undefined
  let answer: SentAnswer | undefined
  let answeredAt = 0
  let granted: readonly string[] | undefined
  const withLogin = (work: (signedIn: SignedIn) => Promise<Finding> | Finding) => () => {
    if (!answer) return skipped(NO_ANSWER)
    return link?.signedIn ? work(link.signedIn) : skipped('no credentials')
  }
  return {
    service: async () => {
      link = await open()
      const began = now()
      const url = baseUrl + OPERATIONS['account.show'].path
      const request = {method: 'GET', url, headers: {accept: 'application/json'}}
      const sent = link.sender.send(request, {repeatable: true, timeoutSeconds})
      answer = await sent.catch(throwUnanswered(false))
      answeredAt = (began + now()) / 2
      return describeAnswer(answer, baseUrl, (now() - began) * 1000)
    },
    clock: () => (answer ? checkClock(answer.headers, answeredAt) : skipped(NO_ANSWER)),
    token: withLogin(async ({api, tokens, target}) => {
      if (target.token) {
        await checkReadyToken(api)
        granted = ['account:read']
        return ok('BOOKCTL_TOKEN is accepted; it is never renewed')
      }
      const {scopes, expiresAt} = await tokens.get(target.scopes ?? BOOKING_SCOPES)
      granted = scopes
      const minutes = Math.max(0, Math.floor((expiresAt - now()) / 60))
      return ok(`valid until ${isoTime(expiresAt)}, ${minutes} minutes`)
    }),
    scopes: withLogin(({target}) => {
      if (target.token) return skipped('unknown for BOOKCTL_TOKEN')
      if (!granted) return skipped('no token')
      const given = granted.join(', ')
      const lacking = (target.scopes ?? BOOKING_SCOPES).filter(scope => !granted?.includes(scope))
      if (lacking.length === 0) return ok(`granted: ${given}`)
      const words = lacking.map(scope => `${scope} (${SCOPES[scope]})`).join('; ')
      const fix = `ask the operator to grant ${lacking.join(', ')}, or log in with fewer scopes: bookctl login --scope …`
      return warn(`granted: ${given || 'none'}; not granted: ${words}`, fix)
    }),
    account: withLogin(async ({api, target}) => {
      if (!granted) return skipped(target.token ? 'the token is not accepted' : 'no token')
      if (!granted.includes('account:read')) return skipped('the token lacks the scope account:read')
      const {account_id, status} = await showAccount(api)
      const facts = [account_id, status].filter(fact => typeof fact === 'string')
      return ok(`answers${facts.length > 0 ? `: ${facts.join(', ')}` : ''}`)
    }),
  }
}

const NO_ANSWER = 'the service did not answer'

function describeAnswer({status, body}: SentAnswer, baseUrl: string, milliseconds: number): Finding {
  const summary = `${baseUrl} answered ${status} in ${Math.round(milliseconds)} ms`
  if (status >= 500)
    return fail('service_failed', summary, 'try again later, or ask the operator of the service')
  if (status === 401) return ok(`${summary}, as expected without a token`)
  const fix = 'check that the base URL is the address of the service'
  if (status < 400 || parseJson(body) === undefined)
    return warn(`${summary} to a request without a token, where 401 is expected`, fix)
  return ok(summary)
}

/** `at`: Unix seconds on this machine, when the answer was made. */
function checkClock(headers: SentAnswer['headers'], at: number): Finding {
  const date = Date.parse(headers.date ?? '')
  if (Number.isNaN(date)) return skipped('the response has no Date header')
  // Date has whole seconds, so half a second is added on average.
  const skew = at - (date / 1000 + 0.5)
  const seconds = Math.abs(Math.round(skew))
  if (seconds < NOTABLE_SKEW_SECONDS) return ok(`within ${Math.max(seconds, 1)} s of the service's`)
  const detail = `${seconds} s ${skew > 0 ? 'ahead of' : 'behind'} the service's: tokens and signatures depend on the time`
  const fix = 'set the clock of this machine by NTP: timedatectl set-ntp true'
  return seconds > SIGNATURE_TOLERANCE_SECONDS ? fail('usage', detail, fix) : warn(detail, fix)
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
