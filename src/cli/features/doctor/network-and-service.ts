/** Checks the network, the service and the credentials, and also signing secrets and a webhook receiver. */
import {throwUnanswered} from '../../../api/answers/refusals.js'
import {type Credentials, requestToken} from '../../../api/auth/tokens.js'
import {type ProxyServer, placeOf, proxyFor} from '../../../api/http/connection.js'
import {certificateText, findAddresses, inspectTls, tryConnecting} from '../../../api/http/inspect.js'
import {showAccount} from '../../../api/operations/account.js'
import type {Sender, SentAnswer} from '../../../api/types.js'
import {isoTime, systemClock} from '../../../contract/dates.js'
import {Failure} from '../../../contract/failure.js'
import {parseJson} from '../../../contract/json.js'
import {SIGNATURE_TOLERANCE_SECONDS} from '../../../contract/limits.js'
import {isLoopbackHost} from '../../../contract/network.js'
import {BOOKING_SCOPES, OPERATIONS, SCOPE_NAMES, SCOPES, type Scope} from '../../../contract/operations.js'
import type {State} from '../../../state/state.js'
import {isEmptySecret} from '../../../webhooks/signature/signature.js'
import {withProxy} from '../../input/checks.js'
import type {Connection, ConnectOptions} from '../../session/connect.js'
import {profileName, webhookSecretsOfEnvironment} from '../../session/resolve.js'
import {trustedCertificates} from '../../session/trust.js'
import {checkReadyToken} from '../access/profiles.js'
import {isFailed, type ProbeOptions, probeReceiver} from '../webhooks/probe.js'
import {storedWebhookSecrets} from '../webhooks/secrets.js'
import {readStatus} from '../webhooks/status.js'
import {type Checks, type Finding, fail, ok, skipped, warn} from './check.js'

interface NetworkOptions extends Pick<ConnectOptions, 'env' | 'proxy' | 'caFile' | 'insecure'> {
  /** Time limit for each check. */
  readonly timeoutSeconds: number
}

/** A certificate that expires within three weeks is reported, because an operator needs time to renew it. */
const ABOUT_TO_EXPIRE_SECONDS = 21 * 24 * 3600

/** Checks the connection to the service, without credentials. Each check depends on the previous ones. */
export class NetworkChecks {
  private proxy: ProxyServer | undefined
  private trusted: string[] | undefined

  constructor(
    private readonly baseUrl: string,
    private readonly options: NetworkOptions,
  ) {}

  /** Returns the checks in the order in which they must run. */
  checks(): Checks {
    return {
      trust: () => this.checkTrust(),
      proxy: () => this.checkProxy(),
      dns: () => this.checkDns(),
      connection: () => this.checkConnection(),
      tls: () => this.checkTls(),
    }
  }

  private get route() {
    const {baseUrl, proxy, trusted, options} = this
    return {url: new URL(baseUrl), proxy, ca: trusted, milliseconds: options.timeoutSeconds * 1000}
  }

  private async checkTrust(): Promise<Finding> {
    const {caFile, env} = this.options
    this.trusted = await trustedCertificates(caFile, env)
    return ok(`certificate authorities of this system${caFile ? ' and of --ca-file' : ''}`)
  }

  private checkProxy(): Finding {
    const {env, proxy} = this.options
    const url = new URL(this.baseUrl)
    this.proxy = proxyFor(url, proxy === undefined ? env : withProxy(env, proxy))
    if (this.proxy) {
      const from = proxy === undefined ? `${url.protocol.slice(0, -1).toUpperCase()}_PROXY` : '--proxy'
      const signedIn = this.proxy.authorization === undefined ? '' : ', with a user name and password'
      return ok(`${this.proxy.origin} (${from})${signedIn}`)
    }
    const set = Object.keys(env).filter(name => /^https?_proxy$/i.test(name) && env[name])
    if (set.length === 0 && proxy === undefined) return ok('none is set')
    const isNear = isLoopbackHost(url.hostname)
    const why = isNear ? 'this machine is reached directly' : 'NO_PROXY, or another scheme'
    return ok(`${set.join(', ') || '--proxy'} set, and not used for ${url.host}: ${why}`)
  }

