/**
 * The composition root: the one place where the parts are put together, each line one part. Heavy parts are imported
 * when they are asked for, so that `--help` loads none of them.
 */
import process from 'node:process'
import {setTimeout as sleep} from 'node:timers/promises'
import type {Api, Clock, Sender, TokenSource} from '../../api/types.js'
import {openState, type State} from '../../state/state.js'
import {routeOf, withProxy} from '../input/proxy.js'
import {DEFAULT_TIMEOUT_SECONDS} from './setting-keys.js'
import {type Remembered, readyTokens, resolveTarget, type Target, type TargetFlags} from './target.js'

export interface Connection {
  readonly target: Target
  readonly api: Api
  readonly tokens: TokenSource
  readonly sender: Sender
  readonly state: State
  readonly clock: Clock
  /** For one call: --timeout, or ours. */
  readonly timeoutSeconds: number
  close(): Promise<void>
}

export interface ConnectOptions {
  readonly timeoutSeconds: number | undefined
  readonly caFile: string | undefined
  /** Where to write the HAR document. */
  readonly har: string | undefined
  /** Takes what must be known although the command did its work. */
  readonly warn: (text: string) => void
  /** Takes the lines of `--verbose`. */
  readonly show: ((line: string) => void) | undefined
  /** Whether those tell bodies too, as `-vv` asks. */
  readonly bodies?: boolean
  /** Takes the lines of `--print-curl`. */
  readonly showCurl?: ((line: string) => void) | undefined
  /** `--proxy`, which overrides the proxies of the environment. */
  readonly proxy?: string | undefined
  /** `--insecure`: certificates of this machine's own servers are not checked. */
  readonly insecure?: boolean | undefined
  /** Whether progress is left out. */
  readonly quiet: boolean | undefined
  /** Where the last requests are kept, and the command they are of; undefined when they are not. */
  readonly history?: {readonly directory: string; readonly command: string} | undefined
  /** Credentials in use, to be taken out of all that is told. */
  readonly secrets?: readonly string[]
  readonly version: string
  readonly env: NodeJS.ProcessEnv
}

export const systemClock: Clock = {
  now: () => Date.now() / 1000,
  sleep: async milliseconds => void (await sleep(milliseconds)),
}

/** What this machine remembers in `directory`. */
export function openMemory(directory: string): State {
  return openState(directory)
}

/** Service and credentials from flags, environment and state; see `resolveTarget`. */
export function resolve(
  flags: TargetFlags,
  env: NodeJS.ProcessEnv,
  state: State,
  explicitProfile: boolean,
): Promise<Target> {
  return resolveTarget(flags, env, rememberedIn(state), explicitProfile)
}

/** The state as `resolveTarget` asks it. */
export function rememberedIn(state: State): Remembered {
  return {
    currentProfile: () => state.settings.read().current_profile,
    profile: name => ownProfile(state, name),
    secret: (name, {client_id: clientId, secret_store: place = 'file'}) =>
      state.secrets.read({profile: name, clientId}, place),
  }
}

function ownProfile(state: State, name: string) {
  const {profiles} = state.settings.read()
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined
}

export interface OpenedSender {
  readonly sender: Sender
  readonly timeoutSeconds: number
  /** Whose waits a person sees. */
  readonly clock: Clock
  close(): Promise<void>
}

/** Sends, with retries, traces and this machine's certificates; of no service in particular. */
export async function openSender(options: ConnectOptions): Promise<OpenedSender> {
  const {timeoutSeconds = DEFAULT_TIMEOUT_SECONDS} = options
  const wire = await import('./wire.js')
  const {insecure = false, bodies = false, secrets = [], show, showCurl} = options
  if (insecure) options.warn('Warning: --insecure: certificates of servers on this machine are not checked')
  const env = options.proxy === undefined ? options.env : withProxy(options.env, options.proxy)
  const ca = await wire.trustedCertificates(options.caFile, env)
  const transport = wire.createTransport({env, insecure, ca})
  const keep = options.har !== undefined
  const curl = showCurl && (await import('../../api/trace/curl.js'))
  const kept: object[] = []
  const {history} = options
  const trace = wire.createTrace({
    secrets,
    bodies,
    keep,
    ...(show ? {show} : {}),
    ...(curl && showCurl ? {showRequest: (...sent) => showCurl(curl.curlLine(...sent))} : {}),
    ...(history ? {note: summary => void kept.push({command: history.command, ...summary})} : {}),
  })
  const style = wire.progressStyle(process, options.quiet, options.env)
  const progress = style === 'none' ? undefined : wire.createProgress(style)
  const sender = wire.createSender({
    secrets,
    transport,
    clock: systemClock,
    random: Math.random,
    trace: progress ? wire.watchedTrace(trace, progress) : trace,
    userAgent: `bookctl/${options.version}`,
  })
  return {
    sender: progress ? wire.watchedSender(sender, progress) : sender,
    clock: progress ? wire.watchedClock(systemClock, progress) : systemClock,
    timeoutSeconds,
    async close() {
      progress?.end()
      await transport.close()
      const misplaced = history && (await wire.keepExchanges(history.directory, kept))
      if (misplaced !== undefined) options.warn(`Warning: ${misplaced}`)
      if (options.har !== undefined)
        await writeHar(options.har, await trace.har(options.version), options.warn)
    },
  }
}

/** What the command did stays done when its record cannot be written. */
async function writeHar(path: string, document: object, warn: (text: string) => void): Promise<void> {
  const {writeWholeFile} = await import('../../storage/files.js')
  try {
    writeWholeFile(path, Buffer.from(`${JSON.stringify(document, null, 2)}\n`), {existing: 'replace'})
  } catch (error) {
    warn(`Warning: --har: ${(error as Error).message}`)
  }
}

/** The service of `target`, with tokens shared between the processes of this machine. Sends nothing yet. */
export async function connect(target: Target, state: State, options: ConnectOptions): Promise<Connection> {
  const {baseUrl, clientId, clientSecret, scopes, token} = target
  const secrets = [clientSecret, token].filter(secret => secret !== undefined)
  const {sender, timeoutSeconds, clock, close} = await openSender({...options, secrets})
  const {createApi, createTokenSource, guardOwnPaths, readNamedPaths} = await import('./wire.js')
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
        route: routeOf(options),
      })
  const namedPath = readNamedPaths(target, state)
  // Without --timeout the API has bounds of its own: a large voucher may take longer than a call.
  const told = options.timeoutSeconds === undefined ? {} : {timeoutSeconds}
  const whole = createApi({baseUrl, sender, tokens, clock, namedPath, ...told})
  const api = guardOwnPaths(whole, {namedPath, target, sender, timeoutSeconds})
  return {target, api, tokens, sender, state, clock, timeoutSeconds, close}
}
