/**
 * The composition root: assembles the parts that send requests. It loads a lot of code, so only commands that may send
 * a request import it.
 */
import {createHash} from 'node:crypto'
import {resolve} from 'node:path'
import {createTokenSource} from '../../api/auth/tokens.js'
import {createSender, DEFAULT_TIMEOUT_SECONDS} from '../../api/http/send.js'
import {createTransport} from '../../api/http/transport.js'
import {createApi} from '../../api/operations/client.js'
import {createTrace} from '../../api/trace/trace.js'
import type {TokenSource} from '../../api/types.js'
import {systemClock} from '../../contract/dates.js'
import {Failure} from '../../contract/failure.js'
import {keepExchanges} from '../../state/exchanges.js'
import type {State} from '../../state/state.js'
import {withProxy} from '../input/checks.js'
import {openProgress} from '../terminal/progress.js'
import {createOwnPaths} from './own-paths.js'
import type {Target} from './resolve.js'

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
  /** `--insecure`: certificates of servers on this machine are not checked. */
  readonly insecure?: boolean | undefined
  readonly quiet: boolean | undefined
  /** The directory for the history of requests, and the name of the command. Undefined to keep no history. */
  readonly history?: {readonly directory: string; readonly command: string} | undefined
  /** The credentials in use, which are redacted in all output. */
  readonly secrets?: readonly string[]
  readonly version: string
  readonly env: NodeJS.ProcessEnv
}

/**
 * Opens a sender for requests to any service, with this machine's certificates and proxy. A request passes through, outermost
 * first:
 *
 * 1. `Progress`, if a person watches: shows what is awaited;
 * 2. the sender: repeats within the time limit, and reports each attempt to the traces (--verbose, --print-curl, --har, the
 *    history of this machine) and to progress, which shows why and when it is repeated;
 * 3. the transport: one exchange on the wire.
 */
export async function openSender(options: ConnectOptions) {
  const {timeoutSeconds = DEFAULT_TIMEOUT_SECONDS, insecure = false, secrets = []} = options
  const {history, har, version, warn, proxy, caFile, show, bodies, showCurl} = options
  if (insecure) warn('Warning: --insecure: certificates of servers on this machine are not checked')
  const env = proxy === undefined ? options.env : withProxy(options.env, proxy)
  const ca =
    caFile === undefined ? undefined : await (await import('./trust.js')).trustedCertificates(caFile, env)
  const curlLine = showCurl && (await import('../../api/trace/curl.js')).curlLine
  const summaries: object[] = []
  let misplaced: string | undefined
  const keepSummaries = () => {
    const problem = history && keepExchanges(history.directory, summaries.splice(0))
    misplaced ??= problem
  }
  const trace = createTrace({
    secrets,
    show,
    bodies,
    showCurl: curlLine && ((request, redactor) => showCurl?.(curlLine(request, redactor))),
    note:
      history &&
      (summary => {
        summaries.push({command: history.command, ...summary})
        // A server runs for days, so they are not kept in memory until its end.
        if (summaries.length >= MOST_SUMMARIES) keepSummaries()
      }),
    keep: har !== undefined,
  })
  const progress = openProgress(options.quiet, options.env)
  const transport = createTransport({env, insecure, ca})
  const sender = createSender({
    transport,
    traces: progress ? [trace, progress] : [trace],
    secrets,
    clock: systemClock,
    random: Math.random,
    userAgent: `bookctl/${version}`,
  })
  return {
    sender: progress ? progress.sender(sender) : sender,
    /** A clock whose waits are shown as progress. */
    clock: progress ? progress.clock(systemClock) : systemClock,
    timeoutSeconds,
    /** Returns the secrets of all requests so far, which a service may echo. */
    secretsSent: () => sender.secrets(),
    /** Shows, before what is waited for, which of several this is: `3 of 20`. */
    atStep: (step: string) => progress?.atStep(step),
    async close() {
      progress?.end()
      await transport.close()
      keepSummaries()
      if (misplaced !== undefined) warn(`Warning: ${misplaced}`)
      if (har === undefined) return
      const {writeWholeFile} = await import('../../storage/files.js')
      const text = `${JSON.stringify(await trace.har(version), null, 2)}\n`
      try {
        await writeWholeFile(har, [Buffer.from(text)], {existing: 'replace'})
      } catch (error) {
        // This is only a warning, because the command itself has succeeded.
        warn(`Warning: --har: ${(error as Error).message}`)
      }
    },
  }
}

/** How many summaries of requests are held in memory before they are appended to the history of this machine. */
const MOST_SUMMARIES = 200

/** Matches environment variables that affect the route to the service, in upper or lower case. */
const ROUTE_VARIABLES = /^((https?|all|no)_proxy|node_extra_ca_certs|ssl_cert_(file|dir))$/i

/** The hint if the service refuses credentials from the environment, which override any login. */
const CHECK_VARIABLES =
  'check BOOKCTL_CLIENT_ID and BOOKCTL_CLIENT_SECRET, or unset both and use bookctl login'

/**
 * Opens the API of the service in `target`, with tokens shared between the processes of this machine. Sends nothing yet. A call
 * passes through, outermost first:
 *
 * 1. the API: the operation's path and JSON in and out, a bearer token, and one new token after a 401;
 * 2. `createOwnPaths`: refuses an operation whose path would be a guess;
 * 3. the tokens: that of BOOKCTL_TOKEN, or those cached for all processes of this machine;
 * 4. the sender of `openSender`.
 */
export async function connect(target: Target, state: State, options: ConnectOptions) {
  const {baseUrl, clientId, clientSecret, scopes, token} = target
  const {proxy, caFile, insecure, env} = options
  // Processes with the same route share one token request. The route is hashed, because the address of a proxy may
  // contain a password.
  const variables = Object.entries(env)
    .filter(([name]) => ROUTE_VARIABLES.test(name))
    .sort(([a], [b]) => (a < b ? -1 : 1))
  const route = [proxy, caFile && resolve(caFile), insecure, options.timeoutSeconds, variables]
  const opened = await openSender({
    ...options,
    secrets: [clientSecret, token].filter(secret => secret !== undefined),
  })
  const {sender, timeoutSeconds, clock} = opened
  const tokens = token
    ? readyTokens(token)
    : createTokenSource({
        baseUrl,
        credentials: {clientId, clientSecret},
        ...(scopes ? {configuredScopes: scopes} : {}),
        cache: state.tokens,
        sender,
        clock: systemClock,
        timeoutSeconds,
        route: createHash('sha256').update(JSON.stringify(route)).digest('hex').slice(0, 16),
        ...(target.profile === null ? {refusedHint: CHECK_VARIABLES} : {}),
      })
  const api = createApi({
    baseUrl,
    clock,
    ownPath: createOwnPaths(target, state, sender, timeoutSeconds),
    tokens,
    sender,
    // Without --timeout, the API uses its own limits, because a large voucher may take longer than a call.
    ...(options.timeoutSeconds === undefined ? {} : {timeoutSeconds}),
  })
  return {...opened, target, api, tokens, state}
}

/**
 * Returns a token source that always returns `accessToken`. When the service no longer accepts it, throws a Failure
 * `not_allowed` (exit 4).
 */
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