  private async checkDns(): Promise<Finding> {
    if (this.proxy) return skipped('resolved by the proxy')
    const addresses = await findAddresses(this.route)
    const families = new Set(addresses.map(address => (address.includes(':') ? 'IPv6' : 'IPv4')).sort())
    return ok(`${this.route.url.hostname}: ${addresses.join(', ')} (${[...families].join(' and ')})`)
  }

  private async checkConnection(): Promise<Finding> {
    const started = performance.now()
    await tryConnecting(this.route)
    const where = this.proxy ? `proxy ${this.proxy.origin}` : placeOf(this.route.url).target
    return ok(`${where} accepts connections, in ${Math.round(performance.now() - started)} ms`)
  }

  private async checkTls(): Promise<Finding> {
    const {protocol, hostname} = this.route.url
    if (protocol !== 'https:') return skipped('plain http, on this machine only')
    const view = await inspectTls(this.route)
    const detail = [view.protocol, ...view.chain.map(certificateText)].join('; ')
    if (view.problem) {
      const {reason, advice} = view.problem
      if (!this.options.insecure || !isLoopbackHost(hostname))
        return fail('unreachable', `${reason}; ${detail}`, advice)
      const accepted = `${reason}; ${detail}; accepted because of --insecure`
      return warn(accepted, 'name its authority with --ca-file FILE')
    }
    const now = systemClock.now()
    const ending = view.chain.find(({validUntil}) => validUntil - now < ABOUT_TO_EXPIRE_SECONDS)
    if (!ending) return ok(detail)
    const days = Math.floor((ending.validUntil - now) / 24 / 3600)
    const fix = 'tell the operator of the service to renew the certificate'
    return warn(`the certificate of ${ending.subject} ends in ${days} days; ${detail}`, fix)
  }
}

type SignedIn = Pick<Connection, 'api' | 'tokens' | 'target'>

/**
 * If the clock is off by this many seconds, tokens seem to expire at a wrong time. Beyond the tolerance of §6.3,
 * signatures are refused too.
 */
const NOTABLE_SKEW_SECONDS = 60

/**
 * Checks the service and the credentials. The first check calls `open`. The scopes of BOOKCTL_TOKEN are unknown, so
 * only the check of the account shows whether it works.
 */
export class ServiceChecks {
  private signedIn: SignedIn | undefined
  private sender: Sender | undefined
  private whyNotSignedIn = ''
  private answer: SentAnswer | undefined
  /** When the service answered, in Unix seconds on this machine's clock. */
  private answeredAt = 0
  private granted: readonly string[] | undefined

  constructor(
    private readonly baseUrl: string,
    private readonly open: () => Promise<{
      readonly sender: Sender
      readonly signedIn: SignedIn | undefined
      /** Why there are no credentials to use. */
      readonly whyNot: string
    }>,
    private readonly timeoutSeconds: number,
  ) {}

  /** Returns the checks in the order in which they must run. */
  checks(): Checks {
    return {
      service: () => this.checkService(),
      clock: () =>
        this.answer
          ? checkClock(this.answer.headers, this.answeredAt)
          : skipped('the service did not answer'),
      token: () => this.whenSignedIn(signedIn => this.checkToken(signedIn)),
      scopes: () => this.whenSignedIn(signedIn => this.checkScopes(signedIn)),
      account: () => this.whenSignedIn(signedIn => this.checkAccount(signedIn)),
    }
  }

  private whenSignedIn(check: (signedIn: SignedIn) => Promise<Finding> | Finding) {
    if (!this.answer) return skipped('the service did not answer')
    return this.signedIn ? check(this.signedIn) : skipped(this.whyNotSignedIn)
  }

