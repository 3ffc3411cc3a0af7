/** The composition root: puts together what sends requests. Heavy, so it is imported only by what may send one. */
import {createHash} from 'node:crypto'
import {resolve} from 'node:path'
import {createTokenSource} from '../../api/auth/tokens.js'
import {createSender, DEFAULT_TIMEOUT_SECONDS} from '../../api/http/send.js'
import {createTransport} from '../../api/http/transport.js'
import {createApi} from '../../api/operations/client.js'
import {createTrace} from '../../api/trace/trace.js'
import type {TokenSource} from '../../api/types.js'
import {systemClock} from '../../contract/dates.js'
import {Failure, failureWith} from '../../contract/failure.js'
import {keepExchanges} from '../../state/exchanges.js'
import type {State} from '../../state/state.js'
import {withProxy} from '../input/checks.js'
import {createProgress, watchedClock, watchedSender, watchedTrace} from '../terminal/progress.js'
import {guardOwnPaths, readNamedPaths} from './own-paths.js'
import type {Target} from './resolve.js'
import {trustedCertificates} from './trust.js'

export type OpenedSender = Awaited<ReturnType<typeof openSender>>
export type Connection = Awaited<ReturnType<typeof connect>>

export interface ConnectOptions {
  readonly timeoutSeconds: number | undefined
  readonly caFile: string | undefined
  readonly har: string | undefined
  readonly warn: (text: string) => void
  readonly show: ((line: string) => void) | undefined
  readonly bodies?: boolean
  readonly showCurl?: ((line: string) => void) | undefined
  readonly proxy?: string | undefined
  /** `--insecure`: certificates of this machine's own servers are not checked. */
  readonly insecure?: boolean | undefined
  readonly quiet: boolean | undefined
  /** Where the last requests are kept, and the name of the command; undefined to keep none. */
  readonly history?: {readonly directory: string; readonly command: string} | undefined
  /** Credentials in use, redacted wherever they would be shown. */
  readonly secrets?: readonly string[]
  readonly version: string
  readonly env: NodeJS.ProcessEnv
}

/** Sends to any service, with retries, traces and this machine's certificates. */
export async function openSender(options: ConnectOptions) {
  const {timeoutSeconds = DEFAULT_TIMEOUT_SECONDS, insecure = false, bodies = false, secrets = []} = options
  const {show, showCurl, history, har, version, warn, proxy} = options
  if (insecure) warn('Warning: --insecure: certificates of servers on this machine are not checked')
  const env = proxy === undefined ? options.env : withProxy(options.env, proxy)
  const transport = createTransport({env, insecure, ca: await trustedCertificates(options.caFile, env)})
  const curl = showCurl && (await import('../../api/trace/curl.js'))
  const kept: object[] = []
  const trace = createTrace({
    secrets,
    bodies,
    keep: har !== undefined,
    ...(show ? {show} : {}),
    ...(curl && showCurl ? {showRequest: (...sent) => showCurl(curl.curlLine(...sent))} : {}),
    ...(history ? {note: summary => void kept.push({command: history.command, ...summary})} : {}),
  })
  const progress = createProgress(options.quiet, options.env)
  const sender = createSender({
    secrets,
    transport,
    clock: systemClock,
    random: Math.random,
    trace: watchedTrace(trace, progress),
    userAgent: `bookctl/${version}`,
  })
  return {
    sender: watchedSender(sender, progress),
    /** Its waits are shown as progress. */
    clock: watchedClock(systemClock, progress),
    timeoutSeconds,
    async close() {
      progress.end()
      await transport.close()
      const misplaced = history && keepExchanges(history.directory, kept)
      if (misplaced !== undefined) warn(`Warning: ${misplaced}`)
      if (har === undefined) return
      const {writeWholeFile} = await import('../../storage/files.js')
      const text = `${JSON.stringify(await trace.har(version), null, 2)}\n`
      try {
        await writeWholeFile(har, [Buffer.from(text)], {existing: 'replace'})
      } catch (error) {
        // The command has done its work.
        warn(`Warning: --har: ${(error as Error).message}`)
      }
    },
  }
}

/** The service of `target`, with tokens shared between the processes of this machine. Sends nothing yet. */
export async function connect(target: Target, state: State, options: ConnectOptions) {
  const {baseUrl, clientId, clientSecret, scopes, token} = target
  const secrets = [clientSecret, token].filter(secret => secret !== undefined)
  const opened = await openSender({...options, secrets})
  const {sender, timeoutSeconds, clock} = opened
  const source = token
    ? readyTokens(token)
    : createTokenSource({
        baseUrl,
        credentials: {clientId, clientSecret},
        ...(scopes ? {configuredScopes: scopes} : {}),
        cache: state.tokens,
        sender,
        clock: systemClock,
        timeoutSeconds,
        route: routeOf(options),
      })
  const tokens = target.profile === null && !token ? tokensOfVariables(source) : source
  const namedPath = readNamedPaths(target, state)
  // Without --timeout the API has bounds of its own: a large voucher may take longer than a call.
  const bound = options.timeoutSeconds === undefined ? {} : {timeoutSeconds}
  const whole = createApi({baseUrl, sender, tokens, clock, namedPath, ...bound})
  const api = guardOwnPaths(whole, {namedPath, target, sender, timeoutSeconds})
  return {...opened, target, api, tokens, state}
}

/** Gives `accessToken` for everything. Throws Failure, exit 4, when the service no longer takes it. */
function readyTokens(accessToken: string): TokenSource {
  const token = {access_token: accessToken, scopes: [], obtainedAt: 0, expiresAt: Number.POSITIVE_INFINITY}
  return {
    get: async () => token,
    replace: async () => {
      const problem = 'the token in BOOKCTL_TOKEN is not valid or has expired; it is never renewed'
      const hint = 'set BOOKCTL_TOKEN to a new token, or unset it and use bookctl login'
      throw new Failure('not_allowed', problem, {code: 'token_not_valid', status: 401, hint})
    },
  }
}

/** `tokens` for credentials of the environment, which overrides any login: where they are refused, says what to check. */
function tokensOfVariables(tokens: TokenSource): TokenSource {
  const orNamed = (error: unknown): never => {
    if (!(error instanceof Failure) || error.details.code !== 'invalid_client') throw error
    const hint = 'check BOOKCTL_CLIENT_ID and BOOKCTL_CLIENT_SECRET, or unset both and use bookctl login'
    throw failureWith(error, {hint})
  }
  return {
    get: scopes => tokens.get(scopes).catch(orNamed),
    replace: (refused, scopes) => tokens.replace(refused, scopes).catch(orNamed),
  }
}

/** Variables that the route depends on, in either case. */
const ROUTE_VARIABLES = /^((https?|all|no)_proxy|node_extra_ca_certs|ssl_cert_(file|dir))$/i

/** Two processes with the same route meet the same faults. Hashed: a proxy's address may hold a password. */
function routeOf({env, proxy, caFile, insecure, timeoutSeconds}: ConnectOptions): string {
  const surroundings = Object.entries(env)
    .filter(([name]) => ROUTE_VARIABLES.test(name))
    .sort(([a], [b]) => (a < b ? -1 : 1))
  const parts = [proxy, caFile && resolve(caFile), insecure, timeoutSeconds, surroundings]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16)
}