  private async checkService(): Promise<Finding> {
    const {baseUrl, timeoutSeconds} = this
    const {sender, signedIn, whyNot} = await this.open()
    this.signedIn = signedIn
    this.sender = sender
    this.whyNotSignedIn = whyNot
    const url = baseUrl + OPERATIONS['account.show'].path
    const request = {method: 'GET', url, headers: {accept: 'application/json'}}
    const began = systemClock.now()
    this.answer = await sender.send(request, {repeatable: true, timeoutSeconds}).catch(throwUnanswered(false))
    const ended = systemClock.now()
    this.answeredAt = (began + ended) / 2
    const {status, body} = this.answer
    const summary = `${baseUrl} answered ${status} in ${Math.round((ended - began) * 1000)} ms`
    if (status >= 500)
      return fail('service_failed', summary, 'try again later, or ask the operator of the service')
    if (status === 401) return ok(`${summary}, as expected without a token`)
    const fix = 'check that the base URL is the address of the service'
    if (status < 400 || parseJson(body) === undefined)
      return warn(`${summary} to a request without a token, where 401 is expected`, fix)
    return ok(summary)
  }

  private async checkToken({api, tokens, target}: SignedIn): Promise<Finding> {
    if (target.token) {
      await checkReadyToken(api)
      this.granted = ['account:read']
      return ok('BOOKCTL_TOKEN is accepted; it is never renewed')
    }
    const {scopes, expiresAt} = await tokens.get(target.scopes ?? BOOKING_SCOPES)
    this.granted = scopes
    const minutes = Math.max(0, Math.floor((expiresAt - systemClock.now()) / 60))
    return ok(`valid until ${isoTime(expiresAt)}, ${minutes} minutes`)
  }

  /** Reports every scope of the service. A missing scope is a warning only if commands request it by themselves. */
  private async checkScopes({target}: SignedIn): Promise<Finding> {
    if (target.token) return skipped('unknown for BOOKCTL_TOKEN')
    if (!this.granted) return skipped('no token')
    const wanted: readonly Scope[] = target.scopes ?? BOOKING_SCOPES
    const ofToken = this.granted
    const others = SCOPE_NAMES.filter(scope => !ofToken.includes(scope) && !wanted.includes(scope))
    const more = await this.askForScopes(target, others)
    const granted = [...ofToken, ...(more ?? [])]
    const describe = (scopes: readonly Scope[]) =>
      scopes.map(scope => `${scope} (${SCOPES[scope]})`).join('; ')
    const missing = SCOPE_NAMES.filter(scope => !granted.includes(scope))
    const unknown = more ? [] : others
    const refused = missing.filter(scope => !unknown.includes(scope))
    const parts = [
      `granted: ${granted.toSorted().join(', ') || 'none'}`,
      refused.length > 0 ? `not granted: ${describe(refused)}` : '',
      unknown.length > 0 ? `not known, because the request for them failed: ${unknown.join(', ')}` : '',
    ]
    const detail = parts.filter(Boolean).join('; ')
    const lacking = wanted.filter(scope => !granted.includes(scope))
    if (lacking.length === 0) return ok(detail)
    const fix = `ask the operator to grant ${lacking.join(', ')}, or log in with fewer scopes: bookctl login --scope …`
    return warn(detail, fix)
  }

  /**
   * Returns those of `scopes` that the service grants the client, or undefined if that could not be found out. If the
   * service refuses the scopes together, each is requested alone. The tokens are not stored, and not revoked, because a
   * service may issue the same token twice.
   */
  private async askForScopes(
    credentials: Credentials,
    scopes: readonly Scope[],
  ): Promise<Scope[] | undefined> {
    const {sender, baseUrl, timeoutSeconds} = this
    if (!sender) return undefined
    if (scopes.length === 0) return []
    const options = {sender, baseUrl, timeoutSeconds, clock: systemClock}
    try {
      const token = await requestToken({...options, credentials}, scopes)
      return scopes.filter(scope => token.scopes.includes(scope))
    } catch (error) {
      // A bug, or an interruption, is rethrown.
      if (!(error instanceof Failure) || error.kind === 'interrupted') throw error
      if (error.details.code !== 'invalid_scope') return undefined
      if (scopes.length === 1) return []
    }
    const granted: Scope[] = []
    for (const scope of scopes) {
      const found = await this.askForScopes(credentials, [scope])
      if (found === undefined) return undefined
      granted.push(...found)
    }
    return granted
  }

  private async checkAccount({api, target}: SignedIn): Promise<Finding> {
    if (!this.granted) return skipped(target.token ? 'the token is not accepted' : 'no token')
    if (!this.granted.includes('account:read')) return skipped('the token lacks the scope account:read')
    const {account_id, status} = await showAccount(api)
    const facts = [account_id, status].filter(fact => typeof fact === 'string')
    return ok(`answers${facts.length > 0 ? `: ${facts.join(', ')}` : ''}`)
  }
}

/**
 * Compares this machine's clock with the Date header. `at` is when the answer arrived, in Unix seconds on this machine.
 */
function checkClock(headers: SentAnswer['headers'], at: number): Finding {
  const date = Date.parse(headers.date ?? '')
  if (Number.isNaN(date)) return skipped('the response has no Date header')
  // Date has whole seconds, so on average the service's time is half a second later.
  const skew = at - (date / 1000 + 0.5)
  const seconds = Math.abs(Math.round(skew))
  if (seconds < NOTABLE_SKEW_SECONDS) return ok(`within ${Math.max(seconds, 1)} s of the service's`)
  const detail = `${seconds} s ${skew > 0 ? 'ahead of' : 'behind'} the service's: tokens and signatures depend on the time`
  const fix = 'set the clock of this machine by NTP: timedatectl set-ntp true'
  return seconds > SIGNATURE_TOLERANCE_SECONDS ? fail('usage', detail, fix) : warn(detail, fix)
}

type ReceiverOptions = ProbeOptions & Pick<ConnectOptions, 'env'> & {readonly profile: string | undefined}

export function checkSigningSecrets({state, env, profile}: ReceiverOptions): Finding {
  const fromEnv = (webhookSecretsOfEnvironment(env) ?? []).filter(Boolean)
  if (fromEnv.some(isEmptySecret)) {
    const fix = 'set it to the secret shown when the subscription was created'
    return warn('BOOKCTL_WEBHOOK_SECRET holds one that is empty after whsec_', fix)
  }
  if (fromEnv.length > 0) return ok(`${fromEnv.length} in BOOKCTL_WEBHOOK_SECRET`)
  const stored = storedWebhookSecrets(state, profileName({profile}, state))
  if (stored.length > 0) return ok(`${stored.length} stored for the profile`)
  return ok('none; webhooks create stores the one it gets')
}

/**
 * Checks whether events are received, as `webhooks status` does. If this machine never listened, the check is skipped.
 */
export async function checkListener(state: State, offline: boolean): Promise<Finding> {
  if (state.isShared && offline) return skipped('--offline')
  const {healthy, listeners, forwards, warnings} = await readStatus(state)
  const running = listeners.filter(({alive}) => alive)
  const where = running.map(({url, pid}) => `${url} (pid ${pid})`).join(', ')
  if (healthy && warnings.length === 0) return ok(`${where} receives events`)
  if (listeners.length === 0 && forwards.pending === 0) return skipped('none runs')
  return warn(warnings.join('; '), 'bookctl webhooks status')
}

/** Probes the receiver at `url`, as `webhooks probe` does. */
export async function checkReceiver(url: string | undefined, options: ReceiverOptions): Promise<Finding> {
  if (url === undefined) return skipped('none was named with --receiver URL')
  const {rows, notSent} = await probeReceiver(url, {profile: options.profile}, options)
  const first = rows.find(isFailed)
  const count = `${rows.filter(({ok}) => ok).length} of ${rows.length + notSent} cases passed`
  if (!first) return ok(count)
  const advice = `${first.case}: ${first.advice ?? 'see webhooks probe'}`
  return fail('refused', `${count}; ${advice}`, `bookctl webhooks probe '${url}'`)
}
